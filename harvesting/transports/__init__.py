"""How records come in: one module per protocol. No Django."""
