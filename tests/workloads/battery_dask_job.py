"""Dask's own reads at the same time as tasks that read: spilled data, transfers between two workers, objects
that read a file when they are deserialised; and tasks that were stolen.

    battery_dask_job.py ADDRESS OUT.JSON DATADIR

Needs two workers with a small memory target. Written: {"expected": as battery_job.py does it,
"setstate_bytes": what deserialising read in workers, "transferred_bytes": at least, "stolen"}.
"""

import itertools
import json
import sys
from pathlib import Path

import battery_job
from battery_dask_tasks import Heavy, make, make_heavy, read_here, slow, use
from battery_tasks import MB
from distributed import Client, wait

SIZES = itertools.count(30_011, 17)


def where(dask_worker):
    return dask_worker.address


class Job:
    def __init__(self, address, directory):
        self.client = Client(address)
        self.client.wait_for_workers(2)
        self.data = [battery_job.write_random(directory / f"data-{i}", 4 * MB, 200 + i)
                     for i in range(3)]
        self.workers = sorted(self.client.run(where))
        self.expected = []

    def submit(self, road, function, *arguments, **options):
        size = next(SIZES)
        key = f"{road}-{size}"
        self.expected.append({"road": road, "group": "dask", "mixed": False, "may_be_none": False,
                              "column": "read_bytes",
                              "row": {"key": key, "attempt": 1, "status": "finished",
                                      "read_bytes": size, "child_read_bytes": 0,
                                      "mapped_bytes": 0, "at_least": {},
                                      "at_most": {"recv_bytes": battery_job.NOISE}}})
        return self.client.submit(function, self.data, size, *arguments, key=key, pure=False,
                                  **options)

    def spill(self):
        """More than a worker keeps, and all of it again."""
        made = [self.submit("spilled", make, MB) for _ in range(80)]
        wait(made)
        wait([self.submit("unspills", use, *made[i::20]) for i in range(20)])

    def transfer(self, count=24, ballast=MB):
        """Made by one worker, used by the other, which reads at the same time."""
        first, second = self.workers
        made = [self.submit("sends", make, ballast, workers=first) for _ in range(count)]
        wait([self.submit("receives", use, one, workers=second) for one in made])
        return count * ballast

    def deserialise(self, count=24):
        """As an argument, as another worker's result, and from spilled memory."""
        first, second = self.workers
        heavy = Heavy(self.data, 40_009, bytes(10))
        arguments = [self.submit("argument", use, heavy) for _ in range(count)]
        made = [self.submit("heavy", make_heavy, ballast, workers=first)
                for ballast in [1000, 2 * MB] * (count // 2)]
        wait([self.submit("unpickles", use, one, workers=second) for one in made])
        alone = self.submit("alone", make_heavy, 1000, workers=first)
        wait(arguments + [alone])
        # With one task at a time no other task could have read it.
        for _ in range(5):
            wait(self.submit("lonely", use, alone, workers=second))
            alone = self.submit("alone", make_heavy, 1000, workers=first)
            wait(alone)

    def steal(self):
        """All tasks want the worker that has their input; the idle one takes some."""
        first, second = self.workers
        seed = self.submit("seed", make, 10, workers=first)
        wait([self.submit("slow", slow, seed) for _ in range(8)])  # Dask learns how long it takes
        wanted = [self.submit("slow", slow, seed) for _ in range(80)]
        wait(wanted)
        return sum(second in holders for holders in self.client.who_has(wanted).values())


def main():
    address, out, directory = sys.argv[1:]
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    job = Job(address, directory)
    job.spill()
    transferred = job.transfer()
    job.deserialise()
    stolen = job.steal()
    Path(out).write_text(json.dumps({
        "expected": job.expected,
        "skipped": {},
        "rounds": 1,
        "setstate_bytes": sum(job.client.run(read_here).values()),
        "transferred_bytes": transferred,
        "stolen": stolen,
        "python": sys.version.split()[0],
    }, indent=1))
    job.client.close()


if __name__ == "__main__":
    main()
