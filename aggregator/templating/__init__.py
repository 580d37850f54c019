"""Templates of the site as Python functions: the language, its rules and its results are Django's."""
