"""The review of matches by staff: the queue, two records side by side, rulings and the preview of their effect."""
