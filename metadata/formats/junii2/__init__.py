"""junii2, the format of institutional repositories before JPCOAR Schema."""
