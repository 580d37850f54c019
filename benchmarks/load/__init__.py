"""Load on a site with very many books, during a harvest: one command for each goal.

    python -m benchmarks.load.site      makes the site, once for all of them
    python -m benchmarks.load.search    searches a second
    python -m benchmarks.load.books     pages of books a second, drawn evenly and as readers draw
    python -m benchmarks.load.oai       pages of OAI-PMH a second
    python -m benchmarks.load.overload  pages of books beside very many connections that search
    python -m benchmarks.load.slow      pages of books beside clients that send or read very slowly
    python -m benchmarks.load.flood     readers beside a flood from ten thousand addresses

Each starts the web server as `run.py serve` does, and a harvest beside it. The one who asks shares the processors.
"""
