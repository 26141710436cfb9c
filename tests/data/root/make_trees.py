"""Write the trees_*.root beside this: `pip install ROOT` (of CPython 3.11), then run it.

ROOT compresses the record of a tree, which uproot does not: a file for each algorithm, with a tree
in the top directory and, twice written, one in a directory below. trees_objects.root has branches of
objects, a TNtuple, and a tree that was written before its baskets were.
"""

import os
from array import array

import ROOT

SETTINGS = {"zlib": 101, "lzma": 207, "lz4": 404}  # trees_objects.root: ZSTD

ROOT.gInterpreter.Declare("""
#include <TClonesArray.h>
#include <TFile.h>
#include <TLorentzVector.h>
#include <TNtuple.h>
#include <TTree.h>
struct Hit { float x, y; std::vector<int> counts; };
struct Event { int number; double weights[3]; std::vector<Hit> hits; };

void write_objects(TTree &tree)
{
    Event event;
    TClonesArray muons("TLorentzVector");
    TClonesArray *all = &muons;
    tree.Branch("event", &event, 2000, 99);
    tree.Branch("whole.", &event, 4000, 0);
    tree.Branch("muons", &all, 2000, 99);
    tree.SetAutoFlush(100);
    for (int i = 0; i < 250; i++) {
        event.number = i;
        event.hits.assign(i % 3, Hit{1.f * i, 2, {i}});
        muons.Clear();
        for (int j = 0; j < i % 4; j++)
            new (muons[j]) TLorentzVector(i, j, 1, 2);
        tree.Fill();
    }
    tree.Write();
}

void write_open(TFile &file)
{
    TTree tree("open", "without its last baskets");
    float x;
    tree.Branch("x", &x, "x/F", 500);
    for (int i = 0; i < 300; i++)
        tree.Fill();
    file.WriteTObject(&tree, "open");
}

void write_file(const char *path)
{
    TFile file(path, "RECREATE", "", 505);
    TTree tree("objects", "of several classes");
    write_objects(tree);
    TNtuple ntuple("ntuple", "of floats", "a:b");
    for (int i = 0; i < 300; i++)
        ntuple.Fill(i, 2 * i);
    ntuple.Write();
    write_open(file);
}
""")


def fill(name: str, entries: int) -> None:
    x, n, pt = array("f", [0]), array("i", [0]), array("f", [0] * 20)
    tree = ROOT.TTree(name, "numbers")
    tree.Branch("x", x, "x/F", 500)
    tree.Branch("nJet", n, "nJet/I", 500)
    tree.Branch("Jet_pt", pt, "Jet_pt[nJet]/F", 700)
    tree.SetAutoFlush(200)
    for i in range(entries):
        x[0], n[0] = i / 3, i % 5
        tree.Fill()
    tree.Write()
    tree.Write()


os.chdir(os.path.dirname(os.path.abspath(__file__)))  # files hold the name they were opened by
for name, setting in SETTINGS.items():
    file = ROOT.TFile(f"trees_{name}.root", "RECREATE", "", setting)
    fill("Events", 500)
    file.mkdir("dir").mkdir("sub").cd()
    fill("deep", 50)
    file.Close()
ROOT.write_file("trees_objects.root")
