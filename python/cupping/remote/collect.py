"""Fetches logs while the job runs: `cupping collect`, and `cupping.attach`.

A Collector asks each nanny of a cluster again and again what changed in the logs of its host
(deltas.py), over Dask's own comms, and keeps a copy of each log. It connects straight to the nannies;
where that is not possible, the scheduler passes the questions on. It runs in a thread of its own,
with an event loop of its own, so it needs nothing of the client but its addresses and its TLS
identity, and goes on when the client closes.
"""

import array
import asyncio
import errno
import json
import os
import random
import re
import resource
import threading
import time
import zlib

from . import by_source, deltas, say
from .whole_file import write_whole

LIMIT_BYTES = 10 << 30  # of disk space for the copies: 10G
# Comms that stay open: a quarter of the files that this process may open. With more nannies, each
# question has its own.
MOST_COMMS = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4
MOST_CONNECTS = 16  # at the same time: a thousand at once would all time out
FORWARDED_PER_S = 10  # questions that the scheduler passes on, for all nannies together
CONNECT_S = 5
SILENT_S = 300  # of a scheduler, until it is taken to be gone
LONGEST_PAUSE_S = 10  # between two questions to a nanny that cannot be reached
AGAIN_S = 0.1  # until a nanny is asked once more for the ends of logs
CLOSING_RETRIES = 3  # of a nanny that closes
LEAVING_RETRIES = 100  # of one that is still ending its worker
REGISTER_S = 300  # the scheduler waits until nannies that are starting have started
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
PLUGIN = OP = "cupping-collect"
CLOSED = "its nanny closed"
UNREACHABLE = "its nanny or its host cannot be reached"
LEFT = "it left before any of its log was fetched"
WITHOUT_LOG = {"no directory": "it has no profile directory, so it was not started under cupping-run"}
LOG_NAME = re.compile(r"[A-Za-z0-9._-]+\.cup")


def pid_of(name):
    """The process of a log HOST-PID-STARTNS.cup; None: it has another name."""
    parts = name.rpartition(".")[0].rsplit("-", 2)
    return int(parts[1]) if len(parts) == 3 and parts[1].isdigit() else None


def is_refusal(error):
    """No process listens at that address of the host any more."""
    while error and not isinstance(error, ConnectionRefusedError):
        error = error.__cause__
    return error is not None


class Plugin:
    """The nannies' plugin, as it is sent: the source of deltas.py."""

    def __reduce__(self):
        return by_source.reduce_by_source(deltas.__name__, "CollectPlugin", {})


LOCK = threading.Lock()


def read_collected(directory):
    path = os.path.join(directory, "collected.json")
    if not os.path.isfile(path):  # to open a FIFO would wait for a writer
        return {}
    try:
        with open(path) as file:
            known = json.load(file)
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def update_collected(directory, **parts):
    """Replaces PARTS of DIRECTORY/collected.json, such as refused=[{"worker":, "why":}]. Called by any
    thread of the process that collects."""
    path = os.path.join(directory, "collected.json")
    with LOCK:
        known = read_collected(directory)
        write_whole(path, (json.dumps({**known, **parts}, indent=1, sort_keys=True) + "\n").encode())


