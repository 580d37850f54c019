"""The rules of MODS one by one, and an identifier declared invalid."""

import pytest

from metadata.catalogue import RULES
from tests.metadata.documents import codes
from tests.metadata.formats.mods.test_read import read_mods

PIECES = [
    ("E003", {"title": "<titleInfo><subTitle/></titleInfo>"}, ""),
    ("W007", {"origin": "<originInfo><dateIssued>刊年不明</dateIssued></originInfo>"}, ""),
    ("W008", {"page": ""}, ""),
    ("E009", {}, '<identifier type="isbn">9784101010015</identifier>'),
    ("N010", {}, '<language><languageTerm type="code">ja</languageTerm></language>'),
    ("W010", {}, '<language><languageTerm type="code">xxq</languageTerm></language>'),
    ("E011", {}, "<location><url>opac/bib/1</url></location>"),
]


@pytest.mark.parametrize(("code", "replaced", "added"), PIECES)
def test_a_record_that_breaks_a_rule_is_reported(code, replaced, added):
    assert f"mods.{code}" in codes(read_mods(added, **replaced))


def test_every_rule_code_is_tested():
    """Except for the missing namespace, which `test_no_namespace` tests for several formats."""
    assert {f"mods.{code}" for code, _, _ in PIECES} | {"mods.N001"} == {
        code for code in RULES if code.startswith("mods.")
    }


def test_an_identifier_declared_invalid_is_stored_separately():
    record = read_mods('<identifier type="isbn" invalid="yes">9784101010014</identifier>').record
    assert record.values("ISBN") == ()
    assert [identifier.value for identifier in record.invalid_identifiers] == ["9784101010014"]
