"""Hosts with addresses of their own on one machine, and a cluster of OpenSearch on them, for tests."""
