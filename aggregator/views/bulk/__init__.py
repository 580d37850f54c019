"""The pages of bulk actions: what will happen, how far it is, undoing it."""
