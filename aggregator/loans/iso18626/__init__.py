"""ISO 18626 (interlibrary loan transactions): messages as values, read and written as XML."""
