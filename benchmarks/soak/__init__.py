"""24 hours of a whole site, with its clock running ahead: `python -m benchmarks.soak`."""
