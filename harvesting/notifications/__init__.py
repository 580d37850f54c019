"""Notifications to people: who receives which, how messages are composed, the outbox that sends them."""
