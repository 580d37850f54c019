"""Django system checks for settings and the machine: each message has an id and says what to do."""
