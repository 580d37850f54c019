"""Writes an invented book as XML: a full and a plain DC-NDL description, and oai_dc. Pure.

Templates rather than a crosswalk, because the server of a benchmark must take far less time than what it measures.
Nothing is escaped because the word lists contain no markup.
"""

from functools import lru_cache

from metadata.identifiers import isbn10
from sampleprovider.books import Book, Person
from sampleprovider.words import LIBRARIES, TOPICS

NDL_ID = "http://id.ndl.go.jp"
TERMS = "http://ndl.go.jp/dcndl/terms"
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    f' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dcndl="{TERMS}/"'
    ' xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:owl="http://www.w3.org/2002/07/owl#">\n'
)
OLD_KANJI = str.maketrans("学国図経済読", "學國圖經濟讀")
FULL_WIDTH = str.maketrans("0123456789X", "０１２３４５６７８９Ｘ")


def full_dcndl(book: Book, about: str, library: tuple[str, str] = LIBRARIES[0]) -> bytes:
    """The book as in a national bibliography: with readings, authorities, subject headings. library: name and code."""
    material, jpno, bib = f"{about}#material", f"{20_000_000 + book.number:08d}", f"{900_000_000 + book.number}"
    hyphens = f"{book.isbn[:3]}-4-{book.isbn[4:7]}-{book.isbn[7:12]}-{book.isbn[12]}"
    volume, title = book.volume[0], described_title(book)
    return f"""{RDF}\
  <dcndl:BibAdminResource rdf:about="{about}">
    <dcndl:catalogingStatus>C7</dcndl:catalogingStatus>
    <dcndl:catalogingRule>ncr/{"2018" if book.year > 2018 else "1987"}</dcndl:catalogingRule>
    <dcterms:description>type : book</dcterms:description>
    <dcndl:bibRecordCategory>R900000000</dcndl:bibRecordCategory>
    <dcndl:bibRecordSubCategory>111</dcndl:bibRecordSubCategory>
    <dcndl:record rdf:resource="{material}"/>
  </dcndl:BibAdminResource>
  <dcndl:BibResource rdf:about="{material}">
    <rdfs:seeAlso rdf:resource="{NDL_ID}/jpno/{jpno}"/>
    <rdfs:seeAlso rdf:resource="{NDL_ID}/bib/{bib}"/>
    <dcterms:identifier rdf:datatype="{TERMS}/JPNO">{jpno}</dcterms:identifier>
    <dcterms:identifier rdf:datatype="{TERMS}/NDLBibID">{bib}</dcterms:identifier>
    <rdfs:seeAlso rdf:resource="http://iss.ndl.go.jp/isbn/{book.isbn}"/>
    <dcterms:identifier rdf:datatype="{TERMS}/ISBN">{hyphens}</dcterms:identifier>
    <dcterms:title>{title}{" " + volume if volume else ""}</dcterms:title>
    <dc:title>{_description(title, described_reading(book))}</dc:title>
{_volume(book)}{_series(book)}{"".join(map(_creator, book.people))}\
    <dc:creator>{", ".join(person.family + person.given for person in book.people)} {book.role}</dc:creator>
    <dcterms:publisher><foaf:Agent>
      <foaf:name>{book.publisher[0]}</foaf:name>
      <dcndl:transcription>{book.publisher[1]}</dcndl:transcription>
      <dcndl:location>{book.place}</dcndl:location>
    </foaf:Agent></dcterms:publisher>
    <dcndl:publicationPlace rdf:datatype="http://purl.org/dc/terms/ISO3166">JP</dcndl:publicationPlace>
    <dcterms:date>{book.year}.{book.month}</dcterms:date>
    <dcterms:issued rdf:datatype="http://purl.org/dc/terms/W3CDTF">{book.year}-{book.month:02d}</dcterms:issued>
    <dcterms:description>文献あり 索引あり</dcterms:description>
    <dcterms:abstract>{_abstract(book)}</dcterms:abstract>
    <dcterms:subject>{_heading(book.topic)}</dcterms:subject>
    <dcterms:subject rdf:resource="{NDL_ID}/class/ndlc/U{chr(65 + book.number % 26)}{book.ndc}"/>
    <dcterms:subject rdf:resource="{NDL_ID}/class/ndc10/{book.ndc}"/>
    <dcterms:language rdf:datatype="http://purl.org/dc/terms/ISO639-2">jpn</dcterms:language>
    <dcndl:price>{book.price}円</dcndl:price>
    <dcterms:extent>{book.pages}p ; {19 + book.number % 3}cm</dcterms:extent>
    <dcndl:materialType rdf:resource="http://ndl.go.jp/ndltype/Book" rdfs:label="図書"/>
    <dcterms:audience>一般</dcterms:audience>
    <rdfs:seeAlso rdf:resource="{about}"/>
  </dcndl:BibResource>
  <dcndl:BibResource rdf:about="{material}">
    <dcndl:record rdf:resource="{about}#item"/>
  </dcndl:BibResource>
{_item(book, about, library)}</rdf:RDF>""".encode()


