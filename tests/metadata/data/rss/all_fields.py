"""The expected record of all_fields.xml."""

from metadata.record import Agent, BibliographicRecord, Identifier, MaterialType, Subject, Title

RECORD = BibliographicRecord(
    uri="https://opac.example.jp/bib/7",
    titles=(Title(value="坊っちゃん", transcription="ボッチャン"),),
    display_title="坊っちゃん. 上",
    volumes=(Title(value="上", transcription="ジョウ"),),
    series=(Title(value="角川文庫 ; 55", transcription="カドカワ ブンコ"),),
    editions=("改版",),
    creators=(Agent(name="夏目, 漱石, 1867-1916", transcription="ナツメ, ソウセキ"),),
    responsibility=("夏目漱石 著",),
    publishers=(Agent(name="角川書店"),),
    publication_places=("JP",),
    issued="1955",
    dates=("1955.8",),
    identifiers=(
        Identifier(scheme="ISBN", value="9784101010014", printed="4-10-101001-3"),
        Identifier(scheme="JPNO", value="55010101"),
        Identifier(scheme="NDLBibID", value="000001234567"),
    ),
    invalid_identifiers=(Identifier(scheme="ISSN", value="1234-5670"),),
    subjects=(Subject(value="日本文学"), Subject(value="913.6", scheme="NDC9")),
    languages=("jpn",),
    extents=("154p ; 15cm",),
    prices=("90円",),
    material_types=(
        MaterialType(uri="http://ndl.go.jp/ndltype/Book", label="図書"),
        MaterialType(label="紙"),
    ),
    notes=("文庫の新版",),
    see_also=("https://opac.example.jp/bib/7", "https://opac.example.ac.jp/detail?id=9"),
)
