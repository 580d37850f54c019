"""HTTP on the server side: client addresses, encodings, ranges, token buckets, concurrency limits."""
