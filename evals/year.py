"""A year of one user's conversations: does the memory stay level, and does it still find what holds now?

Every day some conversations come in. Most are drawn from the real ones in shared/data, distilled once by
the rules; woven in are invented facts that are repeated and that change, each with a question. Every
fortnight the questions are put to two memories that were given the same: one as shipped, and one that
only ever appends and never lets anything turn stale. Words and hashed features stand in for the
embedding model, which would take most of the time and none of the decisions.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import hindsight
from cases import load, parser
from hindsight.adapters.distillers.rules import RuleDistiller
from hindsight.domain.conversation import Turn
from hindsight.domain.ids import MemoryId, SessionId, TurnId
from hindsight.domain.memory import Evidence, Memory, under_key
from hindsight.domain.moments import parse_moment
from hindsight.domain.namespace import Namespace
from hindsight.language.script import language_of
from hindsight.ports import Stretch
from hindsight.services.admit import admit
from hindsight.services.indexed import memory_terms
from hindsight.services.proposed import Proposed, classified
from hindsight.testing import FrozenClock, HashEmbedder

SPACE = Namespace("eval/year")
START = "2025-01-01T08:00:00Z"
DAYS = 365
ASKED_EVERY_DAYS = 14
CHANGED_AFTER_DAYS = (25, 90)
REPEATED_AFTER_DAYS = (5, 30)
HITS = 5

# key, statement, statement of a change, question, what fills it. All invented.
SLOTS: Sequence[tuple[str, str, str, str, str]] = (
    (
        "home_city",
        "Lives in {}.",
        "Moved from {} to {}.",
        "Which city does the user live in?",
        "Ghent Turin Cork Oulu Brno",
    ),
    (
        "employer",
        "Works at {}.",
        "Left {} and now works at {}.",
        "Where does the user work?",
        "Larkmill Ostrea Velden Tamsin Quoin",
    ),
    (
        "bicycle",
        "Rides a {} bicycle.",
        "Sold the {} bicycle and now rides a {} one.",
        "Which bicycle does the user ride?",
        "Kestrel Marlin Bramble Sorrel Fulmar",
    ),
    (
        "bank",
        "Banks with {}.",
        "Switched from {} to {} for banking.",
        "Which bank does the user use?",
        "Oakvale Tidebank Pennywell Corvid Lumen",
    ),
    (
        "notebook_app",
        "Keeps notes in {}.",
        "Moved all notes from {} to {}.",
        "Which app holds the notes?",
        "Quillo Papyr Notchly Inkpot Slate",
    ),
    (
        "phone_model",
        "Uses a {} phone.",
        "Replaced the {} phone with a {}.",
        "Which phone does the user have?",
        "Nimbo Pax Orrin Velto Zephyr",
    ),
    (
        "gym",
        "Trains at the {} gym.",
        "Cancelled {} and now trains at the {} gym.",
        "At which gym does the user train?",
        "Anvil Basalt Cobalt Drift Ember",
    ),
    (
        "dentist",
        "The dentist is Dr {}.",
        "Changed dentists from Dr {} to Dr {}.",
        "Who is the user's dentist?",
        "Abara Bellini Castel Duarte Eskola",
    ),
    ("居住城市", "住在{}。", "从{}搬到了{}。", "用户现在住在哪个城市？", "洛阳 珠海 宜昌 银川 绍兴"),
    (
        "工作单位",
        "在{}上班。",
        "从{}离职，现在在{}上班。",
        "用户现在在哪里上班？",
        "青禾设计 远帆物流 松石软件 白桦出版 云栈科技",
    ),
    (
        "健身房",
        "在{}健身房锻炼。",
        "退了{}健身房的卡，现在去{}健身房。",
        "用户在哪家健身房锻炼？",
        "铁臂 跃动 山岚 晨曦 北极星",
    ),
    (
        "宽带运营商",
        "家里用{}的宽带。",
        "家里的宽带从{}换成了{}。",
        "家里用的是谁家的宽带？",
        "海纳 迅捷 长虹线 天枢 蓝湾",
    ),
    ("笔记软件", "用{}记笔记。", "笔记软件从{}换成了{}。", "用户用什么软件记笔记？", "墨痕 知木 青笺 竹简 拾光"),
    ("牙医", "牙医是{}医生。", "牙医从{}医生换成了{}医生。", "用户的牙医是谁？", "欧阳 司徒 上官 诸葛 慕容"),
    (
        "自行车",
        "骑一辆{}牌自行车。",
        "卖掉了{}牌自行车，现在骑{}牌的。",
        "用户骑什么自行车？",
        "飞燕 山鹰 流云 铁马 长风",
    ),
    ("手机型号", "用的是{}手机。", "手机从{}换成了{}。", "用户用什么手机？", "星渊 雾凇 赤霄 鸣沙 玄武"),
)


@dataclass(frozen=True)
class Said:
    """One statement of a conversation, as the look back would hand it on."""

    session: str
    at: datetime
    key: str
    value: str
    category: Any


@dataclass
class Slot:
    """An invented fact over the year: what fills it now, what did, and when it is said next."""

    key: str
    statement: str
    change: str
    question: str
    fillers: list[str]
    next_said: int
    next_change: int
    current: int = 0
    known: bool = False

    def says(self, day: int, chance: random.Random) -> str | None:
        """What the user says of it on *day*, if anything."""
        if self.known and day >= self.next_change:
            old, self.current = self.fillers[self.current], (self.current + 1) % len(self.fillers)
            self.next_change = day + chance.randint(*CHANGED_AFTER_DAYS)
            self.next_said = day + chance.randint(*REPEATED_AFTER_DAYS)
            return self.change.format(old, self.fillers[self.current])
        if day >= self.next_said:
            self.known = True
            self.next_said = day + chance.randint(*REPEATED_AFTER_DAYS)
            return self.statement.format(self.fillers[self.current])
        return None


@dataclass
class Curve:
    """What was measured of one memory, a point each time it was asked."""

    name: str
    active: list[int] = field(default_factory=list)
    served: list[int] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    outdated: list[float] = field(default_factory=list)


def distilled(shared: str | None, most: int, chance: random.Random) -> list[list[tuple[str, str, Any]]]:
    """What the rules find in up to *most* of the real conversations: (key, value, category) by conversation."""
    chats = [*load("chats_zh", shared), *load("chats_en", shared)]
    chance.shuffle(chats)
    rules = RuleDistiller(None)
    found: list[list[tuple[str, str, Any]]] = []
    for chat in chats[:most]:
        turns = list(turns_of(chat))
        result = rules.distil(Stretch(turns=turns, context=(), time_zone="UTC"))
        found.append([(c.key, c.value, c.category) for c in result.candidates if c.origin == "user"])
    return found


def turns_of(chat: dict[str, Any]) -> Iterator[Turn]:
    """A conversation's turns; times do not matter to what is drawn from it."""
    at = parse_moment(START, what="at")
    for index, turn in enumerate(chat["turns"]):
        if turn["role"] in ("user", "assistant") and str(turn["content"]).strip():
            yield Turn(
                session_id=SessionId("s"),
                index=index,
                id=TurnId(f"s#{index}"),
                role=turn["role"],
                content=str(turn["content"]),
                at=at,
                origin=turn["role"],
            )


