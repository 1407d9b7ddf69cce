"""Secrets in text, in both languages: found by their own shape, or by the label in front of them.

A shape is enough where an issuer gave it one (prefix, checksum). Everything else needs a label and
a value that looks like one: entropy alone was rejected, since hashes, identifiers and order numbers
are random too, and a guard that masks those is switched off.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from hindsight.language.disguises import Unmasked, unmask_with_offsets


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """Characters ``start`` to ``end`` are a secret. ``kind`` is a stable word such as ``api_key``."""

    start: int
    end: int
    kind: str


_MASK: Final = re.compile(r"\[secret:[a-z_]{1,30}\]")
_FULL_WIDTH_MARK: Final = re.compile("[，；！？（）]")
# Masking one secret can uncover another beside it; three levels are more than any text has shown.
_PASSES_MAX: Final = 8

# One of the words in the middle stands in every match, in the text or in its lower case: looking for those
# first is ten times as fast as trying the pattern everywhere.
_SHAPES: Final[tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]] = (
    (
        "private_key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: "
            r"BLOCK)?-----(?:(?!-----)[\s\S]){0,20000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: "
            r"BLOCK)?-----)?"
        ),
    ),
    ("token", ("eyJ",), re.compile(r"\beyJ[\w-]{8,4000}\.[\w-]{8,8000}\.[\w-]{5,2000}")),
    (
        "token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "pypi-"),
        re.compile(
            r"\b(?:gh[pousr]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}|npm_\w{30,60}|"
            r"pypi-[\w-]{32,300})"
        ),
    ),
    (
        "token",
        ("xox", "xapp-", "hf_", "ya29.", "dop_v1_"),
        re.compile(
            r"\b(?:xox[abeoprs]-[\w-]{10,250}|xapp-[\w-]{20,250}|hf_[A-Za-z]{30,60}|ya29\.[\w-]{20,400}|"
            r"dop_v1_[0-9a-f]{40,80})"
        ),
    ),
    ("token", (":AA",), re.compile(r"\b\d{8,10}:AA[\w-]{32,34}\b")),
    ("token", ("hooks.slack.com",), re.compile(r"(?i)hooks\.slack\.com/services/(?-i:T\w{6,14}/B\w{6,14}/\w{16,32})")),
    ("token", ("bearer ",), re.compile(r"(?i)(?<=\bbearer )(?=[^\s]*\d)[\w.~+/-]{16,4000}=*")),
    ("token", ("basic ",), re.compile(r"(?i)(?<=\bbasic )(?=[^\s]*[A-Z0-9=])(?-i:[A-Za-z0-9+/]{16,400}={1,2})")),
    (
        "api_key",
        ("sk-", "sk_", "rk-", "rk_", "pk-", "pk_"),
        re.compile(
            r"\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or|svcacct|"
            r"lf)?[-_]?(?=[\w-]{0,60}\d)[A-Za-z0-9][\w-]{14,250}"
        ),
    ),
    ("api_key", ("AKIA", "ASIA", "AGPA", "AIDA", "AROA"), re.compile(r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b")),
    ("api_key", ("AIza",), re.compile(r"\bAIza[\w-]{30,40}")),
    ("api_key", ("SG.",), re.compile(r"\bSG\.[\w-]{16,32}\.[\w-]{30,60}")),
    ("api_key", ("LTAI", "AKID"), re.compile(r"\b(?:LTAI|AKID)(?=\w{0,30}\d)[A-Za-z0-9]{12,40}\b")),
    (
        "api_key",
        ("shpat_", "shpca_", "shppa_", "shpss_", "whsec_", "gsk_", "xai-", "tvly-", "r8_", "sq0", "key-"),
        re.compile(
            r"\b(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,40}|whsec_\w{20,80}|gsk_\w{20,80}|xai-\w{20,120}|"
            r"tvly-\w{16,64}|r8_\w{30,50}|sq0(?:atp|csp)-[\w-]{20,60}|key-[0-9a-f]{32})\b"
        ),
    ),
)
_URL_PASSWORD: Final = re.compile(r"\b[A-Za-z][\w+.-]{1,30}://[^\s:/@]{0,100}:([^\s/@]{3,200})@[\w.\[-]")

_SIX_DIGITS: Final = re.compile(r"\d(?:[ -]?\d){5}")
_DIGIT_GROUPS: Final = re.compile(r"(?<![\w.+*-])\d(?:[ -]?\d){11,18}(?![\w*]|[.-]\d)")
_CARD_LABEL: Final = re.compile(
    r"(?i)(?:card(?: ?(?:number|no\.?|#))?|visa|mastercard|amex|unionpay|卡号|银行卡|信用卡|"
    r"储蓄卡|借记卡|银联)[^\d。.!！?？\n]{0,24}\Z"
)
_NUMBER_LABEL: Final = re.compile(
    r"(?i)(?:order|tracking|invoice|ticket|ref(?:erence)?|parcel|shipment|serial|isbn|imei|id|"
    r"订单|单号|运单|快递|编号|流水|工单|票号|序列号|条码)[^\d。.!！?？\n]{0,16}\Z"
)
_CHINESE_ID: Final = re.compile(r"(?<![\w.-])[1-8]\d{5}(?:18|19|20)\d{2}[01]\d[0-3]\d{4}[\dXx](?!\w)")
_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_LABELLED_ID: Final = re.compile(
    r"(?i)(?:\bssn\b|social security(?: number| no\.?)?|passport(?: number| no\.?)?|national "
    r"id(?: number)?|护照号?码?|身份证号?码?)[^\w\n。.]{0,4}(?:\b(?:is|are)\b|[:=是为])?\s{0,3}"
    r"(?P<value>\d{3}-\d{2}-\d{4}\b|\d{9}\b|[A-Z]{1,2}\d{6,9}\b|\d{17}[\dXx]\b)"
)

_PASSWORD_LABEL: Final = (
    r"(?:pass ?words?|passwd|pwd|pass ?code|pass ?phrase|log-?in pass|pw(?=\s?[:=])|"
    r"pass(?=\s?[:=])|psk(?=\s?[:=])|"
    r"(?:wifi|wi-fi|无线|登录|支付|交易|取款|银行卡?|锁屏|解锁|开机|开锁|门锁|门禁|保险[柜箱]|"
    r"行李箱|后台|管理员|数据库|服务器|邮箱|账[号户]|初始|默认|临时|新|旧|老)?密码|口令|暗号|"
    r"密令)"
)
_CODE_LABEL: Final = (
    r"(?:\bpin(?:[ -]?(?:code|number))?\b|pin码|(?:door|gate|alarm|lock|safe|locker|access|entry|"
    r"keypad|garage|unlock|vault|lockbox|building)(?: ?-?lock| box)? (?:code|combination|combo)|"
    r"门禁码|开门码|开锁码|"
    r"cvv2?|cvc2?|card security code|安全码|verification code|one[- ]time (?:code|password)|"
    r"\botp\b|2fa code|backup codes?|recovery codes?|验证码|动态码|校验码)"
)
_KEY_LABEL: Final = (
    r"(?:(?:api|access|secret|private|licen[cs]e|encryption|signing|master|product|auth|service|"
    r"admin|account|app|deploy|ssh|wallet)[ _-]?(?:access[ _-]?)?keys?|app[ _-]?secret|client[ "
    r"_-]?secret|"
    r"(?:access|auth|api|bearer|refresh|bot|session|personal access|id)[ _-]?tokens?|\btoken|"
    r"\bsecret(?=[\"']?\s?[:=])|密钥|秘钥|私钥|令牌|访问令牌|授权码|激活码|"
    r"(?:(?-i:[A-Z])\w{0,20}_)?(?:SECRET|TOKEN|KEY|PASSWORD)(?=[\"']?\s?[:=]))"
)
_PHRASE_LABEL: Final = (
    r"(?:pass ?phrase|(?:seed|recovery|backup|mnemonic|wallet) (?:phrase|words)|mnemonic|助记词|"
    r"恢复短语)"
)
_MIDDLE: Final = (
    r"(?:[ \t]{0,2}[(（][^()（）\n]{1,30}[)）]|[ \t](?:for|to|of|on|at|i use)[ "
    r"\t][^\n.:=。！？!?,，]{1,40}?|(?:of|for)? [a-z]{2,12}(?=:))"
)
_STRONG_LINK: Final = (
    r"(?P<link>\s?[:=]\s{0,3}|[ \t](?:is|was|will be)(?:[ \t](?:now|currently|still))?[ \t]|'s[ "
    r"\t]|\s?(?:现在|目前)?(?:就?是|改?为)\s?)"
)
_CONNECTOR: Final = (
    r"(?P<link>[\"'”’]?\s{0,3}(?:[:=]{1,2}|->|→|=>)\s{0,3}|[ \t]{1,2}(?:is|are|was|will be|should "
    r"be|now is|has been (?:changed|set) to|(?:changed|set|reset|updated) to|to|be)(?:[ \t](?:now|"
    r"currently|just|still|actually|set to))?[ \t]?[:：]?[ \t]{1,2}"
    r"|'s[ \t](?:now[ \t])?|\s?(?:现在|目前|暂时|一直|还|都|已经?|被我?)?(?:改|设|换|重置|"
    r"更新)?(?:就?是|改?为|成了?|叫)\s?[:：]?\s?|[ \t]?)"
)
_VALUE: Final = r"(?P<quote>[\"'`“‘「『]?)(?P<value>[^\s\"`“”‘’「」『』<>，。；、！？（）()\[\]{}]{3,200})"


def _labelled(label: str, value: str = _VALUE) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The label with its value right behind it, and with words between ("for the router")."""
    named = r"(?i)(?P<label>(?:(?<![A-Za-z])|(?=[\u3400-\u9fff]))(?:" + label + "))"
    return re.compile(named + _CONNECTOR + value), re.compile(named + _MIDDLE + _STRONG_LINK + value)


