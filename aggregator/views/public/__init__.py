"""The pages and doors that anyone may use."""
