"""The tables of names are complete."""

from metadata.vocabularies.dcndl import LANGUAGES
from metadata.vocabularies.languages import NAMES
from metadata.vocabularies.ndc import CLASSES, MAIN


def test_every_class_of_two_digits_has_a_name_and_a_main_class():
    two_digits = {f"{number:02}" for number in range(100)}
    assert set(CLASSES) == two_digits | set(MAIN)
    assert all(label.ja and label.en for label in CLASSES.values())


def test_every_language_that_is_recognised_has_a_name():
    assert set(LANGUAGES.values()) <= set(NAMES)
    assert len({label.ja for label in NAMES.values()}) == len(NAMES)
    assert len({label.en for label in NAMES.values()}) == len(NAMES)
