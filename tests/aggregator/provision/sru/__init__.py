"""Tests of SRU."""
