"""A whole site on several machines, each with an address of its own, of which one is lost after another."""
