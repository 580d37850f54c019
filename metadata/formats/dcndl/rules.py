"""Rules for records read from DC-NDL(RDF): what a record must and should have. Their texts are in rules.toml.

Rules for items and the repository number are in `rules_items`. What only the source tree can show is noted while
reading, in `read` and in `tree`.
"""

import re
from collections.abc import Iterator

from metadata.issue import Issue
from metadata.record import BibliographicRecord
from metadata.text.dates import read_date
from metadata.validation.registry import Rules
from metadata.vocabularies.countries import COUNTRIES
from metadata.vocabularies.dcndl import MATERIAL_TYPES

rule = Rules()

_CODES = """
aar abk ace ach ada ady afa afh afr ain aka akk alb ale alg alt amh ang anp apa ara arc arg arm arn arp art arw asm
ast ath aus ava ave awa aym aze bad bai bak bal bam ban baq bas bat bej bel bem ben ber bho bih bik bin bis bla bnt
bod bos bra bre btk bua bug bul bur byn cad cai car cat cau ceb cel ces cha chb che chg chi chk chm chn cho chp chr
chu chv chy cmc cnr cop cor cos cpe cpf cpp cre crh crp csb cus cym cze dak dan dar day del den deu dgr din div doi
dra dsb dua dum dut dyu dzo efi egy eka ell elx eng enm epo est eus ewe ewo fan fao fas fat fij fil fin fiu fon fra
fre frm fro frr frs fry ful fur gaa gay gba gem geo ger gez gil gla gle glg glv gmh goh gon gor got grb grc gre grn
gsw guj gwi hai hat hau haw heb her hil him hin hit hmn hmo hrv hsb hun hup hye iba ibo ice ido iii ijo iku ile ilo
ina inc ind ine inh ipk ira iro isl ita jav jbo jpn jpr jrb kaa kab kac kal kam kan kar kas kat kau kaw kaz kbd kha
khi khm kho kik kin kir kmb kok kom kon kor kos kpe krc krl kro kru kua kum kur kut lad lah lam lao lat lav lez lim
lin lit lol loz ltz lua lub lug lui lun luo lus mac mad mag mah mai mak mal man mao map mar mas may mdf mdr men mga
mic min mis mkd mkh mlg mlt mnc mni mno moh mon mos mri msa mul mun mus mwl mwr mya myn myv nah nai nap nau nav nbl
nde ndo nds nep new nia nic niu nld nno nob nog non nor nqo nso nub nwc nya nym nyn nyo nzi oci oji ori orm osa oss
ota oto paa pag pal pam pan pap pau peo per phi phn pli pol pon por pra pro pus que raj rap rar roa roh rom ron rum
run rup rus sad sag sah sai sal sam san sas sat scn sco sel sem sga sgn shn sid sin sio sit sla slk slo slv sma sme
smi smj smn smo sms sna snd snk sog som son sot spa sqi srd srn srp srr ssa ssw suk sun sus sux swa swe syc syr tah
tai tam tat tel tem ter tet tgk tgl tha tib tig tir tiv tkl tlh tli tmh tog ton tpi tsi tsn tso tuk tum tup tur tut
tvl twi tyv udm uga uig ukr umb und urd uzb vai ven vie vol vot wak wal war was wel wen wln wol xal xho yao yap yid
yor ypk zap zbl zen zgh zha zho znd zul zun zxx zza
"""

LANGUAGE_CODES = frozenset(_CODES.split())
_LOCAL = ("qaa", "qtz")  # first and last code reserved for local use

_KANJI = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
_NO_KATAKANA = re.compile("[\u3041-\u3096\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]")
# NDC numbers of children's books and a library's own classes may begin with a letter ("K913", "E"). NDLC numbers may
# end in names and years.
_NDC = re.compile(r"[A-Z]?[0-9]{1,3}(?:\.[0-9]+)?|[A-Z]", re.ASCII).fullmatch
_NDLC = re.compile(r"[A-Z]{1,3}[0-9]*(?:-.*)?", re.ASCII).fullmatch
_OTHER_LABELS = frozenset({"絵葉書"})  # NDL itself writes this for 絵はがき, the label in its list
# A volume at the end of a title: "… 上", "… 第3巻", "… vol. 2".
_VOLUME = re.compile(
    r"[\s:：.．,、](?:[上中下]巻?|[前後]編|第?\s?[0-9０-９一二三四五六七八九十]{1,4}\s?[巻集冊号]"
    r"|(?:vol|v|no)\.? ?[0-9]{1,4})\Z",
    re.IGNORECASE,
)
_VOLUME_ENDS = tuple("上中下巻編集冊号0123456789")
_YEAR = re.compile("[0-9]{4}")
_CLASS_FORMS = {"NDC": _NDC, "NDC8": _NDC, "NDC9": _NDC, "NDC10": _NDC, "NDLC": _NDLC}


