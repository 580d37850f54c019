"""The desk of interlibrary loan: who works for a library, requests with their history, mails, lists and figures."""
