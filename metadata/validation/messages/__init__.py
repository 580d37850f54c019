"""Messages of the rules that do not belong to a single format."""
