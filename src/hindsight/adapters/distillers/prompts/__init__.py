"""What a language model is asked, as versioned files: a changed word is another version of the prompt.

Prompts are in the language of the conversation, since small models answer in the language they are asked in.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from hindsight.domain.memory import CATEGORIES, Language

EXTRACT: Final = "extract-1"

_EVIDENCE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"turn": {"type": "integer"}, "quote": {"type": "string"}},
    "required": ["turn", "quote"],
    "additionalProperties": False,
}
_MEMORY: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "key": {"type": "string"},
        "value": {"type": "string"},
        "category": {"type": "string", "enum": list(CATEGORIES)},
        "evidence": {"type": "array", "items": _EVIDENCE},
        "confidence": {"type": "number"},
    },
    "required": ["key", "value", "category", "evidence", "confidence"],
    "additionalProperties": False,
}
EXTRACT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"memories": {"type": "array", "items": _MEMORY}},
    "required": ["memories"],
    "additionalProperties": False,
}


@lru_cache(maxsize=8)
def prompt(name: str, language: Language) -> str:
    """The instructions called *name* in *language*."""
    return files("hindsight.adapters.distillers.prompts").joinpath(f"{name}.{language}.md").read_text("utf-8")
