"""Load on a site with very many books, during a harvest: one command for each goal.

    python3 run.py bench load.site      makes the site, once for all of them
    python3 run.py bench load.search    searches a second
    python3 run.py bench load.books     pages of books a second, drawn evenly and as readers draw
    python3 run.py bench load.oai       pages of OAI-PMH a second
    python3 run.py bench load.overload  pages of books beside very many connections that search
    python3 run.py bench load.slow      pages of books beside clients that send or read very slowly
    python3 run.py bench load.flood     readers beside a flood from ten thousand addresses

Each starts the web server as `run.py serve` does, and a harvest beside it. The one who asks shares the processors.
"""
