"""Bounds of the learned weights: which may not be negative, which not positive, and how large. A table; learns nothing.

What a cataloguer knows before any data: an agreement is never evidence for different books, a disagreement never
evidence for the same book.
"""

UNBOUNDED = (float("-inf"), float("inf"))
_NEVER_AGAINST = (0.0, float("inf"))
_NEVER_FOR = (float("-inf"), 0.0)
_AGREEMENTS = {
    "isbn": "same suspect listed list one_of listed_one_of suspect_one_of",
    "set_isbn": "same",
    "issn": "same",
    "number": "same",
    "title": "same reading",
    "volume": "same same_bare set_counted set_listed part_same",
    "volume_title": "same",
    "edition": "same",
    "author": "same family_name similar romanised",
    "publisher": "same similar",
    "year": "same month",
    "pages": "same common near close",
    "length": "same",
    "series": "same",
}
_DISAGREEMENTS = {
    "isbn": "different different_volume different_one_volume",
    "number": "different",
    "title": "subtitle_differs overlapping contained",
    "volume": "unclear one_side one_side_isbn one_side_listed one_side_titled one_side_bare one_side_series "
    "perhaps_set set_unclear set_against_bare set_miscounted same_of_set one_of_set part_different part_same_one_side "
    "part_one_side part_set part_against_set",
    "volume_title": "different",
    "edition": "unclear one_side one_side_undated one_side_later one_side_isbn "
    "one_side_undated_isbn one_side_later_isbn",
    "author": "different",
    "publisher": "different",
    "year": "next_month other_month near printing reprinted far far_months very_far",
    "reprint": "elsewhere",
    "pages": "different far",
    "size": "different",
    "length": "different",
    "series": "different",
    "carrier": "unsure unsure_isbn",
    "support": "one title_only",
}
_AT_MOST = {
    # The national bibliography gives every publication one number; a recording of another length is another recording.
    # They are near a veto, but not one, because numbers and extents are also mistyped.
    ("number", "different_jpno"): -6.0,
    ("length", "different"): -5.0,
    # Other catalogues, and DOIs, give a publication several numbers, but not often. No labelled pairs have them.
    ("number", "different"): -3.0,
    # Books of a series or franchise share main title, author and publisher, and often the number of pages.
    ("title", "subtitle_differs"): -1.5,
    ("title", "overlapping"): -2.0,
    ("title", "contained"): -2.0,
    ("title", "rather_similar"): -1.2,
}
# Similar values never count for more than equal ones.
_LITTLE = {("pages", "common"): (0.0, 1.0), ("author", "similar"): (0.0, 0.3), ("title", "similar"): (0.0, 0.5)}


def _table() -> dict[tuple[str, str], tuple[float, float]]:
    groups = ((_AGREEMENTS, _NEVER_AGAINST), (_DISAGREEMENTS, _NEVER_FOR))
    signs = {
        (rule, outcome): limits
        for table, limits in groups
        for rule, words in table.items()
        for outcome in words.split()
    }
    return signs | {outcome: (float("-inf"), highest) for outcome, highest in _AT_MOST.items()} | _LITTLE


_BOUNDS = _table()


def bounds_of(outcome: tuple[str, str]) -> tuple[float, float]:
    """The lowest and the highest weight of an outcome."""
    return _BOUNDS.get(outcome, UNBOUNDED)


def within_bounds(outcome: tuple[str, str], weight: float) -> float:
    """The weight, or the limit that it exceeds."""
    low, high = bounds_of(outcome)
    return min(max(weight, low), high)
