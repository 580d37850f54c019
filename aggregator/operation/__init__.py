"""What those who run the site see of it: request lines, counts, health, reports of errors. Nothing of books.

kinds      which part of the site a request asks                 pure
counts     requests and their durations, added up over processes
requests   the middleware that numbers, times and counts them
figures    the state of harvests, queues and index, as numbers   reads small tables and partial indexes only
health     whether the site can do its work, and why not
reports    errors to Sentry, where that is wanted
"""
