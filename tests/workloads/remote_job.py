"""Attaches to a cluster of two workers with nannies that runs already, and compares with what happened.

    remote_job.py ADDRESS CUPPING SCRATCH

The tasks run while workers are restarted; one worker has no nanny, and one comes late. Secrets are in
texts that the library records. A line for each expectation that did not hold; exit status 1 then.
"""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from checks import expect, finish  # noqa: E402
from distributed import Client, wait  # noqa: E402

import cupping  # noqa: E402
import cupping.profile  # noqa: E402

LIMIT_S = 300  # against hangs
TASKS = 60
SECRETS = ["Amber7Fox", "Birch8Owl", "Cedar9Elk", "Delta3Ant", "Ember4Bee", "Flint5Cod", "Grove6Doe"]


def start_worker(address, scratch, name, *options):
    log = open(scratch / f"{name}.log", "w")
    return subprocess.Popen(
        [sys.executable, "-m", "dask", "worker", address, "--nthreads", "1", "--no-dashboard", "--name", name,
         "--memory-limit", "0", "--local-directory", scratch / f"{name}-scratch", *options],
        stdout=log, stderr=log)


def work(number, ran):
    """A task that says that it ran, and whether its process has the library."""
    time.sleep(0.1)
    with open(ran, "a") as file:
        file.write(f"{number}\n")
    return "libcupping.so" in Path("/proc/self/maps").read_text()


def use_secrets(secrets):
    """Texts that cupping records: a path, an argument of a program, an error."""
    a, b, c, d = secrets
    for path in (f"/nowhere/https://u:{a}@h/x.root?q={b}", f"x.root?token={c}"):
        try:
            open(path, "rb")
        except OSError:
            pass
    subprocess.run(["/bin/sh", "-c", "cat /dev/null", "sh", "--password", c, f"https://h/p?sig={b}"],
                   check=True, env={**os.environ, "API_TOKEN": a})
    raise ValueError(f"403 for https://user:{d}@storage.example/f.root?X-Signature={b}, token={a}")


def environment_of(dask_worker):
    return {name: text for name, text in {**os.environ, **dask_worker.pre_spawn_env}.items()
            if name.startswith("CUPPING_") or "libcupping" in text}


def plugins_of(dask_worker):
    return [name for name in [*dask_worker.plugins, *dask_worker.handlers] if name.startswith("cupping")]


def plugins_of_scheduler(dask_scheduler):
    return [name for name in dask_scheduler.nanny_plugins if name.startswith("cupping")]


def has_library():
    return "libcupping.so" in Path("/proc/self/maps").read_text()


def check_attached(client, attached, scratch, ran, futures, late):
    (without,) = [address for address, worker in client.scheduler_info()["workers"].items()
                  if worker["name"] == "without"]
    expect(list(attached.refused) == [without], "refused", attached.refused)
    expect("nanny" in attached.refused.get(without, ""), attached.refused)
    known = json.loads((attached.directory / "collected.json").read_text())
    expect(known["refused"] == [{"worker": without, "why": attached.refused.get(without)}], known)
    client.gather(futures, errors="raise")
    rows = sorted(map(int, Path(ran).read_text().split()))
    expect(rows == list(range(TASKS)), "tasks ran more or less than once:", rows)
    late.append(start_worker(client.scheduler.address, scratch, "late"))
    client.wait_for_workers(4, timeout=LIMIT_S)
    having = client.run(has_library)
    expect(having.pop(without) is False and all(having.values()) and len(having) == 3, "preloaded", having)


def check_private(folder):
    """Only this user can read what is in the workers' directories."""
    logs = 0
    for path in [folder, *folder.rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        expect(mode & 0o077 == 0, path, oct(mode))
        logs += path.suffix == ".cup"
    return logs


def search_secrets(paths):
    """Returns how many of the files have the error of use_secrets()."""
    told = 0
    for path in paths:
        text = path.read_bytes()
        told += b"storage.example/f.root" in text
        for secret in SECRETS:
            at = text.find(secret.encode())
            expect(at < 0, f"{path} has {secret}:", text[max(0, at - 80):at + 40])
    return told


def check_secrets(client, folders):
    options = {"retries": 0, "pure": False}
    key = f"https://u:{SECRETS[4]}@h/k?q={SECRETS[5]}"
    workers = [address for address, has in client.run(has_library).items() if has]
    failed = [client.submit(use_secrets, SECRETS[:4], key=f"{key}&n={number}", workers=[worker], **options)
              for number, worker in enumerate(workers)]
    wait(failed, timeout=LIMIT_S)
    expect({future.status for future in failed} == {"error"}, [future.status for future in failed])
    told = search_secrets(path for folder in folders for path in folder.rglob("*.cup"))
    expect(told == len(workers), "errors in", told, "of", len(workers), "logs")


def await_report(attached):
    """The report so far, as soon as a log has been fetched."""
    until = time.monotonic() + LIMIT_S
    while True:
        try:
            return attached.report()
        except cupping.Error:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def main():
    address, command, scratch = sys.argv[1:]
    scratch = Path(scratch)
    cupping.profile.own_command = command
    ran = scratch / "ran"
    ran.touch()
    client = Client(address)
    others, late = [start_worker(address, scratch, "without", "--no-nanny")], []
    client.wait_for_workers(3, timeout=LIMIT_S)
    nannied = [each for each, worker in client.scheduler_info()["workers"].items() if worker.get("nanny")]
    kept = client.scatter("a result that is held", workers=nannied[:1])
    futures = client.map(work, range(TASKS), ran=str(ran), pure=False)
    with cupping.attach(client, scratch / "profile", wait_s=LIMIT_S, settings={"CUPPING_READS": 1}) as attached:
        check_attached(client, attached, scratch, ran, futures, late)
        expect(kept.result() == "a result that is held")
        folders = list(scratch.glob("*/dask-scratch-space/cupping-*"))
        expect(len(folders) == 2, folders)
        check_secrets(client, folders)
        logs = sum(map(check_private, folders))
        expect(logs >= 3, logs, "logs")
        expect("cupping report of" in await_report(attached))
    expect(kept.result() == "a result that is held")
    expect(not any(client.run(has_library).values()), "preloaded after the end", client.run(has_library))
    expect(not any(client.run(environment_of, nanny=True, workers=[worker for worker, about in
                   client.scheduler_info()["workers"].items() if about.get("nanny")]).values()), "environment")
    nannied = [worker for worker, about in client.scheduler_info()["workers"].items() if about.get("nanny")]
    plugins = client.run(plugins_of, nanny=True, workers=nannied)
    expect(not any(plugins.values()) and not client.run_on_scheduler(plugins_of_scheduler), "plugins", plugins)
    expect(not any(folder.glob("*-*/*.cup")) for folder in folders)
    expect(check_private(attached.directory) >= 3, "fetched logs")
    tasks = json.loads(cupping.profile.run_command("tasks", attached.directory, "--json", "-"))["tasks"]
    failed = [task["key"] for task in tasks if task["prefix"].startswith("https")]
    in_part = json.loads((attached.directory / "collected.json").read_text()).get("logs")
    expect(in_part or (len(failed) == 3 and "https://h/k" in failed), "failed", failed, in_part)
    search_secrets(attached.directory.iterdir())
    for process in others + late:
        process.terminate()
    client.close()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
