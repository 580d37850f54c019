"""What several formats share: the crosswalk type, dates, codes, elements without a namespace."""
