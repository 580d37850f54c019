"""Accounts of librarians and staff: roles, access to providers, invitations."""
