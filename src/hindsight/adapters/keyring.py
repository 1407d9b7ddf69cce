"""The home's own keys, in files that only their owner can read.

One key signs receipts and audit heads (Ed25519); another keys digests and derived secrets
(HKDF-SHA256). They are two, so that the public half of the first can be given away and says nothing
about the second. Whoever can read the files can forge both; where to keep them is in the docs.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from functools import lru_cache
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hindsight.domain.errors import BackendUnavailable, CorruptData

KEY_BYTES: Final = 32
_KEY_ID_DIGITS: Final = 16
_SIGNING_FILE: Final = "signing.key"
_DIGEST_FILE: Final = "digest.key"


class FileKeyring:
    """Keys under ``HOME/keys``, made at the first start. Processes that race there end with the same keys."""

    def __init__(self, *, signing_key: bytes, digest_key: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(signing_key)
        self._public = self._private.public_key()
        self._digest_key = digest_key

    @classmethod
    def open(cls, home: Path) -> FileKeyring:
        """Load the keys of *home*, or make them.

        Raises:
            CorruptData: A key file does not hold a key.
            BackendUnavailable: The files can be neither read nor made.
        """
        folder = home / "keys"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return cls(
                signing_key=_load_or_make(folder / _SIGNING_FILE),
                digest_key=_load_or_make(folder / _DIGEST_FILE),
            )
        except OSError as exc:
            raise BackendUnavailable(
                f"the keys in {str(folder)!r} cannot be read ({exc}); make the directory readable and "
                "writable for this user",
                code="keys_unavailable",
            ) from exc

    @property
    def public_key(self) -> str:
        """The public half of the signing key, in base64url, for whoever checks a signature."""
        return _text(self._public.public_bytes_raw())

    @property
    def key_id(self) -> str:
        """A short name of the signing key: the start of its public half's SHA-256."""
        return hashlib.sha256(self._public.public_bytes_raw()).hexdigest()[:_KEY_ID_DIGITS]

    def sign(self, message: bytes) -> str:
        """The Ed25519 signature of *message*, in base64url."""
        return _text(self._private.sign(message))

    def verifies(self, message: bytes, signature: str) -> bool:
        """Whether *signature* is this home's signature of *message*."""
        return _verifies(self._public, message, signature)

    def digest(self, purpose: str, text: str) -> str:
        """A keyed digest of *text*, in hexadecimal; another purpose or home gives another."""
        key = _derive(self._digest_key, f"digest:{purpose}")
        # A lone surrogate must not break the erasure of the text that holds it.
        return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def secret(self, purpose: str) -> bytes:
        """32 bytes for *purpose*, derived from the home's key."""
        return _derive(self._digest_key, f"secret:{purpose}")


def verifies_with(public_key: str, message: bytes, signature: str) -> bool:
    """Whether *signature* of *message* was made by the key whose public half is *public_key* (base64url)."""
    raw = _bytes(public_key)
    if raw is None or len(raw) != KEY_BYTES:
        return False
    return _verifies(Ed25519PublicKey.from_public_bytes(raw), message, signature)


def _verifies(public: Ed25519PublicKey, message: bytes, signature: str) -> bool:
    raw = _bytes(signature)
    if raw is None:
        return False
    try:
        public.verify(raw, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=64)
def _derive(key: bytes, info: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info.encode("utf-8")).derive(key)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None


def _load_or_make(path: Path) -> bytes:
    """The key in *path*; a new one where there is none. The file appears whole or not at all."""
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(8)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii", newline="\n") as file:
                file.write(secrets.token_hex(KEY_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            _publish(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise CorruptData(
            f"{str(path)!r} holds no key; restore it from a backup. Without it, receipts and digests made so "
            "far cannot be checked",
            code="corrupt_key",
        )
    return key


def _publish(draft: Path, path: Path) -> None:
    """Give *draft* its real name, unless another process was first."""
    try:
        if os.name == "nt":
            os.rename(draft, path)  # Refuses to replace a file there.
            return
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:
        # Some file systems have no hard links. Two first starts at once are then a rare risk.
        if not path.exists():
            os.rename(draft, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
