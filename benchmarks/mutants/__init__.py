"""Which faults the tests notice: a program that plants faults in the code of one part and runs the part's tests."""
