"""Bulk actions: one action on all rows that match a filter, counted and shown first, carried out by the queue in
portions, and undone for 30 days.

`base` says what a target and an action are, `running` carries them out; the other modules are the actions on issues,
records and providers. A further action is one more entry of the table that `running.Table` is made of.
"""
