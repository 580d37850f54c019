"""Source records as stored: writing, versions, compression, tombstones, suppression."""
