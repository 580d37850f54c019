"""Turns compared pairs into groups (partition, solve), finds pairs for staff to review (doubts), and joins groups into
works (works).
"""
