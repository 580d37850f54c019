"""The pages and interfaces that anyone may use."""
