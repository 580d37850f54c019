"""The soak test: 24 simulated hours of a whole site, by a clock that runs fast. `python3 run.py bench soak`."""
