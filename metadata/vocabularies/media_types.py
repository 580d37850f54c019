"""The mediatypes of NDL Search (appendix 2 of its specification, 2024-04-01): carriers, kinds, collections. Table."""

from metadata.vocabularies.dcndl import Label

CARRIERS = {
    "booklet": Label("紙", "Paper"),
    "micro": Label("マイクロ", "Microform"),
    "media": Label("記録メディア", "Recorded media"),
    "digital": Label("デジタル", "Digital"),
}
MEDIA_TYPES = {
    **CARRIERS,
    "books": Label("図書", "Books"),
    "periodicals": Label("雑誌", "Periodicals"),
    "articles": Label("記事", "Articles"),
    "newspapers": Label("新聞", "Newspapers"),
    "oldmaterials": Label("和古書・漢籍", "Japanese and Chinese classical books"),
    "maps": Label("地図", "Maps"),
    "electronic": Label("電子資料", "Electronic resources"),
    "video": Label("映像資料", "Video"),
    "audio": Label("録音資料", "Audio"),
    "online": Label("電子書籍・電子雑誌", "E-books and e-journals"),
    "doctoral": Label("博士論文", "Doctoral dissertations"),
    "reports": Label("規格・テクニカルリポート類", "Standards and technical reports"),
    "web": Label("ウェブサイト", "Websites"),
    "scores": Label("楽譜", "Scores"),
    "manuscripts": Label("文書・図像類", "Manuscripts and images"),
    "children": Label("児童書", "Children’s books"),
    "repository": Label("リポジトリ収録資料", "Institutional repositories"),
    "mina": Label("障害者向け資料", "Material for people with disabilities"),
    "mina-daisy": Label("障害者向け資料：DAISY", "For people with disabilities: DAISY"),
    "mina-audio": Label("障害者向け資料：録音資料", "For people with disabilities: audio"),
    "mina-braille": Label("障害者向け資料：点字資料", "For people with disabilities: braille"),
    "mina-text": Label("障害者向け資料：テキストデータ", "For people with disabilities: text data"),
    "mina-video": Label("障害者向け資料：映像資料", "For people with disabilities: video"),
    "mina-booklet": Label("障害者向け資料：冊子体資料", "For people with disabilities: printed"),
}
