"""What the programs share that compare a profile with what its tasks really did."""

import subprocess

_wrong = []


def expect(holds, *what):
    if not holds:
        _wrong.append(" ".join(map(str, what)))


def run_cupping(cupping, *arguments):
    """What the program prints; raises if it fails."""
    return subprocess.run([cupping, *arguments], capture_output=True, check=True, text=True).stdout


def finish():
    """Prints a line for each expectation that did not hold. Returns the exit status."""
    print("\n".join(f"wrong: {each}" for each in _wrong))
    return 1 if _wrong else 0
