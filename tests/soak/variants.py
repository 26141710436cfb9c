"""Every end-to-end suite with tests that `make test` leaves out, in full. They are found by their call of
cup_only_in_soak(), so that no such test is forgotten. What fails or is skipped is printed.

    variants.py [SUITE...]     only these suites

Exit status 1 if a test failed.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import soak  # noqa: E402


def suites():
    for path in sorted(TOP.glob("tests/e2e/test_*.c")):
        source = path.read_text()
        if "cup_only_in_soak()" in source:
            yield from sorted(set(re.findall(r"^ *Test\((\w+),", source, re.MULTILINE)))


def run(suite):
    """Prints the output of tests that did not pass. Returns how many failed, and how many were skipped."""
    command = [TOP / "build/tests/e2e", "-j1", "--verbose", "--color=never", "--filter", f"{suite}/*"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           env={**os.environ, "SOAK": "1"})
    text = re.sub(r"^(\[SKIP\] .*: Test is disabled|\[====\] Running .*|\[----\] Criterion .*)\n", "",
                  ended.stdout.decode(errors="replace"), flags=re.MULTILINE)
    for test in re.split(r"^(?=\[RUN \])", text, flags=re.MULTILINE):
        if not re.search(r"^\[PASS\]", test, re.MULTILINE):
            print(test, end="")
    failed, skipped = (len(re.findall(rf"^\[{word}\]", text, re.MULTILINE)) for word in ("FAIL", "SKIP"))
    return failed or int(ended.returncode != 0), skipped


def main():
    any_failed = False
    for suite in suites():
        if sys.argv[1:] and suite not in sys.argv[1:] or soak.done("variants", suite):
            continue
        start = time.monotonic()
        failed, skipped = run(suite)
        seconds = round(time.monotonic() - start)
        print(f"variants: {suite}: {failed} failed, {skipped} skipped, {seconds} s", flush=True)
        soak.append("variants", suite, rounds=1, failed=failed, skipped=skipped, seconds=seconds)
        any_failed |= failed > 0
    return int(any_failed)


if __name__ == "__main__":
    sys.exit(main())
