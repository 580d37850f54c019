"""Middleware: limits that keep the site responsive under load, and the HTTP rules that many pages share.

The limits, in the order in which they apply to a request:

    field_limit        too many parameters in the address                              -> 400
                       a form with a NUL character, which PostgreSQL cannot store      -> 400
    conditional_get    the client already has the page                                 -> 304
    facet_guard        many facet conditions from a client that never opened a page    -> 303 to a page with a button
    result_page_cache  the same results page was made a moment ago                     -> that page
    rate_limit         too many searches from this network or API key (rate_budget)    -> 429 with the bulk interfaces
                       too many searches running in this process                       -> 503, try again in a moment
    statement_timeout  the database takes too long for a page                          -> 503

In a flood, `aggregator.early_refusals` stands before all of them and sends copies of the refusals of rate_limit.
An unreachable database is not handled here, because middleware uses it too: see `views.site.server_error`.
`compression` sends pages compressed; everything above sees and caches them uncompressed.
`reader_cookie` tells people from programs for facet_guard and rate_limit.
facet_guard, result_page_cache and rate_limit apply to searches and bulk interfaces only, not to record pages and
static files.
"""
