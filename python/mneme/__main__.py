"""mneme/__main__.py - `python -m mneme`: the command line tool."""

from ._tool import main

main()
