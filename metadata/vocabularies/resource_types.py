"""Resource types: the vocabulary of JPCOAR, which is COAR's, with the NDL type of each term, and the words for these
terms elsewhere.

From the element list and vocabularies of JPCOAR/schema 86b4ad5. The NDL types are this project's decision.
"""

from functools import lru_cache
from typing import NamedTuple

from metadata.vocabularies.dcndl import folded_type
from metadata.vocabularies.labels import read_labels

_COAR = "http://purl.org/coar/resource_type/"
_NDL = "http://ndl.go.jp/ndltype/"
_DCMI = "http://purl.org/dc/dcmitype/"


class ResourceType(NamedTuple):
    """A term of the resource type vocabulary. uri: "" if COAR has none; ndl: "" if NDL has no such type."""

    uri: str
    ndl: str
    nii: str


# term=last segment of its URI, grouped by the NDL type and the NIItype that JPCOAR gives for it.
_TYPES = """
Article|Journal Article: journal article=c_6501; data paper=c_beb9
Article|Departmental Bulletin Paper: departmental bulletin paper=c_6501
Article|Conference Paper: conference paper=c_5794
Article|Article: article=c_6501; editorial=c_b239; review article=c_dcae04bc; software paper=c_7bab; \
magazine article=43KC-T6DC
Article|Book: book part=c_3248
Article|Others: commentary=D97F-VB57; report part=c_ba1f; interview=c_26e4; peer review=H9BQ-739P
Newspaper|Article: newspaper=c_2fe3
Journal|Article: journal=c_0640; periodical=c_2659
Journal|Others: other periodical=QX5C-AR31
Book|Book: book=c_2f33
Book|Thesis or Dissertation: thesis=c_46ec; bachelor thesis=c_7a1f; master thesis=c_bdcc
DoctoralDissertation|Thesis or Dissertation: doctoral thesis=c_db06
ConferenceProceeding|Presentation: conference proceedings=c_f744
ElectronicResource|Presentation: conference output=c_c94f; conference object=c_c94f; conference poster=c_6670; \
conference presentation=R60J-J5BD
ElectronicResource|Learning Material: learning object=c_e059
ElectronicResource|Data or Dataset: dataset=c_ddb1; aggregated data=ACF7-8YT9; clinical trial data=c_cb28; \
compiled data=FXF3-D3G7; encoded data=AM6W-6QAW; experimental data=63NG-B465; genomic data=A8F1-NPV9; \
geospatial data=2H0M-X761; measurement and test data=DD58-GFSX; observational data=FF4C-28RK; \
recorded data=CQMR-7K63; simulation data=W2XT-7017; survey data=NHD0-W6SY
ElectronicResource|Software: software=c_5ce6; source code=QH80-2R4E
ElectronicResource|Others: lecture=c_8544; interactive resource=c_e9a0; workflow=c_393c; research proposal=c_baaf; \
research protocol=YZ1N-ZFT9; knowledge synthesis protocol=DX5J-TA9R; laboratory notebook=H41Y-FW7B; \
knowledge organization system=GSZA-Y7V7
TechnicalReport|Research Paper: report=c_93fc; research report=c_18ws
TechnicalReport|Technical Report: technical report=c_18gh
TechnicalReport|Others: policy report=c_186u; working paper=c_8042; internal report=c_18ww; \
data management plan=c_ab20; technical documentation=c_71bd
Map|Others: cartographic material=c_12cc; map=c_12cd
MusicScore|Others: musical notation=c_18cw
MuseumMaterial|Others: physical sample=S7R1-K5P0; archival collection=YC9F-HGCF; research instrument=8KJG-QS0Y
Book|Others: manuscript=c_0040
Sound|Others: sound=c_18cc
MovingImage|Others: moving image=c_8a7e; video=c_12ce
StillImage|Others: image=c_c513; still image=c_ecc8; design=542X-3S04; artistic work=F8RT-TJK0
|Others: collection=RMP5-3GQ6; court documents=1YTN-RJZE; patent=c_15cd; design patent=C53B-JCY5; \
PCT application=SB3Y-W4EH; plant patent=Z907-YMBB; plant variety protection=GPQ7-G5VE; software patent=MW8G-3CR8; \
trademark=H6QP-SC1X; utility model=9DKX-KSAF; industrial design=JBNF-DYAD; layout design=BW7T-YM2G; \
transcription=6NC7-GK9S; other=c_1843
"""


def _resource_types() -> dict[str, ResourceType]:
    types = {}
    for line in _TYPES.strip().splitlines():
        head, _, terms = line.partition(": ")
        ndl, _, nii = head.partition("|")
        base = _DCMI if ndl in {"Sound", "MovingImage", "StillImage"} else _NDL
        for pair in terms.split("; "):
            term, _, code = pair.partition("=")
            types[term] = ResourceType(_COAR + code, base + ndl if ndl else "", nii)
    return types


RESOURCE_TYPES = _resource_types()
# Words of other vocabularies (DCMI, info:eu-repo, NII, DSpace), folded, for terms that they do not spell alike.
_ELSEWHERE = {
    "bookchapter": "book part",
    "chapter": "book part",
    "bachelorthesis": "bachelor thesis",
    "masterthesis": "master thesis",
    "mastersthesis": "master thesis",
    "doctoralthesis": "doctoral thesis",
    "phdthesis": "doctoral thesis",
    "thesisordissertation": "thesis",
    "researcharticle": "journal article",
    "review": "review article",
    "conferenceitem": "conference output",
    "conferenceobject": "conference output",
    "conferenceproceeding": "conference proceedings",
    "presentation": "conference presentation",
    "researchpaper": "research report",
    "learningmaterial": "learning object",
    "dataordataset": "dataset",
    "movingimage": "moving image",
    "stillimage": "still image",
    "physicalobject": "physical sample",
    "interactiveresource": "interactive resource",
    "periodical": "journal",
    "musicalscore": "musical notation",
    "recording,acoustical": "sound",
}
LABELS = read_labels("resource_types")  # of JPCOAR's terms, and of further ones of COAR and DCMI
# A code stands for several terms, of which the first one is meant.
TERM_BY_CODE = {kind.uri.rpartition("/")[2]: term for term, kind in reversed(RESOURCE_TYPES.items())}
_TERM_BY_WORD = {
    **{folded_type(label.ja): term for term, label in reversed(LABELS.items())},
    **{folded_type(term): term for term in LABELS},
    **_ELSEWHERE,
}


@lru_cache(maxsize=1024)  # catalogues have few different types
def resource_type(text: str) -> str:
    """Return the term of the vocabulary for a type as received: a term, its URI, or a word of another vocabulary; "" if
    there is none.
    """
    folded = folded_type(text)
    return _TERM_BY_WORD.get(folded, "") or TERM_BY_CODE.get(text.rpartition("/")[2], "")
