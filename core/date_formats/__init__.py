"""How dates are written in the languages for which Django's own form does not fit this site (FORMAT_MODULE_PATH)."""
