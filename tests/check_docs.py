"""Checks what is written about cupping against the program and its tables: environment variables,
verbs, options, version, links, and the width of Markdown.

    tests/check_docs.py         exit status 1, and a line for each difference, if there is any
"""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
MAN = "docs/man/cupping.1"
MAN_RUN = "docs/man/cupping-run.1"
VARIABLES = "docs/environment.md"
BASH = "wrappers/completion/cupping.bash"
ZSH = "wrappers/completion/_cupping"
WIDTH = 120

VERBS = []  # of `cupping help`
FLOORS = ["include", "preload", "analysis", "plot", "cli", "tests"]
SOURCES = "".join(path.read_text() for floor in FLOORS for path in (TOP / floor).rglob("*.[ch]"))
differences = []


def report(where, difference):
    differences.append(f"{where}: {difference}")


def read(path):
    return (TOP / path).read_text()


def run(*command):
    return subprocess.run(command, cwd=TOP, text=True, check=True, capture_output=True).stdout


def join(text):
    """The text on one line, with single blanks, as words can be compared."""
    return " ".join(text.split())


def compare(where, what, written, expected):
    for missing in sorted(set(expected) - set(written)):
        report(where, f"{what}: {missing} is missing")
    for surplus in sorted(set(written) - set(expected)):
        report(where, f"{what}: {surplus} is not in the program")


# --- environment: the table is include/environment.h ---


def read_environment():
    text = re.sub(r"\\\n", "", read("include/environment.h"))
    rows = re.findall(r'X\((CUPPING_\w+), "(.*?)",\s*((?:"[^"]*"\s*)+)\)', text)
    return [(name, default, "".join(re.findall(r'"([^"]*)"', words))) for name, default, words in rows]


def plain_man(text):
    """Text of a manual page without its macros: words and punctuation as they are printed."""
    text = re.sub(r"^\.(Pp|Bl|El|Bd|Ed).*$", "", text, flags=re.M)
    text = re.sub(r"^\.\w\w ", "", text, flags=re.M)
    return join(text)


PROGRAM_VARIABLES = {"CUPPING_PAGER"}  # read by the program `cupping`, not by the library


def check_environment():
    rows = read_environment()
    names = [name for name, _, _ in rows]
    page, manual, usage = read(VARIABLES), read(MAN_RUN), join(run("wrappers/cupping-run", "--help"))
    compare(VARIABLES, "variables", re.findall(r"^\| `(CUPPING_\w+)`", page, re.M), names)
    compare(MAN_RUN, "variables", re.findall(r"^\.It Ev (CUPPING_\w+)", manual, re.M), names)
    for name, default, meaning in rows:
        if f"| `{name}` | {default} | {meaning} |" not in page:
            report(VARIABLES, f"wants the row: | `{name}` | {default} | {meaning} |")
        entry = re.search(rf"^\.It Ev {name}\n(.*?)(?=^\.(?:It|El))", manual, re.M | re.S)
        said = plain_man(entry[1] if entry else "").lower()
        if f"{meaning}.".lower() not in said or f"default: {default}.".lower() not in said:
            report(MAN_RUN, f"{name} wants: {meaning}. Default: {default}.")
        if f"{name} {meaning}; default: {default}" not in usage:
            report("wrappers/cupping-run", f"--help wants: {name} {meaning}; default: {default}")
    for path in ["wrappers/cupping-run", "wrappers/cupping-dask-worker", "README.md", VARIABLES, MAN, MAN_RUN]:
        for name in sorted(set(re.findall(r"CUPPING_[A-Z_]+", read(path))) - set(names) - PROGRAM_VARIABLES):
            report(path, f"{name} is not in include/environment.h")


# --- verbs and options: the tables are those of the program, which `cupping help` prints ---


def read_options(usage):
    """{option: its argument} of a help text, and the values of those that have a fixed set."""
    options, values = {}, {}
    rows = re.findall(r"^  (-.*?)(?:  +|\n {10,})(.*(?:\n {10,}.*)*)", usage + "\n", re.M)
    for names, meaning in rows:
        words = names.replace(",", "").split()
        argument = "" if words[-1].startswith("-") else words.pop()
        for name in words:
            options[name] = argument
        fixed = re.search(r": ((?:[\w-]+, )+[\w-]+ or [\w-]+)$", join(meaning))
        if fixed and argument != "RATE":
            values[words[0]] = set(re.split(r", | or ", fixed[1]))
    return options, values


def man_option(name, argument):
    words = {"": "", "N|all": " Ar n | Cm all"}.get(argument, f" Ar {argument.lower()}")
    return f"Fl {name[1:]}{words}"


def man_entry(text, verb):
    """What the manual page says of a verb."""
    return re.search(rf"^\.It Cm {verb}\n(.*?)(?=^\.It Cm (?:{'|'.join(VERBS)})\n|^\.Sh)", text, re.M | re.S)[1]


