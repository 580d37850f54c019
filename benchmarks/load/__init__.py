"""Load tests on a site with very many books, during a harvest: one command for each goal.

    python3 run.py bench load.site      makes the site, once for all tests
    python3 run.py bench load.search    searches per second
    python3 run.py bench load.books     record pages per second, requested evenly and as readers do
    python3 run.py bench load.oai       pages of OAI-PMH per second
    python3 run.py bench load.overload  record pages during searches on very many connections
    python3 run.py bench load.slow      record pages during connections of clients that send or read very slowly
    python3 run.py bench load.flood     readers during a flood of requests from ten thousand addresses

Each test starts the web server as `run.py serve` does, and a harvest. The load generator shares the processors.
"""
