"""Spreads a sample evenly over a stream whose length is not known. No Django, no network access."""


class EvenSample[T]:
    """Keeps between `size` and twice as many items, evenly spaced over all items that were added.

    When there are too many, every second one is dropped, and from then on half as many are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: list[T] = []
        self._step = 1
        self.seen = 0

    def add(self, item: T) -> None:
        if self.seen % self._step == 0:
            if len(self._kept) == 2 * self._size:
                self._kept = self._kept[::2]
                self._step *= 2
            if self.seen % self._step == 0:
                self._kept.append(item)
        self.seen += 1

    def chosen(self) -> list[T]:
        """Return at most `size` items in order; the first is the first that was added."""
        kept, size = self._kept, self._size
        if len(kept) <= size:
            return list(kept)
        last = max(1, size - 1)
        return [kept[number * (len(kept) - 1) // last] for number in range(size)]
