"""Enrichment rules: staff correct what one provider's records say, after the crosswalk and before the checks. Pure."""
