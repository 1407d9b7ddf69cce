"""API keys: make, list, exchange and withdraw them, and know a caller by one.

The secret is 256 random bits, shown once. What is kept is its SHA-256: at that length there is nothing
to guess, so a slow hash would only slow every request.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from typing import Final

from hindsight.domain.access import ApiKey, KeyId, parse_key_namespaces, parse_rights
from hindsight.domain.errors import InvalidRequest, LimitExceeded, NotFound, StateMismatch
from hindsight.domain.memory import LABEL_BYTES_MAX, parse_text
from hindsight.domain.moments import parse_moment
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Page
from hindsight.domain.trust import parse_origin
from hindsight.ports import StoredKey
from hindsight.services.core import Caller, Core

# What happens to keys concerns the home as a whole; no caller can name this namespace.
WHOLE_HOME: Final = Namespace("")
KEYS_MAX: Final = 10_000
SECRET_PREFIX: Final = "hsk"
_SECRET_BYTES: Final = 32
# Longer than any key that was ever made here; what is longer is not even hashed.
_SECRET_CHARACTERS_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedKey:
    """A key and its secret, which is shown this once and kept nowhere."""

    key: ApiKey
    secret: str


def create_key(
    core: Core,
    caller: Caller,
    *,
    label: object,
    namespaces: object,
    rights: object = ("read", "write"),
    highest_origin: object = "assistant",
    expires_at: object = None,
) -> IssuedKey:
    """Make a key.

    Raises:
        InvalidRequest: A field is wrong, or *expires_at* is past.
        PermissionDenied: The caller is not the owner.
    """
    caller.require_owner("creating a key")
    now = core.now()
    until = None if expires_at is None else parse_moment(expires_at, what="expires_at")
    if until is not None and until <= now:
        raise InvalidRequest(f"expires_at {expires_at!r} is past; name a later moment", code="invalid_expiry")
    if len(core.store.api_keys()) >= KEYS_MAX:
        raise LimitExceeded(f"a home keeps at most {KEYS_MAX:,} keys, revoked ones included")
    key = ApiKey(
        id=KeyId(core.ids.new("key")),
        label=parse_text(label, what="label", characters_max=LABEL_BYTES_MAX),
        namespaces=parse_key_namespaces(namespaces),
        rights=parse_rights(rights),
        highest_origin=parse_origin(highest_origin),
        created_at=now,
        expires_at=until,
    )
    return _issue(core, key, action="key.created")


def list_keys(core: Core, caller: Caller) -> Page[ApiKey]:
    """Every key, oldest first, those that open nothing any more included.

    Raises:
        PermissionDenied: The caller is not the owner.
    """
    caller.require_owner("listing keys")
    return Page(tuple(stored.key for stored in core.store.api_keys()))


def rotate_key(core: Core, caller: Caller, key_id: object) -> IssuedKey:
    """Give a key another secret. The one before opens nothing from now on.

    Raises:
        NotFound: There is no such key.
        PermissionDenied: The caller is not the owner.
        StateMismatch: It was revoked.
    """
    caller.require_owner("rotating a key")
    key = _find(core, key_id)
    if key.revoked_at is not None:
        raise StateMismatch(f"key {key.id!r} was revoked; create another", code="key_revoked")
    return _issue(core, key, action="key.rotated")


def revoke_key(core: Core, caller: Caller, key_id: object) -> ApiKey:
    """Withdraw a key for good. Revoking it again changes nothing.

    Raises:
        NotFound: There is no such key.
        PermissionDenied: The caller is not the owner.
    """
    caller.require_owner("revoking a key")
    key = _find(core, key_id)
    if key.revoked_at is not None:
        return key
    revoked = replace(key, revoked_at=core.now())
    # No secret has an empty digest.
    core.store.put_api_key(StoredKey(key=revoked, digest=""), event=_event(core, "key.revoked", key))
    return revoked


def known_key(core: Core, secret: object) -> ApiKey | None:
    """The key that *secret* is of, if it is good now."""
    if not isinstance(secret, str) or len(secret) > _SECRET_CHARACTERS_MAX:
        return None
    prefix, _, rest = secret.partition("_")
    public, _, _ = rest.partition("_")
    if prefix != SECRET_PREFIX or not public or not secret.isascii():
        return None
    stored = core.store.api_key(KeyId(f"key_{public}"))
    # Compared also where there is no such key, so that the time taken tells nothing.
    same = hmac.compare_digest(_digest(secret), stored.digest if stored is not None else _digest(""))
    if stored is None or not same or not stored.key.opens_at(core.now()):
        return None
    return stored.key


def any_key(core: Core) -> bool:
    """Whether this home ever had a key: then every call over HTTP needs one."""
    return bool(core.store.api_keys(limit=1))


def _find(core: Core, key_id: object) -> ApiKey:
    stored = core.store.api_key(KeyId(key_id)) if isinstance(key_id, str) else None
    if stored is None:
        raise NotFound(f"no key {key_id!r}; `hindsight keys list` shows them")
    return stored.key


def _issue(core: Core, key: ApiKey, *, action: str) -> IssuedKey:
    secret = f"{SECRET_PREFIX}_{key.id.removeprefix('key_')}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    core.store.put_api_key(StoredKey(key=key, digest=_digest(secret)), event=_event(core, action, key))
    return IssuedKey(key=key, secret=secret)


def _event(core: Core, action: str, key: ApiKey) -> AuditEvent:
    return AuditEvent(action=action, namespace=WHOLE_HOME, subject=key.id, at=core.now(), by="user")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("ascii")).hexdigest()
