"""What several formats share: the crosswalk type, codes, elements without a namespace."""
