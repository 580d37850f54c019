"""Public statistics: what the catalogue holds, counted once a day, and what readers use, counted without cookies."""
