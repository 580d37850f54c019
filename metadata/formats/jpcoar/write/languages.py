"""The languages of texts in JPCOAR: as BCP 47, and guessed from the script where the record does not state them."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from metadata.formats.jpcoar.names import KANA
from metadata.formats.jpcoar.write.values import language_tag
from metadata.record import Agent, BibliographicRecord, Title
from metadata.vocabularies.dcndl import LANGUAGES

type Form = tuple[str, str]  # a text and its language, "" if that is not stated

# ISO 639-2 as catalogues use it → ISO 639-3.
LANGUAGE_CODES = {old: new for new, old in LANGUAGES.items() if len(new) == 3 and new.isascii() and new != old}
TWO_LETTERS = {code: name for name, code in reversed(LANGUAGES.items()) if len(name) == 2}
_KANA_OR_KANJI, _KANA = re.compile("[ぁ-んァ-ヶ㐀-鿿]"), re.compile("[ぁ-んァ-ヶ]")
_HANGUL, _LATIN = re.compile("[가-힣]"), re.compile("[A-Za-zÀ-ɏ]")
_ACCENTED = re.compile("[À-ɏḀ-ỿ]")
_OTHER_LETTERS = re.compile("[Ͱ-῿]")  # Greek, Cyrillic, Hebrew, Arabic, …: the script does not show the language
_IN_LATIN_LETTERS = frozenset(
    "eng ger fre ita spa por dut lat vie ind may tur pol cze slo hun rum swe nor dan fin ice cat hrv slv est lav lit "
    "tgl swa afr gle wel baq alb epo".split()
)


def guess_language(text: str, record: BibliographicRecord) -> str:
    """Return the language that the script of the text and the languages of the record show, "" if they show none.

    Kana and kanji are Japanese, unless kanji are in a record in Chinese only. Latin letters are of the record's
    language that has them, else English if they have no accents. A text without letters ("1991.4") is in the first
    language of the record.
    """
    if text.isascii():
        return _latin(text, record) if _LATIN.search(text) else _first(record)
    if _KANA_OR_KANJI.search(text):
        is_chinese = "chi" in record.languages and "jpn" not in record.languages and not _KANA.search(text)
        return "zh" if is_chinese else "ja"
    if _HANGUL.search(text):
        return "ko"
    if _OTHER_LETTERS.search(text):
        return ""
    return _latin(text, record) if _LATIN.search(text) else _first(record)


def _first(record: BibliographicRecord) -> str:
    return TWO_LETTERS.get(record.languages[0], "") if record.languages else ""


def _latin(text: str, record: BibliographicRecord) -> str:
    codes = [code for code in record.languages if code in _IN_LATIN_LETTERS]
    if not _ACCENTED.search(text):
        return TWO_LETTERS["eng" if "eng" in codes or not codes else codes[0]]
    return next((TWO_LETTERS[code] for code in codes if code != "eng"), "")


@lru_cache(maxsize=256)
def bcp47(language: str) -> str:
    """Return a language tag with two letters where the language has a code of two ("jpn" → "ja"), "" if it is none."""
    tag = language_tag(language)
    code, dash, rest = tag.partition("-")
    return f"{TWO_LETTERS.get(LANGUAGES.get(code, code), code)}{dash}{rest}" if len(code) == 3 else tag


def forms_of(agent: Agent) -> list[Form]:
    """Return the main name of a person or body in all languages and scripts. Variant names are left out."""
    forms = [(agent.name, agent.language or ("ja" if agent.transcription else ""))] if agent.name else []
    if agent.transcription:
        forms.append((agent.transcription, KANA))
    forms += [(name.value, name.language) for name in agent.other_names if name.kind != "alternative"]
    return forms


def forms_in(titles: Iterable[Title]) -> list[Form]:
    """Return texts with the languages that are stated."""
    return [(title.value, title.language) for title in titles]


def once_each(forms: Sequence[Form], preferred: Sequence[str], record: BibliographicRecord) -> list[str]:
    """Return the languages of texts with one meaning, "" for a text that is to have none.

    No language is guessed twice, nor one that would make another text than the first the main one: readers take the
    one whose language comes first in `preferred`.
    """
    used = {language for _text, language in forms}
    settled: list[str] = []
    for text, stated in forms:
        language = bcp47(stated) if stated else guess_language(text, record)
        if not stated and (language in used or _is_before(language, settled[:1], preferred)):
            language = ""
        if language:
            used.add(language)
        settled.append(language)
    return settled


def _is_before(language: str, first: Sequence[str], preferred: Sequence[str]) -> bool:
    """Whether readers would prefer a text in this language to the first one. first: its language; () for itself."""
    ranks = {code: rank for rank, code in reversed(list(enumerate(preferred)))}
    last = len(preferred)
    return any(ranks.get(language, last) < ranks.get(code.partition("-")[0], last) for code in first)
