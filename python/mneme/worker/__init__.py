"""mneme/worker - Python suites, hosted for a trainer in C++ (docs/suites/workers.md).

    python PATH/worker serve FD           started by the trainer: FD is its control socket
    python PATH/worker check SUITE        smoke test of a suite in this interpreter

The folder runs without anything of mneme installed; it needs Python 3.9 and NumPy. A suite's packages
are imported by its module in suites/ when a task of it is made.
"""

VERSION = 1  # of the protocol
