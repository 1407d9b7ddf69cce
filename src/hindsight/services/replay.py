"""How an erased turn is known again, should a replay or an import bring it back."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from hindsight.domain.moments import to_millis
from hindsight.services.core import Core

_PURPOSE: Final = "erased-turn"


def replay_digest(core: Core, content: str, at: datetime) -> str:
    """The keyed digest of a turn's words and time.

    The time is part of it: the same words said afresh, at another time, are the user's to say.
    """
    return core.keyring.digest(_PURPOSE, f"{to_millis(at)}\n{content}")