class Copy:
    """The copy of a log that is being fetched. The file has the log's name only when it has a header and all that the
    header speaks of."""

    def __init__(self, directory, name, source):
        self.path = os.path.join(directory, name)
        self.part = os.path.join(directory, f".{name}.part")
        self.source = source  # Nanny whose deltas count
        self.number = 0  # of the last delta
        self.bytes = 0  # of disk space
        self.size = 0
        self.final = False
        self.ready = False
        self.until = None  # time of the nanny's host, seconds; None: nothing arrived
        self.why = None  # why it is incomplete: "lost" or "full"; None: it is not, or not known yet
        self.lost_because = None

    def write(self, delta):
        """Raises OSError if there is no room."""
        numbers = array.array("I")
        numbers.frombytes(delta["pieces"])
        most = len(numbers) * deltas.PIECE
        data = zlib.decompressobj().decompress(delta["data"], most or 1)
        if len(data) != most:
            raise ValueError("a delta of another length than it says")
        fd = os.open(
            self.path if self.ready else self.part,
            os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW,
            0o600,
        )
        try:
            os.ftruncate(fd, delta["size"])
            # The header last: a report that reads now finds all records that it speaks of.
            for i in sorted(range(len(numbers)), key=lambda i: numbers[i] or 1 << 32):
                at = numbers[i] * deltas.PIECE
                piece = data[i * deltas.PIECE : (i + 1) * deltas.PIECE]
                os.pwrite(fd, piece[: max(delta["size"] - at, 0)], at)
            self.bytes = os.fstat(fd).st_blocks * 512
        finally:
            os.close(fd)
        if not self.ready and delta["whole"]:
            os.rename(self.part, self.path)
            self.ready = True
        self.size = delta["size"]
        self.number = delta["number"]
        self.final = delta["final"]

    def move_to(self, nanny):
        """NANNY goes on with it, so it is not lost yet."""
        self.source = nanny
        nanny.adopting.add(os.path.basename(self.path))
        if self.why == "lost":
            self.why = self.lost_because = None

    def have(self):
        """What a nanny must know to go on with it."""
        path = self.path if self.ready else self.part
        digests = deltas.digests_of_file(path) if os.path.exists(path) else b""
        return [self.number, zlib.compress(digests)]


class Nanny:
    """A nanny that is asked."""

    def __init__(self, worker, address):
        self.worker, self.address = worker, address
        self.first_worker = worker
        self.answered = False  # with what it has of logs
        self.whole_answers = 0  # after which there was nothing more to send
        self.status = None  # of its last answer
        self.comm = None
        self.reached = False  # straight, at least once
        self.forwarded = False
        self.place = None
        self.confirmed = {}  # numbers that the next question confirms
        self.adopting = set()  # names of logs that it goes on with
        self.closing_reads = []  # logs of its own workers, when it closes
        self.first = self.again = False
        self.waits = False  # a question waits for its answer
        self.ended = None  # why it is not asked any more
        self.away = False  # it does not answer at present
        self.pid = None

    def still_owes(self, answers):
        """It can have logs, and has not given so many whole answers yet."""
        has_logs = self.status not in ("no directory", "no plugin")
        return has_logs and not self.ended and self.whole_answers < answers


