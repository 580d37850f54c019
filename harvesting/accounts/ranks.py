"""The four roles, from the reader to the administrator. Pure: who has which is said by `harvesting.accounts.access`."""

from enum import IntEnum


class Role(IntEnum):
    """What a person is here; each may do all that those before may."""

    PUBLIC = 0
    LIBRARIAN = 1
    STAFF = 2
    ADMINISTRATOR = 3
