"""From stored records to books: claims of records, comparison in their neighbourhood, writing of the groups."""
