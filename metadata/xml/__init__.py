"""Safe reading of XML from providers: parsing, repair, envelopes, positions of issues."""
