"""Long hauls for tests/soak/hauls.py. Each job writes what it did to OUT: {"tasks", "bytes", "opens", "probes"}.

    haul_job.py tasks ADDRESS FILE TASKS SLEEP_S OUT     on the workers of a scheduler
    haul_job.py files FOLDER FILES OUT                   in this process: FOLDER gets so many files
    haul_job.py threads FILE THREADS SECONDS OUT         in this process

A probe is what the process (or the first worker) has: anonymous memory in bytes, descriptors, threads.
"""

import json
import os
import queue
import sys
import threading
import time

LOT = 5000  # tasks that a client has at the scheduler, files of a task
FILE_BYTES = 2000


def probe():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {
        "memory": int(status["RssAnon"].split()[0]) * 1024,
        "descriptors": len(os.listdir("/proc/self/fd")) - 1,
        "threads": int(status["Threads"]),
    }


def count_of(i):
    return FILE_BYTES // 2 + i % (FILE_BYTES // 2)


def work(i, path, sleep_s):
    descriptor = os.open(path, os.O_RDONLY)
    read = len(os.pread(descriptor, count_of(i), 0))
    os.close(descriptor)
    lists = [[j] * 20 for j in range(20)]
    time.sleep(sleep_s)
    return read * len(lists) // 20


def run_tasks(address, path, tasks, sleep_s):
    from dask.distributed import Client

    done = {"tasks": 0, "bytes": 0, "opens": 0, "probes": []}
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(1)
        for first in range(0, tasks, LOT):
            lot = range(first, min(first + LOT, tasks))
            read = client.gather(client.map(work, lot, path=path, sleep_s=sleep_s, pure=False))
            done["tasks"] += len(read)
            done["bytes"] += sum(read)
            done["probes"].append(next(iter(client.run(probe).values())))
    done["opens"] = done["tasks"]
    return done


def open_files(folder, first, count):
    """Files with holes, which take no blocks of the disk."""
    read = 0
    for i in range(first, first + count):
        path = f"{folder}/{i // LOT}/{i}.root"
        with open(path, "wb") as file:
            file.truncate(FILE_BYTES)
        descriptor = os.open(path, os.O_RDONLY)
        read += len(os.pread(descriptor, count_of(i), 0))
        os.close(descriptor)
    return read


def run_files(folder, files):
    from run_task import run

    done = {"tasks": 0, "bytes": 0, "opens": files, "probes": []}
    for first in range(0, files, LOT):
        os.makedirs(f"{folder}/{first // LOT}")
        done["bytes"] += run(f"work-{first}", lambda: open_files(folder, first, min(LOT, files - first)))
        done["tasks"] += 1
        done["probes"].append(probe())
    return done


def busy(path, number, round_number, answers):
    """Reads, allocates, and waits: for a sleep, for a lock, and for another thread's answer."""
    read = sum(work(number + i, path, 0) for i in range(10))
    time.sleep(0.005)
    helper = threading.Thread(target=lambda: answers.put(work(round_number, path, 0.001)))
    helper.start()
    read += answers.get()
    helper.join()
    return read


def run_threads(path, threads, seconds):
    from run_task import run

    done, lock = {"tasks": 0, "bytes": 0, "opens": 0, "probes": []}, threading.Lock()
    end = time.monotonic() + seconds

    def loop(number):
        answers, round_number = queue.Queue(), 0
        while time.monotonic() < end:
            read = run(f"work-{number}-{round_number}", lambda: busy(path, number, round_number, answers))
            round_number += 1
            with lock:
                done["tasks"] += 1
                done["bytes"] += read
                done["opens"] += 11

    running = [threading.Thread(target=loop, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    while time.monotonic() < end:
        time.sleep(seconds / 20)
        done["probes"].append(probe())
    for thread in running:
        thread.join()
    return done


def main():
    what, *words, out = sys.argv[1:]
    if what == "tasks":
        done = run_tasks(words[0], words[1], int(words[2]), float(words[3]))
    elif what == "files":
        done = run_files(words[0], int(words[1]))
    else:
        done = run_threads(words[0], int(words[1]), float(words[2]))
    with open(out, "w") as file:
        json.dump(done, file)


if __name__ == "__main__":
    main()