@rule("dcndl.E003")
def title_is_present(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.title and not any(title.value for title in record.titles):
        yield Issue(code="dcndl.E003", field="dc:title")


@rule("dcndl.W014")
def one_isbn(record: BibliographicRecord) -> Iterator[Issue]:
    number = [identifier.scheme for identifier in record.identifiers].count("ISBN")
    if number > 1:
        yield Issue(code="dcndl.W014", field="dcterms:identifier[ISBN]", value=str(number))


@rule("dcndl.I019")
def dates_can_be_read(record: BibliographicRecord) -> Iterator[Issue]:
    for value in record.dates:
        if not _YEAR.search(value) and not read_date(value):
            yield Issue(code="dcndl.I019", field="dcterms:date", value=value)


@rule("dcndl.W020")
def languages_are_codes(record: BibliographicRecord) -> Iterator[Issue]:
    for name, codes in (("dcterms:language", record.languages), ("dcndl:originalLanguage", record.original_languages)):
        for code in codes:
            if not is_language_code(code):
                yield Issue(code="dcndl.W020", field=name, value=code)


@rule("dcndl.W021")
def places_are_countries(record: BibliographicRecord) -> Iterator[Issue]:
    for place in record.publication_places:
        if place not in COUNTRIES:
            yield Issue(code="dcndl.W021", field="dcndl:publicationPlace", value=place)


@rule("dcndl.W022", "dcndl.W122", "dcndl.I122")
def material_type_is_known(record: BibliographicRecord) -> Iterator[Issue]:
    if not record.material_types:
        yield Issue(code="dcndl.W022", field="dcndl:materialType")
    for material_type in record.material_types:
        if material_type.uri not in MATERIAL_TYPES:
            yield Issue(code="dcndl.W122", field="dcndl:materialType", value=material_type.uri or material_type.label)
        elif (
            material_type.label
            and material_type.label not in MATERIAL_TYPES[material_type.uri]
            and material_type.label not in _OTHER_LABELS
        ):
            yield Issue(
                code="dcndl.I122",
                field="dcndl:materialType/@rdfs:label",
                value=f"{material_type.label} ({material_type.uri})",
            )


@rule("dcndl.W023")
def class_numbers_are_well_formed(record: BibliographicRecord) -> Iterator[Issue]:
    for subject in record.subjects:
        form = _CLASS_FORMS.get(subject.scheme)
        if form and not form(subject.value):
            yield Issue(
                code="dcndl.W023", field=f"dcterms:subject[{subject.scheme}]", value=subject.value or subject.uri
            )


@rule("dcndl.W024", "dcndl.N024")
def readings_are_katakana(record: BibliographicRecord) -> Iterator[Issue]:
    with_readings = (
        ("dc:title", record.titles),
        ("dcterms:creator", record.creators),
        ("dcndl:seriesTitle", record.series),
        ("dcterms:publisher", record.publishers),
    )
    readings = [
        (name, value.transcription) for name, values in with_readings for value in values if value.transcription
    ]
    if not _NO_KATAKANA.search("".join([reading for _, reading in readings])):  # one search for all readings is faster
        return
    for name, reading in readings:
        if _KANJI.search(reading):
            yield Issue(code="dcndl.W024", field=name, value=reading)
        elif _NO_KATAKANA.search(reading):
            yield Issue(code="dcndl.N024", field=name, value=reading)


@rule("dcndl.I025", "dcndl.I026")
def volumes_are_separate_from_titles(record: BibliographicRecord) -> Iterator[Issue]:
    volumes = record.volumes
    if not volumes and record.title.endswith(_VOLUME_ENDS) and _VOLUME.search(record.title):
        if not record.volume_titles:
            yield Issue(code="dcndl.I026", field="dc:title", value=record.title)
    elif len(volumes) > 1:
        isbns = len(record.values("ISBN"))
        if isbns > 1 and isbns != len(volumes):
            yield Issue(code="dcndl.I025", field="dcndl:volume", value=f"{len(volumes)} / ISBN {isbns}")


def is_made_up(code: str) -> bool:
    """Whether a language code was most likely made up: ISO 639-3 has too many codes to list, few begin with xx."""
    return code.startswith("xx") and len(code) == 3 and not is_language_code(code)


def is_language_code(code: str) -> bool:
    """Whether this is a code of ISO 639-2, including the codes for local use."""
    return code in LANGUAGE_CODES or (len(code) == 3 and code.islower() and _LOCAL[0] <= code <= _LOCAL[1])
