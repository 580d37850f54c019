"""The public statistics: the page, its numbers as files, and the counter of links that readers follow."""