def year(
    pool: Sequence[Sequence[tuple[str, str, Any]]], slots: Sequence[Slot], a_day: int, chance: random.Random
) -> Iterator[tuple[int, list[Said]]]:
    """Each day with what is said on it."""
    begin = parse_moment(START, what="at")
    for day in range(DAYS):
        said: list[Said] = []
        for number in range(a_day):
            session, at = f"d{day}-{number}", begin + timedelta(days=day, minutes=30 * number)
            said.extend(Said(session, at, *fact) for fact in chance.choice(pool))
        for number, slot in enumerate(slots):
            words = slot.says(day, chance)
            if words is not None:
                at = begin + timedelta(days=day, hours=11, minutes=number)
                said.append(Said(f"d{day}-slot{number}", at, slot.key, words, None))
        yield day, said


def take_in(hs: hindsight.Hindsight, said: Sequence[Said], *, reconciled: bool) -> None:
    """Store a day's statements: through the gate, or appended as they come."""
    core = hs._core
    vectors = core.embedder.passages([under_key(item.key, item.value) for item in said])
    with core.store.writing(SPACE) as scope:
        fresh: list[Memory] = []
        for item, vector in zip(said, vectors, strict=True):
            evidence = (
                Evidence(session_id=SessionId(item.session), turn_index=0, quote=item.value, at=item.at, origin="user"),
            )
            proposed = Proposed(
                key=item.key,
                value=item.value,
                category=classified(item.value, item.category),
                language=language_of(item.value),
                origin="user",
                at=item.at,
                made_by="rules",
                evidence=evidence,
                vector=vector,
            )
            if reconciled:
                fresh = [*fresh, admit(core, scope, proposed, fresh=fresh).memory][-20:]
            else:
                append(core, scope, proposed)


