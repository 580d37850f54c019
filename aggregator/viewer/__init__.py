"""Shows the images of a book that a IIIF manifest lists, page by page."""
