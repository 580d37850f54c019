"""The schedule of feeds: when the next run of a feed is due."""
