"""The embedded search engine, Tantivy."""
