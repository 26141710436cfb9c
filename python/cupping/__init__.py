"""cupping from Python: profiles as data frames, and names for the parts of a task.

    import cupping

    profile = cupping.open("cupping-latest")
    profile.report()                       # the first screen
    profile.tasks.groupby("prefix").wall_s.sum()
    profile.plot("time-budget")

    with cupping.section("selection"):     # in a processor
        events = events[mask]

In a notebook, `%load_ext cupping` adds `%%cupping`, which shows the runs of its cell. The package
needs only Python; tables are data frames if pandas is installed.
"""

from .sections import active, section, value

__all__ = ["Error", "Profile", "active", "attach", "open", "reduce", "section", "value"]


def open(directory=None, run=None):  # noqa: A001 - as gzip.open
    """The profile in a directory, such as the one that `cupping run -o` names.

    directory: None is the profile of this process, if it is profiled, else the newest one below the
        current directory that has logs, as for `cupping report`. The job may still run.
    run: the number of a call of Coffea's Runner, or "all"; None is the last one.
    """
    from .profile import Profile

    if directory is None and active():
        import os

        directory = os.environ.get("CUPPING_DIR")
    return Profile(directory, run)


def attach(client, directory=None, **options):
    """Profiles the workers of a Dask cluster that runs already, from here to the end of a `with`:

        with cupping.attach(client) as profile:
            ...
        profile.report()

    client: of distributed. directory: where the profile will be, as with `cupping run -o`. The options
    are those of `cupping attach`: at_once, lose_results, wait_s and limit_bytes; and settings: a dict of CUPPING_*
    variables for the workers.
    """
    from .remote.attach import Attachment

    return Attachment(client, directory, **options)


def reduce(client, output="merged.cup", *, command=None, memory_mb=512, per_prefix=False):
    """Merges the logs of a Dask cluster on its workers, and writes one merged log here. Returns its path.

    Each host merges its own logs, and a tree of Dask tasks merges the results, so that one log is sent to this client.
    The workers must be profiled (cupping-run), and have the command cupping. Processes that still run
    are merged as far as their logs are written.

    client: of distributed. command: the command on the workers, if it is not that of their Python or on
    their path. memory_mb: the most memory that one merge may use. per_prefix: keep few tasks of
    each log, and sum up the others by the prefix of their keys.
    """
    from .remote import reduce as remote

    return remote.reduce(client, output, command=command, memory_mb=memory_mb, per_prefix=per_prefix)


def __getattr__(name):
    if name in ("Error", "Profile"):
        from . import profile

        return getattr(profile, name)
    raise AttributeError(f"module 'cupping' has no attribute {name!r}")


def load_ipython_extension(shell):
    """What `%load_ext cupping` calls."""
    from .notebook import load

    load(shell)
