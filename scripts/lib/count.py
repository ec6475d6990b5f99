"""scripts/lib/count.py - test cases of a suite: prints "passed failed skipped".

count.py junit FILE   what ctest --output-junit and pytest --junit-xml write
count.py tap FILE     what node --test --test-reporter=tap writes
"""

import re
import sys
from xml.etree import ElementTree


def count_junit(path):
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        tags = {child.tag for child in case}
        if tags & {"failure", "error"} or case.get("status") == "fail":
            failed += 1
        elif "skipped" in tags or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_tap(path):
    with open(path, encoding="utf-8") as file:
        totals = dict(re.findall(r"^# (\w+) (\d+)$", file.read(), re.MULTILINE))
    number = {
        name: int(totals.get(name, 0)) for name in ("pass", "fail", "cancelled", "skipped", "todo")
    }
    return number["pass"], number["fail"] + number["cancelled"], number["skipped"] + number["todo"]


if __name__ == "__main__":
    kind, path = sys.argv[1:]
    print(*{"junit": count_junit, "tap": count_tap}[kind](path))
