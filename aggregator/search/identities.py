"""The persons and bodies of a record by their identifiers. Pure; independent of the search engine."""

from functools import lru_cache

from metadata.authorities import authority, is_identity
from metadata.record import Agent, BibliographicRecord


def agent_identifiers(agent: Agent) -> tuple[str, ...]:
    """The valid identifiers of a person or body, as `metadata.authorities` has them."""
    if not agent.identifiers:  # most agents
        return tuple(filter(None, (authority("", agent.uri),))) if agent.uri else ()
    stated = [("", agent.uri), *((number.scheme, number.value) for number in agent.identifiers)]
    stated += [("", number.uri) for number in agent.identifiers if number.uri]
    return tuple(dict.fromkeys(filter(None, (authority(scheme, value) for scheme, value in stated))))


@lru_cache(maxsize=16_384)  # the same persons recur
def agent_identities(agent: Agent) -> tuple[str, ...]:
    """The identifiers of a person or body that tell it from all others."""
    return tuple(filter(is_identity, agent_identifiers(agent)))


def identities_of(record: BibliographicRecord) -> dict[str, Agent]:
    """The identifiers that tell a person or body from all others, of creators, contributors, their institutions and
    funders, with the first one who has it.
    """
    found: dict[str, Agent] = {}
    for agent in _named_agents(record):
        for identifier in agent_identities(agent):
            found.setdefault(identifier, agent)
    return found


def _named_agents(record: BibliographicRecord) -> list[Agent]:
    agents: list[Agent] = []
    for agent in record.creators + record.contributors:
        agents.append(agent)
        agents += agent.affiliations
    agents += record.degree_grantors
    return agents + [funding.funder for funding in record.fundings]
