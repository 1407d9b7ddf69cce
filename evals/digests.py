"""Whether the digests of real and labelled conversations keep their promises: short, and nothing new in them.

Long: digests above a tenth of the conversation's words and above the floor (40 words, 80 characters), or above
600 characters in all. New: digests with a number, a name or a version that no turn holds.

    python evals/digests.py [--shared DIR]
"""

from __future__ import annotations

import re
from collections import Counter

from cases import load, parser
from distill import SETS, turns_of
from hindsight.language.digest import CHARACTERS_MAX, Digest, digest
from hindsight.language.script import language_of

_TOKEN = re.compile(r"v?\d+(?:[.:,/-]\d+)*|[A-Z][A-Za-z0-9.+#_-]*[A-Za-z0-9]")
_FLOOR = {"en": 40, "zh": 80}


def told(short: Digest) -> str:
    """The three parts as one text."""
    return "\n".join(part for part in (short.user_said, short.agent_did, short.conclusion) if part)


def main() -> None:
    """Print the counts."""
    chosen = parser(__doc__ or "").parse_args()
    for name in ("chats_zh", "chats_en", *SETS):
        count: Counter[str] = Counter()
        sizes: list[float] = []
        for case in load(name, chosen.shared):
            turns = turns_of(case)
            text = told(digest(turns))
            spoken = "\n".join(turn.content for turn in turns)
            language = language_of(" ".join(turn.content[:500] for turn in turns if turn.role == "user"))
            talk = " ".join(turn.content for turn in turns if turn.role in {"user", "assistant"})
            size = len(text) if language == "zh" else len(text.split())
            whole = len(talk) if language == "zh" else len(talk.split())
            count["all"] += 1
            count["long"] += size > max(whole / 10, _FLOOR[language]) or len(text) > CHARACTERS_MAX
            count["new"] += any(token not in spoken for token in _TOKEN.findall(text))
            count["empty"] += not text
            sizes.append(len(text))
        sizes.sort()
        print(
            f"{name:10} {count['all']} digests: long {count['long']}, new {count['new']}, empty {count['empty']}, "
            f"median {sizes[len(sizes) // 2]} characters, longest {sizes[-1]}"
        )


if __name__ == "__main__":
    main()
