"""Where the text and the images of a book can be seen."""

from msgspec.structs import replace

from aggregator.presentation.related.online import FULL_TEXTS, Images, full_texts, images_of
from metadata.record import File
from tests.aggregator.views.shelf import KOKORO

MANIFEST = File(uri="https://x.example.jp/manifest.json", type="iiif")


def test_only_files_with_the_whole_text_and_a_safe_address_are_full_texts():
    files = (
        File(uri="https://x.example.jp/1.pdf", type="fulltext"),
        File(uri="javascript:alert(1)", type="fulltext"),
        File(uri="https://x.example.jp/abstract.pdf", type="abstract"),
        MANIFEST,
    )
    assert full_texts(replace(KOKORO, files=files)) == [files[0]]
    assert len(full_texts(replace(KOKORO, files=files[:1] * 9))) == FULL_TEXTS


def test_images_are_seen_at_the_provider_whose_page_is_safe_to_link_to():
    record = replace(KOKORO, files=(MANIFEST,))
    pages = ["javascript:alert(1)", "https://x.example.jp/1"]
    assert images_of(record, pages) == Images("https://x.example.jp/1", MANIFEST.uri)
    assert images_of(record, []) == Images("", MANIFEST.uri)
    assert images_of(KOKORO, pages) is None
    assert images_of(replace(KOKORO, files=(File(uri="javascript:alert(1)", type="iiif"),)), pages) is None
