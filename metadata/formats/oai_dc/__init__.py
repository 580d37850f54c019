"""Unqualified Dublin Core, the format that every OAI-PMH provider offers."""
