"""The number of a library in addresses and in the search index: L and its primary key. Pure."""


def library_number(pk: int) -> str:
    return f"L{pk}"


def library_pk(number: str) -> int:
    """Undo `library_number`; 0 for a text that is no such number."""
    digits = number[1:]
    is_number = number[:1] == "L" and digits.isascii() and digits.isdecimal() and len(digits) <= 18
    return int(digits) if is_number else 0
