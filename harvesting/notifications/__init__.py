"""Notifications to people: who wants which, composing, outbox."""