_PASSWORD: Final = _labelled(_PASSWORD_LABEL)
_KEY: Final = _labelled(_KEY_LABEL)
_CODE: Final = _labelled(
    _CODE_LABEL,
    r"(?P<quote>[\"'`“‘「]?)(?P<value>#?\d[\d -]{1,9}\d[#*]?(?![\w.])|"
    r"(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9-]{5,24}(?!\w))",
)
_PHRASE: Final = _labelled(
    _PHRASE_LABEL, r"(?P<quote>[\"'`“‘「]?)(?P<value>(?:[a-z]{2,12}[ ,-]{1,2}){2,23}[a-z]{2,12})"
)
_HAN_PASSWORD: Final = re.compile(
    r"(?P<label>密码|口令|暗号|密令)(?:就|现在|改|设)?(?P<link>[:：]|是|成|"
    r"为)\s?(?P<quote>[“「\"『]?)(?P<value>[\u3400-\u9fff]{2,12})(?=[”」\"』]|[\s，。！!；;,.]|"
    r"\Z)"
)
_HAN_TALK: Final = re.compile(
    r"[的了吗呢吧啊么谁哪多几在没不很请需要必须该应可能会都也还和或与个位忘错对加存改设换您你我他她它同一自随长短过问至包明文字母数]"
)
_LOGIN_PAIR: Final = re.compile(
    r"(?i)\b(?:creds?|credentials|log-?ins?|user(?:name)?/pass(?:word)?|账号密码|"
    r"账密)\s?(?:[:：=]|is|是|are)\s?[^\s/:|]{2,60}(?:\s?[/:|]\s?|"
    r"\s)(?P<value>[^\s，。；]{4,100})"
)
_FLAG: Final = re.compile(
    r"(?:--password[ =]|--token[ =]|--api-key[ =]|\bsshpass -p ?|\bcurl\b[^\n]{0,200}? -u "
    r"[^\s:]{1,60}:)[\"']?(?P<value>[^\s\"'<>${}]{4,200})"
)
_OF_LOGINS: Final = {"cred", "login", "log-in", "user/", "curl", "账密"}
_PLACEHOLDER: Final = re.compile(
    r"(?i)(?:your|my|the|some|new|old)?[_-]?(?:pass(?:word)?|secret|token|key|api[_-]?key|"
    r"placeholder|example|changeme\b|string|str|text|int|bool|none|null|nil|true|false|undefined|"
    r"required|optional|redacted|hidden|env|process|os|getenv|config|"
    r"settings)\b[\w.\[\]()'\"-]*\Z"
    r"|[*•.xX_#-]+\Z|[$%@]\{?.*|.*(?:\(\)|os\.environ|process\.env|getenv).*|https?://.*|\w+@\w+\.\w+\Z"
)
_UUID_OR_HASH: Final = re.compile(
    r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z|\d{4}-\d\d-\d\d|"
    r"\d{1,2}:\d\d"
)
# What may stand after "my password is" without being it.
_NO_PASSWORD: Final = frozenset(
    "wrong weak expired strong required correct incorrect invalid valid safe secure missing lost "
    "gone reset saved stored hashed encrypted the a an not too very so still always never just "
    "in on at my our his "
    "her your their same different long short being getting needed empty blank public secret "
    "unknown hard easy enough broken compromised leaked working what where how why when that "
    "this it there here now "
    "only also no yes ok okay fine good bad great old new case changed set written kept sent "
    "rejected accepted protected important complex simple unique random something anything "
    "nothing one two and or but "
    "if for from to of with by as like up down out all any some more less than then okay longer "
    "shorter stuck protected usually currently probably really definitely only temporarily "
    "correctly randomly obviously actually likely managed based rotated generated optional "
    "mandatory visible masked".split()
)
_QUOTES: Final = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』"}


