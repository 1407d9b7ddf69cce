"""What we have served, known again when it comes back.

Text that this service put into a prompt returns in transcripts, in the assistant's answers and in what
agents write. It says nothing new, so it may not count as evidence: not by its frame, which an echo
loses, but by keyed fingerprints of the words themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hindsight.domain.fingerprints import ECHO_SHARE_MIN, echoed_spans, fingerprints
from hindsight.ports import ReadScope, WriteScope
from hindsight.services.core import Core

_PURPOSE: Final = "served-text"


def served_key(core: Core) -> bytes:
    """The home's secret that fingerprints of served text are made with."""
    return core.keyring.secret(_PURPOSE)


def remember_served(core: Core, scope: WriteScope, texts: Iterable[str]) -> None:
    """Keep the fingerprints of *texts*, which are about to be shown to an agent."""
    key = served_key(core)
    marks = {mark for text in texts for mark in fingerprints(text, key=key)}
    scope.put_served(marks, at=core.now())


def served_in(
    core: Core, scope: ReadScope, text: str, *, share_min: float = ECHO_SHARE_MIN
) -> tuple[tuple[int, int], ...]:
    """The sentences of *text* of which at least *share_min* repeats what was served in this namespace."""
    key = served_key(core)
    known = scope.served(fingerprints(text, key=key))
    return echoed_spans(text, known, key=key, share_min=share_min) if known else ()
