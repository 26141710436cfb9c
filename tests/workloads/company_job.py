"""A job for tests/soak/company.py: 20 tasks, each of which reads 100,000 bytes of a file, allocates, and
sums an array in a helper thread. Prints how many bytes the tasks read.

    company_job.py [--filter=errno|kill [--again]] [--tasks=N] [--after-50=COMMAND] FILE

--filter: the job installs a seccomp filter first; --again: and then starts itself again below it.
--after-50: a command of the shell that runs after the first 50 tasks (tests/soak/disks.py).
"""

import ctypes
import os
import sys
import threading

from run_task import run

TASKS, BYTES = 20, 100_000
ACTIONS = {"errno": 0x00050001, "kill": 0x80000000}  # SECCOMP_RET_ERRNO with EPERM, SECCOMP_RET_KILL_PROCESS


def install_filter(action):
    """Refuses process_vm_readv and ptrace, as sandboxes do."""
    numbers = (310, 101) if os.uname().machine == "x86_64" else (270, 117)

    class Statement(ctypes.Structure):
        _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("k", ctypes.c_uint)]

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.POINTER(Statement))]

    code = (Statement * 5)(
        (0x20, 0, 0, 0),  # the number of the call
        (0x15, 2, 0, numbers[0]),
        (0x15, 1, 0, numbers[1]),
        (0x06, 0, 0, 0x7FFF0000),
        (0x06, 0, 0, ACTIONS[action]),
    )
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    libc.prctl(38, 1, 0, 0, 0)
    program = Program(5, code)
    if libc.prctl(22, 2, ctypes.addressof(program), 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp filter")


def work(path):
    descriptor = os.open(path, os.O_RDONLY)
    data = os.pread(descriptor, BYTES, 0)
    os.close(descriptor)
    sums = []
    lists = [[i] * 50 for i in range(2000)]
    helper = threading.Thread(target=lambda: sums.append(sum(bytes(data)) + len(lists)))
    helper.start()
    helper.join()
    assert sums
    return len(data)


def main():
    words = dict(word.partition("=")[::2] for word in sys.argv[1:-1])
    if "--filter" in words:
        install_filter(words["--filter"])
    if "--again" in words:
        os.execv(sys.executable, [sys.executable, __file__, sys.argv[-1]])
    done = 0
    for i in range(int(words.get("--tasks", TASKS))):
        done += run(f"work-{i}", lambda: work(sys.argv[-1]))
        if i == 50 and "--after-50" in words:
            os.system(words["--after-50"])
    print(done, flush=True)


if __name__ == "__main__":
    main()
