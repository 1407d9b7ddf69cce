import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.language.secrets import SecretSpan, find_secrets, mask_secrets

# Put together here, so that no scanner takes this file for a leak.
KEY = "sk-" + "Ab3" * 8
SECRETS = {
    "我的密码是 q7Rt!92x": ("q7Rt!92x", "password"),
    "密码：mima2027": ("mima2027", "password"),
    "WiFi密码是83920174": ("83920174", "password"),
    "口令：海阔天空": ("海阔天空", "password"),
    "我的支付密码改成了 730158": ("730158", "password"),
    "the wifi password is dragonfly": ("dragonfly", "password"),
    "my password for the router is moonbeam.": ("moonbeam", "password"),
    "I changed my password to V3locity#9": ("V3locity#9", "password"),
    "DB_PASSWORD=opensesame1": ("opensesame1", "password"),
    '{"password": "xyzzy-plugh"}': ("xyzzy-plugh", "password"),
    "password　ｉｓ　ｋ９ｂｏｎｅｓ": ("ｋ９ｂｏｎｅｓ", "password"),
    "postgres://ann:t0psecret@db.example/app": ("t0psecret", "password"),
    "my PIN is 7291": ("7291", "code"),
    "门禁码是5813#": ("5813#", "code"),
    "验证码 604417": ("604417", "code"),
    f"my API key {KEY}": (KEY, "api_key"),
    "AK" + "IA" + "Q" * 8 + "1234ABCD": ("AK" + "IA" + "Q" * 8 + "1234ABCD", "api_key"),
    "client_secret: 41c8e7d6c5b4a3928170": ("41c8e7d6c5b4a3928170", "api_key"),
    "gh" + "p_" + "a1B2" * 9: ("gh" + "p_" + "a1B2" * 9, "token"),
    "Authorization: Bearer abc123def456ghi789": ("abc123def456ghi789", "token"),
    "ey" + "J" + "hbGciOi1" + ".eyJzdWIiOjE" + ".abcDEF123": (
        "ey" + "J" + "hbGciOi1" + ".eyJzdWIiOjE" + ".abcDEF123",
        "token",
    ),
    "pay with 4242 4242 4242 4242": ("4242 4242 4242 4242", "card"),
    "银行卡号 6222020200112233445": ("6222020200112233445", "card"),
    "身份证 11010519491231002X": ("11010519491231002X", "id_number"),
    "the recovery phrase is apple river stone cloud": ("apple river stone cloud", "passphrase"),
}
INNOCENT = [
    "I forgot my password",
    "my password is too short",
    "the password must have 12 characters",
    "密码管理器用 Bitwarden",
    "密码是什么时候过期的",
    "密码至少要 12 位",
    "验证码一直收不到",
    "我的电话是 13912345678",
    "订单 4929381234567890 已发货",
    "order 4242424242424242 has shipped",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "max_tokens=4096",
    "password = os.environ['DB_PASSWORD']",
    "api_key: <your-api-key>",
    "zip code is 94110, error code 500",
    "the secret is to rest the dough",
    "pin this message, please",
    "data:image/png;base64," + "iVBORw0KGgo" * 12,
    "I teach a course on cryptography and keys",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_found_and_named(text: str) -> None:
    secret, kind = SECRETS[text]
    start = text.index(secret)
    assert find_secrets(text) == (SecretSpan(start, start + len(secret), kind),)


@pytest.mark.parametrize("text", SECRETS)
def test_a_masked_text_holds_no_secret_and_stays_as_it_is(text: str) -> None:
    masked = mask_secrets(text)
    assert SECRETS[text][0] not in masked
    assert f"[secret:{SECRETS[text][1]}]" in masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize("text", INNOCENT)
def test_talk_about_secrets_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()
    assert mask_secrets(text) == text


def test_a_private_key_is_masked_as_a_whole() -> None:
    begin, end = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    assert mask_secrets(f"here:\n{begin}\nMIIB\nAAAA\n{end}\nbye") == "here:\n[secret:private_key]\nbye"


def test_several_secrets_are_masked_and_the_rest_is_kept() -> None:
    masked = mask_secrets("账号 ann 密码 a1b2c3d4，PIN 是 4821。明天见")
    assert masked == "账号 ann 密码 [secret:password]，PIN 是 [secret:code]。明天见"


@given(st.text(st.one_of(st.sampled_from("密码是password:= 0123aB!sk-[]"), st.characters()), max_size=120))
def test_masking_twice_changes_nothing(text: str) -> None:
    masked = mask_secrets(text)
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "piece", ["密码", "password ", "API_KEY=", "1-", "sk-a", "a_", '"', "\x00", "-----BEGIN PRIVATE KEY-----"]
)
def test_long_hostile_input_is_survived(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    assert all(span.end <= len(text) for span in find_secrets(text))
