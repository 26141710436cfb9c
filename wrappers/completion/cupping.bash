# Completion for cupping and cupping-run in bash.
# shellcheck shell=bash

_cupping_words() {
    local IFS=$'\n'
    # shellcheck disable=SC2207 # words without blanks
    COMPREPLY=($(compgen -W "${1// /$'\n'}" -- "${COMP_WORDS[COMP_CWORD]}"))
}

_cupping_files() { # -f or -d
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    # shellcheck disable=SC2207 # one name a line
    COMPREPLY=($(compgen "$1" -- "${COMP_WORDS[COMP_CWORD]}"))
}

# Names of plots, as this cupping has them.
_cupping_plots() {
    (cd / && "${COMP_WORDS[0]}" plot --list 2>/dev/null | cut -d ' ' -f 1)
}

# Options of cupping-run, then whatever the wrapped command completes to.
_cupping_run() { # INDEX of the first word to look at
    local i=$1 word
    while ((i < COMP_CWORD)); do
        word=${COMP_WORDS[i]}
        case $word in
        -o | --output | --interval | --max-bytes) ((i += 2)) ;;
        --)
            ((i++))
            break
            ;;
        -*) ((i++)) ;;
        *) break ;;
        esac
    done
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    -o | --output) _cupping_files -d && return ;;
    --interval | --max-bytes) COMPREPLY=() && return ;;
    esac
    if ((i < COMP_CWORD)); then
        if declare -F _command_offset >/dev/null; then
            _command_offset "$i"
        else
            _cupping_files -f
        fi
    elif [[ ${COMP_WORDS[COMP_CWORD]} == -* ]]; then
        _cupping_words "-o --output --interval --max-bytes --verbose -q --quiet --help -V --version --"
    else
        _cupping_files -c
    fi
}

_cupping() {
    local verb=${COMP_WORDS[1]-}
    if ((COMP_CWORD == 1)); then
        _cupping_words "run attach collect report top compare tasks plot export replay merge doctor dump version help --version --help"
        return
    fi
    if [[ $verb == run ]]; then
        _cupping_run 2
        return
    fi
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --json | --csv | --samples | --coffea-report) _cupping_files -f && return ;;
    --only)
        if [[ $verb == compare ]]; then
            _cupping_words \
                "inputs workflow workers efficiency time_budget fine branches chunks tasks_by_prefix datasets attribution health scaling functions"
        elif [[ $verb == export ]]; then
            _cupping_words "tasks chunks files branches workers opens samples functions native sections values"
        else
            _cupping_words \
                "summary advice lines tasks waits chunks datasets losses stages merge hosts files branches functions servers opens workers sections workflow efficiency time_budget fine attribution health coffea completeness processes runs scaling sources"
        fi
        return
        ;;
    --files) _cupping_files -d && return ;;
    --run) [[ $verb == doctor ]] || { _cupping_words "all" && return; } ;;
    --python | --tls-*) _cupping_files -f && return ;;
    --color) _cupping_words "auto always never" && return ;;
    --span | --target | --baseline | --prefix | --dataset | --worker) COMPREPLY=() && return ;;
    --format) _cupping_words "png svg pdf" && return ;;
    --sort)
        COMPREPLY=()
        if [[ $verb == top ]]; then
            _cupping_words "memory bytes running cpu name"
        fi
        return
        ;;
    --width | --height | --top | --interval | --http | --wait | --limit | --memory | --tasks) COMPREPLY=() && return ;;
    --fail-on)
        if [[ $verb == compare ]]; then
            _cupping_words "slower unjudged losses incomplete unknown"
        else
            _cupping_words "losses incomplete unknown failed unfinished running damaged"
        fi
        return
        ;;
    --to) _cupping_words "roastcoffea prometheus csv columns speedscope collapsed perfetto replay" && return ;;
    -o) _cupping_files -f && return ;;
    esac
    case $verb:${COMP_WORDS[COMP_CWORD]} in
    report:-*) _cupping_words "--json --without-tasks --path --color --full --advice --only --span --run --target --samples --files --fail-on --coffea-report --prefix --dataset --worker" ;;
    attach:-*) _cupping_words "-o --at-once --lose-results --wait --limit --python --tls-ca-file --tls-cert --tls-key" ;;
    attach:*) _cupping_files -c ;;
    collect:-*) _cupping_words "-o --limit --python --tls-ca-file --tls-cert --tls-key" ;;
    top:-*) _cupping_words "--once --interval --http --sort --python --tls-ca-file --tls-cert --tls-key" ;;
    compare:-*) _cupping_words "--baseline --only --run --target --json --csv --fail-on" ;;
    compare:*) _cupping_files -f ;;
    tasks:-*) _cupping_words "--csv --json --sort --top" ;;
    plot:-*) _cupping_words "--list --all --html --title -o --format --width --height --dark --files --prefix --dataset --worker --run --baseline --target" ;;
    plot:*)
        _cupping_files -f
        # shellcheck disable=SC2207 # names without blanks
        COMPREPLY+=($(compgen -W "$(_cupping_plots)" -- "${COMP_WORDS[COMP_CWORD]}"))
        ;;
    export:-*) _cupping_words "--to -o --only --run --prefix --dataset --worker" ;;
    replay:-*) _cupping_words "--root --strip --speed --client --json" ;;
    merge:-*) _cupping_words "-o --memory --per-prefix --tasks --anonymize" ;;
    merge:*) _cupping_files -f ;;
    doctor:-*) _cupping_words "--python --run" ;;
    replay:* | dump:*) _cupping_files -f ;;
    help:*) _cupping_words "run attach collect report top compare tasks plot export replay merge doctor dump version help" ;;
    *) _cupping_files -d ;;
    esac
}

_cupping_run_command() {
    _cupping_run 1
}

complete -F _cupping cupping
complete -F _cupping_run_command cupping-run
