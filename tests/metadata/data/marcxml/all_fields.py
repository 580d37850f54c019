"""The expected record of all_fields.xml."""

from metadata.record import Agent, BibliographicRecord, Identifier, Item, MaterialType, Subject, Title

RECORD = BibliographicRecord(
    cataloging_rule="ncr/1987",
    titles=(Title(value="本の話 : 読むことの歴史", transcription="ホン ノ ハナシ : ヨム コト ノ レキシ"),),
    display_title="本の話 : 読むことの歴史",
    volumes=(Title(value="上", transcription="ジョウ"),),
    series=(Title(value="見本叢書 ; 12", transcription="ミホン ソウショ ; 12"),),
    editions=("第2版",),
    creators=(
        Agent(
            name="山田, 太郎, 1956-",
            transcription="ヤマダ, タロウ, 1956-",
            uri="http://id.ndl.go.jp/auth/entity/00999999",
        ),
    ),
    responsibility=("山田太郎 著",),
    publishers=(
        Agent(name="見本書房", transcription="ミホン ショボウ", location="東京"),
        Agent(name="例社 (発売)", transcription="レイシャ", location="京都"),
    ),
    publication_places=("JP",),
    issued="2019-02",
    dates=("2019.2",),
    identifiers=(
        Identifier(scheme="NDLBibID", value="012345678"),
        Identifier(scheme="ISBN", value="9784101010014"),
        Identifier(scheme="SetISBN", value="9784101010991"),
        Identifier(scheme="JPNO", value="23999999"),
        Identifier(scheme="TOHANMARCNO", value="33999999"),
    ),
    invalid_identifiers=(Identifier(scheme="ISBN", value="978-4-10-101001-0"),),
    subjects=(
        Subject(value="KH426", scheme="NDLC", uri="http://id.ndl.go.jp/class/ndlc/KH426"),
        Subject(value="913.6", scheme="NDC10", uri="http://id.ndl.go.jp/class/ndc10/913.6"),
        Subject(
            value="読書--歴史",
            scheme="NDLSH",
            transcription="ドクショ--レキシ",
            uri="http://id.ndl.go.jp/auth/ndlsh/00573385",
        ),
    ),
    languages=("jpn", "eng"),
    original_languages=("eng",),
    extents=("301p ; 19cm",),
    prices=("1700円",),
    material_types=(MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書"),),
    notes=("索引あり.",),
    see_also=("https://opac.example.jp/bib/9",),
    items=(Item(call_number="KH426-M1"),),
)
