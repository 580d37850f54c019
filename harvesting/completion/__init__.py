"""What happens when a list has been read to its end: sweeping, deletion guards, conclusions."""
