"""Registration, harvesting, source records and error reports."""
