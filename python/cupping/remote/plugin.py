"""What attach runs on the nannies of a cluster. This module's source is sent there (by_source.py), so
it imports only Python and Dask, and it runs with the Python of the workers.

The plugin puts the library into the nanny's local directory, and checks that a program can be started
with it. Then workers that the nanny starts from now on have it in LD_PRELOAD. What does not fit is
refused: the worker stays as it is, and `state_of` says why. A nanny whose workers write a profile anyway,
as under `cupping run`, is left as it is: the collector finds their logs where they write them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from distributed import Nanny
from distributed.diagnostics.plugin import NannyPlugin

NAME = "cupping"
LIBRARY = "libcupping.so"
OLDEST_GLIBC = (2, 17)
CHECK = """import ctypes
version = ctypes.CDLL(None).cupping_api_version
version.restype = ctypes.c_char_p
print(version().decode())"""
CHECK_SECONDS = 120  # a machine under load may take long to start a Python


class Refused(Exception):
    """Why workers cannot be profiled here, in one line."""


def check_machine() -> None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise Refused(f"it runs on {platform.system()} of {platform.machine()}, and cupping is for Linux on x86_64")
    name, _, version = os.confstr("CS_GNU_LIBC_VERSION").partition(" ") if "CS_GNU_LIBC_VERSION" in \
        os.confstr_names else ("another C library", "", "")
    if name != "glibc":
        raise Refused(f"its Python uses {name}, and cupping needs glibc")
    if tuple(map(int, version.split(".")[:2])) < OLDEST_GLIBC:
        raise Refused(f"its glibc is {version}, and cupping needs 2.17 or newer")


def is_whole(path: Path, digest: str, length: int) -> bool:
    """A library that was cut off would end Python with SIGBUS, so length and hash come first."""
    try:
        return path.stat().st_size == length and hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def write_file(path: Path, text: bytes) -> None:
    """In one step: another nanny may use the same directory."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
        os.chmod(name, 0o500)
        os.rename(name, path)
    except OSError:
        os.unlink(name)
        raise


def unpack(parcel: dict, folder: Path) -> Path:
    """Writes the files that are not there yet. Returns the library."""
    for name, (digest, length, compressed) in parcel["files"].items():
        if is_whole(folder / name, digest, length):
            continue
        text = zlib.decompress(compressed)
        if len(text) != length or hashlib.sha256(text).hexdigest() != digest:
            raise Refused(f"{name} arrived damaged")
        write_file(folder / name, text)
        if not is_whole(folder / name, digest, length):
            raise Refused(f"{folder / name} cannot be written whole: is the disk full?")
    return folder / LIBRARY


def make_private(*folders: Path) -> None:
    """Folders of this user alone; each is in the one before it."""
    for folder in folders:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = os.lstat(folder)
        if status.st_uid != os.getuid() or status.st_mode & 0o077 or folder.is_symlink():
            raise Refused(f"{folder} is not a directory of this user alone")


def check_loads(library: Path, version: str) -> None:
    """Starts this Python with the library, which says its version. The loader only warns about one
    that it cannot load."""
    if any(character in str(library) for character in ": "):
        raise Refused(f"LD_PRELOAD splits at blanks and colons, so {library} cannot be preloaded")
    environment = {**os.environ, "LD_PRELOAD": str(library), "CUPPING_DISABLE": "1"}
    done = subprocess.run([sys.executable, "-c", CHECK], env=environment, check=False, errors="replace",
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=CHECK_SECONDS)
    said = done.stderr.strip().splitlines()
    if any("failed to map segment" in line for line in said):
        raise Refused(f"{library} cannot be loaded: its file system is mounted noexec")
    if done.returncode or any("cannot be preloaded" in line for line in said):
        why = said[-1] if said else f"the check ended with status {done.returncode}"
        raise Refused(f"{library} cannot be loaded: {why}")
    if done.stdout.strip() != version:
        raise Refused(f"{library} is of version {done.stdout.strip()}, and {version} was sent")


def base_of(nanny) -> Path:
    """Below it is all that attachments of this user write there."""
    return Path(nanny.local_directory) / f"cupping-{os.getuid()}"


def folder_of(nanny, attach: str) -> Path:
    """Where the workers of the nannies of this process write the logs of an attachment: one folder for all,
    because Dask hands CUPPING_DIR over by the process's environment, which these nannies share."""
    return base_of(nanny) / f"{attach}-{os.getpid()}-{read_process('self', 'stat').rpartition(')')[2].split()[19]}"


def is_below(directory: str | None, base: Path) -> bool:
    """DIRECTORY, a CUPPING_DIR, is a folder of an attachment."""
    return (directory or "").startswith(f"{base}/")


def is_of(directory: str | None, attach: str) -> bool:
    """DIRECTORY, a CUPPING_DIR, is a folder of this attachment."""
    return Path(directory or "").name.startswith(f"{attach}-")


def has_library(nanny) -> bool:
    """Its next worker has the library of an attachment. A nanny that was closed keeps the plugin, but not the
    library."""
    return f"{base_of(nanny)}/" in nanny.pre_spawn_env.get("LD_PRELOAD", "")


def environments(nanny):
    """Where a worker's variables come from, each with the object that keeps its values of before the
    attachment. Dask copies the first environment into the second when it starts a worker."""
    return (nanny.pre_spawn_env, nanny), (os.environ, Nanny)


def values_before(environment, keeper, base: Path) -> dict:
    """{name: value or None} of the variables that an attachment has set there, perhaps one whose client
    died."""
    return vars(keeper).get("cupping_before", {}) if is_below(environment.get("CUPPING_DIR"), base) else {}


def restore(environment, variables: dict) -> None:
    for name, value in variables.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value


