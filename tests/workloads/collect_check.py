"""Logs that change while they are collected, without a cluster: answers and questions get lost, a
nanny forgets, a second nanny goes on, the disk has a limit. The copies must be equal, byte by byte.

    collect_check.py SCRATCH

The logs are files with a real header that a thread changes through a mapping, as the library does.
Prints one line of JSON with what was sent and lost. Ends with status 1 if anything is wrong.
"""

import asyncio
import atexit
import json
import mmap
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

from cupping.remote import collect, deltas  # noqa: E402

RECORDS = 16 * deltas.PIECE
CHANCE = random.Random(5)


class Writer:
    """A log of a process that sleeps: a header, blocks that change in place, records that grow."""

    def __init__(self, directory, records=RECORDS):
        self.process = subprocess.Popen(["sleep", "600"])
        atexit.register(self.kill)
        self.start_ns = time.time_ns()
        self.name = f"{deltas.host_name()}-{self.process.pid}-{self.start_ns}.cup"
        self.path = os.path.join(directory, self.name)
        self.end = records
        self.grow()
        self.header()

    def grow(self):
        with open(self.path, "ab") as file:
            file.truncate((self.end // 65536 + 2) * 65536)
        self.file = open(self.path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 0)

    def header(self):
        pid = self.process.pid
        texts = deltas.host_name().encode(), b"", b""
        deltas.HEADER.pack_into(
            self.map, 0, deltas.MAGIC, deltas.BYTE_ORDER, 4, 4, 1000, 1, RECORDS, self.end, pid,
            os.getpid(), self.start_ns, self.start_ns, 0, 0, 0, 0, *texts,
        )  # fmt: skip
        deltas.REGION.pack_into(self.map, deltas.HEADER.size, 1, 4, deltas.PIECE, 4096)

    def work(self, most=200_000):
        """Counters of the blocks change, and records are added."""
        for _ in range(3):
            at = CHANCE.randrange(deltas.PIECE, RECORDS)
            self.map[at : at + 1] = CHANCE.randbytes(1)
        data = CHANCE.randbytes(CHANCE.randrange(most)) if CHANCE.random() < 0.7 else b""
        begin, self.end = self.end, self.end + len(data)
        if self.end + 16 > len(self.map):
            self.grow()
        self.map[begin : self.end] = data
        self.header()

    def kill(self):
        self.process.kill()
        self.process.wait()


class Net:
    """Stands for Dask's comms: nannies by address, of which answers and questions get lost."""

    def __init__(self, sources, lost=0.0):
        self.sources, self.lost = sources, lost
        self.asked = self.lost_answers = self.lost_questions = 0

    async def ask(self, nanny, op=None, **question):
        source = self.sources.get(nanny.address)
        if source is None:
            raise OSError("gone")
        self.asked += 1
        if CHANCE.random() < self.lost / 2:
            self.lost_questions += 1
            raise OSError("question lost")
        question["wait"] = 0
        answer = await source.answer(**question)
        if CHANCE.random() < self.lost:
            self.lost_answers += 1
            raise OSError("answer lost")
        return answer


def collector(net, directory, addresses, **options):
    os.makedirs(directory)
    client = SimpleNamespace(scheduler=SimpleNamespace(address="tcp://none"), security=None)
    made = collect.Collector(client, directory, warn=lambda line: WARNED.append(line), **options)
    made.ask, made.stopping = net.ask, asyncio.Event()
    made.nannies = {a: collect.Nanny(f"worker-{a}", a) for a in addresses}
    return made


WARNED = []


async def look(made, address):
    """One question and its answer; what is lost is asked for at the next look."""
    nanny = made.nannies[address]
    try:
        answer = await made.ask_next(nanny, True)
    except OSError:
        return False
    again = made.take(nanny, answer)
    return answer["status"] == "OK" and not again


async def look_until_whole(made, address):
    while not (await look(made, address) and not made.nannies[address].confirmed):
        pass


def same(writer, directory):
    return Path(writer.path).read_bytes() == Path(directory, writer.name).read_bytes()


def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


async def lose_answers(scratch):
    """Every third answer is lost, and the nanny once forgets its client."""
    logs, home = f"{scratch}/lost/logs", f"{scratch}/lost/home"
    os.makedirs(logs)
    writers = [Writer(logs), Writer(logs)]
    source = deltas.Source(lambda: logs, set)
    net = Net({"a": source}, 0.34)
    made = collector(net, home, ["a"])
    for i in range(60):
        for writer in writers:
            writer.work()
        if i == 30:
            source.sessions.clear()
        await look(made, "a")
    for writer in writers:
        writer.kill()
    await look_until_whole(made, "a")
    check(all(copy.final for copy in made.copies.values()), "the logs are not final")
    check(all(same(writer, home) for writer in writers), "copies differ")
    check(not made.known_in_part(), "a whole log counts as incomplete")
    check(net.lost_answers > 10 and net.lost_questions > 3, "too few were lost")
    return {
        "asked": net.asked,
        "lost_answers": net.lost_answers,
        "sent_bytes": made.sent_bytes,
        "log_bytes": sum(os.path.getsize(w.path) for w in writers),
    }


async def send_nothing_twice(scratch):
    """Without losses, what is sent are the pieces that changed; a large log is not read whole."""
    logs, home = f"{scratch}/once/logs", f"{scratch}/once/home"
    os.makedirs(logs)
    writer = Writer(logs)
    made = collector(Net({"a": deltas.Source(lambda: logs, set)}), home, ["a"])
    await look_until_whole(made, "a")
    before = made.sent_bytes
    await look_until_whole(made, "a")
    check(made.sent_bytes == before, "what did not change was sent")
    for _ in range(100):
        writer.work(600_000)
        before, end = made.sent_bytes, writer.end
        await look_until_whole(made, "a")
    check(os.path.getsize(writer.path) > deltas.SMALL, "the log is small")
    check(made.sent_bytes < 1.3 * writer.end, f"{made.sent_bytes} bytes sent of {end}")
    writer.map[RECORDS + 5 : RECORDS + 6] = b"!"  # an old record, which only full looks read
    writer.kill()
    await look_until_whole(made, "a")
    check(same(writer, home), "the copy differs")


async def share_a_directory(scratch):
    """Two nannies see one directory. The first reads it; it vanishes, and the second goes on. When
    the second closes, it hands over its own worker's log only."""
    logs, home = f"{scratch}/shared/logs", f"{scratch}/shared/home"
    os.makedirs(logs)
    writers = [Writer(logs), Writer(logs), Writer(logs)]
    own = [{writers[0].process.pid}, {writers[1].process.pid}, {writers[2].process.pid}]
    sources = {a: deltas.Source(lambda: logs, lambda p=p: p) for a, p in zip("abc", own)}
    made = collector(Net(sources), home, list("abc"))
    for _ in range(5):
        for writer in writers:
            writer.work()
        for address in "abc":
            await look_until_whole(made, address)
    sent = made.sent_bytes
    check(sent < 1.3 * sum(writer.end for writer in writers), "a log was sent twice")
    check({c.source.address for c in made.copies.values()} == {"a"}, "two nannies read")
    writers[1].work()
    writers[1].kill()
    sources["b"].closing = True
    while True:  # the nanny b ends its worker, and hands over the log's end
        answer = await made.ask_next(made.nannies["b"], True)
        if not made.take(made.nannies["b"], answer) and answer["status"] == "closing":
            break
    check(same(writers[1], home), "the log of the worker of b")
    del sources["a"], sources["b"]
    for address in "ab":
        made.nannies[address].ended = "gone"
        made.give_up(made.nannies[address])
    part = made.known_in_part()
    check(set(part) == {writers[0].name, writers[2].name}, f"lost: {part}")
    check(all(about["until"] and about["why"] == "lost" for about in part.values()), f"{part}")
    writers[0].kill()
    writers[2].work()
    before = made.sent_bytes
    await look_until_whole(made, "c")
    check(same(writers[0], home) and same(writers[2], home), "c did not go on")
    check(made.sent_bytes - before < 250_000, "c sent again what was there")
    part = made.known_in_part()
    check(part[writers[2].name]["why"] == "stopped", f"a log that another nanny goes on with: {part}")
    writers[2].kill()


async def name_what_was_refused(scratch):
    """A file system did not store all of a log, or not even its header: it is named, although its copy is equal and
    final, or although there is none."""
    logs, home = f"{scratch}/refused/logs", f"{scratch}/refused/home"
    os.makedirs(logs)
    writers = [Writer(logs), Writer(logs)]
    made = collector(Net({"a": deltas.Source(lambda: logs, set)}), home, ["a"])
    await look_until_whole(made, "a")
    empty = writers[0].name.replace(".cup", "0.cup")
    for name in writers[0].name, empty:
        Path(logs, name + ".refused").touch()
    for writer in writers:
        writer.kill()
    await look_until_whole(made, "a")
    check(all(copy.final for copy in made.copies.values()), "the logs are not final")
    part = made.known_in_part()
    check(part == dict.fromkeys([writers[0].name, empty], {"until": None, "why": "refused"}), f"{part}")


async def ignore_others(scratch):
    """What another nanny sends of a log is confirmed, and not written: only the deltas of its source count."""
    logs, home = f"{scratch}/others/logs", f"{scratch}/others/home"
    os.makedirs(logs)
    writer = Writer(logs)
    sources = {a: deltas.Source(lambda: logs, set) for a in "ab"}
    made = collector(Net(sources), home, ["a", "b"])
    await look_until_whole(made, "a")
    copy = made.copies[writer.name]
    before, number, sent = Path(home, writer.name).read_bytes(), copy.number, made.sent_bytes
    writer.work()
    other = made.nannies["b"]
    answer = await sources["b"].answer("session", have={writer.name: copy.have()})
    made.take(other, answer)
    check(writer.name in answer["logs"], "the other nanny sends nothing")
    check(Path(home, writer.name).read_bytes() == before and made.sent_bytes == sent, "another nanny's delta was written")
    check(copy.number == number and copy.source.address == "a", "another nanny became the source")
    check(other.confirmed == {writer.name: answer["logs"][writer.name]["number"]}, "it is asked for again")
    await look_until_whole(made, "a")
    check(same(writer, home), "the source's delta is missing")


async def name_those_that_left(scratch):
    """A nanny that never answered is named, also one that got no further than "unknown", or had no log to
    send; one that answered with logs is not."""
    logs, home = f"{scratch}/left/logs", f"{scratch}/left/home"
    os.makedirs(logs)
    sources = {"a": deltas.Source(lambda: logs, set), "c": deltas.Source(lambda: logs, set),
               "d": deltas.Source(lambda: None, set)}
    sources["here"] = deltas.Source(lambda: home, set)
    made = collector(Net(sources), home, ["a", "b", "c", "d", "here"])
    await look_until_whole(made, "a")
    await look(made, "here")
    await look(made, "c")
    await look(made, "d")
    check([made.nannies[address].status for address in "cd"] == ["unknown", "no directory"], "statuses")
    for nanny in made.nannies.values():
        nanny.ended = "gone"
        made.give_up(nanny)
    made.write_state(False)
    refused = json.loads(Path(home, "collected.json").read_text())["refused"]
    check([each["worker"] for each in refused] == ["worker-b", "worker-c", "worker-d"], f"{refused}")
    check([collect.LEFT, collect.LEFT] == [each["why"] for each in refused[:2]], f"{refused}")
    check("cupping-run" in refused[2]["why"], f"{refused}")


async def wait_for_new_clients(scratch):
    """A nanny that closes waits for a client of which only the scheduler knows yet, and gives it all of its log."""
    logs, home = f"{scratch}/new/logs", f"{scratch}/new/home"
    os.makedirs(logs)
    writer = Writer(logs)
    writer.work()
    writer.kill()
    source = deltas.Source(lambda: logs, set)
    made = collector(Net({"a": source}), home, ["a"])
    closing = asyncio.create_task(source.close([made.session], 60))
    await asyncio.sleep(0.1)
    check(not closing.done(), "the nanny did not wait")
    await made.follow(made.nannies["a"])
    await closing
    check(same(writer, home) and not made.known_in_part(), "the log is not whole")


class Scheduler:
    """As much of Dask's scheduler as Joined uses."""

    def __init__(self):
        self.workers, self.plugins, self.handlers = {}, {}, {}

    def add_plugin(self, plugin, name):
        self.plugins[name] = plugin

    def remove_plugin(self, name):
        del self.plugins[name]

    def join(self, worker):
        self.workers[worker] = SimpleNamespace(address=worker, nanny=f"nanny-{worker}")
        if deltas.JOINED in self.plugins:
            self.plugins[deltas.JOINED].add_worker(self, worker)

    def end_tasks(self, worker, number, finish="memory", action="compute"):
        for _ in range(number):
            self.plugins[deltas.JOINED].transition("x", "processing", finish, stimulus_id="s", worker=worker,
                                                   startstops=[{"action": action, "start": 1, "stop": 2}])


async def count_tasks(scratch):
    """The tasks that each worker has ended, of those that are profiled."""
    scheduler = Scheduler()
    made = collector(Net({}), f"{scratch}/count/home", [])

    async def run_in_scheduler(name, **words):
        return getattr(deltas, name)(scheduler, **words)

    made.run_in_scheduler = run_in_scheduler
    scheduler.join("bare")
    scheduler.join("a")
    await made.find_nannies()
    made.leave_out({"bare"})
    scheduler.end_tasks("bare", 5)
    scheduler.end_tasks("a", 3)
    scheduler.end_tasks("a", 1, "erred")
    scheduler.end_tasks("a", 7, action="transfer")  # they did not run
    scheduler.join("brief")
    scheduler.end_tasks("brief", 22)
    del scheduler.workers["brief"]
    await made.find_nannies()
    check(set(made.nannies) == {"nanny-bare", "nanny-a", "nanny-brief"}, f"{set(made.nannies)}")
    check(made.nannies["nanny-brief"].worker is None, "a worker that left is present")
    check(scheduler.handlers[deltas.CLIENTS]() == [made.session], "nannies would not wait")
    made.counted = made.found["joined"]  # as finish_counting()
    scheduler.join("soon")
    made.counted += 1
    scheduler.end_tasks("a", 2)
    scheduler.join("late")
    scheduler.join("a")  # restarted at the same address
    scheduler.end_tasks("late", 9)
    scheduler.end_tasks("a", 9)
    await made.find_nannies()
    scheduler.join("idle")  # after the last end of a task
    await made.find_nannies(leaves=True)
    check(made.tasks_ended(made.ended) == {"a": 6, "brief": 22}, f"{made.tasks_ended(made.ended)}")
    check(scheduler.handlers[deltas.CLIENTS]() == [], "nannies would wait")
    check(deltas.remove_joined_plugin(scheduler) == 0 and not scheduler.plugins, "the plugin stays")


async def count_anew(scratch):
    """A client that only the scheduler reaches keeps the counts when another one ends. If they were removed
    because it was silent for long, it begins anew, and does not add them to other workers."""
    scheduler = Scheduler()
    made = collector(Net({}), f"{scratch}/anew/home", ["nanny-a"])

    async def run_in_scheduler(name, **words):
        return getattr(deltas, name)(scheduler, **words)

    made.run_in_scheduler = run_in_scheduler
    for worker in "gone", "bare", "a":
        scheduler.join(worker)
    made.nannies["nanny-a"].forwarded = True
    await made.find_nannies()
    made.leave_out({"bare"})
    check(scheduler.handlers[deltas.CLIENTS]() == [], "nannies would wait for a client that does not reach them")
    deltas.find_nannies(scheduler, "another")
    deltas.find_nannies(scheduler, "another", leaves=True)
    check(deltas.remove_joined_plugin(scheduler) == 1, "the counts are gone")
    scheduler.end_tasks("a", 3)
    await made.find_nannies()
    check(made.tasks_ended(made.ended) == {"a": 3}, f"{made.tasks_ended(made.ended)}")
    scheduler.plugins[deltas.JOINED].clients[made.session] = (time.monotonic() - deltas.PRESENT_S - 1, True)
    check(deltas.remove_joined_plugin(scheduler) == 0, "a client that is silent is present")
    del scheduler.workers["gone"]
    deltas.find_nannies(scheduler, "another")
    for worker in "bare", "a":
        scheduler.end_tasks(worker, 4)
    scheduler.join("new")
    scheduler.end_tasks("new", 5)
    await made.find_nannies()
    check(made.tasks_ended(made.ended) == {"a": 4, "new": 5}, f"{made.tasks_ended(made.ended)}")


def written_counts(made):
    made.settle_counts()
    made.write_state(True)
    return json.loads(Path(made.directory, "collected.json").read_text())["tasks_ended"]


async def count_before_the_end(scratch):
    """What a client leaves that is killed: counts that are not newer than the copies."""
    made = collector(Net({}), f"{scratch}/counts", ["a", "b", "bare"])
    made.joined, made.ended = {0: "a", 1: "b"}, [3, 1]
    a, b, bare = made.nannies.values()
    bare.status = "no directory"
    check(written_counts(made) == {}, "no nanny has answered")
    made.ended = [5, 1]
    a.whole_answers += 2
    b.whole_answers += 1
    check(written_counts(made) == {}, "the copies may be older than the counts")
    b.whole_answers += 1
    check(written_counts(made) == {"a": 3, "b": 1}, "all nannies have answered twice")
    a.whole_answers += 2
    b.ended = "its nanny closed"
    check(written_counts(made) == {"a": 5, "b": 1}, "one has answered, one is gone")
    made.counts_wait = True
    made.settling = made.ended = [7, 1]
    a.whole_answers += 2
    check(written_counts(made) == {"a": 5, "b": 1}, "attach does not know yet whom to leave out")


async def limit_the_disk(scratch):
    """The second log finds no room: one line, and collected.json names it."""
    logs, home = f"{scratch}/limit/logs", f"{scratch}/limit/home"
    os.makedirs(logs)
    writers = [Writer(logs), Writer(logs)]
    for writer in writers:
        writer.map[RECORDS : RECORDS + 40_000] = CHANCE.randbytes(40_000)
    made = collector(Net({"a": deltas.Source(lambda: logs, set)}), home, ["a"], limit_bytes=60_000)
    await look(made, "a")
    await look(made, "a")
    made.write_state(False)
    for writer in writers:
        writer.kill()
    check(len(WARNED) == 1 and "limit" in WARNED[0], f"warned: {WARNED}")
    state = json.loads(Path(home, "collected.json").read_text())
    check(state["full"] and len(state["logs"]) == 2, f"{state}")
    check(sorted(about["why"] for about in state["logs"].values()) == ["full", "stopped"], f"{state}")
    kept = sum(os.stat(Path(home, name)).st_blocks * 512 for name in os.listdir(home))
    check(kept < 60_000 + 8192, f"{kept} bytes on the disk")


async def refuse_names(scratch):
    """A nanny cannot write outside of the directory, nor over a file that was there."""
    home = f"{scratch}/names/home"
    made = collector(Net({}), home, ["a"])
    Path(home, "here-1-1.cup").write_text("mine")
    for name in ("../out.cup", "/tmp/out.cup", "here-1-1.cup", "a/b.cup", ".cup\n"):
        check(made.copy_of(made.nannies["a"], name) is None, f"{name} is accepted")
    check(os.stat(home).st_mode & 0o777 == 0o777 & ~UMASK, "mode")


UMASK = os.umask(0)
os.umask(UMASK)


def separate_logs_of_nannies():
    """By the process in their names only: the host's name may hold the same number."""
    check(collect.pid_of("host-1-1700000000000000000.cup") == 1, "the nanny's own log")
    check(collect.pid_of("ip-10-0-1-25-4711-1700000000000000000.cup") == 4711, "a host with numbers in its name")
    check(collect.pid_of("merged.cup") is None, "another name")


async def main():
    scratch = sys.argv[1]
    separate_logs_of_nannies()
    facts = await lose_answers(scratch)
    for part in send_nothing_twice, share_a_directory, name_what_was_refused, ignore_others, name_those_that_left, \
            wait_for_new_clients, count_tasks, count_anew, count_before_the_end, limit_the_disk, refuse_names:
        await part(scratch)
    print(json.dumps(facts))


if __name__ == "__main__":
    asyncio.run(main())
