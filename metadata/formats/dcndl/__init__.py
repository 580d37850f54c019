"""DC-NDL(RDF), the National Diet Library's format and the canonical one here."""
