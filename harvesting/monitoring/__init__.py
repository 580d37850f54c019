"""How providers are doing: health, verdicts, alarms, daily counts, charts."""
