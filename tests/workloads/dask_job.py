"""Run every kind of task of dask_tasks.py and write down what each must have read.

    dask_job.py ADDRESS OUT.JSON DATA      DATA: any file of 2 MB or more

Written: {"expected": [{key, attempt, column: value, ...}], "witness": Dask's own account,
"skipped": {phase: reason}, "python", "distributed"}. The worker has eight threads.
"""

import json
import platform
import sys
from pathlib import Path

import dask
import dask_tasks as tasks
import distributed
import witness
from distributed import Client, span, wait

POOL = 8


def main() -> None:
    address, out, data = sys.argv[1:]
    client = Client(address)
    witness.install(client)
    client.wait_for_workers(1)
    marker = str(Path(out).with_suffix(".marker"))
    expected, skipped = [], {}

    def expect(key, attempt=1, status="finished", **columns):
        expected.append({"key": str(key), "attempt": attempt, "status": status, **columns})

    def submit(key, function, *args, **kwargs):
        return client.submit(function, *args, key=key, pure=False, **kwargs)

    # Eight tasks at the same time on one pool, all of different size.
    sizes = [10_000 + 7919 * i for i in range(POOL)]
    wait([submit(f"pool-{i}", tasks.read_pool, data, size, POOL) for i, size in enumerate(sizes)])
    for i, size in enumerate(sizes):
        expect(f"pool-{i}", read_bytes=size, read_context_bytes=size, read_own_bytes=0)

    # Reads of their own, among them keys that are not plain words.
    keys = ["own-0", ("tuple-key", 1, "b c"), ("tuple-key", 2.5), 17, "long-" + "k" * 600,
            "umlaut-ü"] + [b"bytes-key"] * takes_bytes()
    wait([submit(key, tasks.read_own, data, 30_000 + i) for i, key in enumerate(keys)])
    for i, key in enumerate(keys):
        expect(key, read_bytes=30_000 + i, read_own_bytes=30_000 + i, read_calls=2, open_calls=1)

    # Clock calls that are no task.
    for name, function in (("collect", tasks.collect), ("clocks", tasks.clocks)):
        wait([submit(f"{name}-{i}", function, data, 5_000 + i, i) for i in range(12)])
        for i in range(12):
            expect(f"{name}-{i}", read_bytes=5_000 + i, read_own_bytes=5_000 + i)
    wait([submit(f"spin-{i}", tasks.spin, 0.03) for i in range(8)])

    # Failures.
    failing = submit("raises-1", tasks.raises, data, 11_000)
    retried = submit("fails-first-1", tasks.fails_first, data, 12_000, marker, retries=2)
    wait([failing, retried])
    assert failing.status == "error" and retried.result() == 13_000
    expect("raises-1", status="erred", read_bytes=11_000)
    expect("fails-first-1", status="erred", read_bytes=12_000)
    expect("fails-first-1", attempt=2, read_bytes=13_000)

    # Memory: 8 MB more than asked for is what imports and buffers may take, and no more.
    results = [submit("allocate-1", tasks.allocate, 100 * tasks.MB)]
    wait(results)
    results.append(submit("allocate-twice-1", tasks.allocate_twice, 50 * tasks.MB))
    wait(results)
    results.append(submit("allocate-pool-1", tasks.allocate_in_pool, 40 * tasks.MB))
    results += [submit(f"result-{i}", tasks.result_of, 1 + 100_000 * i) for i in range(3)]
    wait(results)
    for key, total, peak in (("allocate-1", 100, 100), ("allocate-twice-1", 100, 50),
                             ("allocate-pool-1", 40, 40)):
        expect(key, at_least={"alloc_bytes": total * tasks.MB, "peak_live_bytes": peak * tasks.MB},
               at_most={"alloc_bytes": (total + 8) * tasks.MB,
                        "peak_live_bytes": (peak + 8) * tasks.MB})

    # Spans, one in the other, and a task that submits tasks.
    with span("outer"), span("inner"):
        wait([submit("spanned-1", tasks.read_own, data, 14_000)])
    expect("spanned-1", read_bytes=14_000, span="outer/inner")
    wait([submit("submits-1", tasks.submit_more, data, 21_000)])
    expect("submits-1", read_bytes=63_000)
    for i in (1, 2, 3):
        expect(f"inner-{21_000 + i}", read_bytes=21_000 + i)

    try:
        shuffle(client)
    except ImportError as error:
        skipped["shuffle"] = f"no dask.dataframe here: {error}"

    Path(out).write_text(json.dumps({
        "expected": expected,
        "witness": witness.account(client),
        "skipped": skipped,
        "python": platform.python_version(),
        "distributed": distributed.__version__,
    }, indent=1))
    client.close()


def takes_bytes() -> bool:
    """Keys of bytes went away in 2024."""
    try:
        dask.core.validate_key(b"key")
        return True
    except TypeError:
        return False


def shuffle(client) -> None:
    """A peer-to-peer shuffle: its transfers and merges read the CPU clock on the side."""
    import dask.dataframe as dd
    import pandas as pd

    frame = pd.DataFrame({"group": [i * 7919 % 97 for i in range(20_000)], "value": range(20_000)})
    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        shuffled = dd.from_pandas(frame, npartitions=6).shuffle("group", npartitions=5)
        total = client.compute(shuffled.value.sum()).result()
    assert total == 19_999 * 10_000, total


if __name__ == "__main__":
    main()
