"""System checks: each misuse of a setting or of the machine, with an id and what to do."""
