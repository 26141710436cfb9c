"""What a task's children can notice: environment, arguments, and how much of both exec takes.

Prints the same with the library as without: LD_PRELOAD and CUPPING_DIR, which differ, are left
out."""

import os
import subprocess
import sys

from run_task import run

hidden = ("LD_PRELOAD=", "CUPPING_DIR=", "declare -x LD_PRELOAD", "declare -x CUPPING_DIR")


def show(text):
    for line in text.splitlines():
        if not line.startswith(hidden):
            print(" ", line)


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, **options).stdout


def environments():
    program = "import os\nfor each in os.environ.items(): print('='.join(each))"
    kept = {name: os.environ[name] for name in ("LD_PRELOAD", "CUPPING_DIR") if name in os.environ}
    for command in (["/usr/bin/env"], ["/bin/sh", "-c", "env"], ["bash", "-c", "export"],
                    [sys.executable, "-c", program], ["/bin/sh", "-c", "exec env"],
                    ["env", "-i", "env"], ["cat", "/proc/self/cmdline"]):
        print(command[0], command[-1][:8])
        show(output(*command).replace("\0", "\n"))
        show(output(*command, env=dict(kept, LAST="1", PATH="/usr/bin:/bin")).replace("\0", "\n"))
    print(os.system("exit 3"), os.system("kill -TERM $$"), os.system("nonexistent 2>&1"))
    show(os.popen("env").read())
    show("\n".join("=".join(each) for each in os.environ.items()))


def fails(*arguments):
    try:
        os.posix_spawn(*arguments)
    except OSError as error:
        return error.errno


def failures():
    print(fails("/nonexistent", ["x"], os.environ), fails("/etc/passwd", ["x"], os.environ))
    for call, arguments in ((os.execv, ("/nonexistent", ["x"])), (os.execvp, ("nope", ["x"])),
                            (os.execve, ("/etc", ["x"], {})), (os.execl, ("/etc/passwd", "x"))):
        try:
            call(*arguments)
        except OSError as error:
            print(call.__name__, error.errno)


def spawns(bytes):
    """With so many bytes of arguments; the kernel takes 128 KiB in each."""
    piece = 100000
    arguments = ["true"] + ["x" * piece] * (bytes // piece) + ["x" * (bytes % piece)]
    try:
        pid = os.posix_spawn("/bin/true", arguments, os.environ)
    except OSError as error:
        return error.errno
    return os.waitpid(pid, 0)[1] == 0


def most_bytes():
    low, high = 0, 10000000
    while high - low > 1:
        middle = (low + high) // 2
        if spawns(middle) is True:
            low = middle
        else:
            high = middle
    return low


print("environments")
run("environments", environments)
run("failures", failures)
print("room", most_bytes() - run("most", most_bytes), spawns(20000000),
      run("too much", lambda: spawns(20000000)))
sys.stdout.flush()
run("replaced", lambda: os.execl("/bin/echo", "echo", "the", "end"))
