"""Login, single sign-on, health and metrics."""
