"""SRU 1.1 and 1.2: searchRetrieve and explain, with CQL. See `endpoint`."""
