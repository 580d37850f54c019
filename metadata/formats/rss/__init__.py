"""RSS 1.0, RSS 2.0 and Atom items that describe publications."""
