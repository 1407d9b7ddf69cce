"""Copies the audit chain out of the store, as JSON lines that other programs can follow and archive.

The store is the record; these files can be made again from it. One writer at a time holds a lease on
them. A crash in the middle of a line leaves a line without an end, which the next writer cuts off.
After each export the head of the chain is signed, so that files which lose their end show it.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from hindsight.domain.audit import GENESIS, broken_links
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.moments import to_text
from hindsight.ports import ChainedEvent, Keyring, RecordStore

logger = logging.getLogger("hindsight.audit")

FOLDER: Final = "audit"
HEAD_NAME: Final = "head.json"
# About 60,000 events: small enough for an editor, large enough that a busy year makes few files.
FILE_BYTES_MAX: Final = 16 * 1024 * 1024
_EVENTS_PER_BATCH: Final = 1_000
_LEASE: Final = "audit.export"
# A writer that died is waited for this long. A batch takes milliseconds, and extends the lease.
_LEASE_S: Final = 30.0
_TAIL_BYTES: Final = 64 * 1024


class AuditExport:
    """Writes new events to ``HOME/audit/events-*.jsonl``, and checks what stands there."""

    def __init__(
        self,
        store: RecordStore,
        keyring: Keyring,
        home: Path,
        *,
        owner: str,
        file_bytes_max: int = FILE_BYTES_MAX,
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._folder = home / FOLDER
        self._owner = owner
        self._file_bytes_max = file_bytes_max
        self._lock = threading.Lock()
        self._exported = 0

    def run(self, *, now: datetime) -> int:
        """Export what is new; how many events. 0 also while another writer has the files.

        Raises:
            BackendUnavailable: The files cannot be written.
        """
        with self._lock:
            if not self._store.chain(after=self._exported, limit=1):
                return 0
            if not self._lease(now, _LEASE_S):
                return 0
            try:
                return self._export(now)
            except OSError as exc:
                raise BackendUnavailable(
                    f"the audit files in {str(self._folder)!r} cannot be written ({exc}); the events are safe in "
                    "the store and are exported once they can be",
                    code="audit_unavailable",
                ) from exc
            finally:
                self._lease(now, 0)

    def check(self) -> Sequence[str]:
        """What is wrong with the exported files, in words; empty when they continue the chain unbroken.

        Events that wait for their export are no fault.
        """
        found: list[str] = []
        events = list(self._events(found))
        chain = ((each.number, each.line, each.hash) for each in events)
        found += broken_links(chain, number=events[0].number - 1 if events else 0, head=self._before(events))
        number, head = (events[-1].number, events[-1].hash) if events else (0, GENESIS)
        signed = self._signed_head(found)
        # A crash between the lines and the signature leaves a head that lags; it must still be among them.
        exported = {each.number: each.hash for each in events}
        if signed is not None and exported.get(signed["number"]) != signed["hash"]:
            found.append(f"the audit files end at event {number}; their signed head is event {signed['number']}")
        if events and self._store_hash(number) != head:
            found.append(f"the store's audit event {number} is not the one in the audit files")
        return found

    def _lease(self, now: datetime, seconds: float) -> bool:
        return self._store.lease(_LEASE, owner=self._owner, now=now, until=now + timedelta(seconds=seconds))

    def _export(self, now: datetime) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        last = self._repair()
        written = 0
        while events := self._store.chain(after=last, limit=_EVENTS_PER_BATCH):
            path = self._current(events[0].number)
            with open(path, "ab", opener=_private) as file:
                file.write(b"".join(_line(event) for event in events))
                file.flush()
                os.fsync(file.fileno())
            last = events[-1].number
            written += len(events)
            self._sign_head(events[-1], now)
            if not self._lease(now, _LEASE_S):
                break
        if not written and last > self._exported and not self._store.chain(after=last - 1, limit=1):
            logger.warning("the audit files are ahead of the store: it was replaced by an older one")
        self._exported = last
        return written

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("events-*.jsonl"))

    def _current(self, number: int) -> Path:
        files = self._files()
        if files and files[-1].stat().st_size < self._file_bytes_max:
            return files[-1]
        return self._folder / f"events-{number:012d}.jsonl"

    def _repair(self) -> int:
        """Cut off a line without an end; the number of the last whole line."""
        for path in reversed(self._files()):
            end, tail = _whole_lines(path)
            if end < path.stat().st_size:
                os.truncate(path, end)
            if tail:
                return int(json.loads(tail)["number"])
            path.unlink()
        return 0

    def _sign_head(self, event: ChainedEvent, now: datetime) -> None:
        head = {"at": to_text(now), "hash": event.hash, "key_id": self._keyring.key_id, "number": event.number}
        signed = {**head, "signature": self._keyring.sign(_canonical(head))}
        draft = self._folder / f".{HEAD_NAME}.draft"
        with open(draft, "wb", opener=_private) as file:
            file.write(_canonical(signed) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._folder / HEAD_NAME)

    def _signed_head(self, found: list[str]) -> Mapping[str, Any] | None:
        path = self._folder / HEAD_NAME
        if not path.exists():
            if self._files():
                found.append("the audit files have no signed head")
            return None
        try:
            head: dict[str, Any] = json.loads(path.read_bytes())
            signature = str(head.pop("signature"))
            if self._keyring.verifies(_canonical(head), signature) and {"number", "hash"} <= head.keys():
                return head
        except (ValueError, KeyError, AttributeError, TypeError):
            pass
        found.append("the audit files' head is not signed by this home's key")
        return None

    def _events(self, found: list[str]) -> Iterator[ChainedEvent]:
        for path in self._files():
            for place, line in enumerate(path.read_bytes().splitlines(), start=1):
                event = _event_of(line)
                if event is None:
                    found.append(f"line {place} of {path.name} is no audit event")
                    return
                yield event

    def _before(self, events: Sequence[ChainedEvent]) -> str:
        """The hash the first exported event must follow; older files may have been archived elsewhere."""
        return self._store_hash(events[0].number - 1) if events else GENESIS

    def _store_hash(self, number: int) -> str:
        if number < 1:
            return GENESIS
        events = self._store.chain(after=number - 1, limit=1)
        return events[0].hash if events else ""


def _line(event: ChainedEvent) -> bytes:
    """The event with its place in the chain, as one line of RFC 8785 JSON."""
    return f'{{"event":{event.line},"hash":"{event.hash}","number":{event.number}}}\n'.encode()


def _event_of(line: bytes) -> ChainedEvent | None:
    text = line.decode("utf-8", "replace")
    head, _, tail = text.rpartition(',"hash":"')
    digest, _, number = tail.partition('","number":')
    if not head.startswith('{"event":') or not number.endswith("}") or not number[:-1].isdecimal():
        return None
    return ChainedEvent(number=int(number[:-1]), line=head.removeprefix('{"event":'), hash=digest)


def _canonical(head: Mapping[str, object]) -> bytes:
    return json.dumps(head, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _whole_lines(path: Path) -> tuple[int, bytes]:
    """Where the last line that has an end ends, and that line."""
    size = path.stat().st_size
    reach = _TAIL_BYTES
    with path.open("rb") as file:
        while True:
            start = max(size - reach, 0)
            file.seek(start)
            tail = file.read(size - start)
            last = tail.rfind(b"\n")
            before = tail.rfind(b"\n", 0, last) if last > 0 else -1
            if before >= 0 or start == 0:
                return start + last + 1, tail[before + 1 : max(last, 0)]
            reach *= 2


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
