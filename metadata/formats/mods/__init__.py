"""MODS 3, the descriptive format of the Library of Congress."""
