"""Limits how much freed memory the C library keeps. Knows only glibc; other systems are left as they are.

glibc keeps freed memory for the next request, in separate heaps for many threads; once a large piece has been freed, it
also keeps pieces of that size. The threads in which the search engine merges its segments would leave 180 MB in a
process that indexes (benchmarks/RESULTS.md).
"""

import ctypes
import sys

# Numbers of <malloc.h> and their values.
_LIMITS = {
    -3: 256 * 1024,  # M_MMAP_THRESHOLD: memory of this size, in bytes, goes back at once when it is freed
    -1: 16 * 1024 * 1024,  # M_TRIM_THRESHOLD: unused bytes at the end of the heap; with less, pages would come and go
    -8: 2,  # M_ARENA_MAX: heaps of all threads together
}


def limit_freed_memory() -> None:
    """Set the limits for this process, before it starts threads. Processes that it forks inherit them."""
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        for number, value in _LIMITS.items():
            mallopt(number, value)
