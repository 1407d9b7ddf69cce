"""How well the end of a task is seen in the user's words, on labelled conversations.

Found: conversations that end with a task boundary whose last user turn is seen to end it. Early: user
turns before the last one that are taken for an end, which only splits an episode.

    python evals/endings.py [--shared DIR] [--misses]
"""

from __future__ import annotations

from collections import Counter

from cases import is_unread, load, parser
from hindsight.language.endings import ends_task


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--misses", action="store_true", help="print the read ends that are not seen")
    chosen = arguments.parse_args()
    counts: dict[str, Counter[str]] = {"read": Counter(), "unread": Counter()}
    for name in ("distill", "distill_b", "distill_c"):
        for case in load(name, chosen.shared):
            part = "unread" if is_unread(case["id"]) else "read"
            said = [turn["content"] for turn in case["turns"] if turn["role"] == "user"]
            count = counts[part]
            count["before"] += len(said) - 1
            early = [content for content in said[:-1] if ends_task(content)]
            count["early"] += len(early)
            seen = ends_task(said[-1])
            kind = "ends" if case["ends_with_task_boundary"] else "open"
            count[kind] += 1
            count[f"{kind} seen"] += seen
            if chosen.misses and part == "read":
                for content in early:
                    print("early ", repr(content))
                if seen != case["ends_with_task_boundary"]:
                    print("missed" if kind == "ends" else "false ", repr(said[-1]))
    for part, count in counts.items():
        print(f"{part:7} ends seen {count['ends seen']}/{count['ends']}", end="   ")
        print(f"open taken for ends {count['open seen']}/{count['open']}   early {count['early']}/{count['before']}")


if __name__ == "__main__":
    main()
