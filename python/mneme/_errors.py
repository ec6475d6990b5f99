"""mneme/_errors.py - a KeyError that shows its text as it is."""


class NotFoundError(KeyError):
    """A name that nothing is registered under; the text lists the known ones and the nearest."""

    def __str__(self):
        return self.args[0] if self.args else ""
