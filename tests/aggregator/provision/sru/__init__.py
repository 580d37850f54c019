"""Tests of SRU: the query language and the endpoint."""
