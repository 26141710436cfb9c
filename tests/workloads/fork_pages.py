"""Prints the page faults of a forked child that ends at once: the smallest number of 20 children.

The process has run a task, so with the library it has a log.
"""

import os
import resource

from run_task import run

run("first", int)
counts = []
for _ in range(20):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    counts.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before)
print(min(counts))
