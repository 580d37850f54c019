"""Erasing a provider permanently: all its data is removed from the database and from the files.

What remains: its repository number, which is never reused; public ids and stamps without content, so that links answer
410 and harvesters learn that the records are deleted; rulings that also concern other providers' records; and the
entries in the audit trail that the erasure began and ended. The books of other providers are matched and merged again
without it. `begin` starts an erasure, `work` carries it out in steps that can be repeated after a crash.
"""
