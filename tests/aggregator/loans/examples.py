"""Records for the tests of interlibrary loans."""

from functools import cache
from itertools import islice
from pathlib import Path

from aggregator.libraries.holdings import Copy
from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Title
from tests.metadata.formats.test_through_dcndl import FOLDERS, records

SOURCE = "https://aggregator.example.jp/books/M1001"
BOOK = BibliographicRecord(
    titles=(Title(value="銀河鉄道の夜", transcription="ギンガ テツドウ ノ ヨル"),),
    volumes=(Title(value="上"),),
    editions=("新版",),
    series=(Title(value="見本文庫 ; 12"),),
    creators=(Agent(name="宮沢, 賢治"), Agent(name="見本, 太郎")),
    publishers=(Agent(name="見本書房", location="東京"),),
    issued="1989-06",
    identifiers=(
        Identifier(scheme="ISBN", value="9784003101018"),
        Identifier(scheme="JPNO", value="90012345"),
        Identifier(scheme="NIIBibID", value="BN01234567"),
    ),
    material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Book"),),
)
COPIES = (
    Copy(
        record="R100000001-I1",
        item=Item(
            call_number="913.6/ミ",
            location="書庫",
            availability="帯出可",
            identifiers=(
                Identifier(scheme="somokuBibID", value="1234-5X"),
                Identifier(scheme="somokuSubID", value="9876"),
            ),
        ),
    ),
)
SAMPLE_FOLDERS = {folder: (prefix, element) for folder, prefix, _least, element in FOLDERS}
_MOST = 150  # records used of each folder; more of the same kind show nothing new


@cache
def sample_records(samples: Path, folder: str) -> tuple[BibliographicRecord, ...]:
    """Real records of a folder of samples."""
    found = (record for _path, record in records(samples / folder, *SAMPLE_FOLDERS[folder]))
    return tuple(islice(found, _MOST))
