"""What those who run the site see of it: request lines, counts, health, reports of errors. Nothing of books.

kinds       which part of the site a request asks (pure)
counts      requests and their durations, added up over processes
requests    the middleware that numbers, times and counts them
figures     providers, harvests, records, index, letters, as numbers: small tables and partial indexes only
stocks      issues by severity, for the figures
machine     the queue server and the disk, for the figures
exposition  all figures and counts, as /metrics gives them
health      whether the site can do its work, and why not
reports     errors to Sentry, where that is wanted
"""
