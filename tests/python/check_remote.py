"""What `cupping attach` refuses on a nanny, and what it sends there. Needs distributed; no cluster.

    check_remote.py SCRATCH [noexec]
"""

import asyncio
import inspect
import json
import os
import pickle
import platform
import signal
import socket
import subprocess
import sys
import time
import types
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import cloudpickle

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "python"))

import cupping.profile  # noqa: E402
import cupping.remote  # noqa: E402
from cupping import notebook  # noqa: E402
from cupping.remote import (  # noqa: E402
    attach,
    attach_verb,
    claims,
    collect,
    collect_verb,
    commands,
    deltas,
    plugin,
    reduce,
    ship,
    top_verb,
    turns,
)
from cupping.remote.by_source import Function  # noqa: E402
from cupping.remote.collect import Collector, Nanny, read_collected  # noqa: E402

cupping.profile.own_command = str(TOP / "build" / "cupping")


def refusal(function, *arguments):
    try:
        function(*arguments)
    except plugin.Refused as why:
        return str(why)
    return None


def check_machines():
    with mock.patch.object(platform, "machine", lambda: "aarch64"):
        assert "aarch64, and cupping is for Linux on x86_64" in refusal(plugin.check_machine)
    for version, words in (("glibc 2.16", "glibc is 2.16"), ("musl 1.2", "cupping needs glibc")):
        with mock.patch.object(os, "confstr", lambda _, version=version: version):
            assert words in refusal(plugin.check_machine), version
    assert refusal(plugin.check_machine) is None


def check_library(parcel, folder):
    digest, length, compressed = parcel["files"][plugin.LIBRARY]
    library = plugin.unpack(parcel, folder)
    assert library.stat().st_mode & 0o777 == 0o500
    assert refusal(plugin.check_loads, library, parcel["version"]) is None
    assert "version" in refusal(plugin.check_loads, library, "0.0.1")
    # Half a library, as of a disk that was full, is replaced before it is used.
    inode = library.stat().st_ino
    library.chmod(0o700)
    os.truncate(library, length // 2)
    assert plugin.is_whole(plugin.unpack(parcel, folder), digest, length)
    assert library.stat().st_ino != inode
    # A byte that changed on the way, and a library that never was one.
    damaged = {**parcel, "files": {plugin.LIBRARY: ("0" * 64, length, compressed)}}
    assert "arrived damaged" in refusal(plugin.unpack, damaged, folder)
    library.chmod(0o700)
    library.write_text("no library")
    assert "cannot be loaded" in refusal(plugin.check_loads, library, parcel["version"])
    assert "blanks and colons" in refusal(plugin.check_loads, Path("/a b/libcupping.so"), "")


def check_noexec(scratch):
    """A real file system that is mounted noexec, where this user may mount one."""
    place = scratch / "noexec"
    place.mkdir()
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o noexec none "$1" && exec "$2" "$3" "$1" noexec', "sh",
         place, sys.executable, __file__], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        assert "mounted noexec" in done.stdout, done.stdout
    return done.returncode == 0


def check_directories(scratch):
    private, open_to_all = scratch / "private", scratch / "open"
    plugin.make_private(private)
    assert private.stat().st_mode & 0o777 == 0o700
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    assert "not a directory of this user alone" in refusal(plugin.make_private, open_to_all)
    link = scratch / "link"
    link.symlink_to(private)
    assert "not a directory of this user alone" in refusal(plugin.make_private, link)


def make_nanny(scratch, number, **environment):
    """As much of a nanny as the plugin uses; `number` differs for nannies of one process."""
    return SimpleNamespace(local_directory=str(scratch), id=f"Nanny-tcp-{number}", address=f"tcp://{number}", pid=None,
                           pre_spawn_env=environment, env={}, plugins={})


def add_plugin(nanny, *arguments):
    nanny.plugins[plugin.NAME] = added = plugin.Plugin(*arguments)
    asyncio.run(added.setup(nanny))
    return added


def start_worker(nanny, environment):
    """As Dask: what the nanny has goes into the environment of its process, which the worker inherits."""
    environment.update(nanny.pre_spawn_env)
    return dict(environment)


