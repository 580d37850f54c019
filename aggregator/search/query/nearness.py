"""How many typing errors are tolerated when similar texts are looked for. Independent of the search engine."""

SHORTEST, LONGEST = 3, 60  # characters; to a shorter text, every text is similar
TWO_ERRORS = 6  # characters from which two errors are tolerated


def allowed_errors(key: str) -> int:
    """The number of letters of a folded text that may be wrong, missing, superfluous or swapped."""
    return 0 if len(key) < SHORTEST else 2 if len(key) >= TWO_ERRORS else 1
