"""Write NanoAOD-like files: two datasets, jagged Muon and Jet, MET, several baskets a branch.

    mktree.py DIR [--events 600000] [--files 6] [--rntuple]

The physics is simple but has the right shapes: a Z resonance that decays to two muons, top pairs
with more jets and real missing momentum. The seed is the file's number, so equal arguments write
equal events. DIR/files.json, written last, holds {dataset: {file: tree}}: what Coffea calls a
fileset. A directory that has it, with the same arguments, is left as it is.
"""

import argparse
import json
import os
import sys
from pathlib import Path

VERSION = 2  # raise when the events change: cached files of another version are written anew


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--events", type=int, default=600_000, help="in all files together")
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--rntuple", action="store_true", help="RNTuples instead of TTrees")
    return parser.parse_args()


def wanted(args: argparse.Namespace) -> dict:
    return {"version": VERSION, "events": args.events, "files": args.files, "rntuple": args.rntuple}


def are_written(args: argparse.Namespace) -> bool:
    done = args.directory / "files.json"
    return done.exists() and json.loads(done.read_text())["arguments"] == wanted(args)


if __name__ == "__main__" and are_written(read_arguments()):
    sys.exit()  # before the imports, which take most of a second

import awkward as ak  # noqa: E402
import numpy as np  # noqa: E402
import uproot  # noqa: E402

BASKETS = 10  # per branch and file; at chunk borders that do not meet them, as in real files
MUON_MASS = 0.105658

Array = np.ndarray


def four_vector(pt: Array, eta: Array, phi: Array, mass: Array) -> Array:
    """(E, px, py, pz) as rows of one array."""
    px, py, pz = pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(eta)
    return np.stack([np.sqrt(px**2 + py**2 + pz**2 + mass**2), px, py, pz])


def boost(p: Array, parent: Array) -> Array:
    """Take p from the parent's rest frame to the laboratory."""
    mass = np.sqrt(parent[0] ** 2 - (parent[1:] ** 2).sum(axis=0))
    along = (parent[1:] * p[1:]).sum(axis=0)
    energy = (parent[0] * p[0] + along) / mass
    momentum = p[1:] + parent[1:] * (along / (mass * (parent[0] + mass)) + p[0] / mass)
    return np.concatenate([energy[None], momentum])


