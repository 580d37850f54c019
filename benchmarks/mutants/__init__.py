"""Mutation testing: plants faults in the code of one part of the program, and measures how many its tests notice."""
