"""mneme/worker - RL suites in Python, hosted for a trainer in C++ (docs/suites/workers.md).

    python PATH/worker serve FD           what the trainer starts: FD is its control socket
    python PATH/worker check SUITE        does the suite work in this interpreter?

The folder runs by itself: Python 3.9 and NumPy, nothing compiled, nothing of mneme installed. A
suite's packages are imported by its module in suites/ when a task of it is made.
"""

VERSION = 1  # of the contract
