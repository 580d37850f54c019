"""The pages about the enrichment rules of a provider."""
