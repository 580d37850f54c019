"""A cluster of OpenSearch on hosts of its own, whose nodes are killed, cut off, and run out of disk."""
