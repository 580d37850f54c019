"""When a feed is due."""
