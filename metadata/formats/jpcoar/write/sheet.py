"""One record on its way into XML: makes its elements valid, so that each has the type and the language it must have.

A value that cannot have its type is not lost: it becomes a note, which is written as a description.

Stated attributes come first, then those that are added (a guessed language, a default). The order means nothing, but it
stays: lists of ResourceSync have digests of the bytes, so that another order would be a change of every record.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from metadata.formats.common.uris import as_uri
from metadata.formats.jpcoar.names import KANA
from metadata.formats.jpcoar.write.languages import Form, bcp47, guess_language, once_each
from metadata.formats.jpcoar.write.typed import TYPED, Typed
from metadata.formats.jpcoar.write.versions import Version
from metadata.record import BibliographicRecord, Title
from metadata.xml.parsing import has_text, strip_illegal
from metadata.xml.writing import NOTHING, Xml, attribute, leaf, node, together

_JAPANESE = ("ja",)


class Sheet:
    """Makes the elements of one record in one version of JPCOAR.

    notes: texts for which there is no element. Elements without a text are left out, as are those that the version
    does not have.
    """

    __slots__ = ("_lost", "_names", "notes", "record", "version")

    def __init__(self, record: BibliographicRecord, version: Version, notes: list[str]) -> None:
        self.record = record
        self.version = version
        self.notes = notes
        self._names = version.names
        self._lost = 0  # elements that became notes, or that the version does not have

    def plain(self, name: str, text: str, own: Xml = NOTHING) -> Xml:
        """Return an element without a language. own: its attributes."""
        return self._element(name, text, own) if has_text(text) else NOTHING

    def words(self, name: str, text: str, language: str = "", own: Xml = NOTHING) -> Xml:
        """Return an element with the language of its text: the stated one, else the one that the script shows."""
        return self.in_language(name, text, language, own) if has_text(text) else NOTHING

    def in_language(self, name: str, text: str, language: str, own: Xml = NOTHING) -> Xml:
        """Return an element as `words` does, also if its text is empty: then its language stays as it is stated."""
        if language:
            stated = _stated(language) if text else tag(language)
            own = together(stated, own) if own else stated
        elif text:
            own = together(own, tag(guess_language(text, self.record)))
        return self._element(name, text, own)

    def _element(self, name: str, text: str, own: Xml) -> Xml:
        if name in self._names:
            name = self._names[name]
            if not name:
                self._lost += 1
                return NOTHING
        return leaf(name, text, own)

    def with_reading(self, name: str, title: Title) -> Xml:
        """Return a title and its reading as two elements of the same name."""
        language = title.language or ("ja" if title.transcription else "")
        return together(self.words(name, title.value, language), self.words(name, title.transcription, KANA))

    def forms(self, name: str, forms: Iterable[Form], own: Xml = NOTHING, preferred: Sequence[str] = _JAPANESE) -> Xml:
        """Return one text in several languages as elements, of which there may be only one for each language.

        preferred: the languages by which readers choose the main one.
        """
        known = [form for form in forms if has_text(form[0])]
        if len(known) > 1 and "" in [stated for _text, stated in known]:
            return self._in_guessed_languages(name, known, own, preferred)
        return together(*[self.in_language(name, text, stated, own) for text, stated in known])

    def _in_guessed_languages(self, name: str, forms: Sequence[Form], own: Xml, preferred: Sequence[str]) -> Xml:
        elements = []
        for (text, stated), language in zip(forms, once_each(forms, preferred, self.record), strict=True):
            parts = (tag(language), own) if stated else (own, tag(language))
            elements.append(self._element(name, text, together(*parts)))
        return together(*elements)

    def typed(self, name: str, text: str, term: str = "", owner: Sequence[str] = ()) -> Xml:
        """Return an element of the table TYPED; nothing if its value is not valid: it becomes a note.

        term: the value of its attribute. owner: texts of which the first is put before the note.
        """
        return self.typed_with(name, text, term, {}, owner) if has_text(text) else NOTHING

    def typed_with(self, name: str, text: str, term: str, more: Mapping[str, str], owner: Sequence[str] = ()) -> Xml:
        """Return an element as `typed` does, also if its text is empty. more: further attributes, "" for none."""
        rule = TYPED[name]
        text = strip_illegal(text)
        settled = rule.term(term)
        if settled is None or not rule.is_valid(text):
            self._note(rule, text, (term if settled is None else settled, *more.values()), owner)
            return NOTHING
        own = self.version.attribute(name, rule.attribute, settled)
        if (settled and not own) or not self.version.has_text(name, text):
            self._lost += 1
            return NOTHING
        if more:
            further = self.attributes(more)
            own = together(own, further) if term else together(further, own)
        return self._element(name, text, own)

    def _note(self, rule: Typed, text: str, kinds: Iterable[str], owner: Sequence[str]) -> None:
        """Add "識別子(PMID) : 123": the label, the attributes, the text; with the name of a person before it."""
        name = strip_illegal(next(filter(has_text, owner), ""))
        kind = ", ".join(filter(None, kinds))
        self.notes.append(f"{f'{name} : ' if name else ''}{rule.label}{f'({kind})' if kind else ''} : {text}")
        self._lost += 1

    def attribute(self, name: str, value: str) -> Xml:
        """Return an attribute with any value; nothing without one, or if the version does not have it."""
        return attribute(name, value) if value and name not in self.version.attributes else NOTHING

    def attributes(self, values: Mapping[str, str]) -> Xml:
        """Return several attributes as `attribute` does."""
        return together(*[self.attribute(name, value) for name, value in values.items()])

    def block(self, name: str, parts: Iterable[Xml], own: Xml = NOTHING) -> Xml:
        """Return an element with children. It is left out if all of them were lost.

        parts: an iterator, so that the children are made, and the lost ones counted, in here.
        """
        lost = self._lost
        content = together(*parts)
        written = self._names.get(name, name)
        if not written or (not content and self._lost > lost):
            self._lost += 1
            return NOTHING
        return content if name in self.version.opened else node(written, (content,), own)


@lru_cache(maxsize=256)
def _stated(language: str) -> Xml:
    return tag(bcp47(language))


@lru_cache(maxsize=256)
def tag(language: str) -> Xml:
    """Return xml:lang, nothing for ""."""
    return attribute("xml:lang", language)


def uri(value: str) -> str:
    """Return a value as it can stand where the schema requires a URI, "" if it cannot."""
    return as_uri(strip_illegal(value)) if value else ""
