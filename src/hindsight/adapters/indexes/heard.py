"""How long a text is with what is heard of the turns around it, kept for each view as rows come and go.

Keyword scores are divided by length, and a turn's length takes in its neighbours as far as a search may
see them. Working it out anew after each write would touch every row; here only the changed rows and the
rows beside them are worked out again, in whole tenths, so that sums stay exact.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.rows import CLASSES, DEAD, OFFSETS, Allowed, RowNumbers, Rows, grown

OWN_TENTHS: Final = 10
WINDOW_TENTHS: Final[tuple[tuple[int, int], ...]] = ((-1, 7), (-2, 3), (1, 4), (2, 2))
"""What a word counts in the turn at that offset from the scored one. Half as much: R@5 1.5 lower."""
_VIEWS_KEPT: Final = 4


class View:
    """The heard length of each row, in tenths, and the sum of them by class."""

    def __init__(self, allowed: Allowed) -> None:
        self.allowed = allowed
        self.tenths: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self.sums: NDArray[np.int64] = np.zeros(CLASSES, dtype=np.int64)
        self._counted_as: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)

    def follow(self, rows: Rows, changed: RowNumbers) -> None:
        """Work *changed* rows out again."""
        if len(self.tenths) < rows.size:
            known = len(self.tenths)
            self.tenths = grown(self.tenths, known, rows.size)
            self._counted_as = grown(self._counted_as, known, rows.size)
            self._counted_as[known:] = DEAD
        self._count(changed, -1)
        self.tenths[changed] = heard_tenths(rows, changed, self.allowed)
        self._counted_as[changed] = rows.classes[changed]
        self._count(changed, 1)

    def average(self, rows: Rows) -> tuple[int, float]:
        """How many rows may be seen, and their mean length."""
        count = int(rows.in_class[self.allowed].sum())
        return count, max(float(self.sums[self.allowed].sum()) / OWN_TENTHS / max(count, 1), 1.0)

    def _count(self, changed: RowNumbers, sign: int) -> None:
        # Whole numbers far below 2 ** 53: the floats of bincount lose nothing.
        sums = np.bincount(self._counted_as[changed], weights=self.tenths[changed], minlength=CLASSES)
        self.sums += sign * sums.astype(np.int64)


class Heard:
    """The views that searches asked for lately, each following the rows."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._views: OrderedDict[bytes, View] = OrderedDict()

    def follow(self) -> None:
        """Bring every view up to the rows as they are."""
        if not self._rows.changed:
            return
        if self._views:
            changed = np.unique(np.concatenate(self._rows.changed))
            for view in self._views.values():
                view.follow(self._rows, changed)
        self._rows.changed.clear()

    def view(self, allowed: Allowed) -> View:
        """The view of a search that may see these classes."""
        key = allowed.tobytes()
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = View(allowed)
            view.follow(self._rows, np.arange(self._rows.count, dtype=np.int32))
            while len(self._views) > _VIEWS_KEPT:
                self._views.popitem(last=False)
        self._views.move_to_end(key)
        return view


def heard_tenths(rows: Rows, wanted: RowNumbers, allowed: Allowed) -> NDArray[np.int32]:
    """(n,) the lengths of *wanted* rows with what is heard of their neighbours of the allowed classes."""
    tenths = OWN_TENTHS * rows.lengths[wanted]
    if not rows.linked:
        return tenths
    links = rows.heard(wanted)
    for offset, weight in WINDOW_TENTHS:
        near = links[:, OFFSETS.index(offset)]
        seen = (near >= 0) & allowed[rows.classes[near]]
        tenths[seen] += weight * rows.lengths[near[seen]]
    return tenths