def check_environment(parcel, scratch):
    """What a nanny had before is there again, and another attachment is not taken for it: neither its
    library nor its settings."""
    nanny = make_nanny(scratch / "nanny", 1, LD_PRELOAD="/other.so")
    nanny.address = "tcp://a"
    before = dict(nanny.pre_spawn_env)
    with mock.patch.dict(os.environ, {"CUPPING_READS": "2"}):
        process = dict(os.environ)
        dead = add_plugin(nanny, parcel, "dead", {"CUPPING_STACKS": "0", "CUPPING_READS": "1"})
        assert nanny.pre_spawn_env["LD_PRELOAD"] == f"/other.so:{dead.library}"
        start_worker(nanny, os.environ)
        later = add_plugin(nanny, parcel, "later", {"CUPPING_INTERVAL": "2"})
        assert nanny.pre_spawn_env["LD_PRELOAD"] == f"/other.so:{later.library}"
        worker = start_worker(nanny, os.environ)
        assert (worker["CUPPING_INTERVAL"], worker["CUPPING_READS"]) == ("2", "2"), worker
        assert "CUPPING_STACKS" not in worker, "a setting of the client that died"
        later.teardown(nanny)
        folder = plugin.folder_of(nanny, "later")
        plugin.forget({"tcp://another": str(folder)}, nanny)
        assert folder.exists(), "of another nanny"
        plugin.forget({nanny.address: str(folder)}, nanny)
        assert nanny.pre_spawn_env == before, nanny.pre_spawn_env
        assert dict(os.environ) == process, os.environ.items() ^ process.items()
        assert not folder.exists() and plugin.folder_of(nanny, "dead").exists()


def check_one_process(parcel, scratch):
    """Nannies of one process hand over each other's variables: each worker is the attachment's, and the
    process's environment is restored with the last nanny."""
    one, other = (make_nanny(scratch / "process", number) for number in (1, 2))
    process = dict(os.environ)
    with mock.patch.object(plugin.Nanny, "_instances", [one, other]):
        for nanny in one, other:
            add_plugin(nanny, parcel, "attach", {})
        start_worker(one, os.environ)
        worker = start_worker(other, os.environ)  # at the same time: this may be the worker of `one`
        with mock.patch.object(plugin, "profiled_by", lambda _: worker["CUPPING_DIR"]):
            state = plugin.state_of("attach", one)
        assert state["ours"] and state["preloaded"], state
        assert state["folder"] == worker["CUPPING_DIR"], "the nanny of the worker does not find its log"
        assert not is_ours("another", one, worker["CUPPING_DIR"])
        preload = worker["LD_PRELOAD"]
        for nanny in one, other:
            assert os.environ["LD_PRELOAD"] == preload, "a nanny that is just starting its worker"
            nanny.plugins.pop(plugin.NAME).teardown(nanny)
        for nanny in one, other:
            plugin.forget({nanny.address: state["folder"]}, nanny)
    assert dict(os.environ) == process, os.environ.items() ^ process.items()


def check_process_is_restored(parcel, scratch):
    """The process's environment is restored, too, if a nanny that was closed still has the plugin, as in
    Dask 2024.2, or if the last nanny was refused and another one left the library there."""
    process = dict(os.environ)
    for keeps_plugin, refused in (True, False), (False, True):
        first, last = (make_nanny(scratch / "restored", number) for number in (1, 2))
        with mock.patch.object(plugin.Nanny, "_instances", [first, last]):
            add_plugin(first, parcel, "attach", {})
            with mock.patch.object(plugin, "check_loads", side_effect=plugin.Refused if refused else None):
                add_plugin(last, parcel, "attach", {})
            start_worker(first, os.environ)
            profiled = dict(os.environ)
            (first.plugins.get if keeps_plugin else first.plugins.pop)(plugin.NAME).teardown(first)
            os.environ.update(profiled)  # a worker was just being started
            last.plugins.pop(plugin.NAME).teardown(last)
            assert "LD_PRELOAD" not in start_worker(last, os.environ), (keeps_plugin, refused)
            for nanny in first, last:
                plugin.forget({nanny.address: profiled["CUPPING_DIR"]}, nanny)
        assert dict(os.environ) == process, os.environ.items() ^ process.items()
    with mock.patch.object(plugin, "profiled_by", lambda _: ""):
        assert not plugin.state_of("attach", last)["preloaded"], "it has the library, and writes no profile"


