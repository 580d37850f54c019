"""All that came from a provider is erased for good: not withheld, not marked, gone from the database and the files.

What stays: its number, which is never given again; public ids and stamps without content, so that a link answers 410
and whoever took its records learns that they are deleted; one entry of the trace. The other providers' books are
solved again without it. In steps that are repeated after a kill: `begin` decides, `work` does.
"""
