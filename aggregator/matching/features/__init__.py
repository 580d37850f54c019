"""The features of a record that are compared: names, titles, numbering."""
