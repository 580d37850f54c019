"""The search engine as a setting: one small interface, one module per engine."""
