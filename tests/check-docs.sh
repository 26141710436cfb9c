#!/bin/sh
# What is written about cupping against what it does: environment variables, verbs, options, version.
#
#     tests/check-docs.sh VERSION
set -eu
cd "$(dirname -- "$0")/.."
version=${1:?the version}

man=docs/man
wrong=0

# A manual page writes --json as `Fl -json`.
says() { # FILE WORD WHY
    case $1 in
    *.1) pattern="\(Fl -\{0,1\}\|Cm \|Ev \|, \)${2#--}\( \|$\)" ;;
    *) pattern="\(^\|[^A-Za-z_-]\)$2\([^A-Za-z_-]\|$\)" ;;
    esac
    if ! grep -q -e "$pattern" "$1"; then
        echo "$1: no word of $2 ($3)"
        wrong=1
    fi
}

# --- environment: the table is include/environment.h ---

table=$(grep -o 'X(CUPPING_[A-Z_]*' include/environment.h | cut -c 3- | sort)
for name in $table; do
    says $man/cupping-run.1 "$name" "include/environment.h has it"
    says README.md "$name" "include/environment.h has it"
done
for file in wrappers/cupping-run wrappers/cupping-dask-worker README.md docs/man/*.1; do
    # shellcheck disable=SC2013 # words are what is wanted
    for name in $(grep -o 'CUPPING_[A-Z_]*' "$file" | sort -u); do
        echo "$table" | grep -qx "$name" || {
            echo "$file: $name is not in include/environment.h"
            wrong=1
        }
    done
done

# --- options and verbs ---

options() {
    grep -v 'not in this version' | grep -o -e '--[a-z][a-z-]*' | sort -u
}

for option in $(wrappers/cupping-run --help | options); do
    for file in $man/cupping-run.1 wrappers/completion/cupping.bash wrappers/completion/_cupping; do
        says "$file" "$option" "cupping-run --help has it"
    done
done

if [ -x build/cupping ]; then
    verbs=$(build/cupping help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v '^cupping$')
    for verb in $verbs; do
        text=$(build/cupping help "$verb")
        [ "$(printf '%s' "$text" | tail -n 1)" != "not in this version" ] || continue
        for file in $man/cupping.1 wrappers/completion/cupping.bash wrappers/completion/_cupping; do
            says "$file" "$verb" "a verb of cupping help"
            [ "$verb" != run ] || continue # cupping-run's own
            for option in $(printf '%s\n' "$text" | options); do
                says "$file" "$option" "an option of cupping $verb"
            done
        done
    done
    [ "$(build/cupping --version)" = "cupping $version" ] || {
        echo "build/cupping: another version than the Makefile's $version"
        wrong=1
    }
fi

# --- version ---

[ "$(wrappers/cupping-run --version)" = "cupping-run $version" ] || {
    echo "wrappers/cupping-run: another version than the Makefile's $version"
    wrong=1
}
grep -q "^## $version" CHANGELOG.md || {
    echo "CHANGELOG.md: no heading for $version"
    wrong=1
}

# --- links to files ---

for file in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md; do
    [ -e "$file" ] || continue
    # shellcheck disable=SC2013 # no blanks in links
    for target in $(grep -o '](\([^):#]*\))' "$file" | sed 's/^](//; s/)$//'); do
        [ -e "$(dirname "$file")/$target" ] || {
            echo "$file: links to $target, which is not there"
            wrong=1
        }
    done
done

[ $wrong = 0 ] && echo "documents: agree with what they describe"
