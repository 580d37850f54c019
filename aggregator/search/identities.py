"""The persons and bodies of a record by their identifiers. Pure; independent of the search engine."""

from collections.abc import Iterator

from metadata.authorities import authority, is_identity
from metadata.record import Agent, BibliographicRecord


def agent_identifiers(agent: Agent) -> tuple[str, ...]:
    """The valid identifiers of a person or body, as `metadata.authorities` has them."""
    if not agent.identifiers:  # most agents
        return tuple(filter(None, (authority("", agent.uri),))) if agent.uri else ()
    stated = [("", agent.uri), *((number.scheme, number.value) for number in agent.identifiers)]
    stated += [("", number.uri) for number in agent.identifiers if number.uri]
    return tuple(dict.fromkeys(filter(None, (authority(scheme, value) for scheme, value in stated))))


def agent_identities(agent: Agent) -> Iterator[str]:
    """The identifiers of a person or body that tell it from all others."""
    return filter(is_identity, agent_identifiers(agent))


def identities_of(record: BibliographicRecord) -> dict[str, Agent]:
    """The identifiers that tell a person or body from all others, of creators, contributors, their institutions and
    funders, with the first one who has it.
    """
    found: dict[str, Agent] = {}
    for agent in _identified_agents(record):
        for identifier in agent_identities(agent):
            found.setdefault(identifier, agent)
    return found


def _identified_agents(record: BibliographicRecord) -> Iterator[Agent]:
    for agent in record.creators + record.contributors:
        yield agent
        yield from agent.affiliations
    yield from record.degree_grantors
    yield from (funding.funder for funding in record.fundings)
