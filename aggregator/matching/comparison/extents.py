"""How the carriers and the extents of two feature rows agree. Independent of the weights."""

from aggregator.matching.features.row import Features


def pages_outcome(a: Features, b: Features, title: str) -> str:
    """How two numbers of pages agree. title: the outcome for the titles."""
    if not a.pages or not b.pages:
        return ""
    if a.pages == b.pages:
        return "common" if title in _OTHER_TITLES and _are_of_one_house(a, b) else "same"
    distance = abs(a.pages - b.pages)
    for limit, outcome in _PAGES:
        if distance <= limit:
            return outcome
    return "far"


_PAGES = ((4, "near"), (8, "close"), (16, "different"))


_OTHER_TITLES = frozenset(("subtitle_differs", "overlapping", "contained", "begins", "rather_similar"))


def _are_of_one_house(a: Features, b: Features) -> bool:
    """Whether the two are of one publisher or series, whose books often have equal numbers of pages: all volumes of a
    comic have 192, and the books of two films of a franchise were once joined because both have 203.
    """
    if not set(a.publishers).isdisjoint(b.publishers):
        return True
    return not {entry.partition("#")[0] for entry in a.series}.isdisjoint(
        [entry.partition("#")[0] for entry in b.series]
    )


def size_outcome(a: Features, b: Features) -> str:
    """How the heights agree: books that differ by more than 1 cm are different editions, such as one in 文庫 size."""
    return "different" if a.height and b.height and abs(a.height - b.height) > 1 else ""


def length_outcome(a: Features, b: Features) -> str:
    """How the playing times of recordings agree; where one is unknown, how the numbers of discs, tapes or volumes of a
    transcription do.
    """
    if a.minutes and b.minutes:
        return "same" if abs(a.minutes - b.minutes) <= 1 else "different"
    return "different" if a.pieces and b.pieces and a.pieces != b.pieces else ""


def carrier_outcome(a: Features, b: Features, shared_isbn: bool) -> str:
    """How the carriers agree: "different", a veto, only where both are sure. shared_isbn: the two share an ISBN, which
    is normally given to one carrier only.
    """
    one, other = a.carrier or a.likely, b.carrier or b.likely
    if one == other or not one or not other or frozenset((one, other)) in _COMPATIBLE:
        return ""
    if a.carrier and b.carrier:
        return "different"
    return "unsure_isbn" if shared_isbn else "unsure"


# media: some recording; transcript: braille, or the tapes or discs of a talking book
_COMPATIBLE = frozenset(
    [frozenset(("media", other)) for other in ("sound", "video", "digital", "transcript")]
    + [frozenset(("transcript", other)) for other in ("sound", "braille", "digital")]
)
