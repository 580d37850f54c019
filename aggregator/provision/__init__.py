"""What other services take from here. Knows the catalogue's tables; no pages for people.

marks      what may be another one now, noted in the transaction that changed it
contents   what is given on of a record, a merged record, a provider
stamping   when what we give changed: stamps that nobody can miss, in bounded steps
listing    what there is to take in the order of stamps, by key, with sets
moments    how a stamp is written
oai        OAI-PMH 2.0
dumps      everything in a few files
"""
