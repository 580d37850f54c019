"""Which language a text is said to be in where the record does not know it, and codes of languages, in JPCOAR."""

import re

from lxml import etree

from metadata.formats.jpcoar.names import KANA
from metadata.formats.jpcoar.write.parts import add
from metadata.record import BibliographicRecord, Title
from metadata.vocabularies.dcndl import LANGUAGES

# ISO 639-2 as catalogues have it → ISO 639-3.
LANGUAGE_CODES = {old: new for new, old in LANGUAGES.items() if len(new) == 3 and new.isascii() and new != old}
_KANA_OR_KANJI = re.compile("[ぁ-んァ-ヶ㐀-鿿]")


def guess(text: str, record: BibliographicRecord) -> str:
    """ja for kana and, in a Japanese record, kanji; "" where the script leaves it open."""
    if _KANA_OR_KANJI.search(text):
        return "zh" if "chi" in record.languages and "jpn" not in record.languages else "ja"
    return "en" if text.isascii() and "eng" in record.languages else ""


def with_reading(root: etree._Element, name: str, each: Title) -> None:
    add(root, name, each.value, each.language or ("ja" if each.transcription else ""))
    add(root, name, each.transcription, KANA)
