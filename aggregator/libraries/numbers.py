"""The number of a library in addresses and in the search index: L and its primary key. Pure."""

from core.http.row_ids import row_id


def library_number(pk: int) -> str:
    return f"L{pk}"


def library_pk(number: str) -> int:
    """Undo `library_number`; 0 for a text that is no such number."""
    return row_id(number[1:]) if number[:1] == "L" else 0
