"""Records that providers send of their own accord: tokens, what was received, the queue of it, reports, folders."""
