"""API keys in every store: kept as they were put, listed by id, changed in one transaction with their event."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hindsight.domain.access import ApiKey, KeyId
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent
from hindsight.ports import RecordStore, StoredKey
from hindsight.testing import SAMPLE_TIME


def sample_key(key_id: str, *, namespaces: tuple[str, ...] | None = ("user/李",)) -> StoredKey:
    key = ApiKey(
        id=KeyId(key_id),
        label="备忘 bot",
        namespaces=None if namespaces is None else tuple(map(Namespace, namespaces)),
        rights=("read", "write"),
        highest_origin="assistant",
        created_at=SAMPLE_TIME,
        expires_at=SAMPLE_TIME + timedelta(days=1),
    )
    return StoredKey(key=key, digest="ab" * 32)


def event(action: str, stored: StoredKey) -> AuditEvent:
    return AuditEvent(action=action, namespace=Namespace(""), subject=stored.key.id, at=SAMPLE_TIME, by="user")


def test_a_key_comes_back_as_it_was_put(store: RecordStore) -> None:
    for stored in (sample_key("key_b"), sample_key("key_a", namespaces=None), sample_key("key_c", namespaces=())):
        store.put_api_key(stored, event=event("key.created", stored))
        assert store.api_key(stored.key.id) == stored
    assert [stored.key.id for stored in store.api_keys()] == ["key_a", "key_b", "key_c"]
    assert [stored.key.id for stored in store.api_keys(limit=1)] == ["key_a"]


def test_there_is_no_key_at_first(store: RecordStore) -> None:
    assert store.api_key(KeyId("key_a")) is None
    assert list(store.api_keys()) == []


def test_a_changed_key_replaces_the_one_before(store: RecordStore) -> None:
    first = sample_key("key_a")
    revoked = replace(first, key=replace(first.key, revoked_at=SAMPLE_TIME), digest="")
    store.put_api_key(first, event=event("key.created", first))
    store.put_api_key(revoked, event=event("key.revoked", revoked))
    assert list(store.api_keys()) == [revoked]


def test_what_happens_to_keys_stands_in_the_chain_and_in_no_namespace(store: RecordStore) -> None:
    stored = sample_key("key_a")
    store.put_api_key(stored, event=event("key.created", stored))
    [line] = store.chain(after=0, limit=10)
    assert '"action":"key.created"' in line.line
    assert "user/李" not in line.line
    assert list(store.namespaces()) == []
    assert list(store.check()) == []
