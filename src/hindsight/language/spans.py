"""Which parts of a user's turn are not the user's own words.

Provenance decides trust, and a user's message is not of one piece: it carries mails, chats, code and
quotations. What stands in one of these spans counts as a document. Detection may only lower trust,
yet masking too much loses standing instructions, so every detector asks for a visible shape and
none judges by what the words ask for.
"""

from __future__ import annotations

from functools import lru_cache

from hindsight.language.disguises import invisible_spans, unmask_with_offsets
from hindsight.language.lead_ins import announced_blocks
from hindsight.language.lines import Bounds, merge, split_lines
from hindsight.language.pasted_blocks import marked_blocks
from hindsight.language.pasted_orders import ordered_blocks
from hindsight.language.pasted_reports import reported_clauses
from hindsight.language.pasted_talk import talk_blocks
from hindsight.language.quotations import foreign_quotations


# The same turn is asked about by several guards in a row.
@lru_cache(maxsize=16)
def foreign_spans(content: str) -> tuple[Bounds, ...]:
    """The character spans of *content*, a user's turn, that are quoted, pasted or forged.

    Code, tags, tables, quoted lines, chat logs, mails, announced texts, texts beside an order about
    them, reported clauses, statements in quotation marks, data and invisible characters. Names in
    quotes or brackets are the user's own.

    Returns:
        Sorted, disjoint (start, end) pairs; empty when every word is the user's.
    """
    plain = unmask_with_offsets(content)
    lines = split_lines(plain.text)
    found = [
        *marked_blocks(plain.text, lines),
        *talk_blocks(lines),
        *announced_blocks(plain.text, lines),
        *ordered_blocks(plain.text, lines),
        *foreign_quotations(plain.text),
        *reported_clauses(plain.text, lines),
    ]
    original = [plain.original(start, end) for start, end in merge(found)]
    return merge([*original, *invisible_spans(content)])
