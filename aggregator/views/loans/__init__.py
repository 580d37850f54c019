"""Pages of interlibrary loan: requests, their lists, the library's terms, and the link in a mail."""