def append(core: Any, scope: Any, proposed: Proposed) -> None:
    """Store it beside all else, never to turn stale."""
    now = core.now()
    memory = Memory(
        id=MemoryId(core.ids.new("mem")),
        namespace=SPACE,
        key=proposed.key,
        value=proposed.value,
        category=proposed.category,
        language=proposed.language,
        origin="user",
        trust="trusted",
        confidence=0.9,
        status="active",
        created_at=now,
        updated_at=now,
        verified_at=proposed.at,
        evidence=proposed.evidence,
        ttl_days=36_500,
    )
    scope.put_memory(memory, why="new", terms=memory_terms(memory), vector=proposed.vector)


def ask(hs: hindsight.Hindsight, slots: Sequence[Slot], curve: Curve) -> None:
    """Put every question whose answer was told, and note how it went."""
    asked = found = outdated = 0
    for slot in slots:
        if not slot.known:
            continue
        hits = hs.search(slot.question, namespace=SPACE, limit=HITS, layers=["semantic"], min_relevance=0.0).hits
        values = [hit.memory.value for hit in hits if hit.memory and hit.memory.key == slot.key]
        current = slot.fillers[slot.current]
        asked += 1
        found += any(current in value for value in values)
        # The first word about it is an old one: whoever reads the answer is misled.
        outdated += bool(values) and current not in values[0]
    listed = count(hs, ("active",)), count(hs, ("active", "stale"))
    curve.active.append(listed[0])
    curve.served.append(listed[1])
    curve.found.append(found / max(asked, 1))
    curve.outdated.append(outdated / max(asked, 1))


def count(hs: hindsight.Hindsight, statuses: tuple[Any, ...]) -> int:
    """How many memories have one of these statuses."""
    total, cursor = 0, None
    while True:
        page = hs.memories(SPACE, statuses=statuses, limit=1_000, cursor=cursor)
        total, cursor = total + len(page), page.next_cursor
        if cursor is None:
            return total


