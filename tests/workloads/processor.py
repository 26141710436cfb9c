"""A small but real Coffea processor: a dimuon resonance, cleaned jets, dijets. It knows nothing of
cupping, and neither does the script that runs it (demo.py)."""

import awkward as ak
import hist
from coffea import processor


class Dimuon(processor.ProcessorABC):
    def process(self, events):
        dataset = events.metadata["dataset"]
        muons = events.Muon[
            (events.Muon.pt > 15)
            & (abs(events.Muon.eta) < 2.4)
            & events.Muon.tightId
            & (events.Muon.pfRelIso04_all < 0.2)
        ]
        pairs = ak.combinations(muons, 2, fields=["first", "second"])
        pairs = pairs[pairs.first.charge != pairs.second.charge]
        pair = ak.firsts(pairs)
        mass = (pair.first + pair.second).mass

        jets = events.Jet[(events.Jet.pt > 30) & (abs(events.Jet.eta) < 2.5) & (events.Jet.jetId == 6)]
        # Every jet against every muon of its event: a jet that is a muon's shadow is no jet.
        both = ak.cartesian({"jet": jets, "muon": muons}, nested=True)
        jets = jets[ak.all(both.jet.delta_r(both.muon) > 0.4, axis=-1)]
        dijets = ak.combinations(jets, 2, fields=["first", "second"])
        dijet_mass = (dijets.first + dijets.second).mass
        tagged = ak.sum(jets.btagDeepFlavB > 0.6, axis=1)

        selected = ~ak.is_none(mass)
        weight = events.genWeight[selected]
        out = {
            "events": len(events),
            "dimuons": int(ak.sum(selected)),
            "mass": hist.Hist.new.Reg(60, 60, 120, name="mass").Weight(),
            "met": hist.Hist.new.Reg(50, 0, 250, name="met").Weight(),
            "ht": hist.Hist.new.Reg(50, 0, 1000, name="ht").Int(0, 6, name="tagged").Weight(),
            "dijet": hist.Hist.new.Reg(100, 0, 500, name="mass").Double(),
        }
        out["mass"].fill(mass=ak.to_numpy(mass[selected]), weight=ak.to_numpy(weight))
        out["met"].fill(
            met=ak.to_numpy(events.MET.pt[selected]), weight=ak.to_numpy(weight)
        )
        out["ht"].fill(
            ht=ak.to_numpy(ak.sum(jets.pt, axis=1)[selected]),
            tagged=ak.to_numpy(tagged[selected]),
            weight=ak.to_numpy(weight),
        )
        out["dijet"].fill(mass=ak.to_numpy(ak.flatten(dijet_mass)))
        return {dataset: out}

    def postprocess(self, accumulator):
        return accumulator
