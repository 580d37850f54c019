"""Redistribution: the interfaces through which other services take records. No pages for people.

An *item* is a source record or a merged record in the table Provided, with the *stamp* of its last change.

pending          marks items that may have changed, in the transaction of the change
contents         what is redistributed of an item, under which terms; its identity is in `catalogue.identity`
stamping         gives stamps to changed items, so that no list misses a change
restamping       after an update, marks everything that is redistributed in another form, in portions
stamps           how listing waits for stamping, and how many entries lists have
listing          items in the order of their stamps, by set
sets             the sets that can be selected
permitted_books  searches restricted to what may be redistributed
written_records  cache of records serialized in a format
oai              OAI-PMH 2.0
resourcesync     ResourceSync 1.1
sru              SRU 1.1 and 1.2
api              the JSON interface
dumps            all data in a few files
"""
