"""DC-NDL(RDF), the format of the National Diet Library and the canonical format of this project."""