def find_secrets(text: str) -> tuple[SecretSpan, ...]:
    """The secrets in *text*: keys, tokens, passwords, codes, cards and identity numbers.

    Disguised text (full-width digits, zero-width marks) is read through. Talk about secrets ("I forgot
    my password"), placeholders, hashes, phone and order numbers are left alone.

    Returns:
        Disjoint spans in order; the label in front of a secret is not part of it.
    """
    plain = unmask_with_offsets(text)
    readable = _with_full_width_marks(plain, text)
    masks = [match.span() for match in _MASK.finditer(readable)]
    found: list[SecretSpan] = []
    for span in sorted(_all(readable), key=lambda each: (each.start, -each.end)):
        if found and span.start < found[-1].end:
            continue
        if any(start < span.end and span.start < end for start, end in masks):
            continue
        found.append(span)
    return tuple(SecretSpan(*plain.original(span.start, span.end), span.kind) for span in found)


def mask_secrets(text: str) -> str:
    """*text* with every secret replaced by ``[secret:kind]``; masking twice changes nothing."""
    for _ in range(_PASSES_MAX):
        found = find_secrets(text)
        if not found:
            break
        pieces: list[str] = []
        position = 0
        for span in found:
            pieces += [text[position : span.start], f"[secret:{span.kind}]"]
            position = span.end
        text = "".join([*pieces, text[position:]])
    return text