def is_ours(attach, nanny, directory):
    with mock.patch.object(plugin, "profiled_by", lambda _: directory):
        return plugin.state_of(attach, nanny)["ours"]


def check_removed_early(parcel, scratch):
    """An attachment ends while the nanny still checks the library."""
    nanny = make_nanny(scratch / "early", 1)

    async def end_early():
        nanny.plugins[plugin.NAME] = added = plugin.Plugin(parcel, "early", {})
        begun = asyncio.ensure_future(added.setup(nanny))
        await asyncio.sleep(0)
        await plugin.remove_plugin("early", nanny)
        await begun

    async def plugin_remove(name):
        nanny.plugins.pop(name).teardown(nanny)

    nanny.plugin_remove = plugin_remove
    asyncio.run(end_early())
    assert not nanny.pre_spawn_env and not nanny.plugins, nanny


def check_own_profile(parcel, scratch):
    """Workers under `cupping run` go on writing where they write; the collector finds it."""
    under_run = {"LD_PRELOAD": "/usr/lib/libcupping.so", "CUPPING_DIR": "/shared/prof"}
    starting = make_nanny(scratch / "own", 1, **under_run)
    running = make_nanny(scratch / "own", 2)
    running.pid = 1
    with mock.patch.object(plugin, "profiled_by", lambda pid: under_run["CUPPING_DIR"] if pid else None), \
            mock.patch.dict(os.environ, {"CUPPING_DIR": under_run["CUPPING_DIR"]}):
        for nanny in starting, running:
            added = add_plugin(nanny, parcel, "attach", {})
            assert added.why is None and plugin.state_of("attach", nanny)["ready"]
            assert deltas.directory_of(nanny) == under_run["CUPPING_DIR"], nanny
            added.teardown(nanny)
    assert starting.pre_spawn_env == under_run and running.pre_spawn_env == {}


def check_claims():
    """One attachment at a time, unless its client is gone."""
    scheduler = SimpleNamespace(clients={"a", "b"})
    assert claims.claim("a", scheduler) is None
    assert claims.claim("b", scheduler) == "a", "two clients at the same time"
    assert claims.claim("a", scheduler) is None, "the same client may try again"
    claims.release("b", scheduler)
    assert claims.claim("b", scheduler) == "a"
    claims.release("a", scheduler)
    assert claims.claim("b", scheduler) is None
    scheduler.clients = {"a"}
    assert claims.claim("a", scheduler) is None, "its client has died"


def check_starting_nannies():
    """The end of an attachment waits for nannies that are starting, not for those that come later, and for a
    registration that waits for them, too."""
    done = []

    async def end():
        started = asyncio.Condition()
        scheduler = SimpleNamespace(_starting_nannies={"n"}, _starting_nannies_cond=started)

        async def register():
            async with started:
                await started.wait_for(lambda: not scheduler._starting_nannies)
                await asyncio.sleep(0.05)
                done.append("registered")

        registering = asyncio.ensure_future(register())
        await asyncio.sleep(0)
        assert await claims.await_starting_nannies(0.05, True, scheduler) is False and not done
        await_some = asyncio.ensure_future(claims.await_starting_nannies(60, False, scheduler))
        waiting = asyncio.ensure_future(claims.await_starting_nannies(60, True, scheduler))
        await asyncio.sleep(0)
        async with started:
            assert not await_some.done()
            scheduler._starting_nannies.symmetric_difference_update({"n", "later"})
            started.notify_all()
        assert await await_some and not done and not waiting.done()
        async with started:
            scheduler._starting_nannies.clear()
            started.notify_all()
        assert await waiting and done == ["registered"]
        await registering

    asyncio.run(end())


