"""Single elements of JPCOAR for tests, and the one value that is read from them."""

from tests.metadata.formats.jpcoar.test_read import read_jpcoar


def element(name: str, text: str = "", **attributes: str) -> str:
    given = "".join(f' {key.replace("lang", "xml:lang")}="{value}"' for key, value in attributes.items())
    prefixed = name if ":" in name else f"jpcoar:{name}"
    return f"<{prefixed}{given}>{text}</{prefixed}>"


def one(field: str, *parts: str, **replaced: str) -> object:
    (value,) = getattr(read_jpcoar(*parts, **replaced).record, field)
    return value
