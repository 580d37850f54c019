"""The application of an institution to have its database harvested."""
