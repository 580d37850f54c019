"""junii2, the format of Japanese institutional repositories before the JPCOAR Schema."""
