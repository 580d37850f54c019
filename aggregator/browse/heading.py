"""One heading: all its names, identifiers, years, the headings around it, and the search for its books. No HTTP."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from aggregator.browse.counting import current_run
from aggregator.browse.kinds import CREATOR, FIELDS, SUBJECT, code_of
from aggregator.browse.letters import letter_of, sort_key
from aggregator.models import Heading, HeadingLink, SubjectRelation
from aggregator.query.parameters import MOST_CHOICES
from aggregator.search.base import Query
from metadata import authorities
from metadata.text.folding import fold_tight

MOST = 60  # names, identifiers, or headings of one relation
# Relation of an imported list, seen from the other side.
_OTHER_WAY = {"broader": "narrower", "narrower": "broader", "related": "related", "use": "used_for"}


@dataclass(frozen=True, slots=True)
class Related:
    """Another heading. books: 0 if the catalogue has none. source: the imported list that says so, "" = records."""

    label: str
    books: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingFacts:
    """A heading as its page shows it. names: its other forms. identifiers: see `metadata.authorities`.

    is_shared: there are several identifiers of one scheme, so the name may stand for several people. relations:
    "broader", "narrower", "related", "use" or "used_for" -> headings. counted: whether the last counting found it.
    searched: all labels under which its books are found.
    """

    kind: str
    label: str
    reading: str = ""
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    is_shared: bool = False
    relations: tuple[tuple[str, tuple[Related, ...]], ...] = ()
    first_year: int = 0
    last_year: int = 0
    counted: bool = True
    searched: tuple[str, ...] = ()

    @property
    def query(self) -> Query:
        """The search for its books, under all names."""
        changes: dict[str, Any] = {FIELDS[self.kind]: (self.searched or (self.label,))[:MOST_CHOICES]}
        return Query(**changes)

    @property
    def key(self) -> str:
        return sort_key(self.label, self.reading)

    @property
    def letter(self) -> str:
        return letter_of(self.key)


def find_heading(kind: str, name: str) -> HeadingFacts:
    """Return the heading with this name, or the main one if it is another name of it. At most nine queries,
    each by an index.

    A name that was not counted has only its label; whether it has books, only the index knows.
    """
    run = current_run()
    row = _row(run.pk, code_of(kind, name)) if run else None
    if run is None or row is None:
        relations = _relations(run.pk if run else 0, name) if kind == SUBJECT else ()
        return HeadingFacts(kind=kind, label=name, counted=False, relations=relations)
    others = list(Heading.objects.filter(run=run.pk, main=row.code).order_by("-books", "pk")[:MOST])
    codes = [row.code, *(other.code for other in others)]
    links = HeadingLink.objects.filter(run=run.pk, code__in=codes).order_by("pk")[: 4 * MOST]
    stated_ids = {link.value for link in links if not link.is_name}
    identifiers = sorted(stated_ids, key=lambda text: (authorities.order(text), text))
    forms = (other.label for other in others)
    stated = (link.text for link in links if link.is_name) if kind == CREATOR else ()
    return HeadingFacts(
        kind=kind,
        label=row.label,
        reading=row.reading,
        names=tuple(name for name in dict.fromkeys((*forms, *stated)) if name != row.label)[:MOST],
        identifiers=tuple(identifiers[:MOST]),
        is_shared=_is_shared(identifiers),
        relations=_relations(run.pk, row.label) if kind == SUBJECT else (),
        first_year=row.first_year,
        last_year=row.last_year,
        searched=(row.label, *(other.label for other in others)),
    )


def _row(run: int, code: str) -> Heading | None:
    """Return the main heading under this code: its own, or that of which it is another name."""
    row = Heading.objects.filter(run=run, code=code).first()
    if row is None:
        link = HeadingLink.objects.filter(run=run, value=code, is_name=True, code__startswith=CREATOR).first()
        row = Heading.objects.filter(run=run, code=link.code).first() if link and code[:1] == CREATOR else None
    if row is not None and row.main:
        return Heading.objects.filter(run=run, code=row.main).first()
    return row


def _is_shared(identifiers: Sequence[str]) -> bool:
    schemes = [identifier.partition(" ")[0] for identifier in identifiers]
    return len(set(schemes)) < len(schemes)


def _relations(run: int, subject: str) -> tuple[tuple[str, tuple[Related, ...]], ...]:
    """Return what records (by subdivisions) and imported lists say about a subject, in a fixed order."""
    code, key = code_of(SUBJECT, subject), fold_tight(subject)
    found: dict[str, dict[str, Related]] = {name: {} for name in ("use", "broader", "narrower", "related", "used_for")}
    links = HeadingLink.objects.filter(run=run, is_name=True)  # two queries, because no index serves either condition
    wider = links.filter(code=code).values_list("text", flat=True)[:MOST]
    found["broader"] = {label: Related(label) for label in wider}
    parts = list(links.filter(value=code, code__startswith=SUBJECT).values_list("code", flat=True)[:MOST])
    labels = Heading.objects.filter(run=run, code__in=parts).order_by("key").values_list("label", flat=True)
    found["narrower"] = {label: Related(label) for label in labels}
    stated = SubjectRelation.objects.filter(Q(source_key=key) | Q(target_key=key)).order_by("target", "source")
    for relation in stated[:MOST]:
        out = relation.source_key == key
        kind = relation.kind if out else _OTHER_WAY[relation.kind]
        label = relation.target if out else relation.source
        found[kind].setdefault(label, Related(label, source=relation.list_name))
    return _with_books(run, found.items())


def _with_books(
    run: int, found: Iterable[tuple[str, dict[str, Related]]]
) -> tuple[tuple[str, tuple[Related, ...]], ...]:
    relations = [(kind, related) for kind, related in found if related]
    codes = {code_of(SUBJECT, label) for _kind, related in relations for label in related}
    books = dict(Heading.objects.filter(run=run, code__in=codes).values_list("code", "books")) if codes else {}
    return tuple(
        (kind, tuple(replace(one, books=books.get(code_of(SUBJECT, one.label), 0)) for one in related.values()))
        for kind, related in relations
    )
