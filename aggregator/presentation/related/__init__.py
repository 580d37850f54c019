"""What a book's page leads on to: its text and its pictures at other sites, and similar books."""
