"""The review of matches by staff: queue, side by side, decisions and their preview."""