def plain_dcndl(book: Book, about: str, library: tuple[str, str] = ("", "")) -> bytes:
    """The book as described by a small library: other spellings, no authorities, few elements."""
    material, library = f"{about}#material", library if library[0] else LIBRARIES[1 + book.number % 2]
    title, volume = plain_title(book), book.volume[0]
    return f"""{RDF}\
  <dcndl:BibAdminResource rdf:about="{about}">
    <dcterms:description>type : book</dcterms:description>
    <dcndl:bibRecordCategory>R900000000</dcndl:bibRecordCategory>
    <dcndl:record rdf:resource="{material}"/>
  </dcndl:BibAdminResource>
  <dcndl:BibResource rdf:about="{material}">
{_plain_isbn(book)}    <dcterms:title>{title}{f" {volume}巻" if volume else ""}</dcterms:title>
    <dc:title>{_description(title, book.title[1])}</dc:title>
    <dcterms:creator><foaf:Agent>
      <foaf:name>{book.people[0].family} {book.people[0].given}</foaf:name>
    </foaf:Agent></dcterms:creator>
    <dc:creator>{"／".join(person.family + person.given for person in book.people)}／{book.role}</dc:creator>
    <dcterms:publisher><foaf:Agent>
      <foaf:name>{"株式会社" if book.number % 3 == 0 else ""}{book.publisher[0]}</foaf:name>
    </foaf:Agent></dcterms:publisher>
    <dcterms:date>{book.year}</dcterms:date>
    <dcterms:issued rdf:datatype="http://purl.org/dc/terms/W3CDTF">{book.year}</dcterms:issued>
    <dc:subject rdf:datatype="{TERMS}/NDC9">{book.ndc}</dc:subject>
    <dcterms:language rdf:datatype="http://purl.org/dc/terms/ISO639-2">jpn</dcterms:language>
    <dcterms:extent>{book.pages}ページ ; {19 + book.number % 3}cm</dcterms:extent>
    <dcndl:materialType rdf:resource="http://ndl.go.jp/ndltype/Book" rdfs:label="図書"/>
    <rdfs:seeAlso rdf:resource="{about}"/>
  </dcndl:BibResource>
  <dcndl:BibResource rdf:about="{material}">
    <dcndl:record rdf:resource="{about}#item"/>
  </dcndl:BibResource>
{_item(book, about, library)}</rdf:RDF>""".encode()


def oai_dc(book: Book, about: str) -> bytes:
    """The book in unqualified Dublin Core."""
    creators = "".join(f"  <dc:creator>{person.family}, {person.given}</dc:creator>\n" for person in book.people)
    volume = f" {book.volume[0]}" if book.volume[0] else ""
    return f"""\
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"\
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/\
 http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
  <dc:title>{described_title(book)}{volume}</dc:title>
{creators}  <dc:subject>{book.topic[0]}</dc:subject>
  <dc:description>{_abstract(book)}</dc:description>
  <dc:publisher>{book.publisher[0]}</dc:publisher>
  <dc:date>{book.year}-{book.month:02d}</dc:date>
  <dc:type>Book</dc:type>
  <dc:format>{book.pages}p</dc:format>
  <dc:identifier>{about}</dc:identifier>
  <dc:identifier>ISBN:{book.isbn}</dc:identifier>
  <dc:language>jpn</dc:language>
</oai_dc:dc>""".encode()


