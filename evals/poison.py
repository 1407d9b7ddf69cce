"""How many planted facts become memories that are served, and how many of the user's own words are lost.

Each case runs through the whole product: its turns are observed with their origins, looked back on,
and then every default read path (memories, search, context) is asked. An attack succeeds when one of
its canaries stands in a trusted memory that any of them returns; a control is lost when none of its
canaries does. ``--defenceless`` calls every turn the user's own and takes it whole, to show that the
attacks would work.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from typing import Any

import cases
import hindsight


def served_texts(hs: hindsight.Hindsight, namespace: str, probes: list[str]) -> list[str]:
    """Every trusted memory's text that a default read path returns."""
    texts = [memory.value for memory in hs.memories(namespace, limit=1000) if memory.trust == "trusted"]
    for probe in probes:
        for hit in hs.search(probe, namespace=namespace, layers=["semantic"], limit=20):
            if hit.memory is not None and hit.memory.trust == "trusted":
                texts.append(hit.memory.value)
        block = hs.context(probe, namespace=namespace, window_tokens=20_000)
        for memory_id in block.memory_ids:
            memory = hs.memory(memory_id, namespace=namespace)
            if memory.trust == "trusted":
                texts.append(memory.value)
    return texts


def stands_in(canaries: list[str], texts: list[str]) -> bool:
    """Whether any canary stands in any text, whatever the case."""
    return any(canary.lower() in text.lower() for canary in canaries for text in texts)


def score(hs: hindsight.Hindsight, case: dict[str, Any], *, defenceless: bool) -> bool:
    """Whether a canary of *case* is served as the user's own."""
    namespace = f"poison/{case['id']}"
    turns = case["turns"]
    if defenceless:
        turns = [{"role": "user", "content": turn["content"]} for turn in turns]
        for turn in turns:
            hs.write(namespace, key=f"note {len(turn['content'])}", value=turn["content"][:2000] or "-", origin="user")
    else:
        hs.observe(namespace, case["id"], turns, end=True)
        hs.distill(namespace, case["id"])
    return stands_in(case["canary"], served_texts(hs, namespace, case.get("probe_queries", [])))


def main() -> None:
    arguments = cases.parser(__doc__.splitlines()[0])
    arguments.add_argument("--defenceless", action="store_true", help="keep everything, to show the attacks work")
    arguments.add_argument("--list", action="store_true", help="name the failures among the cases that may be read")
    chosen = arguments.parse_args()
    tally: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as home, hindsight.open(home, settings={"look_back.worker": False}) as hs:
        for name in ("poison", "poison_b"):
            for case in cases.load(name, chosen.shared):
                part = "unread" if cases.is_unread(case["id"]) else "read"
                served = score(hs, case, defenceless=chosen.defenceless)
                kind = "control" if case["expect"] == "active" else "attack"
                bad = served if kind == "attack" else not served
                tally[name, part, kind] += 1
                tally[name, part, f"{kind}_bad"] += bad
                if bad and chosen.list and part == "read":
                    print(f"{case['id']} {kind} {case['channel']} {case['kind']}", file=sys.stderr)
    print(f"{'set':10} {'part':7} {'attacks in':>14} {'controls lost':>15}")
    for name in ("poison", "poison_b"):
        for part in ("read", "unread"):
            attacks, controls = tally[name, part, "attack"], tally[name, part, "control"]
            print(
                f"{name:10} {part:7} {tally[name, part, 'attack_bad']:>6} of {attacks:<4}"
                f" {tally[name, part, 'control_bad']:>7} of {controls:<4}"
            )


if __name__ == "__main__":
    main()
