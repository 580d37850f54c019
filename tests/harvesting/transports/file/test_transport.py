"""The file transport: paths and URLs, archives, unchanged files, and what absence means."""

import gzip
import os
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, serving
from tests.harvesting.transports.files import codes, harvest, marc, records, titles, transport, write

TABLE = "ID,書名\n1,猫\n2,犬\n"


def refusal(address: object) -> str:
    with pytest.raises(TransportError) as caught:
        harvest(address)
    return caught.value.code


def make_zip(folder: Path, **files: str | bytes) -> Path:
    path = folder / "files.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, content in files.items():
            zip_file.writestr(name.replace("__", "."), content)
    return path


def test_a_path_and_a_file_url_are_both_accepted(tmp_path):
    path = write(tmp_path, TABLE, "a b.csv")
    assert titles(harvest(path)) == titles(harvest(path.as_uri())) == ["猫", "犬"]
    assert transport(path).identify().repository_name == "a b.csv"


def test_a_file_is_fetched_from_a_url_only_when_it_has_changed():
    with serving() as server:
        server.answer = lambda request: (
            Answer(status=304)
            if request.headers.get("if-none-match") == '"1"'
            else Answer(body=TABLE.encode(), headers={"ETag": '"1"'})
        )
        (first,) = harvest(f"{server.url}/books.csv")
        (second,) = harvest(f"{server.url}/books.csv", memory=first.memory)
    assert (len(first.records), len(second.records), second.is_last) == (2, 0, True)


def test_identify_does_not_fetch_a_whole_large_file():
    with serving() as server:
        server.answers(Answer(body=b"x" * 10_000_000), Answer(status=404))
        assert transport(f"{server.url}/a%20b.csv").identify().repository_name == "a b.csv"
        with pytest.raises(TransportError) as caught:
            transport(f"{server.url}/a.csv").identify()
    assert caught.value.code == "http.404"


def test_an_unchanged_file_is_read_again_only_by_a_full_harvest(tmp_path):
    path = write(tmp_path, TABLE)
    (first,) = harvest(path)
    assert not records(harvest(path, memory=first.memory))
    (full,) = harvest(path, memory=first.memory, full=True)
    assert (len(full.records), full.exhaustive, first.exhaustive) == (2, True, False)
    write(tmp_path, TABLE + "3,鳥\n")
    assert len(records(harvest(path, memory=first.memory))) == 3


def test_gzip_is_unpacked(tmp_path):
    assert titles(harvest(write(tmp_path, gzip.compress(TABLE.encode(), mtime=0)))) == ["猫", "犬"]
    assert refusal(write(tmp_path, gzip.compress(TABLE.encode(), mtime=0)[:-12])) == "archive.damaged"


def test_all_readable_files_of_an_archive_are_read(tmp_path):
    path = make_zip(tmp_path, a__csv=TABLE, b__mrc=marc("3", "鳥"), README__txt="read me\n", __MACOSX="x")
    batches = harvest(path, full=True)
    assert titles(batches) == ["猫", "犬", "鳥"]
    assert "file.skipped" in codes(batches)
    assert batches[-1].exhaustive


def test_an_archive_without_any_record_is_not_read_as_an_empty_list(tmp_path):
    batches = harvest(make_zip(tmp_path, README__txt="read me\n", a__xml="<svg><rect/></svg>"), full=True)
    assert (records(batches), codes(batches)) == ([], ["file.skipped", "file.no_records"])
    assert not batches[-1].exhaustive


def test_an_archive_in_an_archive_is_not_opened(tmp_path):
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as zip_file:
        zip_file.writestr("a.csv", TABLE)
    batches = harvest(make_zip(tmp_path, a__csv=TABLE, b__zip=inner.getvalue()), full=True)
    assert (titles(batches), codes(batches)) == (["猫", "犬"], ["file.nested"])
    assert not batches[-1].exhaustive


def test_a_run_over_an_archive_resumes_inside_a_file(tmp_path):
    table = "ID,書名\n" + "".join(f"{n},本{n}\n" for n in range(150))
    path = make_zip(tmp_path, a__csv=table, b__csv=table.replace("本", "冊"))
    batches = harvest(path)
    assert [len(batch.records) for batch in batches] == [200, 100]
    assert records(harvest(path, resumption_token=batches[0].resumption_token)) == records(batches)[200:]


def test_a_zip_bomb_is_refused(tmp_path):
    assert refusal(make_zip(tmp_path, a__csv=b"ID,x\n" + b"0" * 50_000_000)).startswith("archive.")


def test_a_workbook_is_refused_as_unreadable(tmp_path):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as zip_file:
        zip_file.writestr("[Content_Types].xml", "<Types/>")
        zip_file.writestr("xl/workbook.xml", "<workbook/>")
    assert refusal(path) == "file.not_readable"


@pytest.mark.parametrize("address", ["relative/file.csv", "file://server/share/a.csv", "/no/such/file", "ftp://a/b"])
def test_addresses_without_a_local_file_raise_file_missing(address):
    assert refusal(address) == "file.missing"


def test_folders_devices_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, "/dev/zero", tmp_path / "pipe"):
        assert refusal(path) == "file.not_a_file"


def test_one_record_is_found_by_its_identifier(tmp_path):
    path = write(tmp_path, TABLE)
    assert titles(harvest(path, identifier="2")) == ["犬"]
    with pytest.raises(TransportError) as caught:
        harvest(path, identifier="9")
    assert caught.value.code == "file.no_record"


def test_a_broken_file_in_an_archive_is_reported_and_the_others_are_read(tmp_path):
    path = make_zip(
        tmp_path, a__csv=TABLE, b__xml="<collection><record>", c__mrc=marc("3", "鳥")[:-1], d__mrc=marc("4", "鳥")
    )
    batches = harvest(path, full=True)
    assert (titles(batches), codes(batches)) == (["猫", "犬", "鳥"], ["file.broken_member"])
    assert batches[-1].observations[0].facts["count"] == 2
    assert not batches[-1].exhaustive


def test_a_damaged_file_in_an_archive_is_reported_and_the_others_are_read(tmp_path):
    path = make_zip(tmp_path, a__mrc=marc("3", "猫"), b__mrc=marc("4", "犬"))
    with zipfile.ZipFile(path) as zip_file:
        place = zip_file.getinfo("a.mrc").header_offset + 40  # inside the packed data
    content = bytearray(path.read_bytes())
    content[place : place + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    batches = harvest(path)
    assert (titles(batches), codes(batches)) == (["犬"], ["file.broken_member"])


def test_an_archive_of_broken_files_only_is_refused(tmp_path):
    assert refusal(make_zip(tmp_path, a__xml="<collection><record>")) == "xml.malformed"
