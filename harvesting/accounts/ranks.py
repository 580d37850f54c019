"""The four roles, from reader to administrator. Pure; `harvesting.accounts.access` finds the role of a user."""

from enum import IntEnum


class Role(IntEnum):
    """A role includes everything that the lower ones may do."""

    PUBLIC = 0
    LIBRARIAN = 1
    STAFF = 2
    ADMINISTRATOR = 3
