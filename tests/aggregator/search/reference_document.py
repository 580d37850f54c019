"""A document as the reference engine stores it: terms in order, keys of whole titles, numbers."""

from functools import cached_property

from aggregator.search.base import Document
from aggregator.search.query.segment import Segments, segment
from aggregator.search.query.words import code
from aggregator.search.suggest.entries import entry_terms, split_term
from aggregator.search.titles import proper_keys, readings
from metadata.text.folding import fold_tight

YEARS = range(1, 9999)


def year_of(document: Document) -> int:
    return document.year if document.year in YEARS else 0


class IndexedDocument:
    """A document with what each condition of a query is checked against. fields: field -> its segmented text."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.fields: dict[str, Segments] = {
            "title": segment(document.titles),
            "creator": segment(document.creators),
            "publisher": segment(document.publishers),
            "subject": segment(document.subjects),
            "journal": segment(document.journals),
            "digitizer": segment(document.digitizers),
            "texts": segment(document.texts),
            "description": segment(document.descriptions),
        }
        self.terms = {name: segments.terms.split() for name, segments in self.fields.items()}
        self.characters = {name: set(segments.characters) for name, segments in self.fields.items()}
        title, creator = readings(document.titles), readings(document.creators)
        self.sounds = {"title": set(title.terms), "creator": set(creator.terms)}
        keys = self.fields["title"].keys
        self.wholes = {*keys, *proper_keys(document.titles, keys), *title.wholes}
        self.starts = {key[:2] for key in keys if len(key) > 1}
        self.issns = {issn.lower() for issn in document.issns}
        self.codes = {*document.isbns} | self.issns | set(filter(None, map(code, document.identifiers)))
        self.jpnos = set(filter(None, map(code, document.jpnos)))
        self.suggested = set(entry_terms(document.suggestions))

    @cached_property
    def near_words(self) -> set[str]:
        texts = [*self.document.titles, *self.document.creators, *self.document.subjects]
        words = {fold_tight(form) for text in texts for form in (text, *text.split())}
        return words | {split_term(term)[0] for term in self.suggested}
