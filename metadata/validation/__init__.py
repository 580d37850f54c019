"""Basis of the validation rules: registry, messages, and the checks that apply to every format."""
