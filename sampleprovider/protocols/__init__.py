"""What the provider answers in each protocol: OAI-PMH, ResourceSync, RSS, and a file of MARC 21."""
