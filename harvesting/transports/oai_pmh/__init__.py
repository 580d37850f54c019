"""OAI-PMH 2.0, including what providers do that the protocol does not foresee."""
