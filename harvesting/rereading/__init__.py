"""Rereading (再処理): converting and validating stored payloads again after a crosswalk or a rule has changed."""
