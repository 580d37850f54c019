"""The languages of pages and messages."""

LANGUAGES = {"ja": "日本語", "en": "English"}  # code -> name in the language itself, which its readers look for
