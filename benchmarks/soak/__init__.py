"""24 hours of a whole site, with its clock running ahead: `python3 run.py bench soak`."""
