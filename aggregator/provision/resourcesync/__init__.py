"""ResourceSync 1.1, source side. Knows the specification and what is given on; HTTP is in `views.resourcesync`.

names       sets, addresses, numbers of parts
changes     what was stamped is taken over: resources as they are now, lists of their changes
described   the pages that resources describe
bytes_of    the bytes of a resource
listing     the rows that documents are made of
documents   the documents
packages    the ZIP files of the dumps
"""
