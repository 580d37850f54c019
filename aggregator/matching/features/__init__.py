"""What is compared of a record: names, titles, numbering."""
