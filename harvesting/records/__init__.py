"""Source records in the database: deciding and writing changes, versions, compression, deletion, suppression."""
