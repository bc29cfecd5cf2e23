#compdef narrows

autoload -U is-at-least

_narrows() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_narrows_commands" \
"*::: :->narrows" \
&& ret=0
    case $state in
    (narrows)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
'*--layers=[Only these layers]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--data=[Folder on the drives that would hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that would hold the commit log \[default\: that of --data\]]:DIR:_files' \
'--database=[managed (a PostgreSQL of our own), none, or postgres\://… (a schema of our own on that server)]:WHAT:_default' \
'--postgres=[The PostgreSQL to start for --database managed\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'*--workloads=[Only these database workloads]:WORKLOAD,…:((lookup_cached\:"One row by its key, from the buffer pool"
lookup_uncached\:"One row by its key, from the drive"
update\:"One row, one durable commit"
scan\:"The whole table, by 1 and by n workers"))' \
'--sessions=[Concurrent sessions of the database workloads \[default\: twice the server'\''s CPUs, 8 to 256\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"The one screen"
json\:"The run file"
csv\:"One row per metric"
markdown\:"The screen as Markdown"
html\:"One self-contained page"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[A sketch in about 90 seconds\: three repeats, no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its minutes and bytes, and stop]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(report)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of the report]:FORMAT:((text\:"The one screen"
json\:"The run file"
csv\:"One row per metric"
markdown\:"The screen as Markdown"
html\:"One self-contained page"))' \
'-o+[Write to this file instead of standard output]:FILE:_files' \
'--output=[Write to this file instead of standard output]:FILE:_files' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--format)--html[The same as --format html]' \
'--rejudge[Judge again with this version'\''s rules instead of showing the stored verdicts]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':run -- A run'\''s id (or its first characters), or a run file:_default' \
&& ret=0
;;
(platform)
_arguments "${_arguments_options[@]}" : \
'--data=[Folder on the drives that hold the data files]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'--format=[Text or JSON]:FORMAT:((text\:"For people"
json\:"As in the run file"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(report)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(platform)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
}

(( $+functions[_narrows_commands] )) ||
_narrows_commands() {
    local commands; commands=(
'run:Measure this server layer by layer and say where it is narrow' \
'report:Render a stored run again, in any format' \
'platform:Show what this machine is\: processors, memory, and the whole path under a folder' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help_commands] )) ||
_narrows__subcmd__help_commands() {
    local commands; commands=(
'run:Measure this server layer by layer and say where it is narrow' \
'report:Render a stored run again, in any format' \
'platform:Show what this machine is\: processors, memory, and the whole path under a folder' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__platform_commands] )) ||
_narrows__subcmd__help__subcmd__platform_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help platform commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__report_commands] )) ||
_narrows__subcmd__help__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help report commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__run_commands] )) ||
_narrows__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help run commands' commands "$@"
}
(( $+functions[_narrows__subcmd__platform_commands] )) ||
_narrows__subcmd__platform_commands() {
    local commands; commands=()
    _describe -t commands 'narrows platform commands' commands "$@"
}
(( $+functions[_narrows__subcmd__report_commands] )) ||
_narrows__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'narrows report commands' commands "$@"
}
(( $+functions[_narrows__subcmd__run_commands] )) ||
_narrows__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows run commands' commands "$@"
}

if [ "$funcstack[1]" = "_narrows" ]; then
    _narrows "$@"
else
    compdef _narrows narrows
fi