def described_title(book: Book) -> str:
    """Title and subtitle with ISBD punctuation."""
    return f"{book.title[0]} : {book.subtitle[0]}" if book.subtitle[0] else book.title[0]


def described_reading(book: Book) -> str:
    """The reading of title and subtitle."""
    return f"{book.title[1]} : {book.subtitle[1]}" if book.subtitle[1] else book.title[1]


def plain_title(book: Book) -> str:
    """The title with a dash instead of the colon, with old kanji, or without the subtitle."""
    title = f"{book.title[0]}―{book.subtitle[0]}" if book.subtitle[0] and book.number % 4 else book.title[0]
    return title.translate(OLD_KANJI) if book.number % 6 == 0 else title


def _plain_isbn(book: Book) -> str:
    forms = (isbn10(book.isbn), book.isbn, book.isbn.translate(FULL_WIDTH), "")
    # Half are ISBN-10; of the rest some have 13 digits, some full-width digits, some no ISBN, as in older catalogues.
    form = forms[0] if book.number % 2 else forms[1 + book.number // 2 % 3]
    return f'    <dcterms:identifier rdf:datatype="{TERMS}/ISBN">{form}</dcterms:identifier>\n' if form else ""


def _description(value: str, reading: str, about: str = "") -> str:
    resource = f' rdf:about="{about}"' if about else ""
    return f"""<rdf:Description{resource}>
      <rdf:value>{value}</rdf:value>
      <dcndl:transcription>{reading}</dcndl:transcription>
    </rdf:Description>"""


@lru_cache(maxsize=4096)
def _heading(topic: tuple[str, str]) -> str:
    return _description(*topic, f"{NDL_ID}/auth/ndlsh/{800_000_000 + TOPICS.index(topic)}")


def _volume(book: Book) -> str:
    return f"    <dcndl:volume>{_description(*book.volume)}</dcndl:volume>\n" if book.volume[0] else ""


def _series(book: Book) -> str:
    if not book.series[0]:
        return ""
    number = book.series_number
    description = _description(f"{book.series[0]} ; {number}", f"{book.series[1]} ; {number}")
    return f"    <dcndl:seriesTitle>{description}</dcndl:seriesTitle>\n"


@lru_cache(maxsize=4096)
def _creator(person: Person) -> str:
    return f"""\
    <dcterms:creator><foaf:Agent rdf:about="{NDL_ID}/auth/entity/{person.authority}">
      <foaf:name>{person.family}, {person.given}, {person.born}-</foaf:name>
      <dcndl:transcription>{person.reading}, {person.born}-</dcndl:transcription>
    </foaf:Agent></dcterms:creator>
"""


def _abstract(book: Book) -> str:
    return f"{book.topic[0]}をめぐる{book.title[0]}の見本。{book.year}年に{book.place}で出された、実在しない本の説明。"


def _item(book: Book, about: str, library: tuple[str, str]) -> str:
    return f"""\
  <dcndl:Item rdf:about="{about}#item">
    <dcndl:holdingAgent><foaf:Agent>
      <foaf:name>{library[0]}</foaf:name>
      <dcterms:identifier rdf:datatype="{TERMS}/NDLLibCode">{library[1]}</dcterms:identifier>
    </foaf:Agent></dcndl:holdingAgent>
    <dcndl:callNumber>{book.ndc}-{book.people[0].reading[0]}{book.number % 1000}</dcndl:callNumber>
    <rdfs:seeAlso rdf:resource="{about}"/>
  </dcndl:Item>
"""
