"""CSV and TSV: headings, encodings and broken rows."""

import pytest

from harvesting.types import TransportError
from tests.harvesting.transports.files import codes, harvest, issues, readings, records, titles, transport, write

HEAD = "書誌ID,書名,書名ヨミ,著者,出版者,出版年,ISBN,NDC\n"
ROW = "1,坊っちゃん,ボッチャン,夏目漱石,新潮社,1950,978-4-10-101003-8,913.6\n"


def refusal(address: object, **source: object) -> str:
    with pytest.raises(TransportError) as caught:
        harvest(address, source=source)
    return caught.value.code


def test_known_headings_map_a_row_to_a_record(tmp_path):
    batches = harvest(write(tmp_path, HEAD + ROW))
    (reading,) = readings(batches)
    record = reading.record
    assert (record.title, record.titles[0].transcription, record.issued) == ("坊っちゃん", "ボッチャン", "1950")
    assert (record.creators[0].name, record.publishers[0].name) == ("夏目漱石", "新潮社")
    assert (record.values("ISBN"), record.subjects[0].value) == (("9784101010038",), "913.6")
    assert records(batches)[0].identifier == "1"
    assert transport(tmp_path / "file.dat").metadata_formats()[0].prefix == "json"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_the_encoding_is_detected(tmp_path, encoding):
    batches = harvest(write(tmp_path, (HEAD + ROW).encode(encoding)))
    assert titles(batches) == ["坊っちゃん"]
    assert codes(batches) == (["file.encoding_guessed"] if encoding in {"cp932", "euc_jp"} else [])


def test_the_registered_encoding_is_used(tmp_path):
    path = write(tmp_path, (HEAD + ROW).encode("cp932"))
    assert titles(harvest(path, source={"encoding": "Shift_JIS"})) == ["坊っちゃん"]
    assert refusal(path, encoding="UTF-8") == "file.encoding"
    assert refusal(path, encoding="Klingon") == "file.unknown_encoding"


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_the_delimiter_is_detected(tmp_path, delimiter):
    assert titles(harvest(write(tmp_path, (HEAD + ROW).replace(",", delimiter)))) == ["坊っちゃん"]


def test_registered_columns_take_precedence_over_known_headings(tmp_path):
    path = write(tmp_path, "a,b,書名\n7,猫,無視\n")
    batches = harvest(path, source={"columns": {"a": "identifier", "b": "titles", "書名": "-"}})
    assert (titles(batches), records(batches)[0].identifier) == (["猫"], "7")


def test_a_quoted_line_break_stays_in_its_cell(tmp_path):
    batches = harvest(write(tmp_path, 'ID,書名,備考\n1,"猫, ""名""","一行\n二行"\n2,犬,\n'))
    assert titles(batches) == ['猫, "名"', "犬"]


def test_a_row_with_too_many_cells_is_rejected_with_its_line(tmp_path):
    batches = harvest(write(tmp_path, "ID,書名\n1,猫\n2,犬,余分\n3,鳥\n4\n"))
    assert [record.identifier for record in records(batches)] == ["1", "2", "3", "4"]
    (issue,) = records(batches)[1].issues
    assert (issue.code, issue.field, issue.value) == ("file.E002", "line 3", "3 cells, 2 headings")


def test_an_unclosed_quotation_mark_costs_one_row(tmp_path):
    rows = "".join(f"{number},本{number}\n" for number in range(2, 40))
    batches = harvest(write(tmp_path, f'ID,書名\n1,"猫\n{rows}'), full=True)
    assert titles(batches) == [f"本{number}" for number in range(2, 40)]
    assert issues(batches) == ["file.E002"]
    assert not batches[-1].exhaustive


def test_an_incomplete_last_row_raises_file_cut(tmp_path):
    assert refusal(write(tmp_path, 'ID,書名\n1,猫\n2,"犬')) == "file.cut"


def test_without_an_id_the_identifier_is_made_from_isbn_or_content(tmp_path):
    batches = harvest(write(tmp_path, "書名,ISBN\n猫,4101010013\n犬,\n"))
    first, second = records(batches)
    assert first.identifier == "urn:isbn:9784101010014"
    assert second.identifier.startswith("urn:sha256:")
    assert [issue.code for issue in second.issues] == ["file.W004"]


def test_a_deletion_column_marks_a_deletion(tmp_path):
    (record,) = records(harvest(write(tmp_path, "ID,書名,削除\n1,猫,1\n")))
    assert record.deleted


def test_spreadsheet_formulas_that_quote_a_text_are_unquoted(tmp_path):
    batches = harvest(write(tmp_path, 'ID,書名,ISBN\n1,"=1+1","=""9784101010014"""\n'))
    assert titles(batches) == ["=1+1"]
    assert readings(batches)[0].record.values("ISBN") == ("9784101010014",)


def test_nul_bytes_are_dropped(tmp_path):
    assert titles(harvest(write(tmp_path, b"ID,title\n1,c\0at\n"))) == ["cat"]


def test_unused_and_missing_columns_are_observed(tmp_path):
    batches = harvest(write(tmp_path, "ID,書名,色\n1,猫,赤\n"), source={"columns": {"著": "creator"}})
    assert sorted(codes(batches)) == ["file.columns_missing", "file.columns_unused"]


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
def test_files_that_are_not_usable_tables_get_specific_errors(tmp_path, text, code):
    assert refusal(write(tmp_path, text)) == code


def test_one_enormous_line_is_rejected_and_skipped(tmp_path):
    batches = harvest(write(tmp_path, "ID,書名\n1,猫\n2," + "x" * 30_000_000 + "\n3,鳥\n"))
    assert titles(batches) == ["猫", "鳥"]
    assert issues(batches) == ["file.E002"]


def test_an_interrupted_run_resumes_after_the_stored_records(tmp_path):
    path = write(tmp_path, HEAD + "".join(f"{n},本{n},,,,,,\n" for n in range(450)))
    batches = harvest(path)
    assert [len(batch.records) for batch in batches] == [200, 200, 50]
    resumed = harvest(path, resumption_token=batches[0].resumption_token)
    assert [record.identifier for record in records(resumed)] == [str(n) for n in range(200, 450)]
