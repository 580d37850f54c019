"""The file transport: where files come from, archives, what has changed, what may be concluded."""

import gzip
import os
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, serving
from tests.harvesting.transports.files import batches, codes, marc, records, titles, transport, write

TABLE = "ID,書名\n1,猫\n2,犬\n"


def refusal(address: object) -> str:
    with pytest.raises(TransportError) as caught:
        batches(address)
    return caught.value.code


def archive(folder: Path, **files: str | bytes) -> Path:
    path = folder / "files.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name.replace("__", "."), content)
    return path


def test_a_path_and_a_file_url_lead_to_the_file(tmp_path):
    path = write(tmp_path, TABLE, "a b.csv")
    assert titles(batches(path)) == titles(batches(path.as_uri())) == ["猫", "犬"]
    assert transport(path).identify().repository_name == "a b.csv"


def test_a_file_is_fetched_from_a_url_only_when_it_has_changed():
    with serving() as server:
        server.answer = lambda asked: (
            Answer(status=304)
            if asked.headers.get("if-none-match") == '"1"'
            else Answer(body=TABLE.encode(), headers={"ETag": '"1"'})
        )
        (first,) = batches(f"{server.url}/books.csv")
        (second,) = batches(f"{server.url}/books.csv", memory=first.memory)
    assert (len(first.records), len(second.records), second.is_last) == (2, 0, True)


def test_a_large_file_is_not_fetched_to_see_whether_it_is_there():
    with serving() as server:
        server.answers(Answer(body=b"x" * 10_000_000), Answer(status=404))
        assert transport(f"{server.url}/a%20b.csv").identify().repository_name == "a b.csv"
        with pytest.raises(TransportError) as caught:
            transport(f"{server.url}/a.csv").identify()
    assert caught.value.code == "http.404"


def test_a_file_that_has_not_changed_is_not_read_again_unless_everything_is_wanted(tmp_path):
    path = write(tmp_path, TABLE)
    (first,) = batches(path)
    assert not records(batches(path, memory=first.memory))
    (full,) = batches(path, memory=first.memory, full=True)
    assert (len(full.records), full.exhaustive, first.exhaustive) == (2, True, False)
    write(tmp_path, TABLE + "3,鳥\n")
    assert len(records(batches(path, memory=first.memory))) == 3


def test_gzip_is_unpacked(tmp_path):
    assert titles(batches(write(tmp_path, gzip.compress(TABLE.encode(), mtime=0)))) == ["猫", "犬"]
    assert refusal(write(tmp_path, gzip.compress(TABLE.encode(), mtime=0)[:-12])) == "archive.damaged"


def test_all_files_of_an_archive_are_read_whatever_they_are(tmp_path):
    path = archive(tmp_path, a__csv=TABLE, b__mrc=marc("3", "鳥"), README__txt="read me\n", __MACOSX="x")
    found = batches(path, full=True)
    assert titles(found) == ["猫", "犬", "鳥"]
    assert "file.skipped" in codes(found)
    assert found[-1].exhaustive


def test_an_archive_in_an_archive_is_not_opened(tmp_path):
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("a.csv", TABLE)
    found = batches(archive(tmp_path, a__csv=TABLE, b__zip=inner.getvalue()), full=True)
    assert (titles(found), codes(found)) == (["猫", "犬"], ["file.nested"])
    assert not found[-1].exhaustive


def test_a_run_over_an_archive_goes_on_in_its_file(tmp_path):
    table = "ID,書名\n" + "".join(f"{n},本{n}\n" for n in range(150))
    path = archive(tmp_path, a__csv=table, b__csv=table.replace("本", "冊"))
    found = batches(path)
    assert [len(batch.records) for batch in found] == [200, 100]
    assert records(batches(path, resumption_token=found[0].resumption_token)) == records(found)[200:]


def test_a_bomb_is_refused(tmp_path):
    assert refusal(archive(tmp_path, a__csv=b"ID,x\n" + b"0" * 50_000_000)).startswith("archive.")


def test_a_workbook_is_named(tmp_path):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("xl/workbook.xml", "<workbook/>")
    assert refusal(path) == "file.not_readable"


@pytest.mark.parametrize("address", ["relative/file.csv", "file://server/share/a.csv", "/no/such/file", "ftp://a/b"])
def test_what_is_no_file_here_is_named(address):
    assert refusal(address) == "file.missing"


def test_folders_devices_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, "/dev/zero", tmp_path / "pipe"):
        assert refusal(path) == "file.not_a_file"


def test_one_record_is_found_by_its_identifier(tmp_path):
    path = write(tmp_path, TABLE)
    assert titles(batches(path, identifier="2")) == ["犬"]
    with pytest.raises(TransportError) as caught:
        batches(path, identifier="9")
    assert caught.value.code == "file.no_record"
