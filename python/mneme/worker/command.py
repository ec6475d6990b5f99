"""mneme/worker/command.py - the command line."""

import sys

USAGE = """usage: worker serve FD              host environments for the trainer at the other end of FD
       worker check SUITE [--all]   make, reset and step tasks of a suite; --all: every listed one
       worker tasks SUITE           names of the listed tasks
       worker bare SUITE            step a suite by a loop alone, asked line by line (mneme envs bench --suite)
suites: {suites}"""


def main(arguments):
    from . import suites

    usage = USAGE.format(suites=" ".join(suites.NAMES))
    verb, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if verb == "serve" and len(rest) == 1 and rest[0].isdigit():
        from . import serve

        # Not for the suite: Isaac Lab's launcher reads the command line.
        sys.argv[1:] = []
        return serve.main(int(rest[0]))
    if verb == "check" and rest and rest[1:] in ([], ["--all"]):
        from . import check

        return check.main(rest[0], len(rest) == 2)
    if verb == "bare" and len(rest) == 1:
        from . import bare

        return bare.main(rest[0])
    if verb == "tasks" and len(rest) == 1:
        try:
            print("\n".join(suites.load(rest[0]).FACTS.tasks))
        except LookupError as error:
            print(error.args[0], file=sys.stderr)
            return 1
        return 0
    print(usage, file=sys.stdout if verb in ("-h", "--help") else sys.stderr)
    return 0 if verb in ("-h", "--help") else 2
