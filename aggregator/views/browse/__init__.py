"""The pages by which readers browse."""
