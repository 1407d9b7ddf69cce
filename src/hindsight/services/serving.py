"""What we have served, known again when it comes back.

Text that this service put into a prompt returns in transcripts, in the assistant's answers and in what
agents write. It says nothing new, so it may not count as evidence: not by its frame, which an echo
loses, but by keyed fingerprints of the words themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from hindsight.domain.fingerprints import ECHO_SHARE_MIN, echoed_spans, fingerprints
from hindsight.language.secrets import mask_secrets
from hindsight.ports import Clock, Keyring, ReadScope, WriteScope
from hindsight.services.core import Core
from hindsight.services.tracing import Left

_PURPOSE: Final = "served-text"


def served_key(keyring: Keyring) -> bytes:
    """The home's secret that fingerprints of served text are made with."""
    return keyring.secret(_PURPOSE)


def remember_served(scope: WriteScope, texts: Iterable[str], *, keyring: Keyring, at: datetime) -> None:
    """Keep the fingerprints of *texts*, which were shown to an agent."""
    key = served_key(keyring)
    marks = {mark for text in texts for mark in fingerprints(text, key=key)}
    if marks:
        scope.put_served(marks, at=at)


def keep_left(scope: WriteScope, left: Sequence[Left], *, keyring: Keyring, clock: Clock) -> None:
    """Write what searches left behind: their traces, secrets masked, uses, and the marks of what they showed."""
    for each in left:
        if each.trace is not None:
            scope.put_trace(replace(each.trace, query=mask_secrets(each.trace.query)))
        if each.used:
            scope.count_uses(each.used)
    remember_served(scope, [text for each in left for text in each.served], keyring=keyring, at=clock.now())


def served_in(
    core: Core, scope: ReadScope, text: str, *, share_min: float = ECHO_SHARE_MIN
) -> tuple[tuple[int, int], ...]:
    """The sentences of *text* of which at least *share_min* repeats what was served in this namespace."""
    key = served_key(core.keyring)
    known = scope.served(fingerprints(text, key=key))
    return echoed_spans(text, known, key=key, share_min=share_min) if known else ()
