"""Small documents for tests: a valid DC-NDL and a valid oai_dc record, with parts replaced or added."""

from metadata.issue import Reading
from metadata.reading import read

URL = "https://opac.example.jp/bib/1"
TITLE = "<dc:title><rdf:Description><rdf:value>坊っちゃん</rdf:value></rdf:Description></dc:title>"
TYPE = '<dcndl:materialType rdf:resource="http://ndl.go.jp/ndltype/Book" rdfs:label="図書"/>'
SEE_ALSO = f'<rdfs:seeAlso rdf:resource="{URL}"/>'
ADMIN = f"""<dcndl:BibAdminResource rdf:about="{URL}">
  <dcndl:bibRecordCategory>R900000001</dcndl:bibRecordCategory></dcndl:BibAdminResource>"""
HOLDER = """<dcndl:holdingAgent><foaf:Agent><foaf:name>見本図書館</foaf:name><dcterms:identifier
  rdf:datatype="http://ndl.go.jp/dcndl/terms/NDLLibCode">9999</dcterms:identifier></foaf:Agent></dcndl:holdingAgent>"""
ITEM = f'<dcndl:Item rdf:about="{URL}#item">{HOLDER}{SEE_ALSO}</dcndl:Item>'

_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dcndl="http://ndl.go.jp/dcndl/terms/"
  xmlns:foaf="http://xmlns.com/foaf/0.1/">{}</rdf:RDF>"""
_OAI_DC = """<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
  xmlns:dc="http://purl.org/dc/elements/1.1/">{}</oai_dc:dc>"""


def dcndl(extra: str = "", *, title: str = TITLE, kind: str = TYPE, admin: str = ADMIN, item: str = ITEM) -> bytes:
    bib = f'<dcndl:BibResource rdf:about="{URL}#material">{title}{kind}{extra}</dcndl:BibResource>'
    return _RDF.format(admin + bib + item).encode()


def identifier(scheme: str, value: str) -> str:
    return f'<dcterms:identifier rdf:datatype="http://ndl.go.jp/dcndl/terms/{scheme}">{value}</dcterms:identifier>'


def oai_dc(
    extra: str = "",
    *,
    title: str = "<dc:title>坊っちゃん</dc:title>",
    date: str = "<dc:date>1950</dc:date>",
    page: str = f"<dc:identifier>{URL}</dc:identifier>",
) -> bytes:
    return _OAI_DC.format(title + date + page + extra).encode()


def codes(reading: Reading) -> list[str]:
    return [issue.code for issue in reading.issues]


def read_dcndl(*parts: str, **replaced: str) -> Reading:
    return read(dcndl("".join(parts), **replaced), "dcndl")


def read_oai_dc(*parts: str, **replaced: str) -> Reading:
    return read(oai_dc("".join(parts), **replaced), "oai_dc")
