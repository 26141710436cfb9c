"""What a nanny does for `cupping collect`: it says what changed in the logs of its host.

The file is sent to the nannies as it is, so it imports nothing else of cupping. A nanny never pushes:
clients ask it (`op` "cupping-collect"), and it answers with *deltas*. A delta has the pieces of 4 KiB
of one log that differ from what the client has confirmed, compressed, and a number. The client
confirms a number with its next question. A delta that was not confirmed is thrown away, and what it
held is in the next one. So nothing is sent twice if nothing is lost, and nothing is missing if a
message is.

All of a Source runs in the event loop of its nanny, except look(), which runs in a thread of the
loop's executor, for one question at a time.
"""

import array
import asyncio
import hashlib
import os
import socket
import struct
import time
import uuid
import zlib

from distributed.core import Status
from distributed.diagnostics.plugin import NannyPlugin, SchedulerPlugin

PIECE = 4096  # bytes
READ = 64 * PIECE  # at once
MOST_RAW = 16 << 20  # bytes of pieces in one answer, before compression
SETTLED = 512 << 10  # records this far behind the end are complete: they are only looked at
FULL_LOOK_EVERY = 6  # looks; a log below 4 MiB is always read as a whole
SMALL = 4 << 20
FORGET_S = 600  # a client that has not asked for so long is gone
PRESENT_S = 60  # a client that asked within this time is there
FIND_S = 2  # the scheduler's answer to a nanny that closes
CLOSE_S = 15  # a nanny that closes waits this long for the last question of its clients
ZERO = bytes(8)  # digest of a piece that holds only zeros

# The begin of struct cup_log_header, and its table of regions (include/log_format.h).
HEADER = struct.Struct("=8sIHHIIQQIIqqqQII64s32s48s")
REGION = struct.Struct("=IIQQ")
MAGIC = b"CUPPING\n"
BYTE_ORDER = 0x01020304


def digest_of(piece):
    """8 bytes that stand for a piece; ZERO if all its bytes are 0."""
    if piece.count(0) == len(piece):
        return ZERO
    return hashlib.blake2b(piece, digest_size=8).digest()


def digests_of_file(path):
    """The digests of all pieces of a file, one after the other."""
    digests = []
    with open(path, "rb", buffering=0) as file:
        while block := file.read(READ):
            digests += [digest_of(block[at : at + PIECE]) for at in range(0, len(block), PIECE)]
    return b"".join(digests)


def host_name():
    """The host as it stands in the names of logs."""
    return socket.gethostname().replace("/", "_")[:63]


def place_of(directory):
    """What is equal for two nannies if and only if they see the same directory of one host."""
    found = os.stat(directory)
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            boot = file.read().strip()
    except OSError:
        boot = ""
    return f"{host_name()}/{boot}/{found.st_dev}/{found.st_ino}"


start_ticks = {}  # by name of a log: when its process started, in clock ticks since boot; None: not that of the log