def z_to_muons(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Both muons of n Z bosons."""
    mass = np.clip(91.19 + 1.25 * rng.standard_cauchy(n), 50, 150)
    phi = rng.uniform(-np.pi, np.pi, n)
    z = four_vector(rng.gamma(1.6, 12.0, n), rng.normal(0, 1.8, n), phi, mass)
    cos, azimuth = rng.uniform(-1, 1, n), rng.uniform(-np.pi, np.pi, n)
    sin = np.sqrt(1 - cos**2)
    half = mass / 2
    p = np.sqrt(half**2 - MUON_MASS**2)
    plus = np.stack([half, p * sin * np.cos(azimuth), p * sin * np.sin(azimuth), p * cos])
    minus = np.concatenate([half[None], -plus[1:]])
    return boost(plus, z), boost(minus, z)


def flat(p: Array) -> tuple[Array, Array, Array]:
    pt = np.hypot(p[1], p[2])
    return pt, np.arcsinh(p[3] / np.maximum(pt, 1e-3)), np.arctan2(p[2], p[1])


def muons(rng: np.random.Generator, n: int, is_z: bool) -> ak.Array:
    """Up to two prompt muons and a few soft ones per event, hardest first."""
    if is_z:
        prompt = [flat(p) for p in z_to_muons(rng, n)]
        present = rng.random((n, 2)) < 0.95
    else:
        prompt = [
            (15 + rng.exponential(32, n), rng.normal(0, 1.3, n), rng.uniform(-np.pi, np.pi, n))
            for _ in range(2)
        ]
        present = rng.random((n, 2)) < 0.4
    soft = rng.random((n, 2)) < 0.08
    columns = [np.stack([prompt[0][i], prompt[1][i]], axis=1) for i in range(3)]
    pt = np.concatenate([columns[0], 3 + rng.exponential(5, (n, 2))], axis=1)
    eta = np.concatenate([columns[1], rng.uniform(-2.4, 2.4, (n, 2))], axis=1)
    phi = np.concatenate([columns[2], rng.uniform(-np.pi, np.pi, (n, 2))], axis=1)
    charge = np.where(rng.random((n, 1)) < 0.5, [1, -1, 1, 1], [-1, 1, -1, 1])
    pt *= rng.normal(1, 0.012, pt.shape)  # the detector's resolution
    keep = np.concatenate([present, soft], axis=1) & (pt > 3) & (np.abs(eta) < 2.4)
    order = np.argsort(np.where(keep, -pt, np.inf), axis=1)
    keep = np.take_along_axis(keep, order, axis=1)
    counts = keep.sum(axis=1)

    def jagged(values: Array, dtype: str) -> ak.Array:
        return ak.unflatten(np.take_along_axis(values, order, axis=1)[keep].astype(dtype), counts)

    shape = pt.shape
    return ak.zip(
        {
            "pt": jagged(pt, "f4"),
            "eta": jagged(eta, "f4"),
            "phi": jagged(phi, "f4"),
            "mass": jagged(np.full(shape, MUON_MASS), "f4"),
            "charge": jagged(charge, "i4"),
            "pfRelIso04_all": jagged(rng.exponential(0.06, shape), "f4"),
            "dxy": jagged(rng.normal(0, 0.004, shape), "f4"),
            "tightId": jagged(rng.random(shape) < 0.9, "?"),
        }
    )


def jets(rng: np.random.Generator, n: int, is_z: bool) -> ak.Array:
    counts = rng.poisson(2.2 if is_z else 5.2, n)
    total = int(counts.sum())
    # A falling spectrum, sorted within the event: the sum of the later exponentials.
    pt = ak.unflatten(15 + rng.exponential(22 if is_z else 38, total), counts)
    pt = ak.sort(pt, axis=1, ascending=False)

    def jagged(values: Array, dtype: str = "f4") -> ak.Array:
        return ak.unflatten(values.astype(dtype), counts)

    b_like = rng.random(total) < (0.06 if is_z else 0.4)
    btag = np.where(b_like, rng.beta(6, 1.2, total), rng.beta(0.8, 6, total))
    return ak.zip(
        {
            "pt": ak.values_astype(pt, "float32"),
            "eta": jagged(np.clip(rng.normal(0, 1.7, total), -4.7, 4.7)),
            "phi": jagged(rng.uniform(-np.pi, np.pi, total)),
            "mass": jagged(rng.gamma(4, 2.2, total)),
            "btagDeepFlavB": jagged(btag),
            "area": jagged(rng.normal(0.5, 0.02, total)),
            "jetId": jagged(rng.choice([2, 6], total, p=[0.05, 0.95]), "i4"),
            "nConstituents": jagged(rng.poisson(22, total), "u1"),
        }
    )


def events(rng: np.random.Generator, first: int, n: int, is_z: bool) -> dict:
    number = np.arange(first, first + n)
    met = rng.rayleigh(14 if is_z else 22, n) + (0 if is_z else 1) * rng.exponential(35, n)
    return {
        "run": np.full(n, 362104, "u4"),
        "luminosityBlock": (number // 500 + 1).astype("u4"),
        "event": number.astype("u8"),
        "genWeight": np.where(rng.random(n) < 0.004, -1, 1).astype("f4"),
        "PV_npvs": rng.poisson(38, n).astype("i4"),
        "MET_pt": met.astype("f4"),
        "MET_phi": rng.uniform(-np.pi, np.pi, n).astype("f4"),
        "MET_sumEt": rng.normal(900 if is_z else 1300, 180, n).astype("f4"),
        "HLT_IsoMu24": rng.random(n) < 0.8,
        "Muon": muons(rng, n, is_z),
        "Jet": jets(rng, n, is_z),
    }


def branch_types(sample: dict) -> dict:
    """mktree wants types, not data: a record array becomes nMuon, Muon_pt, ... ."""
    return {name: v.type.content if isinstance(v, ak.Array) else v.dtype for name, v in sample.items()}


def flat_columns(part: dict) -> dict:
    """What mktree makes of record arrays, for mkrntuple, which would keep them as records: then
    NanoAODSchema finds no nMuon, and a muon has no four-vector."""
    columns = {}
    for name, values in part.items():
        if isinstance(values, ak.Array):
            columns[f"n{name}"] = ak.to_numpy(ak.num(values)).astype("i4")
            columns.update({f"{name}_{field}": values[field] for field in values.fields})
        else:
            columns[name] = values
    return columns


def write(path: Path, seed: int, first: int, n: int, is_z: bool, rntuple: bool) -> None:
    rng = np.random.default_rng(seed)
    steps = np.diff(np.linspace(0, n, BASKETS + 1).astype(int))
    with uproot.recreate(path, compression=uproot.ZSTD(3)) as file:
        tree = None
        for step in (int(s) for s in steps if s):
            part = events(rng, first, step, is_z)
            if rntuple:
                part = flat_columns(part)
            first += step
            if tree is None:
                make = file.mkrntuple if rntuple else file.mktree
                tree = make("Events", part if rntuple else branch_types(part))
                if rntuple:
                    continue  # mkrntuple has stored its first argument
            tree.extend(part)


def main() -> None:
    args = read_arguments()
    done = args.directory / "files.json"
    args.directory.mkdir(parents=True, exist_ok=True)
    done.unlink(missing_ok=True)

    fileset: dict[str, dict[str, str]] = {}
    borders = np.linspace(0, args.events, args.files + 1).astype(int)
    for i in range(args.files):
        is_z = i < (args.files + 1) // 2
        name = "ZToMuMu" if is_z else "TTbar"
        path = args.directory / f"{name}_{i}.root"
        part = path.with_suffix(".part")  # interrupted, it is not taken for a whole file
        first, last = int(borders[i]), int(borders[i + 1])
        write(part, i, first, last - first, is_z, args.rntuple)
        os.replace(part, path)
        fileset.setdefault(name, {})[str(path.resolve())] = "Events"
        print(f"{path.name}: {last - first} events, {path.stat().st_size / 1e6:.1f} MB", flush=True)
    done.write_text(json.dumps({"arguments": wanted(args), "fileset": fileset}, indent=1))


if __name__ == "__main__":
    sys.exit(main())