class Collector:
    """Fetches the logs of a cluster into a directory.

    client: a distributed.Client, or what has its `scheduler.address` and `security`. directory: is
    made, 0700, if it is missing. limit_bytes: the most that the copies may take on the disk. seconds:
    between two questions to a nanny; None: 2, or more with more than 200 nannies. warn: called with
    a line for the user, from another thread. refused: {address of a worker: why it is in no log}, to
    which the collector adds those that it missed.
    """

    def __init__(
        self, client, directory, limit_bytes=LIMIT_BYTES, seconds=None, warn=None, refused=None
    ):
        self.scheduler = client.scheduler.address
        self.security = client.security
        self.directory = os.path.abspath(directory)
        self.place = None  # of own_place()
        self.away = False  # the directory cannot be written for now
        self.limit_bytes = limit_bytes
        self.seconds = seconds
        self.warn = warn or say
        self.session = f"{os.getpid()}-{random.SystemRandom().getrandbits(64):x}"
        self.nannies = {}  # by address
        self.without_nanny = []
        self.refused = {} if refused is None else refused
        self.copies = {}  # by name of the log
        self.refused_logs = set()  # names of logs that a worker's file system did not store whole
        self.foreign = set()  # names of logs that were in the directory before
        self.earlier = read_collected(self.directory).get("logs", {})  # what is known of these
        self.readers = {}  # place: the Nanny that reads there
        self.full = None  # why no more is kept
        self.stopping = None
        self.thread = None
        self.started = threading.Event()
        self.problem = None
        self.sent_bytes = 0  # of deltas, compressed
        self.answers = self.forwarded_answers = 0
        self.next_forward = 0.0
        self.idle = []  # comms with the scheduler that are kept
        self.found = {}  # the last answer of find_nannies()
        self.silent_since = None  # the scheduler does not answer; None: it does
        self.gone = False  # it has ended, as far as this can be known
        self.joined = {}  # number of a worker, as they joined: its address
        self.uncounted = set()  # numbers of those without the library
        self.counted = None  # how many workers are counted, in that order; None: all
        self.ended = []  # tasks that each worker has ended, by its number
        self.counts_wait = False  # until leave_out()
        self.settled = []  # an earlier self.ended: the copies have at least as many tasks
        self.settling = []  # the next one, once these nannies have given so many whole answers:
        self.awaited = {}

    # ---- from the user's thread

    def start(self):
        """Begins. Raises OSError if the scheduler cannot be reached or the directory be made."""
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        self.thread = threading.Thread(target=self.run_thread, name="cupping-collect", daemon=True)
        self.thread.start()
        self.started.wait()
        if self.problem:
            raise self.problem
        return self

    def stop(self, seconds=60):
        """Fetches what is new, at most for so long, and ends. Returns the incomplete logs: {log:
        {"until": seconds since the epoch or None, "why": text}}."""
        if self.thread and self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.stopping.set)
            self.thread.join(seconds)
        if self.thread and self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.main_task.cancel)
            self.thread.join(10)
        return self.known_in_part()

    def has_all_of(self, address):
        """After stop(): all logs of the directory that this nanny's workers write into are here, to their end.
        False if that is not known."""
        if self.problem or self.full or self.thread is None or self.thread.is_alive():
            return False
        nanny = self.nannies.get(address)
        if nanny is None or not nanny.answered or nanny.ended not in (None, CLOSED):
            return False  # it may have logs that it never named
        part = self.known_in_part()
        return not any(name in part and copy.source.place == nanny.place for name, copy in self.copies.items())

    def wait(self):
        """Until the cluster is gone."""
        self.thread.join()

    def shares_directory(self):
        """True if a nanny writes into the very directory: nothing must be collected there."""
        return any(nanny.place == self.own_place() for nanny in list(self.nannies.values()))

    def own_place(self):
        """That of the directory, found out once: it may be away for a moment later."""
        if self.place is None:
            self.place = deltas.place_of(self.directory)
        return self.place

    def fetch_forwarded(self, seconds=60):
        """Waits for what is new in the logs of nannies that only the scheduler reaches: once their workers
        have left, it passes nothing on."""
        # The first answer may be one of before.
        wanted = {n: n.whole_answers + 2 for n in list(self.nannies.values()) if n.forwarded and n.worker}
        until = time.monotonic() + seconds
        while any(n.whole_answers < wanted[n] and n.worker and not n.ended for n in wanted):
            if time.monotonic() > until:
                return
            time.sleep(AGAIN_S)

    def leave_out(self, workers):
        """The tasks that these processes of workers end are in no log: they are not profiled."""
        self.uncounted |= {number for number, address in list(self.joined.items()) if address in workers}
        self.counts_wait = False

    def finish_counting(self, seconds=30):
        """Workers that join from now on are not profiled."""
        try:
            asyncio.run_coroutine_threadsafe(self.find_nannies(), self.loop).result(seconds)
        except Exception:  # the scheduler is gone
            pass
        self.counted = self.found.get("joined", 0)

    def tasks_ended(self, ended):
        """{address of a worker: number of tasks} that it ended, as the scheduler counted them. Its logs
        have at least as many."""
        sums = {}
        last = len(ended) if self.counted is None else min(len(ended), self.counted)
        for number, address in self.joined.items():
            if number < last and number not in self.uncounted:
                sums[address] = sums.get(address, 0) + ended[number]
        return {address: tasks for address, tasks in sums.items() if tasks}

    def settle_counts(self):
        """If this process is killed, a report compares the copies with counts that are older than they are."""
        if self.counts_wait or any(nanny.still_owes(answers) for nanny, answers in self.awaited.items()):
            return
        self.settled, self.settling = self.settling, self.ended
        # The first answer may be one of before.
        self.awaited = {nanny: nanny.whole_answers + 2 for nanny in self.nannies.values()}

    def known_in_part(self):
        """The log of a nanny itself is not named, unless it was refused: it ends a moment after what the nanny last
        sent."""
        part = {
            name: {"until": copy.until, "why": copy.why or "stopped"}
            for name, copy in sorted(self.copies.items())
            if not copy.final and pid_of(name) != copy.source.pid
        }
        return {**part, **{name: {"until": None, "why": "refused"} for name in sorted(self.refused_logs)}}

    # ---- the thread

    def run_thread(self):
        try:
            asyncio.run(self.main())
        except (Exception, asyncio.CancelledError) as error:
            self.problem = self.problem or error
            if self.started.is_set():
                self.warn(f"no more logs are collected ({type(error).__name__}: {error}); what came before is kept")
        finally:
            self.started.set()

    async def main(self):
        self.loop = asyncio.get_running_loop()
        self.stopping = asyncio.Event()
        self.connecting = asyncio.Semaphore(MOST_CONNECTS)
        self.main_task = asyncio.current_task()
        self.own_place()
        self.connection = self.security.get_connection_args("client")
        try:
            await self.register()
            await self.find_nannies()
        except Exception as error:
            self.problem = error if isinstance(error, OSError) else OSError(str(error))
            return
        self.save_state(True)
        self.started.set()
        tasks = {}
        try:
            await self.follow_all(tasks)
            await self.unregister()
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
            for comm in self.idle:
                comm.abort()
            self.save_state(False)

    async def follow_all(self, tasks):
        """Until stop(), or until scheduler and nannies are gone. TASKS: one for each nanny."""
        failures = 0
        while not self.stopping.is_set():
            for address, nanny in self.nannies.items():
                if address not in tasks or (nanny.ended == UNREACHABLE and nanny.worker):
                    self.resume(nanny)
                    tasks[address] = asyncio.create_task(self.follow(nanny))
            await self.sleep(self.interval())
            try:
                await self.find_nannies()
                self.settle_counts()
                failures, self.silent_since, self.gone = 0, None, False
            except (OSError, asyncio.TimeoutError) as error:
                failures += 1
                self.note_silence(error, failures)
                if self.gone and all(task.done() for task in tasks.values()):
                    return
            self.save_state(True)
        await self.find_last()
        for address, nanny in self.nannies.items():
            if address not in tasks:
                tasks[address] = asyncio.create_task(self.follow(nanny))
        await asyncio.gather(*(self.wake(n) for n in self.nannies.values()), return_exceptions=True)
        if tasks:
            await asyncio.wait(tasks.values())

    def note_silence(self, error, failures):
        """The scheduler did not answer. A break of the network is no end of the cluster, so it may do so for minutes."""
        now = time.monotonic()
        self.silent_since = self.silent_since or now
        self.gone = failures > 2 and (is_refusal(error) or now - self.silent_since > SILENT_S)
        self.found["word"] = None  # ask for all workers again
        for nanny in self.nannies.values():
            nanny.worker = None  # the scheduler passes nothing on

    def resume(self, nanny):
        """It is asked for the first time, or the scheduler has its worker again."""
        if not nanny.ended:
            return
        nanny.ended = None
        if self.refused.get(nanny.first_worker) == LEFT:
            del self.refused[nanny.first_worker]
        for copy in self.copies.values():
            if copy.source is nanny and copy.why == "lost":
                copy.move_to(nanny)

    async def find_last(self):
        """Which workers have come, and how many tasks have ended, before the ends of the logs are fetched."""
        try:
            await self.find_nannies(leaves=True)
        except (OSError, asyncio.TimeoutError):
            pass  # the scheduler is gone

    def interval(self):
        return self.seconds or max(2.0, self.count_living() / 100)

    def count_living(self):
        """Nannies that are still asked: on a cluster that adapts, thousands may have come and gone."""
        return sum(not nanny.ended for nanny in self.nannies.values())

    async def sleep(self, seconds):
        """Until then, or stop()."""
        try:
            await asyncio.wait_for(self.stopping.wait(), seconds)
        except asyncio.TimeoutError:
            pass

    # ---- Dask

    async def ask_once(self, address, seconds=30, **message):
        """One question on a connection of its own."""
        from distributed.core import send_recv

        comm = await self.connect(address)
        try:
            return await asyncio.wait_for(send_recv(comm, **message), seconds)
        finally:
            comm.abort()

    async def ask_scheduler(self, seconds=30, **message):
        """On a connection that is kept: a new one costs its loop as much as the question."""
        from distributed.core import send_recv

        kept = bool(self.idle)
        comm = self.idle.pop() if kept else await self.connect(self.scheduler)
        try:
            answer = await asyncio.wait_for(send_recv(comm, **message), seconds)
        except BaseException as error:
            comm.abort()
            was_closed = isinstance(error, OSError) and not isinstance(error, asyncio.TimeoutError)
            if not (kept and was_closed):
                raise
            return await self.ask_once(self.scheduler, seconds, **message)
        self.idle.append(comm)
        return answer

    async def connect(self, address):
        from distributed.comm import connect

        async with self.connecting:
            return await connect(address, timeout=CONNECT_S, **self.connection)

    async def register(self):
        from distributed.protocol.pickle import dumps

        self.plugin = dumps(Plugin())
        message = {"op": "register_nanny_plugin", "plugin": self.plugin, "name": PLUGIN}
        try:
            await self.ask_once(self.scheduler, REGISTER_S, **message, idempotent=False)
        except TypeError:  # before 2023.9
            await self.ask_once(self.scheduler, REGISTER_S, **message)

    async def unregister(self):
        """Takes the plugins away, unless another client collects. A client that has just begun adds its own
        again when a nanny does not know it."""
        try:
            if not self.stopping.is_set() or await self.run_in_scheduler("remove_joined_plugin"):
                return
            await self.ask_once(self.scheduler, op="unregister_nanny_plugin", name=PLUGIN)
        except Exception:  # the cluster is gone, or another client was faster
            pass

    async def run_in_scheduler(self, name, **words):
        """What a function of deltas.py returns there."""
        from distributed.protocol.pickle import dumps

        function = dumps(by_source.Function(deltas.__name__, name))
        answer = await self.ask_scheduler(
            op="run_function", function=function, kwargs=dumps(words)
        )
        if answer["status"] != "OK":
            raise OSError(f"the scheduler does not run functions: {answer.get('text')}")
        found = answer["result"]
        return getattr(found, "data", found)

    async def find_nannies(self, leaves=False):
        states = [(nanny.reached, nanny.forwarded) for nanny in self.nannies.values()]
        forwarded = any(forwarded for _, forwarded in states) and not any(reached for reached, _ in states)
        found = await self.run_in_scheduler(
            "find_nannies",
            session=self.session,
            known=self.found.get("word"),
            joined=self.found.get("joined"),
            ended=self.found.get("all_ended"),
            instance=self.found.get("instance"),
            leaves=leaves,
            waits=not forwarded,  # nannies do not wait for a client that does not reach them
        )
        begins_anew = self.found.get("instance") not in (None, found["instance"])
        self.found = found
        if begins_anew:
            self.count_anew(found["since"])
        if found["ended"] is not None:
            self.ended = found["ended"]
        for number, worker, address in found["since"]:
            self.joined[number] = worker
            self.add_nanny(worker, address)
        if found["workers"] is not None:
            self.set_workers(found["workers"])

    def count_anew(self, since):
        """The scheduler forgot its counts: it had dropped this client, which was silent for a minute, and the last
        other one has ended. Workers that were left out still are; the tasks so far are not counted any more."""
        left_out = {self.joined.get(number) for number in self.uncounted}
        self.joined, self.settled, self.settling, self.awaited = {}, [], [], {}
        self.uncounted = {number for number, worker, _ in since if worker in left_out}
        if self.counted is not None:
            self.counted = 0  # which of them joined in time is not known any more

    def add_nanny(self, worker, address):
        if address and address not in self.nannies:
            self.nannies[address] = Nanny(worker, address)

    def set_workers(self, workers):
        """The present ones: {worker: its nanny or None}."""
        for nanny in self.nannies.values():
            nanny.worker = None
        self.without_nanny = [worker for worker, address in workers.items() if not address]
        for worker, address in workers.items():
            self.add_nanny(worker, address)
            if address:
                self.nannies[address].worker = worker

    async def ask(self, nanny, **question):
        """The answer of a nanny: straight from it, or through the scheduler."""
        if not nanny.forwarded:
            try:
                return await self.ask_straight(nanny, question)
            except (OSError, asyncio.TimeoutError):
                if nanny.comm:
                    nanny.comm.abort()
                nanny.comm = None
                if nanny.reached or not nanny.worker:
                    raise
                nanny.forwarded = True
        return await self.ask_forwarded(nanny, question)

    async def ask_straight(self, nanny, question):
        from distributed.core import send_recv

        keep = self.count_living() <= MOST_COMMS
        comm = nanny.comm or await self.connect(nanny.address)
        nanny.comm = comm
        nanny.reached = True
        seconds = 30 + question.get("wait", 0)
        answer = await asyncio.wait_for(
            send_recv(comm, **question), seconds
        )
        if not keep:
            await comm.close()
            nanny.comm = None
        return answer

    async def ask_forwarded(self, nanny, question):
        """The scheduler passes the question on. Few questions a second, because its loop is busy
        with each; none waits in it."""
        now = time.monotonic()
        at = max(self.next_forward, now)
        self.next_forward = at + 1 / FORWARDED_PER_S
        await asyncio.sleep(at - now)
        worker = nanny.worker  # find_nannies() may change it
        if not worker:
            raise OSError("the scheduler does not know the worker any more")
        if question["op"] == OP:
            question = {**question, "forwarded": True, "wait": 0}
        answer = await self.ask_scheduler(
            op="broadcast", msg=question, workers=[worker], nanny=True
        )
        self.forwarded_answers += 1
        return answer[worker]

    async def wake(self, nanny):
        """The nanny answers the question that waits."""
        if nanny.waits and not nanny.forwarded:
            await self.ask_once(
                nanny.address, op=OP, session=self.session, wake=True
            )

    # ---- a nanny

    async def follow(self, nanny):
        try:
            await self.follow_to_end(nanny)
        except Exception as error:
            nanny.ended = f"{type(error).__name__}: {error}"
        finally:
            if nanny.comm:
                nanny.comm.abort()
            if nanny.ended:
                self.give_up(nanny)

    async def follow_to_end(self, nanny):
        failures, retries, last = 0, 0, False
        while not nanny.ended and not self.full:
            last = self.stopping.is_set()  # then this question is the last one
            try:
                answer = await self.ask_next(nanny, last)
            except (OSError, asyncio.TimeoutError):
                failures += 1
                nanny.away = failures > 2
                if failures > 1 and (last or not self.may_return(nanny)):
                    nanny.ended = UNREACHABLE
                    return
                await self.sleep(min(2 ** (failures - 1), LONGEST_PAUSE_S))
                continue
            failures, nanny.away = 0, False
            again = self.take(nanny, answer)
            if not again and retries < self.most_retries(nanny, answer, last):
                retries += 1
                await asyncio.sleep(AGAIN_S)
                continue
            if not again and (last or answer["status"] == "closing"):
                nanny.ended = None if last else CLOSED
                break
            if not again and not self.long_poll(nanny):
                await self.sleep(self.interval())
        await self.say_bye(nanny)

    def may_return(self, nanny):
        """It cannot be reached, but the scheduler has its worker, or cannot be reached either."""
        return bool(nanny.worker) if self.silent_since is None else not self.gone

    def most_retries(self, nanny, answer, last):
        """How often to ask again for the ends of logs, before this nanny is left."""
        if all(copy.final for copy in self.copies.values() if copy.source is nanny):
            return 0
        if answer["status"] == "closing":
            return CLOSING_RETRIES
        return LEAVING_RETRIES if last and not nanny.worker else 0  # it is ending its worker, and then closes

    def long_poll(self, nanny):
        """The nanny waits with its answer, so that it can answer when it closes."""
        return not nanny.forwarded and self.count_living() <= MOST_COMMS

    async def ask_next(self, nanny, at_once):
        """The next question. What it confirms and hands over is kept until it is answered."""
        self.find_reader(nanny)
        confirmed, adopting = dict(nanny.confirmed), set(nanny.adopting)
        read = nanny.closing_reads or self.readers.get(nanny.place) in (nanny, None)
        nanny.waits = self.long_poll(nanny) and not at_once and not nanny.again
        try:
            answer = await self.ask(
                nanny,
                op=OP,
                session=self.session,
                wait=self.interval() if nanny.waits else 0,
                confirmed=confirmed,
                read=read,
                **self.hand_over(nanny, adopting),
            )
        finally:
            nanny.waits = False
        if answer is None:  # Dask before 2023.9 leaves out nannies that start at that moment
            await self.ask(nanny, op="plugin_add", plugin=self.plugin, name=PLUGIN)
            return {"status": "no plugin"}
        nanny.confirmed, nanny.adopting, nanny.first = {}, nanny.adopting - adopting, False
        return answer

    def find_reader(self, nanny):
        """If no nanny reads the directory of this one, or the one that does cannot be reached, this one
        does, and goes on with the logs that came from the last."""
        reader = self.readers.get(nanny.place)
        if nanny.place is None or (reader and not (reader.ended or reader.away)):
            return
        self.readers[nanny.place] = nanny
        for name, copy in self.copies.items():
            gone = copy.source.ended or copy.source.away
            if copy.source.place == nanny.place and gone and copy.source is not nanny and not copy.final:
                copy.move_to(nanny)

    def hand_over(self, nanny, names):
        """What a nanny must know of copies to go on with them."""
        question = {"have": {name: self.copies[name].have() for name in names}} if names else {}
        if nanny.first:
            done = [n for n, c in self.copies.items() if c.final and c.source.place == nanny.place]
            question = {"have": {}, **question, "done": done}
        return question

    def take(self, nanny, answer):
        """Keeps what an answer brings. True: ask again at once."""
        nanny.again = False
        nanny.status = answer["status"]
        if answer["status"] in ("no directory", "no plugin"):
            return False
        nanny.place = answer["place"]
        if nanny.place == self.own_place():
            nanny.ended = "it writes into the same directory"
            nanny.answered = True
            return False
        if answer["status"] == "unknown":
            nanny.first = nanny.again = True
            nanny.adopting |= {
                name for name, c in self.copies.items() if c.source is nanny and not c.final
            }
            return True
        self.answers += 1
        nanny.answered = True
        nanny.pid = answer["pid"]
        for name, delta in answer["logs"].items():
            self.take_delta(nanny, name, delta)
        # The nanny may still have the plugin of an older cupping, which does not send this key.
        self.refused_logs |= {name for name in answer.get("refused", ()) if LOG_NAME.fullmatch(name)}
        for copy in self.copies.values():
            if copy.source is nanny and not copy.final and not self.full and copy.ready:
                copy.until = answer["time"]
        # While the directory is away, what was sent comes again: not at once.
        nanny.again = not self.away and (answer["more"] or self.take_own(nanny, answer["own"]))
        nanny.whole_answers += not nanny.again
        return nanny.again

    def take_own(self, nanny, names):
        """A nanny that closes hands over the logs of its own workers, which another nanny reads until
        then. True: ask it for them."""
        if nanny.closing_reads or self.readers.get(nanny.place) is nanny:
            return False
        for name in names:
            copy = self.copies.get(name)
            if copy and not copy.final and copy.source is not nanny:
                copy.move_to(nanny)
        nanny.closing_reads = [n for n in names if n not in self.copies or n in nanny.adopting]
        return bool(nanny.closing_reads)

    def take_delta(self, nanny, name, delta):
        copy = self.copy_of(nanny, name)
        if copy is None or copy.final or copy.source is not nanny:
            nanny.confirmed[name] = delta["number"]  # another nanny sends it, or it is not ours
        elif delta["after"] != copy.number:
            nanny.adopting.add(name)
        elif self.keep(copy, delta):
            nanny.confirmed[name] = copy.number

    def copy_of(self, nanny, name):
        """The copy of a log; None: it must not be written."""
        if name in self.copies:
            return self.copies[name]
        if name in self.foreign or not LOG_NAME.fullmatch(name):
            return None
        if os.path.lexists(os.path.join(self.directory, name)):
            if not self.foreign:
                self.warn(f"{self.directory} has logs of an earlier collection: those are not continued. Collect into "
                          "another directory to have them whole")
            self.foreign.add(name)
            return None
        self.copies[name] = Copy(self.directory, name, nanny)
        return self.copies[name]

    def keep(self, copy, delta):
        """Writes a delta. False: there is no room for it."""
        more = len(delta["pieces"]) // 4 * deltas.PIECE
        if self.full or sum(c.bytes for c in self.copies.values()) + more > self.limit_bytes:
            self.become_full(copy, f"the limit of {self.limit_bytes:,} bytes is reached")
            return False
        try:
            copy.write(delta)
        except OSError as error:
            why = f"{error.strerror} ({self.directory})"
            if error.errno in NO_ROOM:
                self.become_full(copy, why)
            elif not self.away:  # the nanny sends it again
                self.warn(f"logs cannot be written for now: {why}")
            self.away = True
            return False
        self.away = False
        self.sent_bytes += len(delta["data"])
        return True

    def become_full(self, copy, why):
        copy.why = "full"
        if self.full:
            return
        self.full = {"at": time.time(), "why": why}
        self.stopping.set()
        self.warn(f"no more logs are collected: {why}; what came before is kept")

    async def say_bye(self, nanny):
        """A nanny that closes does not wait for this client any more."""
        try:
            await self.ask(nanny, op=OP, session=self.session, bye=True)
        except (OSError, asyncio.TimeoutError):
            pass

    def give_up(self, nanny):
        if not nanny.answered:
            self.refused[nanny.first_worker] = WITHOUT_LOG.get(nanny.status, LEFT)
        for copy in self.copies.values():
            if copy.source is nanny and not copy.final and not copy.why:
                copy.why = "lost"
                copy.lost_because = nanny.ended

    # ---- what is known of it all

    def save_state(self, collecting):
        """A directory that cannot be written now may be there again soon: the copies go on."""
        try:
            self.write_state(collecting)
        except OSError as error:
            if not self.problem:
                self.warn(f"collected.json cannot be written: {error.strerror} ({self.directory})")
            self.problem = error
        else:
            self.problem = None

    def write_state(self, collecting):
        """Writes collected.json, which the report reads. What an earlier collection wrote there about logs that this
        one does not continue stays."""
        part = {name: about for name, about in self.earlier.items() if name not in self.copies}
        new = {
            name: about
            for name, about in self.known_in_part().items()
            if not collecting or about["why"] != "stopped"
        }
        part.update(new)
        update_collected(
            self.directory,
            collecting=collecting,
            updated=time.time(),
            full=self.full,
            logs=part,
            tasks_ended=self.tasks_ended(self.settled if collecting else self.ended),
            refused=[{"worker": worker, "why": why} for worker, why in sorted(self.refused.items())],
        )