def check_removal():
    """The plugin is also removed if the scheduler cannot be asked for nannies that are starting."""
    asked = []
    attachment = mock.MagicMock(_ask_nannies=lambda *words: asked.append(words))
    attachment.client.run_on_scheduler.side_effect = AttributeError
    attach.Attachment._unregister(attachment)
    assert asked == [("remove_plugin", attachment.name)] and attachment.client.sync.called, asked


def check_settings():
    """Dask cannot start a worker whose environment has a number."""
    assert attach.check_settings({"CUPPING_READS": 1}) == {"CUPPING_READS": "1"}
    for name in "READS", "CUPPING_DIR", "CUPPING_DISABLE", "CUPPING_VERBOSE", 3:
        try:
            attach.check_settings({name: "1"})
        except cupping.Error as problem:
            assert str(name) in str(problem)
        else:
            assert not name, "is accepted"


def check_sources(parcel):
    """Pickles have the module's source, and no name of cupping that would have to be imported."""
    program = ("import pickle, sys; thing = pickle.load(sys.stdin.buffer); "
               "print(type(thing).__name__, getattr(thing, '__name__', ''), 'cupping' in sys.modules)")
    for thing, name in ((plugin.Plugin(parcel, "a", {}), "Plugin False"),
                        (Function(turns.__name__, "end_turn"), "function end_turn False")):
        done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(thing), check=True,
                              capture_output=True)
        assert done.stdout.decode().split() == name.split(), done.stdout
    assert len(pickle.dumps(plugin.Plugin(parcel, "a", {}))) < 1_000_000


def check_wrong_addresses(scratch):
    """Each verb names an address where no scheduler is in one line, with exit status 1."""
    with socket.socket() as closed, socket.socket() as other:
        closed.bind(("127.0.0.1", 0))  # refuses connections
        other.bind(("127.0.0.1", 0))
        other.listen()  # accepts them, and never answers
        dead, silent = (f"tcp://127.0.0.1:{each.getsockname()[1]}" for each in (closed, other))
        for verb, *words in (["top", "--once"], ["collect", "-o", scratch / "none"], ["attach", "--", "true"]):
            words.insert(words.index("--") if "--" in words else len(words), dead)
            done = subprocess.run([cupping.profile.own_command, verb, "--python", sys.executable, *words], check=False,
                                  text=True, capture_output=True, timeout=120)
            assert done.returncode == 1 and done.stderr.splitlines() == [
                f"cupping: {verb}: {dead}: Connection refused: is the scheduler running there?"], done
        for address, words in ((silent, "does not answer as a Dask scheduler"), ("tcp://127.0.0.1", "port"),
                               (silent.replace("tcp", "no"), "scheme")):
            with mock.patch.object(cupping.remote, "HANDSHAKE_S", 0.5):
                try:
                    cupping.remote.connect(address, {})
                except cupping.Error as problem:
                    assert words in str(problem) and address in str(problem), problem
                else:
                    assert not address, "is no scheduler"
    for address, words in ("gateway://hub/1", "cupping.attach(client)"), ("127.0.0.1:abc", "tcp://HOST:PORT"):
        done = subprocess.run([cupping.profile.own_command, "collect", "--python", sys.executable, "-o", scratch / "none", address],
                              check=False, text=True, capture_output=True, timeout=120)
        assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1, done


def check_lost_clients():
    """A worker whose client dies in the middle of its turn gets tasks again, once."""
    sent, beats = [], SimpleNamespace(stop=lambda: sent.append("no beats"), start=lambda: sent.append("beats"))

    async def retire_workers(workers, **_):
        return dict.fromkeys(workers)

    async def turn(renews):
        loop = asyncio.get_running_loop()
        worker = SimpleNamespace(periodic_callbacks={"heartbeat": beats}, loop=loop, state=SimpleNamespace(tasks={}))
        one = mock.Mock(has_what=[])
        stream = SimpleNamespace(send=lambda message: sent.append(message["status"]))
        scheduler = SimpleNamespace(workers={"w": one}, running={one, None}, stream_comms={"w": stream},
                                    retire_workers=retire_workers)
        for _ in range(1 + renews):
            assert await turns.begin_turn("w", scheduler) is None
            turns.look_at_tasks(False, worker)
        await asyncio.sleep(0.5)

    with mock.patch.object(turns, "LEASE_S", 0.05):
        for renews in (0, 3):
            sent.clear()
            asyncio.run(turn(renews))
            assert sent[-2:] in (["running", "beats"], ["beats", "running"]), sent
            assert len(sent) == 1 + renews + 2, sent


