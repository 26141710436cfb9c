"""Opens an export in the program that it was made for, and prints every error; there should be none.

    viewers.py perfetto UI TRACE          UI: directory with index.html of Perfetto's viewer
    viewers.py speedscope APP FILE        APP: directory with index.html of speedscope
    viewers.py flamegraph PROGRAM DIR     PROGRAM: flamegraph.pl; DIR: collapsed stacks

The first two run in a headless Chromium, which gets page and file from this process, and are asked
what they read. `--picture FILE` keeps what is seen.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import aiohttp
from aiohttp import web

WAIT_S = 100  # for what a page is to do


class Page:
    """A page in the browser, by the DevTools protocol."""

    def __init__(self, socket):
        self.socket, self.asked, self.answers, self.errors = socket, 0, {}, []
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        async for message in self.socket:
            reported = json.loads(message.data)
            if reported.get("id") in self.answers:
                self.answers.pop(reported["id"]).set_result(reported)
            elif reported.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(reported["params"]["exceptionDetails"])[:500])

    async def call(self, method: str, **parameters):
        self.asked += 1
        answer = self.answers[self.asked] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": self.asked, "method": method, "params": parameters})
        reported = await asyncio.wait_for(answer, WAIT_S)
        if "error" in reported:
            raise SystemExit(f"{method}: {reported['error']}")
        return reported["result"]

    async def value(self, script: str):
        reported = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in reported:
            raise SystemExit(f"{script}: {json.dumps(reported['exceptionDetails'])[:1000]}")
        return reported["result"].get("value")

    async def until(self, script: str):
        """Waits; what is not there yet may be an error."""
        for _ in range(WAIT_S * 5):
            if await self.value(f"(() => {{ try {{ return !!({script}) }} catch {{ return false }} }})()"):
                return
            await asyncio.sleep(0.2)
        raise SystemExit(f"never true: {script}; errors: {self.errors}")

    async def keep(self, path: Path):
        reported = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(reported["data"]))


@contextlib.asynccontextmanager
async def served(directory: Path, file: Path):
    """Address of a server of the directory, where the file is /opened."""
    site = web.Application()
    site.router.add_get("/opened", lambda _: web.FileResponse(file))
    site.router.add_static("/", directory)
    runner = web.AppRunner(site)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield "http://127.0.0.1:%d" % runner.addresses[0][1]
    await runner.cleanup()


@contextlib.asynccontextmanager
async def opened(address: str):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = await asyncio.create_subprocess_exec(
            browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--enable-unsafe-swiftshader", "--remote-debugging-port=0", "--window-size=1600,1000",
            f"--user-data-dir={home}", "about:blank",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            reported = Path(home) / "DevToolsActivePort"
            for _ in range(WAIT_S * 10):
                if reported.exists() and "\n" in reported.read_text():
                    break
                await asyncio.sleep(0.1)
            port = reported.read_text().split("\n")[0]
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                    pages = [page for page in await answer.json() if page["type"] == "page"]
                url = pages[0]["webSocketDebuggerUrl"]
                async with session.ws_connect(url, max_msg_size=0) as socket:
                    page = Page(socket)
                    await page.call("Runtime.enable")
                    await page.call("Page.enable")
                    await page.call("Page.navigate", url=address)
                    yield page
        finally:
            process.terminate()
            await process.wait()


def compare(what: str, expected: dict, found: dict):
    for key in sorted(expected.keys() | found.keys(), key=str):
        if expected.get(key) != found.get(key):
            print(f"{what} {key}: {found.get(key)}, the file has {expected.get(key)}")


# --- Perfetto --------------------------------------------------------------------------------------

QUERY = """(async sql => {
  const result = await app.trace.engine.query(sql), names = result.columns(), rows = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(names.map(name => { const v = row.get(name);
                                  return typeof v === 'bigint' ? Number(v) : v; }));
  return rows;
})"""


def leaves(events: list) -> Counter:
    """By innermost function: the samples of the trace."""
    names, found = {}, Counter()
    for event in events:
        profile = event["args"]["data"].get("cpuProfile", {}) if event["ph"] == "P" else {}
        for node in profile.get("nodes", []):
            names[event["id"], node["id"]] = node["callFrame"]["functionName"]
        for sample in profile.get("samples", []):
            found[names[event["id"], sample]] += 1
    return found


def lanes_of_samples(events: list) -> Counter:
    found = Counter()
    for event in events:
        if event["name"] == "ProfileChunk":
            found[event["pid"], event["tid"]] += len(event["args"]["data"]["timeDeltas"])
    return found


async def check_tables(page: Page, trace: dict):
    async def rows(sql: str) -> list:
        return await page.value(f"{QUERY}({json.dumps(sql)})")

    async def counts(sql: str) -> dict:
        return {key[0] if len(key) == 1 else tuple(key): n for *key, n in await rows(sql)}

    events = trace["traceEvents"]
    for name, value in await rows(
        "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
    ):
        print(f"import error: {name}, {value} times")
    slices = Counter(event["name"] for event in events if event["ph"] in "Xbi")
    compare("slices", slices, await counts("select name, count(*) from slice group by 1"))
    counters = Counter(
        f"{event['name']} {unit}" for event in events if event["ph"] == "C" for unit in event["args"]
    )
    compare("values of", counters, await counts(
        "select t.name, count(*) from counter c join track t on c.track_id = t.id group by 1"
    ))
    compare("samples in", lanes_of_samples(events), await counts(
        "select pid, tid, count(*) from cpu_profile_stack_sample join thread using (utid)"
        " join process using (upid) group by 1, 2"
    ))
    compare("samples of", leaves(events), await counts(
        "select f.name, count(*) from cpu_profile_stack_sample s"
        " join stack_profile_callsite c on s.callsite_id = c.id"
        " join stack_profile_frame f on c.frame_id = f.id group by 1"
    ))
    outside = await rows(
        "select count(*) from cpu_profile_stack_sample, (select ts, dur from slice where name = 'run') run"
        " where cpu_profile_stack_sample.ts not between run.ts and run.ts + run.dur + 2000000"
    )
    if outside[0][0]:
        print(f"{outside[0][0]} samples lie outside of the run")


async def check_perfetto(ui: Path, file: Path, picture: Path | None):
    trace = json.loads(file.read_text())
    events = trace["traceEvents"]
    if not leaves(events) or not any(event.get("cat") == "task" for event in events):
        raise SystemExit("no samples, or no tasks: nothing is tested by this trace")
    async with served(ui, file) as address:
        async with opened(f"{address}/index.html#!/?url={address}/opened") as page:
            await page.until("window.app.trace")
            await check_tables(page, trace)
            expand = "app.commands.runCommand('dev.perfetto.ExpandAllGroups')"
            await page.value(expand)
            for event in events:
                if event["name"] == "process_name" and event["args"]["name"] != "run":
                    break
            for shown in (event["args"]["name"], "tasks (CPU Stack Samples)"):
                await page.until(
                    f"{expand}, document.body.innerText.includes({json.dumps(shown)})"
                )
            if picture:
                await page.keep(picture)
            print(*page.errors, sep="\n", end="")


# --- speedscope ------------------------------------------------------------------------------------


def hottest(file: dict, many: int) -> list:
    """Names of the functions with the most of their own, in the first profile."""
    profile, frames, own = file["profiles"][0], file["shared"]["frames"], Counter()
    for stack, weight in zip(profile["samples"], profile["weights"]):
        own[stack[-1]] += weight
    return [frames[frame]["name"] for frame, _ in own.most_common(many)]


def tab(name: str) -> str:
    return (
        "[...document.querySelectorAll('div')].filter(d => d.children.length < 2 &&"
        f" d.textContent.trim().endsWith({json.dumps(name)})).pop()"
    )


async def check_speedscope(app: Path, file: Path, picture: Path | None):
    reported = json.loads(file.read_text())
    title = f"{reported['profiles'][0]['name']} (1/{len(reported['profiles'])})"
    async with served(app, file) as address:
        async with opened(f"{address}/index.html#profileURL={address}/opened") as page:
            await page.until(f"document.body.innerText.includes({json.dumps(title)})")
            await page.value(tab("Sandwich") + ".click()")
            await page.until("document.body.innerText.includes('Symbol Name')")
            text = await page.value("document.body.innerText")
            rows = re.findall(r"%\)\s+[\d.]+\S* \([^)]*%\)\s+(\S.*)", text)
            if rows[:5] != hottest(reported, 5):
                print(f"hottest: {rows[:5]}, the file has {hottest(reported, 5)}")
            if picture:
                await page.value(tab("Left Heavy") + ".click()")
                await asyncio.sleep(1)
                await page.keep(picture)
            print(*page.errors, sep="\n", end="")


# --- flamegraph.pl ---------------------------------------------------------------------------------


def check_flamegraph(program: Path, directory: Path):
    files = sorted(directory.glob("*.collapsed"))
    if not any(file.stat().st_size for file in files):
        raise SystemExit("no stacks: nothing is tested by these files")
    for file in files:
        total = sum(int(line.rsplit(" ", 1)[1]) for line in file.read_text().splitlines())
        if not total:
            continue
        run = subprocess.run(["perl", program, file], capture_output=True, text=True)
        found = re.search(r"<title>all \(([\d,]+) samples", run.stdout)
        if run.returncode or run.stderr or not found:
            print(f"{file.name}: status {run.returncode}: {run.stderr or 'no graph'}")
        elif int(found[1].replace(",", "")) != total:
            print(f"{file.name}: {found[1]}, the file has {total}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("viewer", choices=["perfetto", "speedscope", "flamegraph"])
    parser.add_argument("program", type=Path)
    parser.add_argument("export", type=Path)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.viewer == "flamegraph":
        check_flamegraph(given.program, given.export)
    else:
        check = check_perfetto if given.viewer == "perfetto" else check_speedscope
        asyncio.run(check(given.program, given.export, given.picture))


if __name__ == "__main__":
    main()
