"""What validation rules are made of: registry, messages, and the checks that concern every format."""
