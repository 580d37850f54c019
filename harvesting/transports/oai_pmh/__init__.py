"""Harvesting by OAI-PMH 2.0, including from providers that do not follow the protocol."""
