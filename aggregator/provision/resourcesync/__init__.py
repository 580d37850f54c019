"""ResourceSync 1.1 (ANSI/NISO Z39.99), source side. No HTTP: the views are in `aggregator.views.public.resourcesync`.

naming           names and addresses of sets, resources and documents
changes          takes stamped items over into resources and change lists
described_pages  the pages that resources describe
serialization    the bytes of a resource
listing          the rows from which documents are made
documents        the documents
packages         the ZIP files of the dumps
hub              the WebSub hub that notifies subscribers
"""
