"""Writes records as JPCOAR."""
