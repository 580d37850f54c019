"""The expected record of all_fields.xml, written by hand."""

from metadata.record import (
    Agent,
    BibliographicRecord,
    Host,
    Identifier,
    MaterialType,
    Relation,
    Subject,
    Title,
)

RECORD = BibliographicRecord(
    titles=(Title(value="猫について", transcription="ネコ ニ ツイテ", language="ja"),),
    display_title="猫について",
    alternatives=(Title(value="On cats", language="en"),),
    creators=(Agent(name="例, 太郎"), Agent(name="例花子 訳")),
    contributors=(Agent(name="例, 次郎"),),
    responsibility=("例花子 訳",),
    publishers=(Agent(name="例大学"),),
    issued="2018-09",
    dates=("2019-05-02T03:04:05Z", "2018-09", "2018-09-12"),
    identifiers=(
        Identifier(scheme="ISBN", value="9784101010014"),
        Identifier(scheme="DOI", value="10.1234/neko.7", printed="10.1234/Neko.7"),
        Identifier(value="整理番号 7"),
    ),
    subjects=(Subject(value="645.7", scheme="NDC9"), Subject(value="913.6", scheme="NDC"), Subject(value="猫")),
    languages=("jpn",),
    extents=("23 p.",),
    material_types=(
        MaterialType(uri="http://ndl.go.jp/ndltype/Article", label="info:eu-repo/semantics/article"),
        MaterialType(label="珍しい種別"),
    ),
    formats=("application/pdf",),
    notes=("短い注記",),
    abstracts=("猫は眠る。" * 42,),
    rights=("CC BY 4.0",),
    access_rights=("info:eu-repo/semantics/openAccess",),
    relations=(
        Relation(type="hasFormat", uri="https://repo.example.jp/records/7/files/cat.pdf"),
        Relation(type="relation", uri="https://repo.example.jp/records/8"),
    ),
    spatial=("東京",),
    temporal=("1990-1995",),
    host=Host(title="例学会誌", volume="12", number="3", pages="45-67", issn=("04887484",)),
    see_also=("https://repo.example.jp/records/7",),
)
