"""JPCOAR Schema 1.0, 2.0 and 2.1, the format of Japanese institutional repositories."""
