"""Files and feeds as streams of records, whatever transport brings them."""
