"""Comparison and conversion of Japanese text: folding, kanji variants, romanisation."""
