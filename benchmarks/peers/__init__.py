"""What a developer of a library would write in a week, side by side with the aggregator."""
