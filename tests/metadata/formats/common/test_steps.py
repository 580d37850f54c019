"""What a crosswalk's table of steps says, which cataloguers read in docs/reference/crosswalks, is what the steps do."""

from collections.abc import Sequence

import pytest

from metadata.formats import CROSSWALKS
from metadata.formats.common.base import Draft, Place, Step, sorting
from metadata.reading import read, read_element
from metadata.record import BibliographicRecord
from tests.metadata.data.dcndl.all_fields import RECORD as DCNDL
from tests.metadata.data.marcxml.all_fields import RECORD as MARC
from tests.metadata.data.oai_dc.all_fields import RECORD as OAI_DC
from tests.metadata.data.rss.all_fields import RECORD as RSS
from tests.metadata.formats.test_round_trip_samples import elements
from tests.paths import ROOT

FIELDS = frozenset(BibliographicRecord.__struct_fields__)
RECORDS = (DCNDL, MARC, OAI_DC, RSS)  # with a value in every field that these formats have
WITH_STEPS = sorted(prefix for prefix, known in CROSSWALKS.items() if known.steps)

SAMPLES = (
    ("dcndl_simple", "dcndl_simple"),
    ("jpcoar_2.1", "jpcoar"),
    ("jpcoar_validator_cases", "jpcoar"),
    ("junii2", "junii2"),
    ("marcxml", "marcxml"),
    ("mods", "mods"),
    ("oai_dc", "oai_dc"),
    ("rss1", "rss"),
    ("rss2_dcndl", "rss"),
)
MOST = 60  # files of each folder


def values(draft: Draft) -> dict[str, object]:
    """What is in the draft: names without values left out."""
    return {name: list(found) for name, found in draft.fields.items() if found} | draft.single


def test_every_format_says_what_it_decides_afterwards():
    assert set(WITH_STEPS) == set(CROSSWALKS)


@pytest.fixture
def changed(monkeypatch) -> list[tuple[Step, set[str]]]:
    """The steps taken while the test reads records, with the fields that each has changed."""
    found: list[tuple[Step, set[str]]] = []

    def settle(draft: Draft, steps: Sequence[Step]) -> None:
        for step in steps:
            before = values(draft)
            step.settle(draft)
            after = values(draft)
            found.append((step, {name for name in before | after if before.get(name) != after.get(name)}))

    monkeypatch.setattr(Draft, "settle", settle)
    return found


@pytest.mark.parametrize("prefix", WITH_STEPS)
def test_a_step_changes_only_the_fields_that_it_names(changed, prefix):
    for record in RECORDS:
        assert read(CROSSWALKS[prefix].write(record), prefix).record
    for path in (ROOT / "tests/metadata/data" / prefix).glob("*.xml"):
        read(path.read_bytes(), prefix)
    assert {step for step, _ in changed} == set(CROSSWALKS[prefix].steps)
    for step, names in changed:
        assert names <= {*step.sources.split(), *step.targets.split()}, step.words


def test_nor_do_real_records_make_it_change_others(changed, samples):
    for folder, prefix in SAMPLES:
        for path in sorted((samples / folder).rglob("*.xml"))[:MOST]:
            for element in elements(path, prefix):
                read_element(element, prefix)
    assert changed
    for step, names in changed:
        assert names <= {*step.sources.split(), *step.targets.split()}, step.words


@pytest.mark.parametrize("prefix", WITH_STEPS)
def test_whatever_is_no_field_of_the_record_is_taken_by_a_step(prefix):
    known = CROSSWALKS[prefix]
    roots = [table for root, table in known.readers.items() if root in known.roots] or list(known.readers.values())
    collected = {entry[0] for table in roots for entry in table.values() if entry}
    made = {name for step in known.steps for name in step.targets.split()}
    taken = {name for step in known.steps for name in step.sources.split()}
    items = {"holder", "call_number", "local_call_number", "availability", "holding_issues", "absent_issues", "remarks"}
    assert (collected | made) - FIELDS - taken - (items if prefix == "dcndl" else set()) == set()


def test_values_are_sorted_by_the_first_rule_that_holds():
    step = sorting(
        "formats", Place("extents", str.isdigit, "it is a number"), Place("notes", str.isalnum, "it is a word")
    )
    draft = Draft()
    draft.fields["formats"] = ["12", "word", "application/pdf", "abc"]
    step.settle(draft)
    assert draft.fields == {"extents": ["12"], "notes": ["word", "abc"], "formats": ["application/pdf"]}
    assert step.words == "`extents` if it is a number, `notes` if it is a word, else `formats`"
