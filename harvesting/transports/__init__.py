"""Transports: how records are harvested, one package for each protocol. No Django."""
