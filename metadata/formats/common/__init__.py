"""What several formats share: the type of a crosswalk, dates, codes."""