def read_start_ticks(pid):
    """None: it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            words = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if words[0] in b"ZX" else int(words[19])


def process_runs(name, pid, log_start_ns):
    """False if the process that began the log NAME has ended. The clock of the host decides only once whether PID is
    that process, because it may be set later."""
    ticks = read_start_ticks(pid)
    if ticks is None:
        return False
    if name not in start_ticks:
        boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        started = boot + ticks / os.sysconf("SC_CLK_TCK")
        start_ticks[name] = ticks if started <= log_start_ns / 1e9 + 1 else None
    return ticks == start_ticks[name]


class Header:
    """What a nanny must know of a log's header."""

    def __init__(self, data):
        fields = HEADER.unpack_from(data)
        self.regions = [(0, fields[6])]  # all that is updated in place: begin and end
        self.records_end, self.pid, self.ppid = fields[7], fields[8], fields[9]
        self.start_ns = fields[11]
        for i in range(min(fields[5], (len(data) - HEADER.size) // REGION.size)):
            _, count, offset, stride = REGION.unpack_from(data, HEADER.size + i * REGION.size)
            if offset >= fields[6]:
                self.regions.append((offset, offset + count * stride))

    @staticmethod
    def read(fd):
        """The header of an open log; None: it is no log yet, or one of another kind of machine."""
        data = os.pread(fd, PIECE, 0)
        if len(data) < HEADER.size or data[:8] != MAGIC:
            return None
        return Header(data) if HEADER.unpack_from(data)[1] == BYTE_ORDER else None


class Log:
    """One log, and what one client has of it."""

    def __init__(self, directory, name, number=0, digests=b""):
        self.path, self.name = os.path.join(directory, name), name
        self.process, self.started = split_name(name)
        self.number = number  # of the last delta that the client confirmed
        self.last_number = number  # that was used
        self.digests = bytearray(digests)  # of the pieces that the client has
        self.pending = None  # delta that was sent: (number, {piece: digest}, size, final)
        self.looks = 0
        self.settled = 0  # records before it were complete at the last look
        self.size = -1  # that the client knows
        self.whole = True  # the last delta had all that there was
        self.header = None

    def confirm(self, number):
        """The client confirms delta NUMBER. If that is not the last delta that was sent, that one was
        lost and is dropped. Returns True if the log is final and the client has all of it."""
        pending, self.pending = self.pending, None
        if not pending or pending[0] != number:
            if pending:
                self.settled = 0  # what was lost may be anywhere
            return False
        self.number, changed, self.size, final = pending
        for piece, digest in changed.items():
            if len(self.digests) < 8 * piece + 8:
                self.digests.extend(bytes(8 * piece + 8 - len(self.digests)))
            self.digests[8 * piece : 8 * piece + 8] = digest
        return final

    def ranges(self, size, final):
        """The parts of the file to look at, begin and end in bytes."""
        self.looks += 1
        if final or size <= SMALL or self.settled == 0 or self.looks % FULL_LOOK_EVERY == 0:
            return [(0, size)]
        begin = max(self.settled - SETTLED, 0)
        return [*self.header.regions, (begin, min(self.header.records_end + PIECE, size))]

    def read_changes(self, fd, ranges, most):
        """(pieces that changed, their digests by number), of at most MOST bytes, and whether that
        is all."""
        pieces, changed = [], {}
        for begin, end in ranges:
            for at in range(begin // PIECE * PIECE, end, READ):
                block = os.pread(fd, min(READ, -(-(end - at) // PIECE) * PIECE), at)
                for offset in range(0, len(block), PIECE):
                    number = (at + offset) // PIECE
                    piece = block[offset : offset + PIECE]
                    digest = digest_of(piece)
                    known = bytes(self.digests[8 * number : 8 * number + 8]) or ZERO
                    if digest != known and number not in changed:
                        if len(pieces) * PIECE >= most:
                            return pieces, changed, False
                        pieces.append(piece)
                        changed[number] = digest
        return pieces, changed, True

    def delta(self, newest, most):
        """What changed since the last delta that the client confirmed, as a message; None: nothing.
        NEWEST: no later log has this process number. MOST: bytes of pieces."""
        fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            header = Header.read(fd)
            if not header:
                return None
            self.header = header
            # First whether the process has ended, then its log: nothing can come after that.
            final = not newest or not process_runs(self.name, header.pid, header.start_ns)
            size = os.fstat(fd).st_size
            pieces, changed, whole = self.read_changes(fd, self.ranges(size, final), most)
        finally:
            os.close(fd)
        self.settled = header.records_end if whole else 0
        self.whole = whole
        final = final and whole
        if not changed and size == self.size and not final:
            return None
        self.last_number += 1
        self.pending = (self.last_number, changed, size, final)
        numbers = array.array("I", changed)
        return {
            "number": self.last_number,
            "after": self.number,
            "size": size,
            "final": final,
            "whole": whole,
            "pieces": numbers.tobytes(),
            "data": zlib.compress(b"".join(p.ljust(PIECE, b"\0") for p in pieces), 3),
        }


class Session:
    """What one client has of the logs of this host."""

    def __init__(self):
        self.logs = {}  # name: Log
        self.done = set()  # names of logs that the client has to their end
        self.asked = time.monotonic()
        self.wake = asyncio.Event()
        self.busy = asyncio.Lock()
        self.forwarded = False

    def confirm(self, numbers):
        for name, number in numbers.items():
            if name in self.logs and self.logs[name].number < number:
                if self.logs[name].confirm(number):
                    self.done.add(name)
                    del self.logs[name]
        for log in self.logs.values():
            if log.pending:
                log.confirm(-1)

    def adopt(self, directory, have, done):
        """The client has these logs from another nanny, or from a session that was forgotten."""
        for name, (number, digests) in have.items():
            self.logs[name] = Log(directory, name, number, zlib.decompress(digests))
        self.done.update(done)

    def look(self, directory, only):
        """The deltas of the logs, by name, and whether there are more. ONLY: names; None: all."""
        deltas, left, newest = {}, MOST_RAW, {}
        names = names_in(directory)
        for name in names:
            process, started = split_name(name)
            newest[process] = max(newest.get(process, 0), started)
        for name in names:
            if name in self.done or (only is not None and name not in only):
                continue
            if left <= 0:
                return deltas, True
            log = self.logs.get(name) or Log(directory, name)
            try:
                delta = log.delta(newest[log.process] == log.started, left)
            except OSError:
                continue  # it was removed
            self.logs[name] = log
            if delta:
                deltas[name] = delta
                left -= len(delta["pieces"]) // 4 * PIECE
        return deltas, any(not log.whole for log in self.logs.values())


def split_name(name):
    """(HOST-PID, STARTNS) of the name of a log; STARTNS is 0 if it is none."""
    process, _, started = name[: -len(".cup")].rpartition("-")
    return process, int(started) if started.isdigit() else 0


def names_in(directory):
    """The names of the logs of this host, HOST-PID-STARTNS.cup. Another host's name may begin like this one."""
    host = host_name()
    return sorted(n for n in os.listdir(directory) if n.endswith(".cup") and n.rsplit("-", 2)[0] == host)


def refused_in(directory):
    """The names of the logs of this host that the file system did not store whole (CUP_LOG_REFUSED in
    include/log_format.h)."""
    host, suffix = host_name(), ".refused"
    return sorted(
        n[: -len(suffix)]
        for n in os.listdir(directory)
        if n.endswith(".cup" + suffix) and n.rsplit("-", 2)[0] == host
    )


def names_of(directory, pids):
    """The names of the logs of these processes and of their children."""
    found = []
    for name in names_in(directory):
        try:
            with open(os.path.join(directory, name), "rb", buffering=0) as file:
                header = Header.read(file.fileno())
        except OSError:
            continue
        if header and (header.pid in pids or header.ppid in pids):
            found.append(name)
    return found


class Source:
    """The logs of one host, for clients that ask."""

    def __init__(self, find_directory, find_pids):
        """FIND_DIRECTORY: a function; None: there is none yet. FIND_PIDS: the processes whose logs
        this nanny must hand over when it closes, even if another one reads the directory."""
        self.find_directory = find_directory
        self.find_pids = find_pids
        self.sessions = {}
        self.waiting = set()  # clients that must say goodbye before this nanny closes
        self.closing = False

    async def answer(
        self,
        session,
        wait=0.0,
        confirmed=None,
        have=None,
        done=(),
        read=True,
        wake=False,
        bye=False,
        forwarded=False,
    ):
        """One question of a client.

        session: the client's own name. wait: seconds until the answer, unless the nanny closes or
        a question with `wake` comes first. confirmed: {log: number of the delta that arrived}. have:
        {log: (number, digests)} of logs that the client has from elsewhere, and done: those that it
        has to their end; needed once, if the status of the answer is "unknown". read: which logs:
        True: all; names; False: none, because another nanny reads this directory. bye: it is the
        last question; then `others` of the answer says how many clients still ask.
        """
        now = time.monotonic()
        for name in [n for n, s in self.sessions.items() if now - s.asked > FORGET_S]:
            del self.sessions[name]
        state = self.sessions.get(session)
        if bye or wake:
            if bye:
                self.sessions.pop(session, None)
                self.waiting.discard(session)
            if state:
                state.wake.set()
            return {"status": "OK"}
        directory = self.find_directory()
        if not directory or not os.path.isdir(directory):
            await asyncio.sleep(min(wait, 1.0))
            return {"status": "no directory"}
        if state is None and have is None:
            return {"status": "unknown", "place": place_of(directory)}
        if state is None:
            state = self.sessions[session] = Session()
        state.forwarded = forwarded
        if state.busy.locked():
            state.wake.set()  # the client does not await the answer of its last question any more
        async with state.busy:
            state.asked = time.monotonic()
            state.confirm(confirmed or {})
            state.adopt(directory, have or {}, done)
            if wait and not self.closing:
                try:
                    await asyncio.wait_for(state.wake.wait(), wait)
                except asyncio.TimeoutError:
                    pass
            state.wake.clear()
            state.asked = time.monotonic()
            return await self.look(state, directory, read)

    async def look(self, state, directory, read):
        closing = self.closing
        deltas, more = {}, False
        if read:
            loop = asyncio.get_running_loop()
            only = None if read is True else set(read)
            deltas, more = await loop.run_in_executor(None, state.look, directory, only)
        return {
            "status": "closing" if closing else "OK",
            "place": place_of(directory),
            "time": time.time(),
            "logs": deltas,
            "refused": refused_in(directory) if read else [],
            "more": more,
            "pid": os.getpid(),
            "own": names_of(directory, self.find_pids()) if closing else [],
        }

    def present(self):
        """The names of the clients that asked in the last minute, and reach this nanny directly."""
        now = time.monotonic()
        return {name for name, s in self.sessions.items() if now - s.asked < PRESENT_S and not s.forwarded}

    async def close(self, clients=(), seconds=CLOSE_S):
        """Waits until each client that asked in the last minute has all deltas, at most so long. CLIENTS:
        others that will ask, because they collect from this cluster."""
        self.closing = True
        deadline = time.monotonic() + seconds
        self.waiting = self.present() | set(clients)
        for session in self.sessions.values():
            session.wake.set()
        while time.monotonic() < deadline and self.waiting:
            await asyncio.sleep(0.02)


class CollectPlugin(NannyPlugin):
    """Answers clients that collect logs."""

    name = "cupping-collect"

    def setup(self, nanny):
        self.pids = {nanny.pid}
        self.source = Source(lambda: directory_of(nanny), lambda: self.pids)

        async def cupping_collect(comm, **question):
            self.pids.add(nanny.pid)
            return await self.source.answer(**question)

        nanny.handlers[self.name] = cupping_collect

    async def teardown(self, nanny):
        """The nanny closes, or the plugin was removed. A nanny that closes ends its worker next: that
        is done here already, so that the end of the worker's log is fetched, too."""
        if nanny.status in (Status.closing, Status.closing_gracefully) and directory_of(nanny):
            ignore_close_gracefully(nanny)
            clients = self.source.present() or await self.find_clients(nanny)
            if clients:
                self.pids.add(nanny.pid)
                try:
                    await nanny.kill(timeout=5)
                except Exception:
                    pass  # the nanny tries again, and says what is wrong
                await self.source.close(clients)
        nanny.handlers.pop(self.name, None)

    async def find_clients(self, nanny):
        """The clients that collect, as the scheduler knows them: a nanny that is a second old was asked by
        none of them yet."""
        try:
            return await asyncio.wait_for(getattr(nanny.scheduler, CLIENTS)(), FIND_S)
        except Exception:
            return []  # the scheduler is gone, or no client is there


def ignore_close_gracefully(nanny):
    """For a nanny that closes. A worker that was retired sends it this order, too. It would take the nanny
    back to `closing_gracefully`, and once the worker has ended, the nanny would close a second time,
    without its plugins, and answer no client from then on."""
    nanny.status = Status.closing
    nanny.handlers["close_gracefully"] = lambda comm=None, **words: None


def directory_of(nanny):
    """Where the worker of this nanny writes its log; None: it writes none."""
    for settings in (getattr(nanny, "pre_spawn_env", {}), nanny.env, os.environ):
        if settings.get("CUPPING_DIR"):
            return settings["CUPPING_DIR"]
    return None


# ---- in the scheduler


JOINED = "cupping-joined-workers"
CLIENTS = "cupping-clients"


class Joined(SchedulerPlugin):
    """Runs in the scheduler. Knows the clients that collect, all workers that have joined, so that one
    which left at once is noticed, and how many tasks each of them has ended."""

    name = JOINED

    def __init__(self, scheduler):
        self.instance = uuid.uuid4().hex  # numbers of rows are valid with this one only
        self.clients = {}  # session: (when it asked last, whether nannies that close wait for it)
        self.rows = []  # [address, nanny, tasks ended], one for each time that a worker joined
        self.present = {}  # address: index in rows
        self.ended = 0  # tasks of all rows
        for worker in scheduler.workers:
            self.add_worker(scheduler, worker)
        scheduler.handlers[CLIENTS] = self.list_clients

    def list_clients(self, comm=None, all=False):
        """Those that nannies wait for when they close. ALL: also those that only the scheduler reaches."""
        now = time.monotonic()
        return [session for session, (asked, waits) in self.clients.items() if now - asked < PRESENT_S and (waits or all)]

    def add_worker(self, scheduler, worker):
        self.present[worker] = len(self.rows)
        self.rows.append([worker, scheduler.workers[worker].nanny, 0])

    def transition(self, key, start, finish, *args, worker=None, startstops=None, **words):
        """Counts tasks that ran to their end: `startstops` are the times that their worker sent."""
        if start == "processing" and startstops and worker in self.present and finish in ("memory", "erred"):
            if any(part["action"] == "compute" for part in startstops):
                self.rows[self.present[worker]][2] += 1
                self.ended += 1


def find_nannies(dask_scheduler, session, known=None, joined=None, ended=None, instance=None, leaves=False, waits=True):
    """Runs in the scheduler. KNOWN, JOINED, ENDED, INSTANCE: "word", "joined", "all_ended" and "instance" of the last
    answer. LEAVES: SESSION asks for the last time. WAITS: nannies that close wait until
    SESSION has fetched their logs.

    The answer: word: for the present workers; workers: {worker: its nanny or None} of them, None: the
    same as before, and none came and left; since: [(index, worker, nanny)] of the workers that have joined since the last
    call, at the first one of the present ones; joined: how many have joined so far; ended: how many
    tasks each of these has ended, None: the numbers have not changed; instance: of Joined, if it is another one than
    before, `since` begins anew.
    """
    if JOINED not in dask_scheduler.plugins:
        dask_scheduler.add_plugin(Joined(dask_scheduler), name=JOINED)
    plugin = dask_scheduler.plugins[JOINED]
    if plugin.instance != instance:
        joined = ended = None
    plugin.clients[session] = time.monotonic(), waits
    if leaves:
        del plugin.clients[session]
    found = {w.address: w.nanny for w in dask_scheduler.workers.values()}
    word = str(hash(frozenset(found.items())))
    rows = [plugin.present[worker] for worker in found] if joined is None else range(joined, len(plugin.rows))
    since = [(row, *plugin.rows[row][:2]) for row in rows]
    return {
        "word": word,
        "workers": None if word == known and not since else found,
        "since": since,
        "joined": len(plugin.rows),
        "ended": None if ended == plugin.ended else [row[2] for row in plugin.rows],
        "all_ended": plugin.ended,
        "instance": plugin.instance,
    }


def remove_joined_plugin(dask_scheduler):
    """Unless other clients collect. Returns how many these are."""
    plugin = dask_scheduler.plugins.get(JOINED)
    others = len(plugin.list_clients(all=True)) if plugin else 0
    if plugin and not others:
        dask_scheduler.remove_plugin(name=JOINED)
        dask_scheduler.handlers.pop(CLIENTS, None)
    return others
