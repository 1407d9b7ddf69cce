"""The question that settles a contradiction, in the language of the newer statement."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from hindsight.domain.memory import Memory


def conflict_question(first: Memory, second: Memory, *, zone: tzinfo = UTC) -> str:
    """Ask which of two contradicting memories holds, with the date of each.

    Args:
        first: The older by its evidence.
        second: The newer one, whose language is used.
        zone: The zone whose calendar the dates are told in.
    """
    if second.language == "zh":
        return (
            f"您之前说“{_bare(first.value)}”（{_zh_date(first.verified_at, zone)}），"
            f"后来说“{_bare(second.value)}”（{_zh_date(second.verified_at, zone)}），现在以哪个为准？"
        )
    return (
        f'Earlier you said "{_bare(first.value)}" ({_en_date(first.verified_at, zone)}), '
        f'later "{_bare(second.value)}" ({_en_date(second.verified_at, zone)}). Which one holds now?'
    )


def _bare(value: str) -> str:
    return value.rstrip(" .。；;！!")


def _zh_date(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return f"{local.year} 年 {local.month} 月 {local.day} 日"


def _en_date(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return f"{local.day} {local:%B %Y}"
