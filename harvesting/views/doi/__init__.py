"""The pages about DOIs."""
