"""Reading with enrichment rules: the checks see what the rules made, and the record without them is kept."""

from metadata.enrichment.rules import Fixed, Replace, RuleSet
from metadata.policy import Policy
from metadata.reading import read
from tests.metadata.documents import codes, dcndl, oai_dc


def policy(*rules) -> Policy:
    return Policy(enrichment=RuleSet(version=4, rules=rules))


def test_the_record_has_the_values_of_the_rules_and_the_original_stays():
    reading = read(dcndl(), "dcndl", policy(Replace(name="点", field="title", find="っ", replacement="ッ")))
    assert reading.record.title == "坊ッちゃん"
    assert (reading.enriched.version, reading.enriched.names) == (4, ("点",))
    assert reading.enriched.original == read(dcndl(), "dcndl").record


def test_rules_that_change_nothing_leave_the_reading_as_it_is():
    reading = read(dcndl(), "dcndl", policy(Replace(name="点", field="title", find="猫", replacement="犬")))
    plain = read(dcndl(), "dcndl")
    assert (reading.record, reading.issues) == (plain.record, plain.issues)
    assert (reading.enriched.names, reading.enriched.original) == ((), None)
    assert plain.enriched is None


def test_a_rule_cannot_make_an_invalid_record_unnoticed():
    without_title = Replace(name="空", field="title", find="坊っちゃん")
    reading = read(dcndl(), "dcndl", policy(without_title))
    assert reading.record is None
    assert "dcndl.E003" in codes(reading)


def test_a_rule_can_supply_what_a_record_must_have():
    payload = dcndl(kind="")
    assert "dcndl.W022" in codes(read(payload, "dcndl"))
    mended = read(payload, "dcndl", policy(Fixed(name="種別", field="material_type", value="図書")))
    assert mended.record is not None
    assert "dcndl.W022" not in codes(mended)


def test_a_record_that_only_the_rules_make_valid_has_no_original():
    payload = dcndl(title="")
    assert read(payload, "dcndl").record is None
    mended = read(payload, "dcndl", policy(Fixed(name="題", field="title", value="[無題]")))
    assert mended.record.title == "[無題]"
    assert (mended.enriched.names, mended.enriched.original) == (("題",), None)


def test_a_rule_can_replace_a_character_that_the_checks_would_refuse():
    payload = oai_dc(title="<dc:title>坊\ue000ちゃん</dc:title>")
    assert read(payload, "oai_dc").record is None
    reading = read(payload, "oai_dc", policy(Replace(name="外字", field="title", find="\ue000", replacement="っ")))
    assert reading.record.title == "坊っちゃん"
    assert reading.enriched.original is None


def test_what_the_rules_put_in_is_checked_for_harmful_characters():
    reading = read(oai_dc(), "oai_dc", policy(Fixed(name="注", field="note", value="<script>x</script>付録")))
    assert "chars.N010" in codes(reading)
    assert reading.record.notes == ("x 付録",)


def test_json_records_are_enriched_too():
    payload = b'{"titles": [{"value": "a"}], "uri": "https://opac.example.jp/1", "issued": "1906"}'
    reading = read(payload, "json", policy(Fixed(name="言語", field="language", value="jpn")))
    assert reading.record.languages == ("jpn",)
    assert reading.enriched.original == read(payload, "json").record
