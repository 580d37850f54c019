"""Messages of the rules that concern no single format."""
