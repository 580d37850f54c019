"""How far a text may be from what was typed and still be what was meant. Pure; knows no engine."""

SHORTEST, LONGEST = 3, 60  # characters; of fewer, everything is near
TWO_ERRORS = 6  # characters from which two may be wrong


def errors(key: str) -> int:
    """How many letters of a folded text may be wrong, missing, too many, or two exchanged."""
    return 0 if len(key) < SHORTEST else 2 if len(key) >= TWO_ERRORS else 1
