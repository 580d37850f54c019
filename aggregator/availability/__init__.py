"""Whether a book can be borrowed now: asks the catalogues of libraries that have opted in."""
