"""OAI-PMH 2.0, provider side. No HTTP: the view is in `aggregator.views.public.oai_pmh`.

arguments   parses and checks the arguments of a request
tokens      resumption tokens, which hold the whole state of a list
records     one record: header, metadata, about
lists       ListRecords, ListIdentifiers, GetRecord
naming      identifiers and the admin e-mail address
documents   the responses
reading     a response as HTML, for browsers
"""
