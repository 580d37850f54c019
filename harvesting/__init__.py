"""Registration of providers, harvesting, and the source records with their issues."""
