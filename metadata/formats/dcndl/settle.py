"""What DC-NDL's relations, rights and names hold together, parted into the fields of the record. Knows no XML."""

from typing import Any

import msgspec

from metadata.formats.common.base import Draft
from metadata.record import Agent, Conference, File, Identifier, License, Relation, Title

# The nodes that stand in place of a relation (dcndl_nodes), and their field.
_FIELDS: dict[type, str] = {File: "files", Conference: "conferences", Identifier: "host_identifiers"}


def settle_nodes(draft: Draft) -> None:
    fields = draft.fields
    if "relations" in fields:
        _settle_relations(draft, fields.pop("relations"))
    if "rights" in fields:
        _settle_rights(draft, fields.pop("rights"))
    if "rights_holders" in fields:
        holders = fields["rights_holders"]
        bodies = [each for each in holders if isinstance(each, Agent)]
        fields["rights_holders"] = [each.name if isinstance(each, Agent) else each for each in holders]
        if bodies:
            fields["rights_agents"] = bodies
    if "creator_alternatives" in fields:
        _settle_alternatives(draft)


def _settle_relations(draft: Draft, found: list[Any]) -> None:
    relations: list[Relation] = []
    for each in found:
        field = _FIELDS.get(type(each))
        if field:
            draft.fields[field].append(each)
        elif isinstance(each, Relation):
            relations.append(each)
        elif relations:  # the title in another language belongs to what stands before it
            titles = (*relations[-1].titles, each)
            relations[-1] = msgspec.structs.replace(relations[-1], titles=titles)
    if relations:
        draft.fields["relations"] = relations


def _settle_rights(draft: Draft, found: list[str | License]) -> None:
    """A statement with a URI is a licence; its label is the text that people read."""
    texts = []
    for each in found:
        if isinstance(each, License):
            draft.fields["licenses"].append(each)
            if each.label:
                texts.append(each.label)
        else:
            texts.append(each)
    if texts:
        draft.fields["rights"] = texts


def _settle_alternatives(draft: Draft) -> None:
    """Another name belongs to the creator where there is but one."""
    creators = draft.fields.get("creators", [])
    if len(creators) == 1:
        names: list[Title] = draft.fields.pop("creator_alternatives")
        creators[0] = msgspec.structs.replace(creators[0], other_names=(*creators[0].other_names, *names))
    else:
        draft.fields["creator_alternatives"] = [
            msgspec.structs.replace(each, kind="") for each in draft.fields["creator_alternatives"]
        ]
