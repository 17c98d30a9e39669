"""The heights of thousands of blocks, and which of them is at a given row."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """Sums over the heights of blocks (a Fenwick tree): all but `insert` and `remove` take log(n) steps."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._rebuild()

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        self.total += change
        node = index + 1
        while node < len(self._sums):
            self._sums[node] += change
            node += node & -node

    def append(self, height: int) -> None:
        """Add a height at the end."""
        node = len(self._sums)
        self._heights.append(height)
        self._sums.append(self.total + height - self.before(node - (node & -node)))
        self.total += height

    def insert(self, index: int, height: int) -> None:
        """Add a height before another one."""
        self._heights.insert(index, height)
        self._rebuild()

    def remove(self, index: int) -> None:
        """Take a height out."""
        del self._heights[index]
        self._rebuild()

    def before(self, index: int) -> int:
        """Return the sum of the first `index` heights: the row on which that block starts."""
        total = 0
        while index:
            total += self._sums[index]
            index &= index - 1
        return total

    def find(self, row: int) -> tuple[int, int]:
        """Return the block that `row` is in and the row within it; past the end it is the last block."""
        index, step = 0, 1 << len(self._heights).bit_length()
        while step:
            if index + step < len(self._sums) and self._sums[index + step] <= row:
                index += step
                row -= self._sums[index]
            step >>= 1
        if index == len(self._heights):
            index -= 1
            row += self._heights[index]
        return index, row

    def _rebuild(self) -> None:
        self.total = sum(self._heights)
        """The sum of all heights."""
        self._sums = [0, *self._heights]
        for node in range(1, len(self._sums)):
            above = node + (node & -node)
            if above < len(self._sums):
                self._sums[above] += self._sums[node]
