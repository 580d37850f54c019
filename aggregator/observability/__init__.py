"""What the operators of the site see of it: request log, metrics, readiness, error reports.

request_log     middleware that gives every request an id, times, counts and logs it
routes          the patterns of addresses, which logs contain instead of paths
request_counts  counts and durations of requests, summed over the processes of a web server
figures         providers, harvests, records, index, mail and backups as gauges; reads small tables and indexes only
issue_counts    issues by severity, for the figures
queue_and_disk  the queue server and the disk, for the figures
metrics         all figures and counts in Prometheus' format, for /metrics
readiness       whether the site can do its work, and if not, why
sentry          error reports to Sentry, if configured
"""
