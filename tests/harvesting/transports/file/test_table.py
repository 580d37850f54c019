"""CSV and TSV: what headings, encodings and damaged rows lead to."""

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.files import batches, codes, issues, readings, records, titles, transport, write

HEAD = "書誌ID,書名,書名ヨミ,著者,出版者,出版年,ISBN,NDC\n"
ROW = "1,坊っちゃん,ボッチャン,夏目漱石,新潮社,1950,978-4-10-101003-8,913.6\n"


def refusal(address: object, **source: object) -> str:
    with pytest.raises(TransportError) as caught:
        batches(address, source=source)
    return caught.value.code


def test_a_row_becomes_a_record_by_its_known_headings(tmp_path):
    found = batches(write(tmp_path, HEAD + ROW))
    (reading,) = readings(found)
    record = reading.record
    assert (record.title, record.titles[0].transcription, record.issued) == ("坊っちゃん", "ボッチャン", "1950")
    assert (record.creators[0].name, record.publishers[0].name) == ("夏目漱石", "新潮社")
    assert (record.values("ISBN"), record.subjects[0].value) == (("9784101010038",), "913.6")
    assert records(found)[0].identifier == "1"
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "json"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_the_encoding_is_found_out(tmp_path, encoding):
    found = batches(write(tmp_path, (HEAD + ROW).encode(encoding)))
    assert titles(found) == ["坊っちゃん"]
    assert codes(found) == (["file.encoding_guessed"] if encoding in {"cp932", "euc_jp"} else [])


def test_the_registered_encoding_is_believed(tmp_path):
    path = write(tmp_path, (HEAD + ROW).encode("cp932"))
    assert titles(batches(path, source={"encoding": "Shift_JIS"})) == ["坊っちゃん"]
    assert refusal(path, encoding="UTF-8") == "file.encoding"
    assert refusal(path, encoding="Klingon") == "file.unknown_encoding"


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_the_delimiter_is_found_out(tmp_path, delimiter):
    assert titles(batches(write(tmp_path, (HEAD + ROW).replace(",", delimiter)))) == ["坊っちゃん"]


def test_registered_columns_go_before_the_words(tmp_path):
    path = write(tmp_path, "a,b,書名\n7,猫,無視\n")
    found = batches(path, source={"columns": {"a": "identifier", "b": "titles", "書名": "-"}})
    assert (titles(found), records(found)[0].identifier) == (["猫"], "7")


def test_a_quoted_line_break_stays_in_its_cell(tmp_path):
    found = batches(write(tmp_path, 'ID,書名,備考\n1,"猫, ""名""","一行\n二行"\n2,犬,\n'))
    assert titles(found) == ['猫, "名"', "犬"]


def test_a_row_with_too_many_cells_is_rejected_with_its_line(tmp_path):
    found = batches(write(tmp_path, "ID,書名\n1,猫\n2,犬,余分\n3,鳥\n4\n"))
    assert [record.identifier for record in records(found)] == ["1", "2", "3", "4"]
    (issue,) = records(found)[1].issues
    assert (issue.code, issue.field, issue.value) == ("file.E002", "line 3", "3 cells, 2 headings")


def test_a_quotation_mark_that_is_never_closed_costs_one_row(tmp_path):
    rows = "".join(f"{number},本{number}\n" for number in range(2, 40))
    found = batches(write(tmp_path, f'ID,書名\n1,"猫\n{rows}'), full=True)
    assert titles(found) == [f"本{number}" for number in range(2, 40)]
    assert issues(found) == ["file.E002"]
    assert not found[-1].exhaustive


def test_a_last_row_that_breaks_off_is_a_named_failure(tmp_path):
    assert refusal(write(tmp_path, 'ID,書名\n1,猫\n2,"犬')) == "file.cut"


def test_a_row_is_known_by_its_isbn_or_else_by_its_content(tmp_path):
    found = batches(write(tmp_path, "書名,ISBN\n猫,4101010013\n犬,\n"))
    first, second = records(found)
    assert first.identifier == "urn:isbn:9784101010014"
    assert second.identifier.startswith("urn:sha256:")
    assert [issue.code for issue in second.issues] == ["file.W004"]


def test_a_row_may_be_a_deletion(tmp_path):
    (record,) = records(batches(write(tmp_path, "ID,書名,削除\n1,猫,1\n")))
    assert record.deleted


def test_cells_of_spreadsheets_are_texts(tmp_path):
    found = batches(write(tmp_path, 'ID,書名,ISBN\n1,"=1+1","=""9784101010014"""\n'))
    assert titles(found) == ["=1+1"]
    assert readings(found)[0].record.values("ISBN") == ("9784101010014",)


def test_nul_bytes_are_dropped(tmp_path):
    assert titles(batches(write(tmp_path, b"ID,title\n1,c\0at\n"))) == ["cat"]


def test_columns_that_are_not_used_are_told(tmp_path):
    found = batches(write(tmp_path, "ID,書名,色\n1,猫,赤\n"), source={"columns": {"著": "creator"}})
    assert sorted(codes(found)) == ["file.columns_missing", "file.columns_unused"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("色,形\n赤,丸\n", "file.no_columns"),
        ("ISBN,著者\n1,甲\n", "file.no_title"),
        ("書名" + ",x" * 100_000 + "\n", "file.columns_many"),
        ("書名," + "x" * 3_000_000, "file.columns_many"),
        ("ID,書名\n" + '1,"x"y\n' * 200, "file.table_broken"),
        ("", "file.not_readable"),
        (" \n\n", "file.not_readable"),
    ],
)
def test_what_is_no_table_is_named(tmp_path, text, code):
    assert refusal(write(tmp_path, text)) == code


def test_one_enormous_line_is_passed_over(tmp_path):
    found = batches(write(tmp_path, "ID,書名\n1,猫\n2," + "x" * 30_000_000 + "\n3,鳥\n"))
    assert titles(found) == ["猫", "鳥"]
    assert issues(found) == ["file.E002"]


def test_a_killed_run_goes_on_behind_what_is_stored(tmp_path):
    path = write(tmp_path, HEAD + "".join(f"{n},本{n},,,,,,\n" for n in range(450)))
    found = batches(path)
    assert [len(batch.records) for batch in found] == [200, 200, 50]
    rest = batches(path, resumption_token=found[0].resumption_token)
    assert [record.identifier for record in records(rest)] == [str(n) for n in range(200, 450)]
