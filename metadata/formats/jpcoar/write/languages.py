"""Guesses the language of a text for JPCOAR, where the record does not state it, and converts language codes."""

import re

from metadata.record import BibliographicRecord
from metadata.vocabularies.dcndl import LANGUAGES

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
    return next((TWO_LETTERS[code] for code in record.languages[:1] if code in TWO_LETTERS), "")


def _latin(text: str, record: BibliographicRecord) -> str:
    codes = [code for code in record.languages if code in _IN_LATIN_LETTERS]
    if not _ACCENTED.search(text):
        return TWO_LETTERS["eng" if "eng" in codes or not codes else codes[0]]
    return next((TWO_LETTERS[code] for code in codes if code != "eng"), "")
