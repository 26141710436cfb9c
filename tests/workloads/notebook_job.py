"""A notebook with a Coffea analysis, run by a real kernel: `%%cupping` shows the run of its cell.

    notebook_job.py FILES.JSON OUT.IPYNB      under cupping-run, with nbclient and ipykernel

Checked: what the cells show. Lines of the processor, which is defined in a cell, have their source.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

TOP = Path(__file__).parents[2]

DEFINE = """
import awkward as ak
from coffea import processor
from coffea.nanoevents import NanoAODSchema

NanoAODSchema.warn_missing_crossrefs = False

class Pairs(processor.ProcessorABC):
    def process(self, events):
        total = 0
        for _ in range(40):
            total += ak.sum(events.Muon.pt ** 1.5)  # the heaviest line
        return {"events": len(events), "total": float(total)}

    def postprocess(self, accumulator):
        return accumulator
"""

RUN = """%%cupping
from dask.distributed import Client

with Client(n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    run = processor.Runner(executor=processor.DaskExecutor(client=client, status=False),
                           schema=NanoAODSchema, chunksize=20_000)
    result = run(fileset, processor_instance=Pairs())
result["events"]
"""


def texts(cell, kind):
    return [output["data"][kind] for output in cell.outputs if kind in output.get("data", {})]


def streams(cell):
    return "".join(output["text"] for output in cell.outputs if output["output_type"] == "stream")


def run_installed_kernel(directory):
    """A kernel that `python -m cupping kernel install` made is profiled by itself."""
    prefix, package = directory / "prefix", str(TOP / "python")
    environment = {**os.environ, "PYTHONPATH": package}
    command = [sys.executable, "-m", "cupping", "kernel", "install", "--prefix", str(prefix)]
    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    assert '"Python 3 (cupping)"' in said, said
    os.environ["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    code = f"import os, sys\nsys.path.insert(0, {package!r})\nimport cupping\n" \
           "print(cupping.active(), os.environ['CUPPING_DIR'])"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=120, kernel_name="cupping",
                   resources={"metadata": {"path": str(directory)}}).execute()
    active, profile = streams(notebook.cells[0]).split()
    assert active == "True" and Path(profile).parent == directory, (active, profile)
    assert list(Path(profile).glob("*.cup")), profile


def main():
    files, out = sys.argv[1:]
    trees = json.loads(Path(files).read_text())["fileset"]
    fileset = {name: {"files": files} for name, files in trees.items()}
    setup = f"import os, sys\nsys.path.insert(0, {str(TOP / 'python')!r})\n" \
            f"os.environ['PATH'] = {str(TOP / 'build')!r} + os.pathsep + os.environ['PATH']\n" \
            f"fileset = {fileset!r}\n%load_ext cupping"
    cells = [setup, DEFINE, RUN, "%%cupping\n1 + 1", "import cupping\ncupping.open().plot('time-budget')",
             "%%cupping\nimport asyncio\nawait asyncio.sleep(0)", "%%cupping\nraise ValueError('on purpose')"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.cells[-2].metadata["tags"] = ["raises-exception"]
    try:
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        raise AssertionError("the failing cell did not fail")
    except CellExecutionError as error:
        assert "on purpose" in str(error), error
    finally:
        nbformat.write(notebook, out)
    loaded, _, run, nothing, plot, waiting, failing = notebook.cells
    assert streams(loaded) == "", streams(loaded)
    (shown,) = texts(run, "text/html")
    assert "total += ak.sum(events.Muon.pt ** 1.5)  # the heaviest line" in shown, shown
    assert "Complete:" in shown and "<img" in shown and "<script" not in shown, shown
    assert "no call of Coffea's Runner" in streams(nothing), streams(nothing)
    assert texts(nothing, "text/plain") == ["2"]
    assert "data:image/svg+xml" in texts(plot, "text/html")[0]
    assert "an `await` outside of functions" in streams(waiting), waiting
    shown = ["\n".join(output.traceback) for output in failing.outputs if output.output_type == "error"]
    assert len(shown) == 2 and "Traceback" in shown[0], shown
    assert shown[1] == "ValueError: on purpose (its traceback is above)", shown
    cells = list((Path(out).parent / "profile" / "cells").iterdir())
    assert cells and all(cell.stat().st_mode & 0o777 == 0o600 for cell in cells), cells
    run_installed_kernel(Path(out).parent)
    print("the notebook shows its run")


if __name__ == "__main__":
    main()
