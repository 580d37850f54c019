"""Ways to browse the catalogue: headings of persons, subjects, classes, publishers, places and series."""