def _with_full_width_marks(plain: Unmasked, text: str) -> str:
    """The unmasked text with 「，」 and its kin as they were: they end a value, a plain comma may be in one."""
    characters: list[str] | None = None
    for mark in _FULL_WIDTH_MARK.finditer(text):
        characters = list(plain.text) if characters is None else characters
        at = bisect_left(plain.offsets, mark.start())
        if at < len(characters) and plain.offsets[at] == mark.start():
            characters[at] = mark.group()
    return plain.text if characters is None else "".join(characters)


def _all(text: str) -> Iterator[SecretSpan]:
    lowered = text.lower()
    for kind, words, pattern in _SHAPES:
        for word in words:
            if word in text or word in lowered:
                yield from (SecretSpan(*match.span(), kind) for match in pattern.finditer(text))
                break
    if "://" in text:
        for match in _URL_PASSWORD.finditer(text):
            if not _PLACEHOLDER.match(match[1]):
                yield SecretSpan(match.start(1), match.end(1), "password")
    if _SIX_DIGITS.search(text) is not None:
        yield from _numbers(text)
    yield from _by_label(text, lowered)


def _numbers(text: str) -> Iterator[SecretSpan]:
    for match in _CHINESE_ID.finditer(text):
        if _is_chinese_id(match.group()):
            yield SecretSpan(match.start(), match.end(), "id_number")
    for match in _LABELLED_ID.finditer(text):
        yield SecretSpan(match.start("value"), match.end("value"), "id_number")
    for match in _DIGIT_GROUPS.finditer(text):
        digits = re.sub(r"[ -]", "", match.group())
        before = text[max(0, match.start() - 40) : match.start()]
        labelled = _CARD_LABEL.search(before) is not None
        if labelled or (_is_card(digits) and not _NUMBER_LABEL.search(before)):
            yield SecretSpan(match.start(), match.end(), "card")


def _is_card(digits: str) -> bool:
    """Whether a known issuer gives out such numbers and the check digit holds."""
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    issued = (
        (digits[0] == "4" and size in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and size == 16)
        or (two in (34, 37) and size == 15)
        or ((four == 6011 or two == 65) and size == 16)
        or (two == 62 and 16 <= size <= 19)
        or (3528 <= four <= 3589 and size == 16)
        or ((two in (36, 38) or 3000 <= four <= 3059) and size == 14)
    )
    return issued and len(set(digits)) > 1 and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_chinese_id(number: str) -> bool:
    """The check of GB 11643: a real birthday, and the weighted sum's check character."""
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _ID_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


def _by_label(text: str, lowered: str) -> Iterator[SecretSpan]:
    # Most messages name no secret at all; these looks spare them the patterns below.
    if not any(word in lowered for word in _ANY_LABEL):
        return
    for kind, words, patterns, looks in _LABELS:
        if not any(word in lowered for word in words):
            continue
        for pattern in patterns:
            position = 0
            while (match := pattern.search(text, position)) is not None:
                position = match.end("label")
                start, end = match.start("value"), _value_end(text, match)
                if looks(match, text[start:end], text[end : end + 2]):
                    yield SecretSpan(start, end, kind)
                    position = end
    for match in _HAN_PASSWORD.finditer(text):
        value = match["value"]
        if match["quote"] or (len(value) <= 8 and not _HAN_TALK.search(value)):
            yield SecretSpan(match.start("value"), match.end("value"), "password")
    for pattern in (_LOGIN_PAIR, _FLAG):
        for match in pattern.finditer(text):
            if not _PLACEHOLDER.match(match["value"]) and (pattern is _FLAG or _has_mixture(match["value"])):
                yield SecretSpan(match.start("value"), match.end("value"), "password")


