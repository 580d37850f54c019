"""MODS 3, the Library of Congress's descriptive format."""
