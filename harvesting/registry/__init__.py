"""Registration of providers and their feeds: policies, credentials, bulk import, uploads."""
