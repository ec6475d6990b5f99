"""tests/worker/conftest.py - loads the worker of this tree before the tests ask for it."""

import loading  # noqa: F401
