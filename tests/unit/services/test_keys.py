"""API keys: what they open, when they stop, and that only the owner has them."""

from __future__ import annotations

import re

import pytest

from hindsight import Hindsight, InvalidRequest, NotFound, PermissionDenied, StateMismatch
from hindsight.services.core import Caller
from hindsight.testing import FrozenClock


def test_a_key_is_known_by_its_secret_which_is_kept_nowhere(hs: Hindsight) -> None:
    issued = hs.create_key(label="bot", namespaces=["user/kim"])
    assert hs.known_key(issued.secret) == issued.key
    assert re.fullmatch(r"hsk_[0-9a-f]{32}_[\w-]{43}", issued.secret)
    assert [key.id for key in hs.api_keys()] == [issued.key.id]
    assert issued.secret.rpartition("_")[2] not in repr(hs.api_keys())
    assert (issued.key.rights, issued.key.highest_origin) == (("read", "write"), "assistant")


@pytest.mark.parametrize(
    "change",
    [
        lambda secret: secret[:-1] + ("A" if secret[-1] != "A" else "B"),
        lambda secret: secret + "A",
        lambda secret: secret.upper(),
        lambda secret: secret.replace("hsk_", "hsk_0", 1),
        lambda secret: secret.rpartition("_")[0] + "_",
        lambda secret: "",
        lambda secret: "hsk__",
        lambda secret: secret + "钥",
        lambda secret: secret * 1000,
    ],
)
def test_nothing_but_the_whole_secret_opens(hs: Hindsight, change) -> None:
    issued = hs.create_key(label="bot", namespaces=["user/kim"])
    assert hs.known_key(change(issued.secret)) is None


def test_a_key_ends_when_it_expires(hs: Hindsight, clock: FrozenClock) -> None:
    issued = hs.create_key(label="bot", namespaces=["user/kim"], expires_at="2026-03-03T09:00:00Z")
    assert hs.known_key(issued.secret) is not None
    clock.advance(days=1)
    assert hs.known_key(issued.secret) is None


def test_a_revoked_key_opens_nothing_and_stays_listed(hs: Hindsight) -> None:
    issued = hs.create_key(label="bot", namespaces=["user/kim"])
    revoked = hs.revoke_key(issued.key.id)
    assert hs.known_key(issued.secret) is None
    assert [key.revoked_at for key in hs.api_keys()] == [revoked.revoked_at]
    assert hs.revoke_key(issued.key.id) == revoked
    assert hs.any_key()
    with pytest.raises(StateMismatch):
        hs.rotate_key(issued.key.id)


def test_a_rotated_key_keeps_what_it_opens_under_another_secret(hs: Hindsight) -> None:
    issued = hs.create_key(label="bot", namespaces=["user/kim"], rights=["read"], highest_origin="tool")
    again = hs.rotate_key(issued.key.id)
    assert again.key == issued.key
    assert hs.known_key(issued.secret) is None
    assert hs.known_key(again.secret) == issued.key


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"namespaces": []}, "invalid_key_namespaces"),
        ({"namespaces": "user/kim"}, "invalid_key_namespaces"),
        ({"namespaces": ["*", "user/kim"]}, "invalid_key_namespaces"),
        ({"namespaces": ["user kim"]}, "invalid_namespace"),
        ({"rights": []}, "invalid_rights"),
        ({"rights": ["admin"]}, "invalid_rights"),
        ({"highest_origin": "root"}, "invalid_origin"),
        ({"label": " "}, "empty_label"),
        ({"expires_at": "2026-03-01T09:00:00Z"}, "invalid_expiry"),
        ({"expires_at": "2026-03-09"}, "time_without_zone"),
    ],
)
def test_a_wrong_field_makes_no_key(hs: Hindsight, wrong: dict, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        hs.create_key(**{"label": "bot", "namespaces": ["user/kim"], **wrong})
    assert refused.value.code == code
    assert not hs.any_key()


def test_the_owner_may_read_and_write_too(hs: Hindsight) -> None:
    assert hs.create_key(label="me", namespaces=["*"], rights=["owner"]).key.rights == ("read", "write", "owner")


def test_an_unknown_key_is_not_found(hs: Hindsight) -> None:
    for call in (hs.revoke_key, hs.rotate_key):
        with pytest.raises(NotFound):
            call("key_unknown")


def test_only_the_owner_has_keys(hs: Hindsight) -> None:
    agent = hs.as_caller(Caller(ceiling="assistant", owner=False))
    issued = hs.create_key(label="bot", namespaces=["*"])
    calls = (
        lambda: agent.create_key(label="mine", namespaces=["*"], rights=["owner"]),
        agent.api_keys,
        lambda: agent.rotate_key(issued.key.id),
        lambda: agent.revoke_key(issued.key.id),
    )
    for call in calls:
        with pytest.raises(PermissionDenied):
            call()


def test_a_view_never_has_more_rights_than_it_was_made_from(hs: Hindsight) -> None:
    agent = hs.as_caller(Caller(ceiling="assistant", owner=False))
    with pytest.raises(PermissionDenied):
        agent.as_caller(Caller(ceiling="user", owner=False))
    with pytest.raises(PermissionDenied):
        agent.as_caller(Caller(ceiling="assistant", owner=True))
    agent.close()
    assert agent.as_caller(Caller(ceiling="tool", owner=False)).memories("user/kim").items == ()
