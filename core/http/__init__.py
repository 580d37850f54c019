"""HTTP on the server side: client addresses, encodings, ranges, rate limits, concurrency limits."""
