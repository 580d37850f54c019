"""Issues (指摘) of stored records: storage, counts, lists, exports, letters to providers."""
