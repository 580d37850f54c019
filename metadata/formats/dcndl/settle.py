"""Sorts DC-NDL's relations, rights and names into the fields of the record. Does not handle XML."""

from typing import Any

import msgspec

from metadata.formats.common.base import Draft
from metadata.record import Agent, Conference, File, Identifier, License, Relation, Title

# Values that `nodes` reads in place of a relation, and their fields.
_FIELDS: dict[type, str] = {File: "files", Conference: "conferences", Identifier: "host_identifiers"}


def settle_nodes(draft: Draft) -> None:
    fields = draft.fields
    if "relations" in fields:
        _settle_relations(draft, fields.pop("relations"))
    if "rights" in fields:
        _settle_rights(draft, fields.pop("rights"))
    if "rights_holders" in fields:
        holders = fields["rights_holders"]
        bodies = [holder for holder in holders if isinstance(holder, Agent)]
        fields["rights_holders"] = [holder.name if isinstance(holder, Agent) else holder for holder in holders]
        if bodies:
            fields["rights_agents"] = bodies
    if "creator_alternatives" in fields:
        _settle_alternatives(draft)


def _settle_relations(draft: Draft, values: list[Any]) -> None:
    relations: list[Relation] = []
    for value in values:
        field = _FIELDS.get(type(value))
        if field:
            draft.fields[field].append(value)
        elif isinstance(value, Relation):
            relations.append(value)
        elif relations:  # a title in another language belongs to the relation before it
            titles = (*relations[-1].titles, value)
            relations[-1] = msgspec.structs.replace(relations[-1], titles=titles)
    if relations:
        draft.fields["relations"] = relations


def _settle_rights(draft: Draft, statements: list[str | License]) -> None:
    """Move statements with a URI to the licences; their labels stay among the rights, as text for people."""
    texts = []
    for statement in statements:
        if isinstance(statement, License):
            draft.fields["licenses"].append(statement)
            if statement.label:
                texts.append(statement.label)
        else:
            texts.append(statement)
    if texts:
        draft.fields["rights"] = texts


def _settle_alternatives(draft: Draft) -> None:
    """Give the alternative names to the only creator; if there are several, it is unknown whose names they are."""
    creators = draft.fields.get("creators", [])
    if len(creators) == 1:
        names: list[Title] = draft.fields.pop("creator_alternatives")
        creators[0] = msgspec.structs.replace(creators[0], other_names=(*creators[0].other_names, *names))
    else:
        draft.fields["creator_alternatives"] = [
            msgspec.structs.replace(name, kind="") for name in draft.fields["creator_alternatives"]
        ]
