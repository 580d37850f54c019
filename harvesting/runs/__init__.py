"""The state of a run in the database: lifecycle, lease, fencing, budgets, observations."""