def _value_end(text: str, match: re.Match[str]) -> int:
    """Where the value ends: at its closing quote, else before the sentence's own punctuation."""
    quote = match["quote"]
    if quote:
        closing = text.find(_QUOTES[quote], match.end("quote"), match.end("quote") + 200)
        if closing > match.start("value"):
            return closing
    value = match["value"]
    return match.start("value") + len(value.rstrip(".,;:?'…"))


def _has_mixture(value: str) -> bool:
    """Letters with digits or symbols, or at least six digits: what people and machines make up."""
    letters = any(character.isalpha() for character in value)
    digits = sum(character.isdigit() for character in value)
    symbols = any(character in "!@#$%^&*_+=~?" for character in value[1:])
    return (letters and (digits > 0 or symbols) and len(value) >= 5) or (digits >= 6) or (symbols and digits >= 3)


def _is_no_value(value: str) -> bool:
    return len(value) < 3 or _PLACEHOLDER.match(value) is not None or _UUID_OR_HASH.match(value) is not None


def _looks_like_password(match: re.Match[str], value: str, after: str) -> bool:
    link = match["link"].strip()
    if _is_no_value(value):
        return False
    if match["quote"]:
        return bool(link) or _has_mixture(value)
    if not value.isascii():
        return False
    if not link or link in ("to", "be"):
        return (
            _has_mixture(value) and (len(value) >= 6 or value.isdigit()) and not re.match(r"\d+[a-z]*\b\Z", value[:3])
        )
    if _has_mixture(value) or (value.isdigit() and len(value) >= 4):
        return not re.match(r"(?i)\d+(?:\+|chars?|characters|位|days?|个)\Z", value)
    word = value.lower()
    if word in _NO_PASSWORD or word.endswith(("ed", "ing", "'t")) or not word.isalpha() or len(word) < 4:
        return False
    # A bare word is taken only where nothing follows that would make it the start of a phrase.
    return not after or after[0] in ".,;!。，；！\n" or (after[0] == " " and after[1:2] in ("", "("))


def _looks_like_key(match: re.Match[str], value: str, after: str) -> bool:
    del after
    if _is_no_value(value) or not value.isascii():
        return False
    letters = any(character.isalpha() for character in value)
    digits = any(character.isdigit() for character in value)
    least = 8 if match["link"].strip() in (":", "=", "：") or match["quote"] else 10
    return letters and digits and len(value) >= least and not re.match(r"[a-z]+[-_.][a-z]+[\w.-]*\Z", value)


def _looks_like_code(match: re.Match[str], value: str, after: str) -> bool:
    del after
    digits = sum(character.isdigit() for character in value)
    linked = bool(match["link"].strip())
    if re.match(r"(?:19|20)\d\d\Z", value) and not linked:
        return False
    return 3 <= digits <= 12 and (linked or digits >= 4 or match["label"].lower().startswith(("cv", "安全码")))


def _looks_like_phrase(match: re.Match[str], value: str, after: str) -> bool:
    del after
    words = re.split(r"[ ,-]+", value)
    return len(words) >= 3 and bool(match["link"].strip()) and not (set(words) & _PHRASE_TALK)


_Looks = Callable[[re.Match[str], str, str], bool]
# The words that every label of its kind holds one of, in lower case.
_LABELS: Final[tuple[tuple[str, tuple[str, ...], tuple[re.Pattern[str], ...], _Looks], ...]] = (
    ("password", ("pass", "pwd", "psk", "pw", "密码", "口令", "暗号", "密令"), _PASSWORD, _looks_like_password),
    ("api_key", ("key", "token", "secret", "password", "钥", "令牌", "授权码", "激活码"), _KEY, _looks_like_key),
    ("code", ("pin", "code", "comb", "cvv", "cvc", "otp", "password", "码"), _CODE, _looks_like_code),
    ("passphrase", ("phrase", "words", "mnemonic", "助记词", "短语"), _PHRASE, _looks_like_phrase),
)
_ANY_LABEL: Final = tuple({word for _, words, _, _ in _LABELS for word in words} | _OF_LOGINS)
_PHRASE_TALK: Final = frozenset(
    "is are was the a an not to for you your my our should must be in on it and or of with "
    "please stored written kept never always".split()
)
