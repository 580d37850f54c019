"""Records of JPCOAR and MODS whose root has no namespace: read as the format's own, and reported."""

import pytest

from metadata.formats import CROSSWALKS
from metadata.reading import read
from metadata.xml.parsing import parse

DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
RECORDS = {
    "jpcoar": f"""<jpcoar {DC}><dc:title xml:lang="ja">草枕</dc:title><creator><creatorName xml:lang="ja">夏目, 漱石
</creatorName></creator><dc:type>book</dc:type></jpcoar>""",
    "mods": """<mods><titleInfo><title>草枕</title></titleInfo><name><namePart>夏目, 漱石</namePart></name></mods>""",
}


@pytest.mark.parametrize("prefix", RECORDS)
def test_a_record_without_its_namespace_is_read_and_reported(prefix):
    reading = read(RECORDS[prefix].encode(), prefix)
    assert reading.record.title == "草枕"
    assert [creator.name for creator in reading.record.creators] == ["夏目, 漱石"]
    assert f"{prefix}.N001" in [issue.code for issue in reading.issues]


@pytest.mark.parametrize("prefix", RECORDS)
def test_the_source_tree_is_not_changed(prefix):
    root = parse(RECORDS[prefix].encode())
    CROSSWALKS[prefix].read(root)
    assert (root.tag, root[-1].tag.startswith("{")) == (prefix, prefix == "jpcoar")
