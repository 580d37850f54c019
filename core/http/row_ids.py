"""Ids of rows in what browsers and other systems send."""

LONGEST = 18  # digits; all numbers with so many fit into the id column of a table


def row_id(text: str) -> int:
    """Return the id that a text states in ASCII digits; 0, which no row has, for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST else 0
