"""The demo's analysis with what physicists use instead of a profiler, for tests/bench/2_cost.py.

    rival_demo.py TOOL OUT FILES.JSON [OPTIONS OF demo.py]

TOOL: "performance_report" (Dask's own, written to OUT) or "decorator" (process() is measured chunk by
chunk, and each worker is polled ten times a second, in plain Python; OUT gets the table).
"""

import json
import sys
from pathlib import Path

import demo
import processor
import rival_measures
from dask.distributed import Client, performance_report


class PolledClient(Client):
    """Sends the decorated processor to the workers, starts the poll there, and fetches its rows at the end."""

    out: Path

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.upload_file(processor.__file__)
        self.upload_file(rival_measures.__file__)
        self.register_plugin(rival_measures.Poll())

    def close(self, *args, **options):
        polls = self.run(lambda dask_worker: dask_worker.plugins["poll"].rows)
        chunks = self.run(rival_measures.measured_chunks)
        self.out.write_text(json.dumps({"polls": polls, "chunks": chunks}))
        return super().close(*args, **options)


def main() -> None:
    tool, out = sys.argv[1:3]
    del sys.argv[1:3]  # the rest is for demo.py
    if tool == "decorator":
        PolledClient.out = Path(out)
        demo.Client, demo.Dimuon = PolledClient, rival_measures.MeasuredDimuon
        demo.main()
        return
    with Client(sys.argv[sys.argv.index("--scheduler") + 1]), performance_report(filename=out):
        demo.main()


if __name__ == "__main__":
    main()
