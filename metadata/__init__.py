"""What a bibliographic record is: types, crosswalks, validation, identifiers, text folding.

Pure: no Django, no network, no database.
"""
