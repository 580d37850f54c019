"""What staff ruled about records: what it means for matching (meaning), and the rulings in the database (rows)."""
