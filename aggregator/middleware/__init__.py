"""Keeps the site answering when too much is asked of it. Knows requests and limits; nothing of books.

In the order in which a request meets them (`maze.FacetMaze`, then `limits.LoadLimits`):

    fields      how many the address has                                    -> 400
    maze        many facet conditions by somebody who never opened a page   -> 303 to a page that asks
    addresses   whose request it is: the client's network, also behind proxies that are named as trusted
    buckets     how much that network asked lately                          -> 429, with the doors for mass reading
    gates       how many searches run in this process now                   -> 503, come back in a moment
    deadlines   how long the database may take for a page                   -> 503
    freshness   whether the asker has the page already                      -> 304

Record pages and static files pass none of those in the middle, from the maze to the gates.
"""
