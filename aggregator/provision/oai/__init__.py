"""OAI-PMH 2.0, provider side. Knows the protocol and what is given on; HTTP is in `aggregator.views.public.oai_pmh`.

arguments   is the request one that the protocol knows
tokens      the state of a list, in the hands of the harvester
records     one record: header, metadata, about
documents   the responses
"""
