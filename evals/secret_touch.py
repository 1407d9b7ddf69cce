"""How often the secret guard touches innocent sentences, on real user turns.

Nearly all of these sentences hold no secret, so the touch rate bounds the false alarms from above.

    python evals/secrets.py [--shared DIR] [--show]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cases import load, parser
from hindsight.language.secrets import find_secrets
from hindsight.language.sentences import sentences


def user_turns(name: str, shared: str | None) -> Iterator[str]:
    """The words people wrote: user turns of a chat, or every turn of a LoCoMo haystack."""
    for row in load(name, shared):
        if "turns" in row:
            yield from (turn["content"] for turn in row["turns"] if turn["role"] == "user")
        else:
            yield from (document["text"] for document in row["docs"])


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--show", action="store_true", help="print what was touched")
    chosen = arguments.parse_args()
    for name in ("chats_zh", "chats_en", "locomo_dev"):
        counts: Counter[str] = Counter()
        for content in user_turns(name, chosen.shared):
            for start, end in sentences(content):
                sentence = content[start:end]
                found = find_secrets(sentence)
                counts["sentences"] += 1
                counts["touched"] += bool(found)
                if found and chosen.show:
                    print(name, found[0].kind, repr(sentence[max(0, found[0].start - 60) : found[0].end + 20]))
        print(f"{name:11} touched {counts['touched']}/{counts['sentences']} sentences", end="  ")
        print(f"{100 * counts['touched'] / max(1, counts['sentences']):.3f}%")


if __name__ == "__main__":
    main()
