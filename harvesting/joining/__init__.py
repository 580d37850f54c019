"""How an institution applies to have its database harvested: the registration pages and their drafts."""