class Plugin(NannyPlugin):
    """Registered with the scheduler, so that nannies that come later have it, too.

    parcel: of ship.pack(). attach: names this attachment, and its folders of logs. settings:
    CUPPING_* for the workers.
    """

    name = NAME
    idempotent = False
    restart = False

    def __init__(self, parcel: dict, attach: str, settings: dict):
        self.parcel, self.attach, self.settings = parcel, attach, settings
        self.why: str | None = None  # refused
        self.library: Path | None = None  # None: not installed
        self.ready = False  # it is installed, or refused

    def __reduce__(self):
        from .by_source import reduce_by_source  # only the client pickles it

        return reduce_by_source(__name__, "Plugin", {"parcel": self.parcel, "attach": self.attach,
                                                     "settings": self.settings})

    async def setup(self, nanny):
        try:
            await asyncio.get_running_loop().run_in_executor(None, self.prepare, nanny)
        except Refused as refused:
            self.why = str(refused)
        except (OSError, subprocess.SubprocessError, zlib.error) as problem:
            self.why = f"the library cannot be installed there: {problem}"
        # The attachment may have ended meanwhile, and another one may have begun.
        if self.library and nanny.plugins.get(NAME) is self:
            self.set_environment(nanny)
        self.ready = True

    def prepare(self, nanny) -> None:
        if not hasattr(nanny, "pre_spawn_env"):
            raise Refused("its Dask is too old: cupping attach needs distributed 2024.2 or newer")
        check_machine()
        if is_profiled_anyway(nanny):
            return
        base = base_of(nanny)
        Path(nanny.local_directory).mkdir(parents=True, exist_ok=True)
        make_private(base, base / self.parcel["hash"][:16], folder_of(nanny, self.attach))
        library = unpack(self.parcel, base / self.parcel["hash"][:16])
        check_loads(library, self.parcel["version"])
        self.library = library

    def set_environment(self, nanny) -> None:
        values = {**self.settings, "CUPPING_DIR": str(folder_of(nanny, self.attach)), "LD_PRELOAD": ""}
        for environment, keeper in environments(nanny):
            before = values_before(environment, keeper, base_of(nanny))
            restore(environment, {name: value for name, value in before.items() if name not in values})
            keeper.cupping_before = {name: before[name] if name in before else environment.get(name) for name in values}
        others = nanny.cupping_before["LD_PRELOAD"] or Nanny.cupping_before["LD_PRELOAD"] or ""
        values["LD_PRELOAD"] = f"{others}:{self.library}".lstrip(":")
        nanny.pre_spawn_env.update(values)

    def teardown(self, nanny):
        """Workers that are started from now on are not profiled. CUPPING_DIR alone does nothing; it
        stays until forget(), because the collector finds the logs by it. The last nanny of this process
        restores the process's environment: the others may just be starting workers with it."""
        others = [each for each in getattr(Nanny, "_instances", ()) if each is not nanny and has_library(each)]
        for environment, keeper in environments(nanny)[:1 if others else 2]:
            if is_of(environment.get("CUPPING_DIR"), self.attach):
                before = values_before(environment, keeper, base_of(nanny))
                restore(environment, {name: value for name, value in before.items() if name != "CUPPING_DIR"})


def read_process(pid: int | None, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().decode(errors="replace") if pid else ""
    except OSError:
        return ""


def profiled_by(pid: int | None) -> str | None:
    """The CUPPING_DIR of a process of this machine that has libcupping.so; "": it has none, and writes no
    profile; None: it does not have the library."""
    if LIBRARY not in read_process(pid, "maps"):
        return None
    for text in read_process(pid, "environ").split("\0"):
        if text.startswith("CUPPING_DIR="):
            return text.partition("=")[2]
    return ""


def is_profiled_anyway(nanny) -> bool:
    """Its worker, or the one that it is about to start, writes a profile that no attachment asked for."""
    directory = profiled_by(nanny.pid)
    if not nanny.pid:
        first = {**os.environ, **nanny.pre_spawn_env}
        directory = first.get("CUPPING_DIR") if LIBRARY in first.get("LD_PRELOAD", "") else None
    return bool(directory) and not is_below(directory, base_of(nanny))


def state_of(attach: str, dask_worker) -> dict:
    """Of a nanny, for the client that made the attachment. preloaded: its worker is profiled, perhaps
    by `cupping run`, but not by an attachment whose client died; ours: by this one. ready: the nanny has
    installed the library, or has refused. folder: where this attachment's logs are; None: there are none."""
    plugin = dask_worker.plugins.get(NAME)
    mine = plugin if plugin and plugin.attach == attach else None
    folder, directory = dask_worker.pre_spawn_env.get("CUPPING_DIR"), profiled_by(dask_worker.pid)
    ours = is_of(directory, attach)
    return {"nanny": dask_worker.address, "why": mine and mine.why, "ready": mine is not None and mine.ready,
            "folder": folder if is_of(folder, attach) else None, "ours": ours,
            "preloaded": bool(directory) and (ours or not is_below(directory, base_of(dask_worker)))}


async def remove_plugin(attach: str, dask_worker) -> None:
    plugin = dask_worker.plugins.get(NAME)
    if plugin and plugin.attach == attach:
        await dask_worker.plugin_remove(NAME)


def forget(folders: dict, dask_worker) -> None:
    """Removes the logs of an attachment, which the client has fetched. FOLDERS: {nanny: its folder}."""
    folder = folders.get(dask_worker.address)
    if not folder:
        return
    for environment, keeper in environments(dask_worker):
        if environment.get("CUPPING_DIR") == folder:
            before = values_before(environment, keeper, base_of(dask_worker))
            restore(environment, {"CUPPING_DIR": before.get("CUPPING_DIR")})
    shutil.rmtree(folder, ignore_errors=True)
