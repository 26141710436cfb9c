"""python -m cupping kernel install: a Jupyter kernel of this Python that runs under cupping.

Other verbs are those of the command `cupping`: `python -m cupping report`. The command `cupping` calls main() for its
verbs that need Dask.
"""

import argparse
import importlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

from . import profile


REMOTE = {verb: f"{verb}_verb" for verb in ("attach", "collect", "top")}  # verbs of the command, and their modules in cupping/remote


def read_arguments():
    about = __doc__.split(": ", 1)[1].split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m cupping", description=about)
    parser.add_argument("verb", choices=["kernel"])
    parser.add_argument("action", choices=["install"])
    parser.add_argument("--name", default="cupping", help="of the kernel (default: cupping)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--sys-prefix", action="store_const", const=sys.prefix, dest="prefix",
                       help="install it into this Python's environment (default: for this user)")
    where.add_argument("--prefix", help="install it below PREFIX/share/jupyter")
    return parser.parse_args()


def install_kernel(arguments):
    """Returns an error, or None."""
    try:
        import ipykernel  # noqa: F401
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        return f"{sys.executable} has no kernel for Jupyter: {sys.executable} -m pip install ipykernel"
    wrapper = profile.find_program("cupping-run")
    if not wrapper:
        return "cupping-run was not found: put it on PATH"
    words = [wrapper, "--", sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": words, "display_name": f"Python {sys.version_info[0]} ({arguments.name})",
            "language": "python", "metadata": {"debugger": True}}
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n")
        place = KernelSpecManager().install_kernel_spec(
            scratch, arguments.name, user=not arguments.prefix, prefix=arguments.prefix)
    print(f"cupping: Jupyter lists the kernel \"{spec['display_name']}\" now: {place}")
    return None


def run_remote(verb, words, command):
    """A verb of the command `cupping`, whose path is COMMAND. Returns an exit status or an error."""
    from .remote import UsageError, clean, read_words, say

    profile.own_command = command
    try:
        return importlib.import_module(f"cupping.remote.{REMOTE[verb]}").main(*read_words(words))
    except UsageError as problem:
        say(f"{verb}: {problem}")
        return 2
    except ModuleNotFoundError as problem:
        if problem.name not in ("dask", "distributed"):
            raise
        return f"cupping: {verb}: {sys.executable} has no {problem.name}: name an interpreter that has it with --python FILE"
    except (OSError, profile.Error) as problem:
        return f"cupping: {verb}: {clean(str(problem))}"
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def run_command(words):
    """Becomes the command `cupping`, for which this is the Python of the analysis."""
    if words[:1] and words[0] in (*REMOTE, "doctor"):
        words = [words[0], "--python", sys.executable, *words[1:]]
    try:
        os.execv(profile.find_command(), ["cupping", *words])
    except profile.Error as problem:
        sys.exit(f"cupping: {problem}")


def main(command=""):
    if command and sys.argv[1:2] and sys.argv[1] in REMOTE and "--" in sys.argv:
        sys.exit(run_remote(sys.argv[1], sys.argv[2:], command))
    if sys.argv[1:2] != ["kernel"]:
        run_command(sys.argv[1:])
    try:
        error = install_kernel(read_arguments())
    except OSError as problem:
        error = str(problem)
    if error:
        sys.exit(f"cupping: {error}")


if __name__ == "__main__":
    main()