def check_collected(scratch):
    """A directory that vanishes for a moment; marks of an earlier collection; logs that were not fetched."""
    folder = scratch / "collected"
    folder.mkdir()
    (folder / "collected.json").write_text('{"logs": {"h-1-5.cup": {"until": 1, "why": "stopped"}}}')
    client = SimpleNamespace(scheduler=SimpleNamespace(address="tcp://h:1"), security=None)
    said = []
    collector = Collector(client, folder, warn=said.append)
    collector.write_state(False)
    assert "h-1-5.cup" in json.loads((folder / "collected.json").read_text())["logs"]
    folder.rename(scratch / "away")
    collector.save_state(True)
    assert "cannot be written" in said[0] and not collector.has_all_of("tcp://h:2")
    (scratch / "away").rename(folder)
    collector.save_state(True)
    assert collector.problem is None and len(said) == 1
    assert not collector.has_all_of("tcp://h:2"), "it never ran"
    collector.thread = SimpleNamespace(is_alive=lambda: False)
    nanny = collector.nannies["tcp://h:2"] = Nanny("tcp://h:3", "tcp://h:2")
    assert not collector.has_all_of("tcp://h:2"), "it never answered"
    nanny.answered = True
    assert collector.has_all_of("tcp://h:2"), "it has no log"
    nanny.ended = "its nanny or its host cannot be reached"
    assert not collector.has_all_of("tcp://h:2"), "a log may have come since"


def check_breaks(scratch):
    """A collection goes on after breaks of the network, and ends with the cluster."""

    def make(name):
        client = SimpleNamespace(scheduler=SimpleNamespace(address="tcp://h:1"), security=None)
        collector = Collector(client, scratch / name, seconds=0.001, warn=said.append)
        (scratch / name).mkdir()
        collector.stopping = asyncio.Event()
        return collector

    async def sleep(_):
        await asyncio.sleep(0)

    async def follow(failures, listed_again):
        collector = make(f"nanny-{failures}-{listed_again}")
        nanny = collector.nannies["tcp://h:2"] = Nanny("tcp://h:3", "tcp://h:2")
        asked, looks = [], []

        async def ask(*_, **question):
            asked.append(question)
            if len(asked) <= failures:
                raise OSError
            collector.stopping.set()
            return {"status": "no directory"}

        async def find_nannies(**_):
            nanny.worker = None if listed_again and len(asked) < failures else "tcp://h:3"
            looks.append(None)
            if len(looks) > 200:
                collector.stopping.set()

        collector.ask, collector.sleep, collector.find_nannies = ask, sleep, find_nannies
        nanny.worker = None if listed_again else nanny.worker
        await collector.follow_all({})
        assert nanny.ended is None and len(asked) > failures, (failures, asked, nanny.ended)

    async def ask_silent(error, answers_after):
        collector, asked = make(f"scheduler-{answers_after}"), []

        async def find_nannies(**_):
            asked.append(None)
            if len(asked) <= answers_after:
                raise OSError from error
            collector.stopping.set()

        collector.sleep, collector.find_nannies = sleep, find_nannies
        await collector.follow_all({})
        return len(asked)

    said = []
    asyncio.run(follow(5, False))
    asyncio.run(follow(2, True))
    assert asyncio.run(ask_silent(TimeoutError(), 20)) > 20
    assert asyncio.run(ask_silent(ConnectionRefusedError(), 21)) == 3, "the scheduler has ended"
    assert not said, said


def check_clocks():
    """A clock that is set while a process runs does not end its log; another process with its number does."""
    pid, now = os.getpid(), time.time()
    assert deltas.process_runs("h-1-5.cup", pid, time.time_ns())
    with mock.patch.object(time, "time", lambda: now + 3600):
        assert deltas.process_runs("h-1-5.cup", pid, int(now * 1e9))
        assert not deltas.process_runs("h-1-6.cup", pid, int(now * 1e9)), "it began before the process"
    with mock.patch.object(deltas, "read_start_ticks", lambda _: 1):
        assert not deltas.process_runs("h-1-5.cup", pid, time.time_ns())


