"""Issues of stored records: storage, counts, lists, exports, letters to providers."""
