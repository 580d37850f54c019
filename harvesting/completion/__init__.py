"""What happens when a list has been read to its end: its conclusion, deletion by absence, held deletions."""
