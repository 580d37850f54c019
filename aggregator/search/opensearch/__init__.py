"""OpenSearch as the search engine: a server, or a cluster of them, that many machines share."""
