"""Registration of providers and their feeds: numbers, forms, policies, credentials, bulk import, uploads."""
