"""DC-NDL(Simple): DC-NDL as flat elements, without RDF nodes."""
