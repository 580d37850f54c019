"""The state of a run in the database: lifecycle, lease, fencing, budgets, covered date windows, observations."""
