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
'--observe=[Look at this server, postgres\://USER@HOST\:PORT/DATABASE, and load nothing]:URL:_default' \
'--for=[How long to look at most \[default\: 10min\]]:TIME:_default' \
'--capacities=[Compare with what this stored run of this machine measured of drives, log and memory\: its id or its file]:RUN:_default' \
'--facts=[Answer from this capture of this machine what this user can'\''t read (\`narrows gather --privileged\`)]:FILE:_files' \
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
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Quick, in about 2 min\: three repeats and no tests, so nothing is CONFIRMED]' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(observe)
_arguments "${_arguments_options[@]}" : \
'--for=[How long to look at most \[default\: 10min\]]:TIME:_default' \
'--capacities=[Compare with what this stored run of this machine measured of drives, log and memory\: its id or its file]:RUN:_default' \
'--facts=[Answer from this capture of this machine what this user can'\''t read (\`narrows gather --privileged\`)]:FILE:_files' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--dry-run[Say what would be looked at, and stop]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::address -- The server\: postgres\://USER@HOST\:PORT/DATABASE, keywords, or a database'\''s name \[default\: as psql\]:_default' \
&& ret=0
;;
(block)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a file of ours is made there and removed \[default\: the current folder\]]:DIR:_files' \
'(--at)--device=[This raw device instead of a file; it is only read, and may be in use]:DEV:_default' \
'--write-to-device=[Write to this raw device; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it]:S:_default' \
'--percentile=[The percentile that has to stay within the limit]:P:_default' \
'--within=[The limit, counted from when an operation was due]:TIME:_default' \
'--size=[Bytes of an operation\: 8k is 8 KiB]:SIZE:_default' \
'--reads=[Of a hundred operations, reads; the rest are writes]:N:_default' \
'--beside=[What runs at the same time]:WHAT:((log\:"A durable log\: 8 KiB appended and flushed 200 times per second"))' \
'--arrivals=[How operations arrive]:ARRIVALS:((poisson\:"Independently of each other, as from many users"
constant\:"At equal distances, as from a clock"))' \
'--file-size=[Size of the file that is made and removed\: 1g is 1 GiB]:SIZE:_default' \
'--minutes=[Time for all windows, writing the file not counted \[default\: a minute and a half\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__block_commands" \
"*::: :->block" \
&& ret=0

    case $state in
    (block)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-block-command-$line[1]:"
        case $line[1] in
            (calibrate)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a file of ours is made there and removed \[default\: the current folder\]]:DIR:_files' \
'(--at)--device=[This raw device instead of a file; it is only read, and may be in use]:DEV:_default' \
'--write-to-device=[Write to this raw device; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it]:S:_default' \
'--percentile=[The percentile that has to stay within the limit]:P:_default' \
'--within=[The limit, counted from when an operation was due]:TIME:_default' \
'--size=[Bytes of an operation\: 8k is 8 KiB]:SIZE:_default' \
'--reads=[Of a hundred operations, reads; the rest are writes]:N:_default' \
'--beside=[What runs at the same time]:WHAT:((log\:"A durable log\: 8 KiB appended and flushed 200 times per second"))' \
'--arrivals=[How operations arrive]:ARRIVALS:((poisson\:"Independently of each other, as from many users"
constant\:"At equal distances, as from a clock"))' \
'--file-size=[Size of the file that is made and removed\: 1g is 1 GiB]:SIZE:_default' \
'--minutes=[Time for all windows, writing the file not counted \[default\: a minute and a half\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(interference)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a file of ours is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--write-to-device=[Write to this raw device; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it]:S:_default' \
'--size=[Bytes of a read and of a write\: 8k is 8 KiB]:SIZE:_default' \
'--file-size=[Size of the file that is read; one of a quarter of it is written. Both are made and removed]:SIZE:_default' \
'--budget=[Most that may be written, the files not counted\: 16g is 16 GiB]:SIZE:_default' \
'--minutes=[Time for all windows, writing the files not counted \[default\: 3\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
'*--section=[Only the sections of this name; may be given several times]:NAME:_default' \
'*--env=[Let the job file have this variable of the environment, for its \${NAME}; may be given several times]:NAME:_default' \
'--at=[Folder on the file system to measure; a file of ours is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--write-to-device=[Write to this raw device; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it]:S:_default' \
'--fio-json=[Write fio'\''s JSON to this file too, or with - to standard output instead of the report]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--fio-json-plus[fio'\''s json+ layout with every bin of the histograms, as --output-format=json+]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- fio'\''s job files, as on one command line of fio:_files' \
&& ret=0
;;
(steady)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a file of ours is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--write-to-device=[Write to this raw device; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it]:S:_default' \
'--size=[Bytes of an operation\: 8k is 8 KiB]:SIZE:_default' \
'--reads=[Of a hundred operations, reads; the rest are writes]:N:_default' \
'--depth=[Operations in flight]:N:_default' \
'--round=[Length of a round; SNIA'\''s is a minute]:TIME:_default' \
'--file-size=[Size of the file that is made and removed\: 1g is 1 GiB]:SIZE:_default' \
'--budget=[Most that may be written, the file not counted\: 64g is 64 GiB]:SIZE:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(writers)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a file of ours is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--writers=[Writers, and files in the second half of each pair]:N:_default' \
'--size=[Bytes of a write\: 8k is 8 KiB]:SIZE:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(device)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':device -- The device, as /dev/nvme1n1:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__block__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-block-help-command-$line[1]:"
        case $line[1] in
            (calibrate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(interference)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(steady)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(writers)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(device)
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
;;
(memory)
_arguments "${_arguments_options[@]}" : \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Quick\: three repeats, over less memory]' \
'(--quick)--thorough[Everything that takes longer\: every cell of the matrix of nodes, 1 GiB pages, latency beside writes]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__memory_commands" \
"*::: :->memory" \
&& ret=0

    case $state in
    (memory)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-memory-command-$line[1]:"
        case $line[1] in
            (matrix)
_arguments "${_arguments_options[@]}" : \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--thorough[Every cell, and not some for each distance]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(placement)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--pid=[The pools of 16 MiB and more that this process maps, and its private memory]:PID:_default' \
'--postgres=[The pools of this PostgreSQL server, which runs on this machine]:URL:_default' \
'--matrix=[Say what it costs by the matrix of nodes in this run]:RUN:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--every-page[Ask for every page and not for a sample of 65,536 of each pool]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::everybody -- All pools of shared memory; the same as naming nobody:((all\:"Every pool of shared memory that may be looked into"))' \
&& ret=0
;;
(baseline)
_arguments "${_arguments_options[@]}" : \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--renew[Keep what is measured now in place of the baseline that there is]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(slb)
_arguments "${_arguments_options[@]}" : \
'--kit=[Whose loop]:KIT:((2007\:"Writes a word of a line of each page"
2010\:"Reads a word of a line of each page into a register"))' \
'--processes=[Processes, started at the same moment]:N:_default' \
'--bind=[CPUs for them in this order, as 0,2 or 0-3 \[default\: one of each core first\]]:CPUS:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--huge[2 MiB pages underneath; refused where they can'\''t be had]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':pages -- Pages of 4 KiB that each process has:_default' \
':ops -- Loops over them; a loop is one access to each page:_default' \
&& ret=0
;;
(process)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
':task -- What to do, as JSON:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__memory__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-memory-help-command-$line[1]:"
        case $line[1] in
            (matrix)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(placement)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(baseline)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(slb)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(process)
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
;;
(log)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives that would hold the commit log \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives that would hold the data files \[default\: that of --wal\]]:DIR:_files' \
'(--no-database)--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--percentile=[The percentile that has to stay within the limit]:P:_default' \
'--within=[The limit, counted from when a commit was due]:TIME:_default' \
'--minutes=[Time for the search \[default\: a minute\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--no-database[Leave the database'\''s own commit out]' \
'(--no-database)--standby[A synchronous standby on this machine above it\: what its write and its flush add]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__log_commands" \
"*::: :->log" \
&& ret=0

    case $state in
    (log)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-log-command-$line[1]:"
        case $line[1] in
            (ladder)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives that would hold the commit log \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives that would hold the data files \[default\: that of --wal\]]:DIR:_files' \
'*--methods=[Ways to make a write durable]:METHOD,…:((fdatasync\:"A write, then fdatasync (PostgreSQL'\''s default on Linux)"
fsync\:"A write, then fsync"
dsync\:"One write to a file opened with O_DSYNC"
dsync_direct\:"The same past the page cache (O_DIRECT), as Oracle writes"
rwf_dsync\:"One pwritev2 with RWF_DSYNC"
uring\:"io_uring\: a write and an fdatasync linked behind it, in one call"
all\:"All of them"))' \
'*--layouts=[What the file is]:LAYOUT,…:((overwrite\:"Its blocks were written before, as in a recycled segment"
extend\:"Each write makes it longer"
fallocated\:"Its blocks are allocated and were never written"
all\:"All of them"))' \
'*--sizes=[Bytes of a write\: 8k is 8 KiB]:SIZE,…:_default' \
'--repeats=[Fresh windows of each; from 6 on there are intervals]:N:_default' \
'(--no-database)--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--alone[Leave the load on the data files out]' \
'--no-database[Leave the database'\''s own commit out]' \
'(--no-database)--standby[A synchronous standby on this machine above it\: what its write and its flush add]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(commits)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives that would hold the commit log \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives that would hold the data files \[default\: that of --wal\]]:DIR:_files' \
'--percentile=[The percentile that has to stay within the limit]:P:_default' \
'--within=[The limit, counted from when a commit was due]:TIME:_default' \
'--minutes=[Time for the search \[default\: a minute\]]:N:_default' \
'--arrivals=[How commits arrive]:ARRIVALS:((poisson\:"Independently of each other, as from many users"
constant\:"At equal distances, as from a clock"))' \
'--bytes=[Log bytes of a commit]:SIZE:_default' \
'(--bytes)--size-histogram=[Sizes of commits instead\: a file of lines with bytes and how many commits had so many]:FILE:_files' \
'--style=[Who writes the log]:STYLE:((leader\:"One of those who commit, for all that wait, as in PostgreSQL"
writer\:"A process of its own that is posted, as in Oracle"))' \
'--commit-delay=[Who is about to write waits for so long first, so that more can join]:TIME:_default' \
'--commit-siblings=[But only if so many others are committing]:N:_default' \
'--most-sessions=[Most sessions that commit again at once]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
'*--wal=[Folders for the log on different file systems, the one it is in now first; two or more]:DIR:_files' \
'--data=[Folder on the drives that would hold the data files \[default\: the first --wal that is not in memory\]]:DIR:_files' \
'--sessions=[Sessions that update and commit, each again at once]:N:_default' \
'--repeats=[Fresh windows of everything; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window of the database; the emulation'\''s is half of it]:TIME:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--prove[Run PostgreSQL with its log in each of them too, in turns, beside its prediction]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(crashtest)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
":: :_narrows__subcmd__log__subcmd__crashtest_commands" \
"*::: :->crashtest" \
&& ret=0

    case $state in
    (crashtest)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-log-crashtest-command-$line[1]:"
        case $line[1] in
            (listen)
_arguments "${_arguments_options[@]}" : \
'--at=[Address and port to listen on]:ADDRESS:PORT:_default' \
'-h[Print help]' \
'--help[Print help]' \
':list -- The list, a new file:_files' \
&& ret=0
;;
(write)
_arguments "${_arguments_options[@]}" : \
'--to=[HOST\:PORT where \`narrows log crashtest listen\` runs]:HOST:PORT:_default' \
'--write-to-device=[Write to this raw device; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it]:S:_default' \
'(--write-to-device)--postgres=[Commit rows to a new table of this PostgreSQL instead\: postgres\://…]:URL:_default' \
'--streams=[Writers at the same time]:N:_default' \
'(--postgres)--size=[Bytes of a record\: 8k is 8 KiB]:SIZE:_default' \
'(--postgres)--sync=[How each record is made durable]:SYNC:((fdatasync\:"A write, then fdatasync (PostgreSQL'\''s default on Linux)"
fsync\:"A write, then fsync"
dsync\:"One write to a file opened with O_DSYNC"
rwf-dsync\:"One write with RWF_DSYNC"
none\:"A write and no flush\: a cut must lose records, or it was none"))' \
'(--postgres --append)--ring=[Size of the ring of all streams\: 64m is 64 MiB]:SIZE:_default' \
'--for=[End in order after that time \[default\: at the power'\''s end, or at Ctrl-C\]]:TIME:_default' \
'(--postgres)--direct[Past the page cache (O_DIRECT)]' \
'(--postgres --write-to-device)--append[Let the file grow instead of going around in it]' \
'--same-host[The list may be kept on this machine\: a rehearsal, or what is cut is elsewhere]' \
'--load-here[Write although a database runs on this machine, or to the database that --postgres names]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::file -- A new file on the file system to test; it stays until it is checked:_files' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'()--postgres=[The PostgreSQL whose table was written]:URL:_default' \
'--acknowledged=[The list from the second host]:LIST:_files' \
'--cut=[What lost its power, where it isn'\''t this machine as a whole\: a drive shelf, a storage server, the host of this virtual machine. The answer then rests on your word]:WHAT:_default' \
'--least=[Fewest acknowledged records looked for that show anything by being there]:N:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--remounted[Since the cut the file system was mounted again, or the machine under the database started again\: nothing comes from memory]' \
'--gone[Count a missing file, table or beginning as lost\: this is the right place, and it is gone]' \
'--remove[Remove the file or the table if every record is there]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::file -- The file or raw device that was written; it is only read:_files' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__log__subcmd__crashtest__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-log-crashtest-help-command-$line[1]:"
        case $line[1] in
            (listen)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(write)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
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
;;
(postgres)
_arguments "${_arguments_options[@]}" : \
'--for=[How long to look; below 6 s nothing is told from chance]:TIME:_default' \
'*--pg-test-fsync=[What pg_test_fsync printed on the log'\''s drive, to stand beside it]:FILE:_files' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--dry-run[Say what would be looked at, and stop]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE:_default' \
&& ret=0
;;
(streams)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives that would hold the commit log \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives that would hold the data files \[default\: that of --wal\]]:DIR:_files' \
'--streams=[Logs together]:N:_default' \
'--rate=[What each of them writes]:BYTES/s:_default' \
'--size=[Bytes of a write\: 128k is 128 KiB]:SIZE:_default' \
'--percentile=[The percentile of a write'\''s time that has to stay within the limit]:P:_default' \
'--within=[The limit, counted from when a write was due]:TIME:_default' \
'--most-streams=[Most logs that the search tries]:N:_default' \
'--cache=[A cache whose turnover is asked for\: 4g is 4 GiB]:SIZE:_default' \
'--repeats=[Fresh windows of each number]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__log__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-log-help-command-$line[1]:"
        case $line[1] in
            (ladder)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(commits)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(crashtest)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__log__subcmd__help__subcmd__crashtest_commands" \
"*::: :->crashtest" \
&& ret=0

    case $state in
    (crashtest)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-log-help-crashtest-command-$line[1]:"
        case $line[1] in
            (listen)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(write)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(postgres)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(streams)
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
;;
(db)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
":: :_narrows__subcmd__db_commands" \
"*::: :->db" \
&& ret=0

    case $state in
    (db)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-db-command-$line[1]:"
        case $line[1] in
            (lookup)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[What kind of server is started and loaded\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of our own server\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure before, for the verdict'\''s ceilings \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"The server'\''s buffer pool, warmed before"
drive\:"The drives\: evicted from memory, which the drives'\'' own counts must confirm"))' \
'--blocks=[Blocks of one operation]:N:_default' \
'--calls=[How the client calls for them]:CALLS:((each\:"A statement for each block, one after the other"
any\:"One statement with all keys, \`= ANY\`, still block by block in the server"))' \
'--table=[Size of the table, one row in each block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Of a hundred bytes of a row'\''s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--working-set=[Part of the table that keys are drawn from\: 64m is 64 MiB, 50% is half of the buffer pool \[default\: half of the pool; from the drives the whole table\]]:SIZE:_default' \
'--keys=[How keys are drawn\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the calls on 20 % of the keys)]:LAW:_default' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with the law of scaling from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean time a session pauses after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due]:N:_default' \
'(--rate --think)--p99=[The highest rate in an open loop at which 99 % of the operations take no longer than this]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of our own server on which the load is repeated; from three on it is said by how much starts differ]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--calls)--inside[A function inside the server calls for them, so that the client'\''s share is one call]' \
'--private[A table for every session, so that none waits for another'\''s rows; together they have the size]' \
'--quick[Three short repeats and no test of the verdict\: no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a PostgreSQL of our own, started for this and removed\]:_default' \
&& ret=0
;;
(batch)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[What kind of server is started and loaded\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of our own server\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure before, for the verdict'\''s ceilings \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"The server'\''s buffer pool, warmed before"
drive\:"The drives\: evicted from memory, which the drives'\'' own counts must confirm"))' \
'--blocks=[Blocks of one operation]:N:_default' \
'--table=[Size of the table, one row in each block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Of a hundred bytes of a row'\''s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--working-set=[Part of the table that keys are drawn from\: 64m is 64 MiB, 50% is half of the buffer pool \[default\: half of the pool; from the drives the whole table\]]:SIZE:_default' \
'--keys=[How keys are drawn\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the calls on 20 % of the keys)]:LAW:_default' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with the law of scaling from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean time a session pauses after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due]:N:_default' \
'(--rate --think)--p99=[The highest rate in an open loop at which 99 % of the operations take no longer than this]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of our own server on which the load is repeated; from three on it is said by how much starts differ]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--private[A table for every session, so that none waits for another'\''s rows; together they have the size]' \
'--quick[Three short repeats and no test of the verdict\: no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a PostgreSQL of our own, started for this and removed\]:_default' \
&& ret=0
;;
(update)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[What kind of server is started and loaded\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of our own server\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure before, for the verdict'\''s ceilings \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--updates=[Of a hundred operations those that update; the rest look up]:N:_default' \
'--redo=[What an update changes]:REDO:((light\:"One number; the log has some hundred bytes of it"
heavy\:"Every column but the key; the log has the whole row"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"The server'\''s buffer pool, warmed before"
drive\:"The drives\: evicted from memory, which the drives'\'' own counts must confirm"))' \
'--table=[Size of the table, one row in each block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Of a hundred bytes of a row'\''s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--working-set=[Part of the table that keys are drawn from\: 64m is 64 MiB, 50% is half of the buffer pool \[default\: half of the pool; from the drives the whole table\]]:SIZE:_default' \
'--keys=[How keys are drawn\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the calls on 20 % of the keys)]:LAW:_default' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with the law of scaling from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean time a session pauses after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due]:N:_default' \
'(--rate --think)--p99=[The highest rate in an open loop at which 99 % of the operations take no longer than this]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of our own server on which the load is repeated; from three on it is said by how much starts differ]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--private[A table for every session, so that none waits for another'\''s rows; together they have the size]' \
'--quick[Three short repeats and no test of the verdict\: no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a PostgreSQL of our own, started for this and removed\]:_default' \
&& ret=0
;;
(commit)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[What kind of server is started and loaded\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of our own server\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure before, for the verdict'\''s ceilings \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with the law of scaling from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean time a session pauses after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due]:N:_default' \
'(--rate --think)--p99=[The highest rate in an open loop at which 99 % of the operations take no longer than this]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of our own server on which the load is repeated; from three on it is said by how much starts differ]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Three short repeats and no test of the verdict\: no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a PostgreSQL of our own, started for this and removed\]:_default' \
&& ret=0
;;
(scan)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[What kind of server is started and loaded\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of our own server\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure before, for the verdict'\''s ceilings \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"The server'\''s buffer pool, warmed before"
drive\:"The drives\: evicted from memory, which the drives'\'' own counts must confirm"))' \
'*--workers=[Processes that scan together, the session'\''s own among them \[default\: 1 and one per server CPU\]]:N,…:_default' \
'--answer=[What it has to answer]:ANSWER:((sum\:"A sum over a column\: every row is touched"
count\:"count(*), as the server likes\: said where the index alone answers"))' \
'--table=[Size of the table, one row in each block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Of a hundred bytes of a row'\''s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of our own server on which the load is repeated; from three on it is said by how much starts differ]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Three short repeats and no test of the verdict\: no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a PostgreSQL of our own, started for this and removed\]:_default' \
&& ret=0
;;
(orders)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[What kind of server is started and loaded\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of our own server\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure before, for the verdict'\''s ceilings \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Cost of reading the time"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable appends and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--warehouses=[Warehouses, each of about 100 MB and ten terminals]:N:_default' \
'--loaders=[Connections that load \[default\: the machine'\''s CPUs, up to 16\]]:N:_default' \
'--sessions=[Concurrent sessions \[default\: twice the server'\''s CPUs, 8 to 256; ten for each warehouse with --paced\]]:N:_default' \
'--calls=[Where the transactions run]:CALLS:((functions\:"Functions of the server, in PL/pgSQL\: a round trip for each transaction"
statements\:"Statements of the client\: a round trip for nearly each"))' \
'--isolation=[Isolation of the sessions]:ISOLATION:((read-committed\:"What PostgreSQL does unless told otherwise; keeps the consistency conditions, and is weaker than the specification asks"
repeatable-read\:"A snapshot for each transaction; conflicts are tried again and counted"
serializable\:"As if one after the other; conflicts are tried again and counted"))' \
'--home=[Which warehouses sessions work for \[default\: all; one with --paced\]]:HOME:((all\:"Every transaction for any of them, all alike\: the working set is all that is loaded"
one\:"Every session for one; few sessions touch few warehouses, which is said"))' \
'--rate=[Open loop\: so many transactions per second, due at random times whether or not sessions are free]:N:_default' \
'--warm-up=[Unmeasured start of every window \[default\: 2s; 30s with --paced\]]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of our own server on which the load is repeated; from three on it is said by how much starts differ]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, kept in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--rate)--paced[Sessions key and think as the specification'\''s terminals do\: at most 12.6 new orders a minute for each warehouse]' \
'(--starts)--load-only[Loads and does not run; what is loaded stays, until --drop]' \
'--keep[What this run loads stays; what was there before stays in any case]' \
'()--crash[Afterwards kills the server under the mix, starts it again and looks for every order that it acknowledged\: a check of the server'\''s recovery, and none of the drives]' \
'(--load-only --keep --paced --rate --sessions --starts)--drop[Removes what is loaded there and does nothing else; with --dry-run says what that would be]' \
'--quick[Three short repeats and no test of the verdict\: no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slowed down for the whole run]' \
'--dry-run[Print the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a PostgreSQL of our own, started for this and removed\]:_default' \
&& ret=0
;;
(clean)
_arguments "${_arguments_options[@]}" : \
'--remove[Removes all that is listed and that nobody works in]' \
'-h[Print help]' \
'--help[Print help]' \
':url -- The database\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__db__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-db-help-command-$line[1]:"
        case $line[1] in
            (lookup)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(batch)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(update)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(commit)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(scan)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(orders)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(clean)
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
;;
(report)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of the report]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-o+[Write to this file; - is standard output \[default\: standard output, for a page on a terminal narrows-ID.html\]]:FILE:_files' \
'--output=[Write to this file; - is standard output \[default\: standard output, for a page on a terminal narrows-ID.html\]]:FILE:_files' \
'*--crash-test=[Bring in the result of a crash test (\`narrows log crashtest check --format json\`), and judge again]:FILE:_files' \
'*--pg-test-fsync=[Bring in what pg_test_fsync printed, to stand beside the ladder or the live server'\''s flushes]:FILE:_files' \
'*--what-if=[Ask what a change would allow at most, by the law\: storage=2x, data=2x, log=2x, log=flush\:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%]:CHANGE:_default' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--format)--html[The same as --format html]' \
'--rejudge[Judge again with this version'\''s rules instead of showing the stored verdicts]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::run -- A run'\''s id (or its first characters), or a run file \[default\: the newest\]:_default' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of the report]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-o+[Write to this file; - is standard output \[default\: standard output, for a page on a terminal narrows-ID.html\]]:FILE:_files' \
'--output=[Write to this file; - is standard output \[default\: standard output, for a page on a terminal narrows-ID.html\]]:FILE:_files' \
'*--crash-test=[Bring in the result of a crash test (\`narrows log crashtest check --format json\`), and judge again]:FILE:_files' \
'*--pg-test-fsync=[Bring in what pg_test_fsync printed, to stand beside the ladder or the live server'\''s flushes]:FILE:_files' \
'*--what-if=[Ask what a change would allow at most, by the law\: storage=2x, data=2x, log=2x, log=flush\:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%]:CHANGE:_default' \
'--units=[Prefixes of byte quantities]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--format)--html[The same as --format html]' \
'--rejudge[Judge again with this version'\''s rules instead of showing the stored verdicts]' \
'--explain[Say how each answer is known\: its sum, its test, the limits that come next]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::run -- A run'\''s id (or its first characters), or a run file \[default\: the newest\]:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--all[All of them, not the 20 newest]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::words -- A finding, verdict, grade or metric, as it is printed:_default' \
&& ret=0
;;
(platform)
_arguments "${_arguments_options[@]}" : \
'--root=[Examine the machine whose files are copied below this folder, not this one]:DIR:_files' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::of -- Show this instead of the machine here\: a capture (`narrows gather`), a run by its file or id, or a folder as with --root:_default' \
&& ret=0
;;
(gather)
_arguments "${_arguments_options[@]}" : \
'-o+[The capture, a new file]:FILE:_files' \
'--output=[The capture, a new file]:FILE:_files' \
'--data=[Folder on the drives that hold the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives that hold the commit log \[default\: that of --data\]]:DIR:_files' \
'--privileged[Capture as root what others can'\''t read]' \
'--force[Replace FILE if it is there]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(limits)
_arguments "${_arguments_options[@]}" : \
'*--limits=[Put this file'\''s figures over the table'\''s]:FILE:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::classes -- Classes, families (dram, pcie, nvme, ethernet, cpu, …), or the first words of classes (epyc) \[default\: all\]:_default' \
&& ret=0
;;
(plan)
_arguments "${_arguments_options[@]}" : \
'--table=[Size of the table whose scan is timed]:SIZE:_default' \
'--block=[Size of a block that is read or written at random]:SIZE:_default' \
'--demand=[A run (id or file)\: does what its database workloads or the transactions of an observed log took fit these platforms?]:RUN:_default' \
'--core-ratio=[With --demand\: the work of a core there over that of one where it was measured, for machines that don'\''t say their own core_ratio; without it a core is taken as a core]:RATIO:_default' \
'*--limits=[Put this file'\''s figures over the table of limits]:FILE:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Descriptions of platforms, TOML:_files' \
&& ret=0
;;
(config)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
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
(observe)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(block)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__block_commands" \
"*::: :->block" \
&& ret=0

    case $state in
    (block)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-block-command-$line[1]:"
        case $line[1] in
            (calibrate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(interference)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(steady)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(writers)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(device)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(memory)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__memory_commands" \
"*::: :->memory" \
&& ret=0

    case $state in
    (memory)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-memory-command-$line[1]:"
        case $line[1] in
            (matrix)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(placement)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(baseline)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(slb)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(process)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(log)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__log_commands" \
"*::: :->log" \
&& ret=0

    case $state in
    (log)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-log-command-$line[1]:"
        case $line[1] in
            (ladder)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(commits)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(crashtest)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__log__subcmd__crashtest_commands" \
"*::: :->crashtest" \
&& ret=0

    case $state in
    (crashtest)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-log-crashtest-command-$line[1]:"
        case $line[1] in
            (listen)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(write)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(postgres)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(streams)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(db)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__db_commands" \
"*::: :->db" \
&& ret=0

    case $state in
    (db)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-db-command-$line[1]:"
        case $line[1] in
            (lookup)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(batch)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(update)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(commit)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(scan)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(orders)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(clean)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(report)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(platform)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(gather)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(limits)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(plan)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(config)
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
'observe:Look at a running PostgreSQL, load nothing, and say what its transactions wait for' \
'block:Measure storage alone\: calibrate it, run fio'\''s job files, look at raw devices' \
'memory:Measure memory and clocks alone\: latency, bandwidth, and what one does to the other' \
'log:Measure the commit log alone\: from the device'\''s flush to the database'\''s commit, and how many share one' \
'db:Put one load of our own on PostgreSQL\: lookups, updates, scans, at chosen sessions' \
'report:Show a stored run again, in any format' \
'show:Show a stored run again, in any format' \
'list:List the stored runs' \
'explain:Say what a finding, a verdict or a metric means, and what to do' \
'platform:Show what this machine is\: processors, memory, and the whole path under a folder' \
'gather:Capture this machine in a small file that names nobody, for another place or another user' \
'limits:Show what parts of a machine can carry, with the source of every figure' \
'plan:Say what platforms described in files could do, what binds, and what to widen first' \
'config:Show which settings are in force, and where they come from' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block_commands] )) ||
_narrows__subcmd__block_commands() {
    local commands; commands=(
'calibrate:How many operations per second keep a percentile of latency within a limit? Also the default' \
'interference:What do writes do to reads? p99 of reads by rate, alone and beside random writes and a durable log' \
'run:Run the jobs of fio'\''s job files, and report them here or in fio'\''s JSON' \
'steady:Does the rate of writes last? Rounds until it is shown, by the criteria of SNIA'\''s PTS' \
'writers:Do several writers to one file get in each other'\''s way? One file by n against n files by one' \
'device:Say what a raw device is, what is on it, and what stands against writing; writes nothing' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows block commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__calibrate_commands] )) ||
_narrows__subcmd__block__subcmd__calibrate_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block calibrate commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__device_commands] )) ||
_narrows__subcmd__block__subcmd__device_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block device commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help_commands] )) ||
_narrows__subcmd__block__subcmd__help_commands() {
    local commands; commands=(
'calibrate:How many operations per second keep a percentile of latency within a limit? Also the default' \
'interference:What do writes do to reads? p99 of reads by rate, alone and beside random writes and a durable log' \
'run:Run the jobs of fio'\''s job files, and report them here or in fio'\''s JSON' \
'steady:Does the rate of writes last? Rounds until it is shown, by the criteria of SNIA'\''s PTS' \
'writers:Do several writers to one file get in each other'\''s way? One file by n against n files by one' \
'device:Say what a raw device is, what is on it, and what stands against writing; writes nothing' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows block help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__calibrate_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__calibrate_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help calibrate commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__device_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__device_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help device commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__interference_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__interference_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help interference commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__run_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help run commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__steady_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__steady_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help steady commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__help__subcmd__writers_commands] )) ||
_narrows__subcmd__block__subcmd__help__subcmd__writers_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block help writers commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__interference_commands] )) ||
_narrows__subcmd__block__subcmd__interference_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block interference commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__run_commands] )) ||
_narrows__subcmd__block__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block run commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__steady_commands] )) ||
_narrows__subcmd__block__subcmd__steady_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block steady commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block__subcmd__writers_commands] )) ||
_narrows__subcmd__block__subcmd__writers_commands() {
    local commands; commands=()
    _describe -t commands 'narrows block writers commands' commands "$@"
}
(( $+functions[_narrows__subcmd__config_commands] )) ||
_narrows__subcmd__config_commands() {
    local commands; commands=()
    _describe -t commands 'narrows config commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db_commands] )) ||
_narrows__subcmd__db_commands() {
    local commands; commands=(
'lookup:Random single blocks by the index, from the buffer pool or from the drives' \
'batch:Many random blocks at once by a bitmap\: sorted and prefetched by the server' \
'update:One row and one durable commit, or a mix of them and lookups' \
'commit:The smallest durable transaction\: a commit and nothing else' \
'scan:The whole table by one process or by several' \
'orders:An order-entry mix of five transactions\: loaded, run, its consistency checked' \
'clean:Lists what narrows has on a server\: what runs left that were cut off, and what was kept; and removes it' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows db commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__batch_commands] )) ||
_narrows__subcmd__db__subcmd__batch_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db batch commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__clean_commands] )) ||
_narrows__subcmd__db__subcmd__clean_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db clean commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__commit_commands] )) ||
_narrows__subcmd__db__subcmd__commit_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db commit commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help_commands] )) ||
_narrows__subcmd__db__subcmd__help_commands() {
    local commands; commands=(
'lookup:Random single blocks by the index, from the buffer pool or from the drives' \
'batch:Many random blocks at once by a bitmap\: sorted and prefetched by the server' \
'update:One row and one durable commit, or a mix of them and lookups' \
'commit:The smallest durable transaction\: a commit and nothing else' \
'scan:The whole table by one process or by several' \
'orders:An order-entry mix of five transactions\: loaded, run, its consistency checked' \
'clean:Lists what narrows has on a server\: what runs left that were cut off, and what was kept; and removes it' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows db help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__batch_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__batch_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help batch commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__clean_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__clean_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help clean commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__commit_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__commit_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help commit commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__lookup_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__lookup_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help lookup commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__orders_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__orders_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help orders commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__scan_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__scan_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help scan commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__help__subcmd__update_commands] )) ||
_narrows__subcmd__db__subcmd__help__subcmd__update_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db help update commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__lookup_commands] )) ||
_narrows__subcmd__db__subcmd__lookup_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db lookup commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__orders_commands] )) ||
_narrows__subcmd__db__subcmd__orders_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db orders commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__scan_commands] )) ||
_narrows__subcmd__db__subcmd__scan_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db scan commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db__subcmd__update_commands] )) ||
_narrows__subcmd__db__subcmd__update_commands() {
    local commands; commands=()
    _describe -t commands 'narrows db update commands' commands "$@"
}
(( $+functions[_narrows__subcmd__explain_commands] )) ||
_narrows__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'narrows explain commands' commands "$@"
}
(( $+functions[_narrows__subcmd__gather_commands] )) ||
_narrows__subcmd__gather_commands() {
    local commands; commands=()
    _describe -t commands 'narrows gather commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help_commands] )) ||
_narrows__subcmd__help_commands() {
    local commands; commands=(
'run:Measure this server layer by layer and say where it is narrow' \
'observe:Look at a running PostgreSQL, load nothing, and say what its transactions wait for' \
'block:Measure storage alone\: calibrate it, run fio'\''s job files, look at raw devices' \
'memory:Measure memory and clocks alone\: latency, bandwidth, and what one does to the other' \
'log:Measure the commit log alone\: from the device'\''s flush to the database'\''s commit, and how many share one' \
'db:Put one load of our own on PostgreSQL\: lookups, updates, scans, at chosen sessions' \
'report:Show a stored run again, in any format' \
'list:List the stored runs' \
'explain:Say what a finding, a verdict or a metric means, and what to do' \
'platform:Show what this machine is\: processors, memory, and the whole path under a folder' \
'gather:Capture this machine in a small file that names nobody, for another place or another user' \
'limits:Show what parts of a machine can carry, with the source of every figure' \
'plan:Say what platforms described in files could do, what binds, and what to widen first' \
'config:Show which settings are in force, and where they come from' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block_commands] )) ||
_narrows__subcmd__help__subcmd__block_commands() {
    local commands; commands=(
'calibrate:How many operations per second keep a percentile of latency within a limit? Also the default' \
'interference:What do writes do to reads? p99 of reads by rate, alone and beside random writes and a durable log' \
'run:Run the jobs of fio'\''s job files, and report them here or in fio'\''s JSON' \
'steady:Does the rate of writes last? Rounds until it is shown, by the criteria of SNIA'\''s PTS' \
'writers:Do several writers to one file get in each other'\''s way? One file by n against n files by one' \
'device:Say what a raw device is, what is on it, and what stands against writing; writes nothing' \
    )
    _describe -t commands 'narrows help block commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block__subcmd__calibrate_commands] )) ||
_narrows__subcmd__help__subcmd__block__subcmd__calibrate_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help block calibrate commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block__subcmd__device_commands] )) ||
_narrows__subcmd__help__subcmd__block__subcmd__device_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help block device commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block__subcmd__interference_commands] )) ||
_narrows__subcmd__help__subcmd__block__subcmd__interference_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help block interference commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block__subcmd__run_commands] )) ||
_narrows__subcmd__help__subcmd__block__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help block run commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block__subcmd__steady_commands] )) ||
_narrows__subcmd__help__subcmd__block__subcmd__steady_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help block steady commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block__subcmd__writers_commands] )) ||
_narrows__subcmd__help__subcmd__block__subcmd__writers_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help block writers commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__config_commands] )) ||
_narrows__subcmd__help__subcmd__config_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help config commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db_commands] )) ||
_narrows__subcmd__help__subcmd__db_commands() {
    local commands; commands=(
'lookup:Random single blocks by the index, from the buffer pool or from the drives' \
'batch:Many random blocks at once by a bitmap\: sorted and prefetched by the server' \
'update:One row and one durable commit, or a mix of them and lookups' \
'commit:The smallest durable transaction\: a commit and nothing else' \
'scan:The whole table by one process or by several' \
'orders:An order-entry mix of five transactions\: loaded, run, its consistency checked' \
'clean:Lists what narrows has on a server\: what runs left that were cut off, and what was kept; and removes it' \
    )
    _describe -t commands 'narrows help db commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__batch_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__batch_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db batch commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__clean_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__clean_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db clean commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__commit_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__commit_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db commit commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__lookup_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__lookup_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db lookup commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__orders_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__orders_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db orders commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__scan_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__scan_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db scan commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db__subcmd__update_commands] )) ||
_narrows__subcmd__help__subcmd__db__subcmd__update_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help db update commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__explain_commands] )) ||
_narrows__subcmd__help__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help explain commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__gather_commands] )) ||
_narrows__subcmd__help__subcmd__gather_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help gather commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__limits_commands] )) ||
_narrows__subcmd__help__subcmd__limits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help limits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__list_commands] )) ||
_narrows__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help list commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log_commands] )) ||
_narrows__subcmd__help__subcmd__log_commands() {
    local commands; commands=(
'ladder:From the device'\''s flush to the database'\''s commit\: what each layer adds, alone and beside a load' \
'commits:How many commits per second keep a percentile of their wait within a limit? Sessions share flushes' \
'compare:What would this workload commit with its log elsewhere? Predicted for each place, and proved where asked' \
'crashtest:Does what was acknowledged as durable survive a cut of the power? Takes a second host' \
'postgres:What does a commit cost on somebody'\''s PostgreSQL, and what bounds it? Only looks' \
'streams:What do several logs on one device do to each other, and how many does it hold?' \
    )
    _describe -t commands 'narrows help log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__commits_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__commits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log commits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__compare_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log compare commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__crashtest_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__crashtest_commands() {
    local commands; commands=(
'listen:On the second host\: keep the list of records that were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and name each after its flush' \
'check:After the cut\: look for every acknowledged record' \
    )
    _describe -t commands 'narrows help log crashtest commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__crashtest__subcmd__check_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__crashtest__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log crashtest check commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__crashtest__subcmd__listen_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__crashtest__subcmd__listen_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log crashtest listen commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__crashtest__subcmd__write_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__crashtest__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log crashtest write commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__ladder_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__ladder_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log ladder commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__postgres_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__postgres_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log postgres commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__streams_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__streams_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log streams commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__memory_commands] )) ||
_narrows__subcmd__help__subcmd__memory_commands() {
    local commands; commands=(
'matrix:Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side' \
'placement:Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved' \
'baseline:Keep this machine'\''s figures, and later say whether it has aged' \
'slb:Run the loop of SLB, the "silly little benchmark", print its line, and say what it means' \
'process:One of several processes that work at the same moment' \
    )
    _describe -t commands 'narrows help memory commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__memory__subcmd__baseline_commands] )) ||
_narrows__subcmd__help__subcmd__memory__subcmd__baseline_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help memory baseline commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__memory__subcmd__matrix_commands] )) ||
_narrows__subcmd__help__subcmd__memory__subcmd__matrix_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help memory matrix commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__memory__subcmd__placement_commands] )) ||
_narrows__subcmd__help__subcmd__memory__subcmd__placement_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help memory placement commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__memory__subcmd__process_commands] )) ||
_narrows__subcmd__help__subcmd__memory__subcmd__process_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help memory process commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__memory__subcmd__slb_commands] )) ||
_narrows__subcmd__help__subcmd__memory__subcmd__slb_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help memory slb commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__observe_commands] )) ||
_narrows__subcmd__help__subcmd__observe_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help observe commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__plan_commands] )) ||
_narrows__subcmd__help__subcmd__plan_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help plan commands' commands "$@"
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
(( $+functions[_narrows__subcmd__limits_commands] )) ||
_narrows__subcmd__limits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows limits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__list_commands] )) ||
_narrows__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'narrows list commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log_commands] )) ||
_narrows__subcmd__log_commands() {
    local commands; commands=(
'ladder:From the device'\''s flush to the database'\''s commit\: what each layer adds, alone and beside a load' \
'commits:How many commits per second keep a percentile of their wait within a limit? Sessions share flushes' \
'compare:What would this workload commit with its log elsewhere? Predicted for each place, and proved where asked' \
'crashtest:Does what was acknowledged as durable survive a cut of the power? Takes a second host' \
'postgres:What does a commit cost on somebody'\''s PostgreSQL, and what bounds it? Only looks' \
'streams:What do several logs on one device do to each other, and how many does it hold?' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__commits_commands] )) ||
_narrows__subcmd__log__subcmd__commits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log commits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__compare_commands] )) ||
_narrows__subcmd__log__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log compare commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest_commands() {
    local commands; commands=(
'listen:On the second host\: keep the list of records that were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and name each after its flush' \
'check:After the cut\: look for every acknowledged record' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows log crashtest commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__check_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest check commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__help_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__help_commands() {
    local commands; commands=(
'listen:On the second host\: keep the list of records that were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and name each after its flush' \
'check:After the cut\: look for every acknowledged record' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows log crashtest help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__check_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest help check commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__listen_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__listen_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest help listen commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__write_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__help__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest help write commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__listen_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__listen_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest listen commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest__subcmd__write_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log crashtest write commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help_commands] )) ||
_narrows__subcmd__log__subcmd__help_commands() {
    local commands; commands=(
'ladder:From the device'\''s flush to the database'\''s commit\: what each layer adds, alone and beside a load' \
'commits:How many commits per second keep a percentile of their wait within a limit? Sessions share flushes' \
'compare:What would this workload commit with its log elsewhere? Predicted for each place, and proved where asked' \
'crashtest:Does what was acknowledged as durable survive a cut of the power? Takes a second host' \
'postgres:What does a commit cost on somebody'\''s PostgreSQL, and what bounds it? Only looks' \
'streams:What do several logs on one device do to each other, and how many does it hold?' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows log help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__commits_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__commits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help commits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__compare_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help compare commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__crashtest_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__crashtest_commands() {
    local commands; commands=(
'listen:On the second host\: keep the list of records that were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and name each after its flush' \
'check:After the cut\: look for every acknowledged record' \
    )
    _describe -t commands 'narrows log help crashtest commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__crashtest__subcmd__check_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__crashtest__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help crashtest check commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__crashtest__subcmd__listen_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__crashtest__subcmd__listen_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help crashtest listen commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__crashtest__subcmd__write_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__crashtest__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help crashtest write commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__ladder_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__ladder_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help ladder commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__postgres_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__postgres_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help postgres commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__streams_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__streams_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help streams commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__ladder_commands] )) ||
_narrows__subcmd__log__subcmd__ladder_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log ladder commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__postgres_commands] )) ||
_narrows__subcmd__log__subcmd__postgres_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log postgres commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__streams_commands] )) ||
_narrows__subcmd__log__subcmd__streams_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log streams commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory_commands] )) ||
_narrows__subcmd__memory_commands() {
    local commands; commands=(
'matrix:Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side' \
'placement:Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved' \
'baseline:Keep this machine'\''s figures, and later say whether it has aged' \
'slb:Run the loop of SLB, the "silly little benchmark", print its line, and say what it means' \
'process:One of several processes that work at the same moment' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows memory commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__baseline_commands] )) ||
_narrows__subcmd__memory__subcmd__baseline_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory baseline commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help_commands] )) ||
_narrows__subcmd__memory__subcmd__help_commands() {
    local commands; commands=(
'matrix:Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side' \
'placement:Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved' \
'baseline:Keep this machine'\''s figures, and later say whether it has aged' \
'slb:Run the loop of SLB, the "silly little benchmark", print its line, and say what it means' \
'process:One of several processes that work at the same moment' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows memory help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help__subcmd__baseline_commands] )) ||
_narrows__subcmd__memory__subcmd__help__subcmd__baseline_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory help baseline commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__memory__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help__subcmd__matrix_commands] )) ||
_narrows__subcmd__memory__subcmd__help__subcmd__matrix_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory help matrix commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help__subcmd__placement_commands] )) ||
_narrows__subcmd__memory__subcmd__help__subcmd__placement_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory help placement commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help__subcmd__process_commands] )) ||
_narrows__subcmd__memory__subcmd__help__subcmd__process_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory help process commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__help__subcmd__slb_commands] )) ||
_narrows__subcmd__memory__subcmd__help__subcmd__slb_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory help slb commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__matrix_commands] )) ||
_narrows__subcmd__memory__subcmd__matrix_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory matrix commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__placement_commands] )) ||
_narrows__subcmd__memory__subcmd__placement_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory placement commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__process_commands] )) ||
_narrows__subcmd__memory__subcmd__process_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory process commands' commands "$@"
}
(( $+functions[_narrows__subcmd__memory__subcmd__slb_commands] )) ||
_narrows__subcmd__memory__subcmd__slb_commands() {
    local commands; commands=()
    _describe -t commands 'narrows memory slb commands' commands "$@"
}
(( $+functions[_narrows__subcmd__observe_commands] )) ||
_narrows__subcmd__observe_commands() {
    local commands; commands=()
    _describe -t commands 'narrows observe commands' commands "$@"
}
(( $+functions[_narrows__subcmd__plan_commands] )) ||
_narrows__subcmd__plan_commands() {
    local commands; commands=()
    _describe -t commands 'narrows plan commands' commands "$@"
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
