"""Reading files and feeds as streams of records, for all transports."""