def check_manual(path, verb, options):
    """The synopsis and the list of options, both as `Fl -json Ar file`."""
    text = read(path)
    if verb:
        synopsis = re.search(rf"^\.Nm\n\.Cm {verb}\n(.*?)(?=^\.Nm|^\.Sh)", text, re.M | re.S)[1]
        text = man_entry(text, verb)
    else:
        synopsis = re.search(r"^\.Sh SYNOPSIS(.*?)^\.Sh", text, re.M | re.S)[1]
    listed = [part for line in re.findall(r"^\.It (Fl .*)", text, re.M) for part in line.split(" , ")]
    expected = [man_option(name, argument) for name, argument in options.items()]
    compare(path, f"options of {verb or 'cupping-run'}", listed, expected)
    for name in options:
        if not re.search(rf"\bFl {name[1:]}\b|\| {name[1:]}\b", synopsis) and name != "--list":
            report(path, f"synopsis of {verb or 'cupping-run'}: {name} is missing")


def check_completion(verb, options, values):
    bash, zsh = read(BASH), read(ZSH)
    if verb:
        words = re.search(rf'^    {verb}:-\*\) _cupping_words "(.*)"', bash, re.M)[1]
        rules = re.search(rf"^    {verb}\)\n(.*?)^        ;;", zsh, re.M | re.S)[1]
    else:
        words = re.search(r'_cupping_words "(-o --output.*) --"', bash)[1] + " -h"
        rules = re.search(r"^_cupping_run\(\) \{\n(.*?)^\}", zsh, re.M | re.S)[1]
    compare(BASH, f"options of {verb or 'cupping-run'}", words.split(), options)
    written = re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)(?=[\[,}])", rules)
    compare(ZSH, f"options of {verb or 'cupping-run'}", written, options)
    for name, expected in values.items():
        for path, text in [(BASH, bash), (ZSH, zsh)]:
            if not any(set(found.split()) == expected for found in re.findall(r'[("]([a-z_ \n]+)[")]', text)):
                report(path, f"values of {name} of {verb} are not {' '.join(sorted(expected))}")
        for value in expected:
            if not re.search(rf"^\.(?:It )?Cm (?:.* )?{value}\b", man_entry(read(MAN), verb), re.M):
                report(MAN, f"{name} of {verb}: {value} is missing")


def check_verbs():
    summary = run("build/cupping", "help")
    verbs = re.findall(r"^  ([a-z]+) +((?:.+)(?:\n {8,}.+)*)", summary, re.M)
    verbs = [(verb, join(words)) for verb, words in verbs if verb != "cupping"]
    VERBS.extend(verb for verb, _ in verbs)
    compare(BASH, "verbs", re.search(r'"(run [a-z ]*) --version --help"', read(BASH))[1].split(), VERBS)
    compare(MAN, "verbs", set(re.findall(r"^\.It Cm ([a-z]+)$", read(MAN), re.M)) & set(VERBS), VERBS)
    for verb, words in verbs:
        if f"'{verb}:{words}'" not in read(ZSH):
            report(ZSH, f"wants the verb '{verb}:{words}'")
        options, values = read_options(run("build/cupping", "help", verb))
        if options:
            check_manual(MAN, verb, options)
            check_completion(verb, options, values)
    options, _ = read_options(run("wrappers/cupping-run", "--help"))
    check_manual(MAN_RUN, "", options)
    check_completion("", options, {})


def check_version():
    version = re.search(r"^VERSION := (.*)$", read("Makefile"), re.M)[1]
    for program in ["build/cupping", "wrappers/cupping-run"]:
        if run(program, "--version") != f"{program.split('/')[1]} {version}\n":
            report(program, f"prints another version than the Makefile's {version}")
    for recipe, line in (("conda/meta.yaml", f'version = "{version}"'), ("spack/package.py", f'version("{version}")')):
        if line not in read(f"packaging/{recipe}"):
            report(f"packaging/{recipe}", f"has no line {line}")
    if f"## {version}" not in read("CHANGELOG.md"):
        report("CHANGELOG.md", f"has no heading for {version}")


# --- Markdown: links, files that are named, and the width of lines ---


def anchors(path):
    titles = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(path, text):
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        file = path.parent / target if target else path
        if not file.exists():
            report(path.relative_to(TOP), f"links to {target}, which does not exist")
        elif anchor and anchor not in anchors(file):
            report(path.relative_to(TOP), f"links to #{anchor} of {file.name}, which does not exist")


def check_named_files(path, text):
    """Files that are named in `...` with one of the folders of the checkout."""
    for name in re.findall(r"`((?:include|preload|analysis|plot|cli|tests|wrappers|docs)/[\w./-]+\.\w+)`", text):
        if not (TOP / name).exists() and not re.search(r"[A-Z]{4}", name):
            report(path.relative_to(TOP), f"names {name}, which does not exist")


def check_named_functions(path, text):
    """Functions of cupping that contributors' pages name as `cup_...()`."""
    for name in sorted(set(re.findall(r"`(cup_\w+)\(\)`", text))):
        if name not in SOURCES:
            report(path.relative_to(TOP), f"names {name}(), which does not exist")


def check_width(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDTH and not line.startswith("|"):
            report(f"{path.relative_to(TOP)}:{number}", f"is {len(line)} columns wide: at most {WIDTH}")


def check_markdown():
    for path in [*TOP.glob("*.md"), *sorted((TOP / "docs").rglob("*.md"))]:
        text = path.read_text()
        check_links(path, text)
        check_named_files(path, text)
        check_named_functions(path, text)
        check_width(path, text)


def main():
    check_environment()
    check_verbs()
    check_version()
    check_markdown()
    for difference in differences:
        print(difference)
    if not differences:
        print("documents: agree with what they describe")
    return 1 if differences else 0


sys.exit(main())
