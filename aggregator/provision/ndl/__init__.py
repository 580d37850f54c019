"""The face of NDL Search: its API (external interfaces, version 1.3) over this site's search. HTTP is in `views.ndl`.

The interfaces of this site (`sru`, `oai`, feeds) stay as they are; this package translates NDL's names, defaults,
limits and error texts, so that a client written for NDL Search needs only another address. What is met and what is not
is listed in docs/reference/ndl-api.md.

provider_ids  NDL's names of data providers
conditions    one condition of a request as a node of the search tree
media_types   NDL's mediatype
finding       runs a search within NDL's window of 500 hits
opensearch    parameters of OpenSearch;  rss  its responses
cql           the query of SRU;  sru  the other parameters of SRU;  srw  its responses
openurl       parameters of OpenURL
harvesting    OAI-PMH
"""
