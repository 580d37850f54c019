"""Sorts DC-NDL's relations, rights, names and titles into the fields of the record. Does not handle XML."""

import msgspec

from metadata.formats.common.base import Draft
from metadata.record import Agent, Conference, File, Identifier, License, Relation, Title

# Values that `nodes` reads in place of a relation, and their fields.
_FIELDS: dict[type, str] = {File: "files", Conference: "conferences", Identifier: "host_identifiers"}


def sort_nodes(draft: Draft) -> None:
    relations: list[Relation] = []
    for value in draft.fields.pop("relations", ()):
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


def sort_rights(draft: Draft) -> None:
    texts = []
    for statement in draft.fields.pop("rights", ()):
        if isinstance(statement, License):
            draft.fields["licenses"].append(statement)
            if statement.label:
                texts.append(statement.label)
        else:
            texts.append(statement)
    if texts:
        draft.fields["rights"] = texts


def sort_rights_holders(draft: Draft) -> None:
    holders = draft.fields.get("rights_holders")
    if not holders:
        return
    bodies = [holder for holder in holders if isinstance(holder, Agent)]
    draft.fields["rights_holders"] = [holder.name if isinstance(holder, Agent) else holder for holder in holders]
    if bodies:
        draft.fields["rights_agents"] = bodies


def give_names_to_creator(draft: Draft) -> None:
    if "creator_alternatives" not in draft.fields:
        return
    creators = draft.fields.get("creators", [])
    if len(creators) == 1:
        names: list[Title] = draft.fields.pop("creator_alternatives")
        creators[0] = msgspec.structs.replace(creators[0], other_names=(*creators[0].other_names, *names))
    else:
        draft.fields["creator_alternatives"] = [
            msgspec.structs.replace(name, kind="") for name in draft.fields["creator_alternatives"]
        ]


def join_contents(draft: Draft) -> None:
    if "contents" in draft.fields:
        draft.fields["contents"] = [line for lines in draft.fields["contents"] for line in lines]


def settle_display_title(draft: Draft) -> None:
    draft.single["display_title"] = title = draft.pop_first("display_title")
    if title and "titles" not in draft.fields:
        draft.note("dcndl.N003", "dcterms:title", title, title)
        draft.fields["titles"].append(Title(value=title))
