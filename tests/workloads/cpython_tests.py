"""Run modules of CPython's own test suite and print one line per test: outcome and name.

cpython_tests.py test_io test_gc      sorted lines on standard output, nothing else there

Tests that need the network, a display, much memory or much time stay out (no resources)."""

import os
import sys
import unittest

import test.support


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.lines = set()
        self.details = []

    def note(self, outcome, case):
        self.lines.add(f"{outcome} {case.id()}")

    def addSuccess(self, case):
        self.note("ok", case)

    def addError(self, case, error):
        super().addError(case, error)
        self.note("error", case)

    def addFailure(self, case, error):
        super().addFailure(case, error)
        self.note("failure", case)

    def addSkip(self, case, reason):
        self.note("skipped", case)

    def addExpectedFailure(self, case, error):
        self.note("expected failure", case)

    def addUnexpectedSuccess(self, case):
        self.note("unexpected success", case)

    def addSubTest(self, case, subtest, error):
        super().addSubTest(case, subtest, error)
        if error:
            self.note("failure", case)


def run(names):
    test.support.use_resources = []
    test.support.verbose = 0
    outcomes = Outcomes()
    out = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    # What tests chat is not their result; their children's chat goes the same way.
    os.dup2(null, 1)
    os.dup2(null, 2)
    for name in names:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + name)
        suite.run(outcomes)
    sys.stdout.flush()
    os.dup2(out, 1)
    text = "".join(line + "\n" for line in sorted(outcomes.lines))
    for case, trace in outcomes.errors + outcomes.failures:
        text += f"# {case}\n{trace}\n"
    os.write(1, text.encode("utf-8", "replace"))


run(sys.argv[1:])
