"""Guesses the language of a text for JPCOAR, where the record does not state it, and converts language codes."""

import re

from lxml import etree

from metadata.formats.jpcoar.names import KANA
from metadata.formats.jpcoar.write.parts import add
from metadata.record import BibliographicRecord, Title
from metadata.vocabularies.dcndl import LANGUAGES

# ISO 639-2 as catalogues use it → ISO 639-3.
LANGUAGE_CODES = {old: new for new, old in LANGUAGES.items() if len(new) == 3 and new.isascii() and new != old}
_KANA_OR_KANJI = re.compile("[ぁ-んァ-ヶ㐀-鿿]")


def guess_language(text: str, record: BibliographicRecord) -> str:
    """Return ja or zh for kana or kanji, by the languages of the record; en for ASCII if it is English; else ""."""
    if _KANA_OR_KANJI.search(text):
        return "zh" if "chi" in record.languages and "jpn" not in record.languages else "ja"
    return "en" if text.isascii() and "eng" in record.languages else ""


def add_with_reading(root: etree._Element, name: str, title: Title) -> None:
    add(root, name, title.value, title.language or ("ja" if title.transcription else ""))
    add(root, name, title.transcription, KANA)
