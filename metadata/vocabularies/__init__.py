"""Controlled vocabularies and code lists: namespaces, languages, countries, NDC, types of DC-NDL."""
