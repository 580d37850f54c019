"""The live search (横断検索): its page for readers, and its address for programs."""
