"""The enrichment rules of providers: their versions, what they would change, and rereading the records by them."""