def plot(curves: Sequence[Curve], path: Path) -> None:
    """Draw the curves as an SVG: memories above, answers below."""
    width, height, left, top, gap = 640, 190, 60, 30, 60
    colours = ("#1b6ca8", "#c2571a")
    panels = (
        ("active memories", [curve.active for curve in curves]),
        (f"current value among {HITS} hits", [curve.found for curve in curves]),
        ("outdated value first", [curve.outdated for curve in curves]),
    )
    total = top + len(panels) * (height + gap)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {total}" '
        'font-family="sans-serif" font-size="13">'
    ]
    for place, curve in enumerate(curves):
        out.append(f'<text x="{left + place * 250}" y="18" fill="{colours[place]}">{curve.name}</text>')
    for row, (title, series) in enumerate(panels):
        y0 = top + row * (height + gap) + 20
        high = max(max(max(line) for line in series), 1e-9)
        high = 1.0 if high <= 1 else high
        out.append(f'<text x="{left}" y="{y0 - 6}" fill="#333">{title}</text>')
        out.append(f'<rect x="{left}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>')
        for share in (0.0, 0.5, 1.0):
            label = f"{high * share:.0%}" if high == 1.0 else f"{high * share:.0f}"
            y = y0 + height - share * height
            out.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end" fill="#555">{label}</text>')
        for place, line in enumerate(series):
            step = width / max(len(line) - 1, 1)
            points = " ".join(
                f"{left + n * step:.1f},{y0 + height - value / high * height:.1f}" for n, value in enumerate(line)
            )
            out.append(f'<polyline points="{points}" fill="none" stroke="{colours[place]}" stroke-width="2"/>')
        out.append(f'<text x="{left + width}" y="{y0 + height + 16}" text-anchor="end" fill="#555">day {DAYS}</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n", encoding="utf-8")


def report(curves: Sequence[Curve]) -> None:
    """Print each curve at its quarters, and how level it is over the last half."""
    for curve in curves:
        print(curve.name)
        marks = [len(curve.active) * quarter // 4 - 1 for quarter in (1, 2, 3, 4)]
        for name, line in (("active", curve.active), ("active or stale", curve.served)):
            print(f"  {name:<22}" + "".join(f"{line[mark]:>9,}" for mark in marks))
        for name, line in (("current value found", curve.found), ("outdated value first", curve.outdated)):
            print(f"  {name:<22}" + "".join(f"{line[mark]:>9.0%}" for mark in marks))
        half = curve.active[len(curve.active) // 2 :]
        print(f"  active, last half: {min(half):,} to {max(half):,}, {half[-1] / half[0] - 1:+.0%} over it")


def main() -> None:
    arguments: argparse.ArgumentParser = parser(__doc__.splitlines()[0])
    arguments.add_argument("--a-day", type=int, default=20, help="conversations a day")
    arguments.add_argument("--chats", type=int, default=431, help="how many of the real conversations to draw from")
    arguments.add_argument("--seed", type=int, default=11)
    arguments.add_argument("--plot", type=Path, default=Path("year.svg"))
    chosen = arguments.parse_args()
    chance = random.Random(chosen.seed)
    begin = time.perf_counter()
    pool = distilled(chosen.shared, chosen.chats, chance)
    facts = sum(map(len, pool))
    print(f"{len(pool)} conversations, {facts} statements kept by the rules; {chosen.a_day} drawn a day", flush=True)
    slots = [
        Slot(*words, fillers.split(), next_said=chance.randint(0, 60), next_change=chance.randint(70, 150))
        for *words, fillers in SLOTS
    ]
    curves = (Curve("as shipped"), Curve("append only, no lifecycle"))
    clock = FrozenClock(START)
    settings = {"look_back.worker": False}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        kept, grown = (
            stack.enter_context(
                hindsight.open(Path(folder) / name, embedder=HashEmbedder(), clock=clock, settings=settings)
            )
            for name in ("kept", "grown")
        )
        for day, said in year(pool, slots, chosen.a_day, chance):
            clock.set(parse_moment(START, what="at") + timedelta(days=day, hours=14))
            if said:
                take_in(kept, said, reconciled=True)
                take_in(grown, said, reconciled=False)
            if day % ASKED_EVERY_DAYS == ASKED_EVERY_DAYS - 1 or day == DAYS - 1:
                ask(kept, slots, curves[0])
                ask(grown, slots, curves[1])
                if sys.stderr.isatty() or day == DAYS - 1:
                    print(f"day {day + 1}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    report(curves)
    plot(curves, chosen.plot)
    print(f"{chosen.plot} written; {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
