"""Requests to forget what was said, and the pieces of the conversation they point at.

Erasing is final, so a request must be an order to the service about what the user said: forgetting
as an event ("I forgot"), its opposite ("don't forget") and the dismissal of an option ("forget it,
let's take the train") share the word and ask for nothing. Once it is one, reaching a sentence too
far was preferred to leaving half of a confidence behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight.domain.conversation import Span, Turn
from hindsight.language.disguises import unmask, unmask_with_offsets
from hindsight.language.forgetting_chinese import judge_chinese
from hindsight.language.forgetting_elsewhere import is_about_another_text
from hindsight.language.forgetting_english import ForgetTarget, judge_english
from hindsight.language.lines import merge
from hindsight.language.sentences import sentences
from hindsight.language.spans import foreign_spans
from hindsight.language.topics import says_the_same, speaks_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """What to forget: the last words, everything on a topic, or the session.

    ``topic`` is set for target "topic" only, in the user's words. ``start`` and ``end`` bound the
    clause that asks.
    """

    target: ForgetTarget
    topic: str | None
    start: int
    end: int


_CLAUSE: Final = re.compile(r"(?:[^.,，。!！?？;；…\n]|\.(?!\s|\Z))+(?:[?？](?=\s|\Z|[\u3400-\u9fff]))?")
_NEXT_CHARACTERS: Final = 60
# A verb that stands in every request. Most messages hold none, and are spared the long look.
_VERB: Final = re.compile(
    r"(?i)\b(?:forget|unremember|unlearn|disregard|eras|delet|remov|wip[ei]|scrub|purg|drop|discard|clear|stri[pk]|tak[ei]|"
    r"remember|memori[sz]|sav[ei]|stor[ei]|keep|record|retain|log\b|note?\b|writ|hold|hang|commit|put|file?\b|add|leav|"
    r"off the)|[忘删抹清擦去移记存保留写放收录]"
)


def forget_request(content: str) -> ForgetRequest | None:
    """The request in a user's turn to forget something that was said, or None.

    Words inside a quotation or a paste ask for nothing. With several requests in one turn the widest
    decides: the session, else a topic, else the last words.
    """
    if _VERB.search(unmask(content)) is None:
        return None
    blanked = _blank(content)
    plain = unmask_with_offsets(blanked)
    lowered = plain.text.replace("’", "'")
    found: list[ForgetRequest] = []
    for clause in _CLAUSE.finditer(lowered):
        following = lowered[clause.end() : clause.end() + _NEXT_CHARACTERS]
        if is_about_another_text(lowered[: clause.start()], clause.group(), following):
            continue
        judged = _judge(clause.group(), following)
        if judged is not None:
            blank = len(clause.group()) - len(clause.group().lstrip())
            start, end = plain.original(clause.start() + blank, clause.end())
            found.append(ForgetRequest(target=judged[0], topic=judged[1], start=start, end=end))
    order = {"session": 0, "topic": 1, "last": 2}
    return min(found, key=lambda request: order[request.target], default=None)


def _blank(content: str) -> str:
    """*content* with foreign parts turned to line breaks, so that positions stay."""
    pieces: list[str] = []
    position = 0
    for start, end in foreign_spans(content):
        pieces += [content[position:start], "\n" * (end - start)]
        position = end
    return "".join([*pieces, content[position:]])


def _judge(clause: str, following: str) -> tuple[ForgetTarget, str | None] | None:
    if re.search(r"[\u3400-\u9fff]", clause):
        return judge_chinese(clause.strip()) or judge_english(clause, following)
    return judge_english(clause, following)


_ONE_SENTENCE: Final = re.compile(
    r"(?i)那句|那条|这句|这条|一句|最后|上一?[句条]|last (?:bit|part|sentence|line|thing)|that "
    r"(?:bit|part|sentence|line)"
)
_AHEAD: Final = re.compile(r"(?i)(?:这|下面|接下来|this|the following|off the record)[^。.!?]{0,24}\Z")
_IDLE_CHARACTERS_MAX: Final = 200
_IDLE: Final = re.compile(
    r"(?i)\W*(?:(?:ok(?:ay)?|k|yes|yep|yeah|no|nope|thanks?|thank you|thx|cool|great|hmm++|um++|lol|"
    r"right|sure|sorry|oh|wait|actually|and|so|also|good|fine|嗯++|好的?|哦++|行|对|谢谢|唉|诶|哈++|"
    r"算了|对了|另外|还有|是|可以|那)\W*)*"
)
_PRONOUN_START: Final = re.compile(
    r"(?i)\s*(?:and |but |so )?(?:he|she|they|it|that|this|his|her|their|its)\b|\s*(?:他|她|它|这|"
    r"那|其)"
)


def forget_targets(request: ForgetRequest, turns: Sequence[Turn], index: int) -> tuple[Span, ...]:
    """The pieces of *turns* that the request in ``turns[index]`` points at, in order.

    "last" takes what the user said before it in the same turn, else in the nearest earlier user turn
    that says anything, and the assistant's echoes of it. "topic" takes every sentence of user and
    assistant, up to the request, that speaks of it, with the request itself. "session" takes all.
    """
    if request.target == "session":
        return tuple(
            Span(turn_index=turn.index, start=0, end=len(turn.content))
            for turn in turns[: index + 1]
            if turn.content and turn.role != "system"
        )
    if request.target == "topic":
        return _topic_targets(request, turns, index)
    return _last_targets(request, turns, index)


def _spans(turn: Turn, bounds: Sequence[tuple[int, int]]) -> Iterator[Span]:
    for start, end in merge(bounds):
        yield Span(turn_index=turn.index, start=start, end=end)


def _speakers(turns: Sequence[Turn], first: int, last: int) -> Iterator[Turn]:
    for turn in turns[first:last]:
        if turn.role in ("user", "assistant") and turn.content and not turn.erased:
            yield turn


def _topic_targets(request: ForgetRequest, turns: Sequence[Turn], index: int) -> tuple[Span, ...]:
    topic = request.topic or ""
    found: list[Span] = []
    said: list[str] = []
    for turn in _speakers(turns, 0, index):
        if len(topic) == 1 and turn.role == "assistant":
            # One character is part of too many words; only echoes of what the user said on it go.
            bounds = _echoes(turn.content, said)
        else:
            bounds = _on_topic(turn.content, topic)
            said.extend(turn.content[start:end] for start, end in bounds)
        found.extend(_spans(turn, bounds))
    asking = turns[index]
    own = [bounds for bounds in _on_topic(asking.content[: request.start], topic) if bounds[1] <= request.start]
    found.extend(_spans(asking, [*own, (request.start, request.end)]))
    return tuple(found)


def _on_topic(text: str, topic: str) -> list[tuple[int, int]]:
    """The sentences of *text* on *topic*, and those right after that go on by a pronoun."""
    found: list[tuple[int, int]] = []
    before = False
    for start, end in sentences(text):
        sentence = text[start:end]
        before = speaks_of(sentence, topic) or (before and _PRONOUN_START.match(sentence) is not None)
        if before:
            found.append((start, end))
    return found


def _last_targets(request: ForgetRequest, turns: Sequence[Turn], index: int) -> tuple[Span, ...]:
    asking = turns[index]
    asked = asking.content[request.start : request.end]
    same = _same_turn(request, asking.content)
    if same:
        return tuple(_spans(asking, same))
    for at in range(index - 1, -1, -1):
        turn = turns[at]
        if turn.role != "user" or turn.erased or _is_idle(turn.content):
            continue
        bounds = sentences(turn.content)
        if not bounds:
            continue
        if _ONE_SENTENCE.search(unmask(asked)):
            bounds = bounds[-1:]
        said = [turn.content[start:end] for start, end in bounds]
        found = list(_spans(turn, bounds))
        for echo in _speakers(turns, at + 1, index):
            if echo.role == "assistant":
                found.extend(_spans(echo, _echoes(echo.content, said)))
        return tuple(found)
    return ()


def _echoes(text: str, said: Sequence[str]) -> list[tuple[int, int]]:
    """The sentences of *text* that repeat one of those *said*."""
    return [(start, end) for start, end in sentences(text) if any(says_the_same(text[start:end], one) for one in said)]


def _same_turn(request: ForgetRequest, content: str) -> list[tuple[int, int]]:
    """What the user says in the asking turn itself: before the request, or after "this is off the record"."""
    asked = unmask(content[request.start : request.end])
    back = re.search(r"刚才|刚刚|上面|前面|上一|(?i:\bjust (?:said|told)\b|\blast\b|\bprevious\b|\bearlier\b)", asked)
    before = _saying(content, 0, request.start)
    if before and (not back or not _is_idle(content[: request.start])):
        return before
    if not before and not back and _AHEAD.search(asked):
        return _saying(content, request.end, len(content))
    return []


def _is_idle(text: str) -> bool:
    """Whether *text* says nothing of its own: consent, thanks, an interjection."""
    return len(text) <= _IDLE_CHARACTERS_MAX and _IDLE.fullmatch(text.strip()) is not None


def _saying(content: str, start: int, end: int) -> list[tuple[int, int]]:
    return [
        (start + first, start + last)
        for first, last in sentences(content[start:end])
        if not _is_idle(content[start + first : start + last])
    ]