def check_hosts(scratch):
    """Hosts `node` and `node-1` share a directory."""
    (scratch / "hosts").mkdir()
    own, other = "node-7-1700000000000000000.cup", "node-1-7-1700000000000000000.cup"
    for name in (own, other, own + ".refused", other + ".refused"):
        (scratch / "hosts" / name).touch()
    for host, names in (("node", [own]), ("node-1", [other])):
        with mock.patch.object(deltas, "host_name", lambda host=host: host):
            assert deltas.names_in(scratch / "hosts") == names
            assert deltas.refused_in(scratch / "hosts") == names


def check_status(scratch):
    """`cupping collect` fails if not all was collected."""
    options = {"o": str(scratch / "status")}
    for full, problem, status in ((None, None, 0), ({"why": "the disk is full"}, None, 1), (None, OSError("lost"), 1)):
        made = SimpleNamespace(thread=SimpleNamespace(is_alive=lambda: False), nannies={}, stop=dict, full=full,
                               problem=problem, copies={"a.cup": SimpleNamespace(ready=True)})
        with mock.patch.object(commands, "start_collector", lambda *_, made=made, **__: made):
            assert collect_verb.main(options, ["tcp://h:1"]) == status, (full, problem)


def check_command(scratch):
    """A script without "#!" is a shell's, and a signal while the command is being started reaches it."""
    script = scratch / "script"
    script.write_text("exit $1\n")
    script.chmod(0o700)
    assert attach_verb.run_command([str(script), "7"], scratch) == 7
    start, before = subprocess.Popen, {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def start_and_signal(*words, **options):
        process = start(*words, **options)
        os.kill(os.getpid(), signal.SIGTERM)
        return process

    attach_verb.catch_ends(attach_verb.end_by_signal)
    with mock.patch.object(subprocess, "Popen", start_and_signal):
        assert attach_verb.run_command(["sleep", "600"], scratch) == 128 + signal.SIGTERM
    for number, handler in before.items():
        signal.signal(number, handler)


def check_hangup():
    """A terminal that is closed before the view of `cupping top SCHEDULER` begins leaves no directory."""
    made, before = [], {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def start_collector(scheduler, options, directory, **_):
        made.append(Path(directory))
        os.kill(os.getpid(), signal.SIGHUP)

    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with mock.patch.object(commands, "start_collector", start_collector):
        try:
            top_verb.main({}, ["tcp://h:1"])
        except SystemExit as end:
            assert end.code == 128 + signal.SIGHUP
    assert made and not made[0].exists()
    for number, handler in before.items():
        signal.signal(number, handler)


def check_limit():
    """`--help` says that the default is 10G."""
    assert collect.LIMIT_BYTES == commands.read_size("10G")


def check_reduce():
    """The merge is awaited without a default client of Dask, and ends if no worker can do it any more."""
    looks = []
    client = SimpleNamespace(run_on_scheduler=lambda *_: looks.append(None) or left)
    merged = SimpleNamespace(done=lambda: len(looks) == 3, result=lambda: b"log")
    with mock.patch.object(reduce, "LOOK_S", 0):
        left = []
        assert reduce.await_merge(client, merged, []) == b"log"
        looks.clear()
        left = ["tcp://a"]
        try:
            reduce.await_merge(client, merged, [])
        except cupping.Error as problem:
            assert "tcp://a left before" in str(problem) and len(looks) == 1
        else:
            raise AssertionError("it would wait for ever")


def check_cells():
    """%%cupping refuses a cell that awaits only if the kernel's event loop cannot run it. A cell that IPython cannot
    transform is run, so that IPython says why."""

    async def awaits(**loop_attributes):
        for name, value in loop_attributes.items():
            setattr(asyncio.get_running_loop(), name, value)
        return notebook.awaits(shell, "await f()")

    shell = SimpleNamespace(transform_cell=str, should_run_async=lambda *_, **__: True)
    assert not notebook.awaits(shell, "await f()"), "no loop runs"
    assert asyncio.run(awaits())
    assert not asyncio.run(awaits(_nest_patched=True)), "nest_asyncio was applied"
    shell.transform_cell = mock.Mock(side_effect=ValueError)
    assert not asyncio.run(awaits())


def check_fifo(scratch):
    """No process writes into the FIFO, so to open it would block for ever."""
    (scratch / "fifo").mkdir()
    os.mkfifo(scratch / "fifo" / "collected.json")
    assert read_collected(scratch / "fifo") == {}


def check_sections():
    """A function that was defined where nothing is profiled: each process decides, also one without cupping."""
    names = {"section": cupping.section}
    exec("@section('fill')\ndef fill(more): return 1 + more", names)
    copy = cloudpickle.dumps(names["fill"])
    program = f"import pickle; print(pickle.loads({copy!r})(2))"
    for path in ("", str(TOP / "python")):
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, check=False,
                              capture_output=True, text=True)
        assert done.stdout == "3\n", done


def check_turns():
    """One section object in coroutines that take turns: each ends its own. A generator is a section until its end."""
    said, numbers = [], iter(range(1, 100))

    def begin(name):
        said.append(name.decode())
        return next(numbers)

    async def coroutine(seconds):
        with shared:
            await asyncio.sleep(seconds)

    async def generate_in_section():
        with cupping.section("left early"):
            yield 1
            yield 2

    async def leave_early():
        async for _ in generate_in_section():
            break

    async def pickle_open():
        with cupping.section("open") as opened:
            assert not pickle.loads(pickle.dumps(opened))._open, "another process is in no section"

    async def both():
        await asyncio.gather(coroutine(0.01), coroutine(0.05))

    @cupping.section("generator")
    def generate(items):
        for item in items:
            said.append((yield item))
        return "result"

    def use():
        said.append((yield from generate([1])))

    @cupping.section("old coroutine")
    @types.coroutine
    def take_turns():
        yield
        return "turns"

    async def await_old():
        assert await take_turns() == "turns"

    async def generate_later():
        yield 1

    shared = cupping.section("shared")
    with mock.patch.multiple(cupping.sections, _begin=begin, _end=said.append):
        asyncio.run(both())
        assert said == ["shared", "shared", 1, 2] and not shared._open, said
        said.clear()
        asyncio.run(leave_early())
        assert said == ["left early", 3], said
        asyncio.run(pickle_open())
        said.clear()
        used = use()
        assert next(used) == 1 and said == ["generator"], said
        assert next(used, "end") == "end" and said == ["generator", None, 5, "result"], said
        assert not inspect.isawaitable(generate([1]))
        said.clear()
        asyncio.run(await_old())
        assert said == ["old coroutine", 6], said
    try:
        cupping.section("later")(generate_later)
    except TypeError as problem:
        assert "generate_later()" in str(problem)
    else:
        raise AssertionError("its items would not be in the section")


def main():
    scratch = Path(sys.argv[1]).resolve()
    folder = scratch / "folder"
    folder.mkdir()
    parcel = ship.pack()
    if sys.argv[2:] == ["noexec"]:
        print(refusal(plugin.check_loads, plugin.unpack(parcel, folder), parcel["version"]))
        return
    check_machines()
    check_library(parcel, folder)
    check_directories(scratch)
    check_environment(parcel, scratch)
    check_one_process(parcel, scratch)
    check_process_is_restored(parcel, scratch)
    check_removed_early(parcel, scratch)
    check_own_profile(parcel, scratch)
    check_claims()
    check_starting_nannies()
    check_removal()
    check_settings()
    check_sources(parcel)
    check_wrong_addresses(scratch)
    check_lost_clients()
    check_collected(scratch)
    check_breaks(scratch)
    check_clocks()
    check_hosts(scratch)
    check_status(scratch)
    check_command(scratch)
    check_hangup()
    check_limit()
    check_reduce()
    check_cells()
    check_fifo(scratch)
    check_sections()
    check_turns()
    print("remote: as it says", "also noexec" if check_noexec(scratch) else "without a mount of its own")


main()
