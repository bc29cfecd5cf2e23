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
'-V[Print version; with --verbose how it was built]' \
'--version[Print version; with --verbose how it was built]' \
'-h[Print help]' \
'--help[Print help]' \
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
'--facts=[Use hardware details from a capture made by root (\`narrows gather --privileged\`)]:FILE:_files' \
'*--layers=[Measure only these layers]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--data=[Folder on the drives for the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives for WAL \[default\: that of --data\]]:DIR:_files' \
'--database=[managed (a private PostgreSQL instance), none, or postgres\://… (a schema of narrows on that server)]:WHAT:_default' \
'--postgres=[The PostgreSQL to start for --database managed\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'*--workloads=[Run only these database workloads]:WORKLOAD,…:((lookup_cached\:"One row by its key, from shared_buffers"
lookup_uncached\:"One row by its key, from the drive"
update\:"One row, one durable commit"
scan\:"The whole table, by 1 and by n workers"))' \
'--sessions=[Concurrent sessions of the database workloads \[default\: twice the server'\''s CPUs, 8 to 256\]]:N:_default' \
'--write-budget=[Bytes that the block layer'\''s writes may write after the file is made, at most \[default\: a tenth of the free space, up to 16g\]]:SIZE:_default' \
'--max-depth=[Deepest queue that is tried on the drives, 1 to 16384 \[default\: 256 per drive\]]:N:_default' \
'--with=[An Oracle database'\''s AWR report of this machine (HTML or text), judged by what is measured here]:FILE:_files' \
'--observe=[Observe this server, postgres\://USER@HOST\:PORT/DATABASE, and load nothing]:URL:_default' \
'--for=[How long to observe at most \[default\: 10min\]]:TIME:_default' \
'--capacities=[Use drive, WAL and memory capacities from an earlier run of this machine\: its id or its file]:RUN:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Quick, in about 2 min\: three repeats and no tests, so nothing is CONFIRMED]' \
'--same-machine[The report is of this machine, whatever it calls its host]' \
'--no-explain[Don'\''t ask for plans of the statements that take most (EXPLAIN, never ANALYZE)]' \
'(--anonymous)--show-queries[Keep the literals in statements of sessions that wait for locks or hold rows from vacuum]' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(observe)
_arguments "${_arguments_options[@]}" : \
'--for=[How long to observe at most \[default\: 10min\]]:TIME:_default' \
'--capacities=[Use drive, WAL and memory capacities from an earlier run of this machine\: its id or its file]:RUN:_default' \
'--facts=[Use hardware details from a capture made by root (\`narrows gather --privileged\`)]:FILE:_files' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--no-explain[Don'\''t ask for plans of the statements that take most (EXPLAIN, never ANALYZE)]' \
'(--anonymous)--show-queries[Keep the literals in statements of sessions that wait for locks or hold rows from vacuum]' \
'(--dry-run --capacities)--watch[Observe again and again until Ctrl-C, a minute each; ten lines of each, which is a run of its own]' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--dry-run[Show what would be read, and stop]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::address -- The server\: postgres\://USER@HOST\:PORT/DATABASE, keywords, or a database'\''s name \[default\: as psql\]:_default' \
&& ret=0
;;
(block)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a test file is made there and removed \[default\: the current folder\]]:DIR:_files' \
'(--at)--device=[This raw device, or nvme-tcp\://HOST\:PORT/NQN, instead of a file; it is only read, and may be in use]:DEV:_default' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'--percentile=[Percentile of latency to keep within the limit]:P:_default' \
'--within=[Latency limit, from the scheduled start of an operation]:TIME:_default' \
'--size=[Block size\: 8k is 8 KiB]:SIZE:_default' \
'--reads=[Read percentage, 0 to 100; the rest are writes]:N:_default' \
'--beside=[What runs at the same time]:WHAT:((log\:"A WAL-like stream\: 8 KiB appended and flushed 200 times per second"))' \
'--arrivals=[How operations arrive]:ARRIVALS:((poisson\:"Poisson\: independent of each other, as from many users"
constant\:"At equal intervals, as from a clock"))' \
'--file-size=[Size of the test file\: 1g is 1 GiB]:SIZE:_default' \
'--max-depth=[Deepest queue that is tried for the ceiling, 1 to 16384 \[default\: 256 per drive\]]:N:_default' \
'--minutes=[Minutes for all windows, without writing the file \[default\: 1.5\]]:N:_default' \
'--idle=[At the end do nothing for so long, then measure the ceiling again\: is it still what it was just after the file was written? \[default\: no pause\]]:TIME:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
'--at=[Folder on the file system to measure; a test file is made there and removed \[default\: the current folder\]]:DIR:_files' \
'(--at)--device=[This raw device, or nvme-tcp\://HOST\:PORT/NQN, instead of a file; it is only read, and may be in use]:DEV:_default' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'--percentile=[Percentile of latency to keep within the limit]:P:_default' \
'--within=[Latency limit, from the scheduled start of an operation]:TIME:_default' \
'--size=[Block size\: 8k is 8 KiB]:SIZE:_default' \
'--reads=[Read percentage, 0 to 100; the rest are writes]:N:_default' \
'--beside=[What runs at the same time]:WHAT:((log\:"A WAL-like stream\: 8 KiB appended and flushed 200 times per second"))' \
'--arrivals=[How operations arrive]:ARRIVALS:((poisson\:"Poisson\: independent of each other, as from many users"
constant\:"At equal intervals, as from a clock"))' \
'--file-size=[Size of the test file\: 1g is 1 GiB]:SIZE:_default' \
'--max-depth=[Deepest queue that is tried for the ceiling, 1 to 16384 \[default\: 256 per drive\]]:N:_default' \
'--minutes=[Minutes for all windows, without writing the file \[default\: 1.5\]]:N:_default' \
'--idle=[At the end do nothing for so long, then measure the ceiling again\: is it still what it was just after the file was written? \[default\: no pause\]]:TIME:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(interference)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a test file is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'--size=[Block size of reads and writes\: 8k is 8 KiB]:SIZE:_default' \
'--file-size=[Size of the file that is read; one of a quarter of it is written. Both are removed afterwards]:SIZE:_default' \
'--budget=[Most bytes to write, without the files\: 16g is 16 GiB]:SIZE:_default' \
'--minutes=[Minutes for all windows, without writing the files \[default\: 3\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
'*--section=[Only sections of this name; may be repeated]:NAME:_default' \
'*--env=[Allow the job file this environment variable, for its \${NAME}; may be repeated]:NAME:_default' \
'--at=[Folder on the file system to measure; a test file is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'--fio-json=[Also write fio'\''s JSON to this file, or with - to standard output in place of the report]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--fio-json-plus[fio'\''s json+ layout with every bin of the histograms, as --output-format=json+]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- fio'\''s job files, as on one command line of fio:_files' \
&& ret=0
;;
(steady)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a test file is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'--size=[Block size\: 8k is 8 KiB]:SIZE:_default' \
'--reads=[Read percentage, 0 to 100; the rest are writes]:N:_default' \
'--depth=[Queue depth]:N:_default' \
'--round=[Length of a round; SNIA'\''s is 1min]:TIME:_default' \
'--file-size=[Size of the test file\: 1g is 1 GiB]:SIZE:_default' \
'--budget=[Most bytes to write, without the file\: 64g is 64 GiB]:SIZE:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(writers)
_arguments "${_arguments_options[@]}" : \
'--at=[Folder on the file system to measure; a test file is made there and removed \[default\: the current folder\]]:DIR:_files' \
'--writers=[Writers, and files in the second half of each pair]:N:_default' \
'--size=[Block size of a write\: 8k is 8 KiB]:SIZE:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
':device -- The device, as /dev/nvme1n1, or nvme-tcp\://HOST\:PORT/NQN:_default' \
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
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Quick\: three repeats, over less memory]' \
'(--quick)--thorough[All that takes longer\: every cell of the node matrix, 1 GiB pages, latency beside writes]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--thorough[Every cell, not only some for each distance]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(placement)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--pid=[Shared memory of 16 MiB and more that this process maps, and its private memory]:PID:_default' \
'--postgres=[Shared memory of this PostgreSQL server, which runs on this machine]:URL:_default' \
'--matrix=[Compute the cost by the node matrix in this run]:RUN:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--every-page[Ask for every page, not for a sample of 65,536 of each mapping]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::everybody -- All shared memory; the default:((all\:"All shared memory that this user may read"))' \
&& ret=0
;;
(baseline)
_arguments "${_arguments_options[@]}" : \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--renew[Replace the stored baseline with what is measured now]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(slb)
_arguments "${_arguments_options[@]}" : \
'--kit=[Kit of SLB]:KIT:((2007\:"Writes a word of a line of each page"
2010\:"Reads a word of a line of each page into a register"))' \
'--processes=[Processes, started at the same moment]:N:_default' \
'--bind=[CPUs for them in this order, as 0,2 or 0-3 \[default\: one of each core first\]]:CPUS:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--huge[Use 2 MiB pages; an error where they are not available]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':pages -- Pages of 4 KiB per process:_default' \
':ops -- Loops over them; a loop is one access per page:_default' \
&& ret=0
;;
(process)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
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
(fabric)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__fabric_commands" \
"*::: :->fabric" \
&& ret=0

    case $state in
    (fabric)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-fabric-command-$line[1]:"
        case $line[1] in
            (split)
_arguments "${_arguments_options[@]}" : \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'--echo=[\`narrows fabric echo\` on the target'\''s machine]:HOST:PORT:_default' \
'--device-run=[Run of \`narrows block run\` on the target'\''s machine that measured the drive behind it, one operation in flight\: a file or an id]:RUN:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::address -- The namespace, nvme-tcp\://HOST\:PORT/NQN?ns=1; it is only read, and may be in use:_default' \
&& ret=0
;;
(echo)
_arguments "${_arguments_options[@]}" : \
'--listen=[Address and port; whoever reaches it can use it]:ADDRESS:PORT:_default' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__fabric__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-fabric-help-command-$line[1]:"
        case $line[1] in
            (split)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(echo)
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
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'(--no-database)--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--percentile=[Percentile of the commit wait to keep within the limit]:P:_default' \
'--within=[Limit of the commit wait, from its scheduled start]:TIME:_default' \
'--minutes=[Minutes for the search \[default\: 1\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--no-database[Leave out the database'\''s own commit]' \
'(--no-database)--standby[A synchronous standby on this machine too\: what its write and its flush add]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'(--write-to-device)--tier=[Folder on the same storage with a log tier in front\: the durable write there too, by one writer and by four]:DIR:_files' \
'*--methods=[Sync methods]:METHOD,…:((fdatasync\:"A write, then fdatasync (PostgreSQL'\''s default on Linux)"
fsync\:"A write, then fsync"
dsync\:"One write to a file opened with O_DSYNC"
dsync_direct\:"The same with direct I/O (O_DIRECT), as Oracle writes"
rwf_dsync\:"One pwritev2 with RWF_DSYNC"
uring\:"io_uring\: a write and a linked fdatasync, in one call"
all\:"All of them"))' \
'*--layouts=[What the file is]:LAYOUT,…:((overwrite\:"Its blocks were written before, as in a recycled segment"
extend\:"Each write extends it"
fallocated\:"Its blocks are allocated and were never written"
all\:"All of them"))' \
'*--sizes=[Bytes per write\: 8k is 8 KiB]:SIZE,…:_default' \
'--repeats=[New windows of each; from 6 on there are intervals]:N:_default' \
'(--no-database)--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--alone[Leave out the load on the data files]' \
'--no-database[Leave out the database'\''s own commit]' \
'(--no-database)--standby[A synchronous standby on this machine too\: what its write and its flush add]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(commits)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'--percentile=[Percentile of the commit wait to keep within the limit]:P:_default' \
'--within=[Limit of the commit wait, from its scheduled start]:TIME:_default' \
'--minutes=[Minutes for the search \[default\: 1\]]:N:_default' \
'--arrivals=[How commits arrive]:ARRIVALS:((poisson\:"Poisson\: independent of each other, as from many users"
constant\:"At equal intervals, as from a clock"))' \
'--bytes=[WAL bytes per commit]:SIZE:_default' \
'(--bytes)--size-histogram=[Sizes of commits in place of --bytes\: a file of lines with bytes and number of commits]:FILE:_files' \
'--style=[Who writes WAL]:STYLE:((leader\:"One of the committing sessions, for all that wait, as in PostgreSQL"
writer\:"A process of its own that is posted, as in Oracle"))' \
'--commit-delay=[commit_delay\: how long a session waits before a flush so that others can join]:TIME:_default' \
'--commit-siblings=[commit_siblings\: only if that many others are committing]:N:_default' \
'--most-sessions=[Most sessions of the closed loop]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(placement)
_arguments "${_arguments_options[@]}" : \
'*--wal=[Folders for WAL on different file systems, the one in use now first; two or more]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: the first --wal that is not in memory\]]:DIR:_files' \
'--sessions=[Sessions that update and commit in a closed loop]:N:_default' \
'--repeats=[New windows of everything; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window of the database; the emulation'\''s is half of it]:TIME:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--prove[Run PostgreSQL with WAL on each location too, in turns, to test the prediction]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(crashtest)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
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
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':list -- The record of acknowledgements, a new file:_files' \
&& ret=0
;;
(write)
_arguments "${_arguments_options[@]}" : \
'--to=[HOST\:PORT where \`narrows log crashtest listen\` runs]:HOST:PORT:_default' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'(--write-to-device)--postgres=[Commit rows to a new table of this PostgreSQL instead\: postgres\://…]:URL:_default' \
'--streams=[Writers at the same time]:N:_default' \
'(--postgres)--size=[Bytes of a record\: 8k is 8 KiB]:SIZE:_default' \
'(--postgres)--sync=[How each record is made durable]:SYNC:((fdatasync\:"A write, then fdatasync (PostgreSQL'\''s default on Linux)"
fsync\:"A write, then fsync"
dsync\:"One write to a file opened with O_DSYNC"
rwf-dsync\:"One write with RWF_DSYNC"
none\:"A write and no flush\: a power cut must lose records, or it was none"))' \
'(--postgres --append)--ring=[Total file size of all writers\: 64m is 64 MiB]:SIZE:_default' \
'--for=[End in order after this time \[default\: at the power cut, or at Ctrl-C\]]:TIME:_default' \
'(--postgres)--direct[Use direct I/O (O_DIRECT)]' \
'(--postgres --write-to-device)--append[Let the file grow instead of writing it in a circle]' \
'--same-host[Allow the record on this machine\: for a rehearsal, or where another machine loses its power]' \
'--load-here[Write although a database runs on this machine, or to the database that --postgres names]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::file -- A new file on the file system to test; it stays until it is checked:_files' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'()--postgres=[The PostgreSQL whose table was written]:URL:_default' \
'--acknowledged=[The record of acknowledgements from the second host]:LIST:_files' \
'--cut=[What lost its power, where it was not this machine as a whole\: a drive shelf, a storage server, the host of this virtual machine. The result then rests on your word]:WHAT:_default' \
'--least=[Fewest acknowledged records for a result]:N:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--remounted[The file system was mounted again since the cut, or the machine under the database restarted\: no read comes from memory]' \
'--gone[Count a missing file, table or header as data loss]' \
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
'--for=[How long to observe; below 6 s chance cannot be excluded]:TIME:_default' \
'*--pg-test-fsync=[Output of pg_test_fsync on the WAL drive, to compare with]:FILE:_files' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--dry-run[Show what would be read, and stop]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE:_default' \
&& ret=0
;;
(streams)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'--streams=[WAL streams at once]:N:_default' \
'--rate=[Bytes per second of each]:BYTES/s:_default' \
'--size=[Bytes per write\: 128k is 128 KiB]:SIZE:_default' \
'--percentile=[Percentile of the write time to keep within the limit]:P:_default' \
'--within=[Limit of the write time, from its scheduled start]:TIME:_default' \
'--most-streams=[Most streams that the search tries]:N:_default' \
'--cache=[Cache size whose turnover time to report\: 4g is 4 GiB]:SIZE:_default' \
'--repeats=[New windows of each number]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
(placement)
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
(wal)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'(--no-database)--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--percentile=[Percentile of the commit wait to keep within the limit]:P:_default' \
'--within=[Limit of the commit wait, from its scheduled start]:TIME:_default' \
'--minutes=[Minutes for the search \[default\: 1\]]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--no-database[Leave out the database'\''s own commit]' \
'(--no-database)--standby[A synchronous standby on this machine too\: what its write and its flush add]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'(--write-to-device)--tier=[Folder on the same storage with a log tier in front\: the durable write there too, by one writer and by four]:DIR:_files' \
'*--methods=[Sync methods]:METHOD,…:((fdatasync\:"A write, then fdatasync (PostgreSQL'\''s default on Linux)"
fsync\:"A write, then fsync"
dsync\:"One write to a file opened with O_DSYNC"
dsync_direct\:"The same with direct I/O (O_DIRECT), as Oracle writes"
rwf_dsync\:"One pwritev2 with RWF_DSYNC"
uring\:"io_uring\: a write and a linked fdatasync, in one call"
all\:"All of them"))' \
'*--layouts=[What the file is]:LAYOUT,…:((overwrite\:"Its blocks were written before, as in a recycled segment"
extend\:"Each write extends it"
fallocated\:"Its blocks are allocated and were never written"
all\:"All of them"))' \
'*--sizes=[Bytes per write\: 8k is 8 KiB]:SIZE,…:_default' \
'--repeats=[New windows of each; from 6 on there are intervals]:N:_default' \
'(--no-database)--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--alone[Leave out the load on the data files]' \
'--no-database[Leave out the database'\''s own commit]' \
'(--no-database)--standby[A synchronous standby on this machine too\: what its write and its flush add]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(commits)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'--percentile=[Percentile of the commit wait to keep within the limit]:P:_default' \
'--within=[Limit of the commit wait, from its scheduled start]:TIME:_default' \
'--minutes=[Minutes for the search \[default\: 1\]]:N:_default' \
'--arrivals=[How commits arrive]:ARRIVALS:((poisson\:"Poisson\: independent of each other, as from many users"
constant\:"At equal intervals, as from a clock"))' \
'--bytes=[WAL bytes per commit]:SIZE:_default' \
'(--bytes)--size-histogram=[Sizes of commits in place of --bytes\: a file of lines with bytes and number of commits]:FILE:_files' \
'--style=[Who writes WAL]:STYLE:((leader\:"One of the committing sessions, for all that wait, as in PostgreSQL"
writer\:"A process of its own that is posted, as in Oracle"))' \
'--commit-delay=[commit_delay\: how long a session waits before a flush so that others can join]:TIME:_default' \
'--commit-siblings=[commit_siblings\: only if that many others are committing]:N:_default' \
'--most-sessions=[Most sessions of the closed loop]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(placement)
_arguments "${_arguments_options[@]}" : \
'*--wal=[Folders for WAL on different file systems, the one in use now first; two or more]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: the first --wal that is not in memory\]]:DIR:_files' \
'--sessions=[Sessions that update and commit in a closed loop]:N:_default' \
'--repeats=[New windows of everything; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window of the database; the emulation'\''s is half of it]:TIME:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--prove[Run PostgreSQL with WAL on each location too, in turns, to test the prediction]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(crashtest)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
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
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':list -- The record of acknowledgements, a new file:_files' \
&& ret=0
;;
(write)
_arguments "${_arguments_options[@]}" : \
'--to=[HOST\:PORT where \`narrows log crashtest listen\` runs]:HOST:PORT:_default' \
'--write-to-device=[Write to this raw device, or nvme-tcp\://HOST\:PORT/NQN; everything on it is lost]:DEV:_default' \
'--serial=[Its serial, as \`narrows block device DEV\` shows it, or the subsystem'\''s]:S:_default' \
'*--accept=[A doubt about that device that you take upon yourself; can be repeated]:DOUBT:((unseen-users\:"Who has it open can'\''t be seen\: in a container, or without root"
unknown-contents\:"Data is on it that no known mark explains"))' \
'(--write-to-device)--postgres=[Commit rows to a new table of this PostgreSQL instead\: postgres\://…]:URL:_default' \
'--streams=[Writers at the same time]:N:_default' \
'(--postgres)--size=[Bytes of a record\: 8k is 8 KiB]:SIZE:_default' \
'(--postgres)--sync=[How each record is made durable]:SYNC:((fdatasync\:"A write, then fdatasync (PostgreSQL'\''s default on Linux)"
fsync\:"A write, then fsync"
dsync\:"One write to a file opened with O_DSYNC"
rwf-dsync\:"One write with RWF_DSYNC"
none\:"A write and no flush\: a power cut must lose records, or it was none"))' \
'(--postgres --append)--ring=[Total file size of all writers\: 64m is 64 MiB]:SIZE:_default' \
'--for=[End in order after this time \[default\: at the power cut, or at Ctrl-C\]]:TIME:_default' \
'(--postgres)--direct[Use direct I/O (O_DIRECT)]' \
'(--postgres --write-to-device)--append[Let the file grow instead of writing it in a circle]' \
'--same-host[Allow the record on this machine\: for a rehearsal, or where another machine loses its power]' \
'--load-here[Write although a database runs on this machine, or to the database that --postgres names]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::file -- A new file on the file system to test; it stays until it is checked:_files' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'()--postgres=[The PostgreSQL whose table was written]:URL:_default' \
'--acknowledged=[The record of acknowledgements from the second host]:LIST:_files' \
'--cut=[What lost its power, where it was not this machine as a whole\: a drive shelf, a storage server, the host of this virtual machine. The result then rests on your word]:WHAT:_default' \
'--least=[Fewest acknowledged records for a result]:N:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--remounted[The file system was mounted again since the cut, or the machine under the database restarted\: no read comes from memory]' \
'--gone[Count a missing file, table or header as data loss]' \
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
'--for=[How long to observe; below 6 s chance cannot be excluded]:TIME:_default' \
'*--pg-test-fsync=[Output of pg_test_fsync on the WAL drive, to compare with]:FILE:_files' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--anonymous[Leave names out of the run file and the screen\: machines, addresses, ports, users, databases, folders, mount points]' \
'--dry-run[Show what would be read, and stop]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE:_default' \
&& ret=0
;;
(streams)
_arguments "${_arguments_options[@]}" : \
'--wal=[Folder on the drives for WAL \[default\: the current folder\]]:DIR:_files' \
'--data=[Folder on the drives for the data files \[default\: that of --wal\]]:DIR:_files' \
'(--wal --data)--write-to-device=[A namespace that may be written, instead of folders\: nvme-tcp\://HOST\:PORT/NQN; what is on it is lost]:ADDRESS:_default' \
'--serial=[The subsystem'\''s serial number]:S:_default' \
'--streams=[WAL streams at once]:N:_default' \
'--rate=[Bytes per second of each]:BYTES/s:_default' \
'--size=[Bytes per write\: 128k is 128 KiB]:SIZE:_default' \
'--percentile=[Percentile of the write time to keep within the limit]:P:_default' \
'--within=[Limit of the write time, from its scheduled start]:TIME:_default' \
'--most-streams=[Most streams that the search tries]:N:_default' \
'--cache=[Cache size whose turnover time to report\: 4g is 4 GiB]:SIZE:_default' \
'--repeats=[New windows of each number]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
(placement)
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
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
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
'(--postgres)--kind=[Kind of server to start and load\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of the private instance\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure first, for the verdict'\''s limits \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"shared_buffers, warmed up before"
drive\:"The drives\: evicted from memory, checked against the drives'\'' own counts"))' \
'--blocks=[Blocks per operation]:N:_default' \
'--calls=[How the client requests them]:CALLS:((each\:"One statement per block, one after the other"
any\:"One statement with all keys, \`= ANY\`, still block by block in the server"))' \
'--table=[Size of the table, one row per block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Incompressible share of each row'\''s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--working-set=[Working set\: part of the table that keys are drawn from\: 64m is 64 MiB, 50% is half of shared_buffers \[default\: half of shared_buffers; from the drives the whole table\]]:SIZE:_default' \
'--keys=[Distribution of keys\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the calls on 20 % of the keys)]:LAW:_default' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with a scaling law from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean think time of a session after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start]:N:_default' \
'(--rate --think)--p99=[Find the highest open-loop rate with p99 within this limit]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of the private instance on which the load is repeated; from three on with the difference between starts]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--calls)--inside[A function inside the server reads them, so that the client'\''s share is one call]' \
'--private[One table per session, so that none waits for another'\''s rows; total size unchanged]' \
'--quick[Quick\: three short repeats and no test of the verdict; no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a private PostgreSQL instance, started for this and removed\]:_default' \
&& ret=0
;;
(batch)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[Kind of server to start and load\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of the private instance\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure first, for the verdict'\''s limits \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"shared_buffers, warmed up before"
drive\:"The drives\: evicted from memory, checked against the drives'\'' own counts"))' \
'--blocks=[Blocks per operation]:N:_default' \
'--table=[Size of the table, one row per block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Incompressible share of each row'\''s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--working-set=[Working set\: part of the table that keys are drawn from\: 64m is 64 MiB, 50% is half of shared_buffers \[default\: half of shared_buffers; from the drives the whole table\]]:SIZE:_default' \
'--keys=[Distribution of keys\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the calls on 20 % of the keys)]:LAW:_default' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with a scaling law from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean think time of a session after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start]:N:_default' \
'(--rate --think)--p99=[Find the highest open-loop rate with p99 within this limit]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of the private instance on which the load is repeated; from three on with the difference between starts]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--private[One table per session, so that none waits for another'\''s rows; total size unchanged]' \
'--quick[Quick\: three short repeats and no test of the verdict; no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a private PostgreSQL instance, started for this and removed\]:_default' \
&& ret=0
;;
(update)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[Kind of server to start and load\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of the private instance\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure first, for the verdict'\''s limits \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--updates=[Update percentage, 0 to 100; the rest are lookups]:N:_default' \
'--redo=[Columns that an update changes]:REDO:((light\:"One column\: about a hundred bytes of WAL"
heavy\:"Every column but the key\: the whole row in WAL"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"shared_buffers, warmed up before"
drive\:"The drives\: evicted from memory, checked against the drives'\'' own counts"))' \
'--table=[Size of the table, one row per block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Incompressible share of each row'\''s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--working-set=[Working set\: part of the table that keys are drawn from\: 64m is 64 MiB, 50% is half of shared_buffers \[default\: half of shared_buffers; from the drives the whole table\]]:SIZE:_default' \
'--keys=[Distribution of keys\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the calls on 20 % of the keys)]:LAW:_default' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with a scaling law from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean think time of a session after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start]:N:_default' \
'(--rate --think)--p99=[Find the highest open-loop rate with p99 within this limit]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of the private instance on which the load is repeated; from three on with the difference between starts]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--private[One table per session, so that none waits for another'\''s rows; total size unchanged]' \
'--quick[Quick\: three short repeats and no test of the verdict; no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a private PostgreSQL instance, started for this and removed\]:_default' \
&& ret=0
;;
(commit)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[Kind of server to start and load\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of the private instance\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure first, for the verdict'\''s limits \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'*--sessions=[Concurrent sessions; several numbers are a sweep, with a scaling law from six on \[default\: twice the server'\''s CPUs, 8 to 256\]]:N,…:_default' \
'--think=[Mean think time of a session after an answer\: 10ms \[default\: none\]]:TIME:_default' \
'(--think)--rate=[Open loop\: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start]:N:_default' \
'(--rate --think)--p99=[Find the highest open-loop rate with p99 within this limit]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of the private instance on which the load is repeated; from three on with the difference between starts]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Quick\: three short repeats and no test of the verdict; no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a private PostgreSQL instance, started for this and removed\]:_default' \
&& ret=0
;;
(scan)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[Kind of server to start and load\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of the private instance\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure first, for the verdict'\''s limits \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--from=[Where the blocks come from]:FROM:((pool\:"shared_buffers, warmed up before"
drive\:"The drives\: evicted from memory, checked against the drives'\'' own counts"))' \
'*--workers=[Parallel processes of a scan, the session'\''s own included \[default\: 1 and one per server CPU\]]:N,…:_default' \
'--answer=[What it computes]:ANSWER:((sum\:"A sum over a column\: every row is read"
count\:"count(*), as the server plans it\: an index-only scan is reported"))' \
'--table=[Size of the table, one row per block\: 2g is 2 GiB \[default\: 2g, 512m with --quick\]]:SIZE:_default' \
'--entropy=[Incompressible share of each row'\''s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does]:N:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of the private instance on which the load is repeated; from three on with the difference between starts]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--quick[Quick\: three short repeats and no test of the verdict; no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a private PostgreSQL instance, started for this and removed\]:_default' \
&& ret=0
;;
(orders)
_arguments "${_arguments_options[@]}" : \
'(--postgres)--kind=[Kind of server to start and load\: lookups, updates and commits are measured on both]:KIND:((postgres\:"PostgreSQL"
mariadb\:"MariaDB, from the distribution'\''s package mariadb-server"))' \
'()--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'()--pool=[shared_buffers of the private instance\: 256m is 256 MiB \[default\: an eighth of the memory, 16m to 256m\]]:SIZE:_default' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'*--layers=[Layers to measure first, for the verdict'\''s limits \[default\: those the workload uses; none with a URL, unless --data says where\]]:LAYER,…:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--warehouses=[Warehouses, each of about 100 MB and ten terminals]:N:_default' \
'--loaders=[Connections that load \[default\: the machine'\''s CPUs, up to 16\]]:N:_default' \
'--sessions=[Concurrent sessions \[default\: twice the server'\''s CPUs, 8 to 256; ten per warehouse with --paced\]]:N:_default' \
'--calls=[Where the transactions run]:CALLS:((functions\:"Functions in the server, PL/pgSQL\: one round trip per transaction"
statements\:"Statements of the client\: a round trip for nearly each"))' \
'--isolation=[Isolation of the sessions]:ISOLATION:((read-committed\:"PostgreSQL'\''s default; keeps the consistency conditions, and is weaker than the specification requires"
repeatable-read\:"A snapshot per transaction; conflicts are retried and counted"
serializable\:"As if one after the other; conflicts are retried and counted"))' \
'--home=[Which warehouses sessions work for \[default\: all; one with --paced\]]:HOME:((all\:"Every transaction for any of them\: the working set is all that is loaded"
one\:"Every session for one; few sessions use few warehouses, which is reported"))' \
'--rate=[Open loop\: transactions per second, scheduled at random times whether or not sessions are free]:N:_default' \
'--warm-up=[Warm-up before every window \[default\: 2s; 30s with --paced\]]:TIME:_default' \
'--window=[Length of one window, 1s to 10min \[default\: 3s, updates 11s so that six cover two checkpoints\]]:TIME:_default' \
'()--starts=[Starts of the private instance on which the load is repeated; from three on with the difference between starts]:N:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--rate)--paced[Keying and thinking times as specified\: at most 12.6 new orders per minute and warehouse]' \
'(--starts)--load-only[Load and do not run; the data stays until --drop]' \
'--keep[Keep what this run loads; what was there before stays in any case]' \
'()--crash[Then kill the server under load, restart it and look for every acknowledged order\: a test of the server'\''s recovery, not of the drives]' \
'(--load-only --keep --paced --rate --sessions --starts)--drop[Remove the loaded data and do nothing else; with --dry-run list it]' \
'--quick[Quick\: three short repeats and no test of the verdict; no grade above LIKELY]' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::url -- The server\: postgres\://USER@HOST\:PORT/DATABASE, the password in PGPASSWORD \[default\: a private PostgreSQL instance, started for this and removed\]:_default' \
&& ret=0
;;
(clean)
_arguments "${_arguments_options[@]}" : \
'--remove[Remove all that is listed and not in use]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
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
'*--crash-test=[Add the result of a crash test (\`narrows log crashtest check --format json\`), and re-evaluate]:FILE:_files' \
'*--pg-test-fsync=[Add the output of pg_test_fsync, to compare with the ladder or the observed server'\''s flushes]:FILE:_files' \
'*--what-if=[Estimate what a change would allow at most\: storage=2x, data=2x, log=2x (or wal=2x), log=flush\:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%]:CHANGE:_default' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--format)--html[The same as --format html]' \
'--rejudge[Re-evaluate with this version'\''s rules instead of showing the stored verdicts]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
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
'*--crash-test=[Add the result of a crash test (\`narrows log crashtest check --format json\`), and re-evaluate]:FILE:_files' \
'*--pg-test-fsync=[Add the output of pg_test_fsync, to compare with the ladder or the observed server'\''s flushes]:FILE:_files' \
'*--what-if=[Estimate what a change would allow at most\: storage=2x, data=2x, log=2x (or wal=2x), log=flush\:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%]:CHANGE:_default' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'(--format)--html[The same as --format html]' \
'--rejudge[Re-evaluate with this version'\''s rules instead of showing the stored verdicts]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::run -- A run'\''s id (or its first characters), or a run file \[default\: the newest\]:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--host=[Only runs of the machine of this name]:NAME:_default' \
'--layer=[Only runs of this layer]:LAYER:((clock\:"Time to read the clock"
memory\:"Latency and bandwidth"
block\:"Random and sequential reads and writes"
log\:"Durable writes and group commit"
database\:"PostgreSQL workloads and their verdicts"))' \
'--since=[Only runs from this day on, UTC\: 2026-11-01]:DAY:_default' \
'--until=[Only runs up to this day, it included]:DAY:_default' \
'--tag=[Only runs of this tag]:TAG:_default' \
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
(compare)
_arguments "${_arguments_options[@]}" : \
'--margin=[Difference below which both are as good as the same\: 2%]:PERCENT:_default' \
'*--only=[Compare measurements that begin so\: database.update, block]:PREFIX:_default' \
'--correct=[For the number of measurements\: holm keeps all words right in 95 of 100 comparisons, bh lets at most 5 of 100 words be wrong]:CORRECT:((holm\:"Holm"
bh\:"Benjamini and Hochberg"))' \
'*--fail-if=[End with 1 where a growth crosses this bound, with 4 where that is not resolved\: '\''block.read.random.8k.knee.throughput < -5%'\'']:GATE:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::sides -- Sides\: runs, tags or folders:_default' \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::sides -- Two saved runs, or sets of runs\: an id, a file, a folder, a tag, or several with commas:_default' \
&& ret=0
;;
(ab)
_arguments "${_arguments_options[@]}" : \
'--a=[Shell command that sets the state of A before each of its runs]:COMMAND:_default' \
'--b=[Shell command that sets the state of B]:COMMAND:_default' \
'--with-a=[Options of A'\''s runs]:OPTIONS:_default' \
'--with-b=[Options of B'\''s runs]:OPTIONS:_default' \
'--restore=[Shell command that puts the state back at the end, also after a crash]:COMMAND:_default' \
'--after=[Shell command after each run, as to stop a server]:COMMAND:_default' \
'--clone=[Give each run a new clone of this folder, which stays as it is]:DIR:_files' \
'--pairs=[Number of pairs \[default\: by the scatter of the first three\]]:N:_default' \
'--find=[Smallest difference to be found in 80 of 100 experiments \[default\: 5%\]]:PERCENT:_default' \
'--within=[Time for all pairs \[default\: 1h\]]:TIME:_default' \
'*--measure=[Measurements whose scatter decides how many pairs there are, by the beginning of their ids \[default\: the database'\''s\]]:PREFIX:_default' \
'--margin=[Difference below which both are as good as the same]:PERCENT:_default' \
'--seed=[Seed that draws who begins \[default\: a new one\]]:N:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':name -- Name of the experiment; its runs get the tags NAME-A and NAME-B:_default' \
'*::measurement -- What is measured\: a command of narrows with its options (run, db, block, memory, log):_default' \
&& ret=0
;;
(trend)
_arguments "${_arguments_options[@]}" : \
'--host=[Runs of the machine of this name \[default\: that of the newest run\]]:NAME:_default' \
'(--host)--tag=[Runs of this tag]:TAG:_default' \
'*--only=[Measurements that begin so]:PREFIX:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(import)
_arguments "${_arguments_options[@]}" : \
'--tag=[Add the runs to this tag]:TAG:_default' \
'--capacities=[Judge an AWR report by what this run measured of the same machine]:RUN:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--same-machine[The run is of the report'\''s machine, whatever the two call it]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Results, each a run:_files' \
&& ret=0
;;
(export)
_arguments "${_arguments_options[@]}" : \
'--as=[Form of the figures]:FORM:((openmetrics\:"Gauges in base units, for a collector of text files"
csv\:"A tidy table\: a row for each figure and each of its repeats"
hdr\:"Latency histograms as a log of HdrHistogram"
parquet\:"csv'\''s table as Parquet"))' \
'-o+[File to write, replaced whole \[default\: standard output\]]:FILE:_files' \
'--output=[File to write, replaced whole \[default\: standard output\]]:FILE:_files' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::runs -- Saved runs\: ids, files or tags \[default\: the newest\]:_default' \
&& ret=0
;;
(check-claims)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':file -- A TOML file of claims:_files' \
&& ret=0
;;
(tag)
_arguments "${_arguments_options[@]}" : \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--remove[Forget the tag; its runs stay]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::tag -- The tag:_default' \
'*::runs -- Runs to add, by their ids (or first characters) or files:_default' \
&& ret=0
;;
(rm)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::runs -- Saved runs, by their ids (or first characters):_default' \
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
'*::words -- A term, finding, verdict, grade or metric, as it is printed, or the start of it:_default' \
&& ret=0
;;
(platform)
_arguments "${_arguments_options[@]}" : \
'--root=[Examine the machine whose files are copied below this folder, not this one]:DIR:_files' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::of -- Show this instead of this machine\: a capture (`narrows gather`), a run by its file or id, or a folder as with --root:_default' \
&& ret=0
;;
(gather)
_arguments "${_arguments_options[@]}" : \
'-o+[The capture, a new file]:FILE:_files' \
'--output=[The capture, a new file]:FILE:_files' \
'--data=[Folder on the drives with the data files \[default\: /var/tmp\]]:DIR:_files' \
'--wal=[Folder on the drives with WAL \[default\: that of --data\]]:DIR:_files' \
'--privileged[Capture as root what other users cannot read]' \
'--force[Replace FILE if it exists]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(limits)
_arguments "${_arguments_options[@]}" : \
'*--limits=[Override the table with this file'\''s figures]:FILE:_files' \
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
'--block=[Block size of random reads and writes]:SIZE:_default' \
'--demand=[A run (id or file)\: would its database workloads, or the transactions of an observed server, fit these platforms?]:RUN:_default' \
'--core-ratio=[With --demand\: speed of one core there relative to one where it was measured, for platforms without their own core_ratio; without either, cores are taken as equal]:RATIO:_default' \
'*--limits=[Override the table of limits with this file'\''s figures]:FILE:_files' \
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
(cost)
_arguments "${_arguments_options[@]}" : \
'--run=[A run (id or file)\: the CPU time of its workloads and I/O becomes money]:RUN:_default' \
'*--what-if=[Take this figure instead of the given one; VALUE is a number or a range "12 to 15", repeatable]:KEY=VALUE:_default' \
'*--rules=[Override licence rules, or add some, with this file'\''s]:FILE:_files' \
'*--limits=[Override the table of limits with this file'\''s figures, for descriptions of platforms]:FILE:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--list-rules[List the licence rules with their sources and end]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Descriptions with a table \[cost\], TOML:_files' \
&& ret=0
;;
(size)
_arguments "${_arguments_options[@]}" : \
'(--given)--demand=[A run (id or file) whose workloads are the demand]:RUN:_default' \
'--given=[A demand that is known from elsewhere, TOML]:FILE:_files' \
'--only=[Of the run'\''s workloads only this one]:NAME:_default' \
'--rate=[The rate that is needed now, operations per second, instead of the one that was measured]:RATE:_default' \
'--growth=[Growth of the demand per year, -90% to 1000%]:PERCENT:_default' \
'--years=[Years of growth, up to 20; costs have years of their own]:YEARS:_default' \
'(--p99 --calibration)--headroom=[How much of a ceiling may be used, whatever binds, instead of what runs measured]:PERCENT:_default' \
'--p99=[Limit of an operation'\''s p99\: how busy CPUs may be then, by the run'\''s open loop or its numbers of sessions]:TIME:_default' \
'*--calibration=[Another run with a curve of latency against rate (narrows block calibrate for drives), repeatable]:RUN:_default' \
'--core-ratio=[Speed of one core there relative to one where the demand was measured, for platforms without their own core_ratio]:RATIO:_default' \
'*--what-if=[Take this figure instead of the given one; VALUE is a number or a range "12 to 15", repeatable]:KEY=VALUE:_default' \
'*--rules=[Override licence rules, or add some, with this file'\''s]:FILE:_files' \
'*--limits=[Override the table of limits with this file'\''s figures]:FILE:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Descriptions of platforms, TOML, with a table \[cost\] for what they cost:_files' \
&& ret=0
;;
(tier)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__tier_commands" \
"*::: :->tier" \
&& ret=0

    case $state in
    (tier)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-command-$line[1]:"
        case $line[1] in
            (forecast)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__tier__subcmd__forecast_commands" \
"*::: :->forecast" \
&& ret=0

    case $state in
    (forecast)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-forecast-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
'(--rate --sessions --commit-wait --flush --commits --cpu-per-transaction --trace)--run=[A run (id or file) with a workload that commits, or an observed server]:RUN:_default' \
'--workload=[Which workload of the run \[default\: update, else the first that commits\]]:NAME:_default' \
'--rate=[Transactions per second now]:RATE:_default' \
'(--rate --wal-per-transaction --commits)--trace=[PostgreSQL'\''s WAL, instead\: what pg_waldump prints; - is standard input. Its commits per second, and WAL of one]:FILE:_files' \
'--sessions=[Sessions that work now]:N:_default' \
'--commit-wait=[Wait of one commit now, mean (Oracle\: log file sync)]:TIME:_default' \
'--flush=[One write and flush of WAL now, mean (Oracle\: log file parallel write)]:TIME:_default' \
'--commits=[Commits per transaction \[default\: 1\]]:N:_default' \
'--cpu-per-transaction=[The server'\''s CPU time per transaction]:TIME:_default' \
'--cpus=[CPUs that the server can use \[default\: the run'\''s\]]:N:_default' \
'--wal-per-transaction=[WAL bytes per transaction\: 2k is 2 KiB \[default\: the run'\''s\]]:SIZE:_default' \
'--medium-flush=[One durable write of one writer on the medium]:TIME:_default' \
'(--medium-flush)--medium=[A run of \`narrows log\` on the medium, instead]:RUN:_default' \
'--added=[What the network to the medium adds to a durable write]:TIME:_default' \
'(--added)--fabric=[A run of \`narrows fabric split\` that divided durable writes, instead]:RUN:_default' \
'--growth=[Bytes written to the backing per byte of WAL]:FACTOR:_default' \
'--backing=[Sequential writes that the backing takes]:BYTES/s:_default' \
'--log-size=[Size of the log tier\: 1g is 1 GiB, 960MB is decimal]:SIZE:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(wal)
_arguments "${_arguments_options[@]}" : \
'(--rate --sessions --commit-wait --flush --commits --cpu-per-transaction --trace)--run=[A run (id or file) with a workload that commits, or an observed server]:RUN:_default' \
'--workload=[Which workload of the run \[default\: update, else the first that commits\]]:NAME:_default' \
'--rate=[Transactions per second now]:RATE:_default' \
'(--rate --wal-per-transaction --commits)--trace=[PostgreSQL'\''s WAL, instead\: what pg_waldump prints; - is standard input. Its commits per second, and WAL of one]:FILE:_files' \
'--sessions=[Sessions that work now]:N:_default' \
'--commit-wait=[Wait of one commit now, mean (Oracle\: log file sync)]:TIME:_default' \
'--flush=[One write and flush of WAL now, mean (Oracle\: log file parallel write)]:TIME:_default' \
'--commits=[Commits per transaction \[default\: 1\]]:N:_default' \
'--cpu-per-transaction=[The server'\''s CPU time per transaction]:TIME:_default' \
'--cpus=[CPUs that the server can use \[default\: the run'\''s\]]:N:_default' \
'--wal-per-transaction=[WAL bytes per transaction\: 2k is 2 KiB \[default\: the run'\''s\]]:SIZE:_default' \
'--medium-flush=[One durable write of one writer on the medium]:TIME:_default' \
'(--medium-flush)--medium=[A run of \`narrows log\` on the medium, instead]:RUN:_default' \
'--added=[What the network to the medium adds to a durable write]:TIME:_default' \
'(--added)--fabric=[A run of \`narrows fabric split\` that divided durable writes, instead]:RUN:_default' \
'--growth=[Bytes written to the backing per byte of WAL]:FACTOR:_default' \
'--backing=[Sequential writes that the backing takes]:BYTES/s:_default' \
'--log-size=[Size of the log tier\: 1g is 1 GiB, 960MB is decimal]:SIZE:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(reads)
_arguments "${_arguments_options[@]}" : \
'(--rate --sessions --read --cpu-per-read)--run=[A run (id or file) with a workload that reads storage, or an observed server]:RUN:_default' \
'--workload=[Which workload of the run \[default\: lookup_uncached, else the first that reads\]]:NAME:_default' \
'--rate=[Reads of storage per second now]:RATE:_default' \
'--sessions=[Sessions that work now]:N:_default' \
'--read=[One read now, mean (Oracle\: db file sequential read)]:TIME:_default' \
'--read-alone=[One read by one session that has storage to itself\: what --read takes longer is taken for a queue, which a cache makes shorter]:TIME:_default' \
'--cpu-per-read=[The server'\''s CPU time per read, all that it does with the block included]:TIME:_default' \
'--cpus=[CPUs that the server can use \[default\: the run'\''s\]]:N:_default' \
'--block=[Bytes of one read\: 8k is 8 KiB \[default\: the run'\''s\]]:SIZE:_default' \
'--blocks-hit=[Buffer hits that the server counted (blks_hit), with --blocks-read]:N:_default' \
'--blocks-read=[Reads that the server counted meanwhile (blks_read)]:N:_default' \
'--tier-read=[One read that the tier serves, the network to it included]:TIME:_default' \
'--miss-added=[What a read that it does not serve takes longer than now]:TIME:_default' \
'--tier-size=[Size of the tier\: 64g is 64 GiB]:SIZE:_default' \
'(--hits)--curve=[A miss curve of the reads that reach storage\: a file of lines with size and share missed]:FILE:_files' \
'(--curve --hits)--trace=[A trace of the reads that reach storage, instead\: what blkparse prints, or fio'\''s write_iolog]:FILE:_files' \
'(--curve --trace --hits --blocks-hit)*--buffercache=[What shared_buffers holds of each relation, and its reads, instead\: CSV of the statement below. Twice\: the reads between two looks]:FILE:_files' \
'--hits=[Share of the reads that it serves, instead]:SHARE:_default' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(cache)
_arguments "${_arguments_options[@]}" : \
'(--rate --sessions --read --cpu-per-read)--run=[A run (id or file) with a workload that reads storage, or an observed server]:RUN:_default' \
'--workload=[Which workload of the run \[default\: lookup_uncached, else the first that reads\]]:NAME:_default' \
'--rate=[Reads of storage per second now]:RATE:_default' \
'--sessions=[Sessions that work now]:N:_default' \
'--read=[One read now, mean (Oracle\: db file sequential read)]:TIME:_default' \
'--read-alone=[One read by one session that has storage to itself\: what --read takes longer is taken for a queue, which a cache makes shorter]:TIME:_default' \
'--cpu-per-read=[The server'\''s CPU time per read, all that it does with the block included]:TIME:_default' \
'--cpus=[CPUs that the server can use \[default\: the run'\''s\]]:N:_default' \
'--block=[Bytes of one read\: 8k is 8 KiB \[default\: the run'\''s\]]:SIZE:_default' \
'--blocks-hit=[Buffer hits that the server counted (blks_hit), with --blocks-read]:N:_default' \
'--blocks-read=[Reads that the server counted meanwhile (blks_read)]:N:_default' \
'--tier-read=[One read that the tier serves, the network to it included]:TIME:_default' \
'--miss-added=[What a read that it does not serve takes longer than now]:TIME:_default' \
'--tier-size=[Size of the tier\: 64g is 64 GiB]:SIZE:_default' \
'(--hits)--curve=[A miss curve of the reads that reach storage\: a file of lines with size and share missed]:FILE:_files' \
'(--curve --hits)--trace=[A trace of the reads that reach storage, instead\: what blkparse prints, or fio'\''s write_iolog]:FILE:_files' \
'(--curve --trace --hits --blocks-hit)*--buffercache=[What shared_buffers holds of each relation, and its reads, instead\: CSV of the statement below. Twice\: the reads between two looks]:FILE:_files' \
'--hits=[Share of the reads that it serves, instead]:SHARE:_default' \
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
":: :_narrows__subcmd__tier__subcmd__forecast__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-forecast-help-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reads)
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
(prove)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_narrows__subcmd__tier__subcmd__prove_commands" \
"*::: :->prove" \
&& ret=0

    case $state in
    (prove)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-prove-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
'(--data --sessions --repeats --window --postgres)--run=[A stored run (id or file) of this command or of \`narrows log placement --prove\`, instead]:RUN:_default' \
'--data=[Folder on the drives for the data files \[default\: OFF\]]:DIR:_files' \
'--sessions=[Sessions that update and commit in a closed loop]:N:_default' \
'--repeats=[New windows of everything; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window of the database; the emulation'\''s is half of it]:TIME:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::off -- Folder for WAL on the storage without the tier:_files' \
'::on -- Folder for WAL on the same storage with the tier:_files' \
&& ret=0
;;
(wal)
_arguments "${_arguments_options[@]}" : \
'(--data --sessions --repeats --window --postgres)--run=[A stored run (id or file) of this command or of \`narrows log placement --prove\`, instead]:RUN:_default' \
'--data=[Folder on the drives for the data files \[default\: OFF\]]:DIR:_files' \
'--sessions=[Sessions that update and commit in a closed loop]:N:_default' \
'--repeats=[New windows of everything; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window of the database; the emulation'\''s is half of it]:TIME:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::off -- Folder for WAL on the storage without the tier:_files' \
'::on -- Folder for WAL on the same storage with the tier:_files' \
&& ret=0
;;
(reads)
_arguments "${_arguments_options[@]}" : \
'(--database --pool --postgres --tier-size --working-set --size --keys --sessions --warm-up --repeats --window)--run=[A stored run (id or file) of this command, instead]:RUN:_default' \
'--database=[The server whose reads are measured, with its data in OFF and in ON \[default\: none, blocks are read without one\]]:KIND:((postgres\:"A private PostgreSQL for each side"))' \
'--pool=[Its shared_buffers \[default\: 4m\]]:SIZE:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--tier-size=[Size of the tier\: 64g is 64 GiB]:SIZE:_default' \
'--working-set=[What is read of each side, from its beginning; with --database the table'\''s size]:SIZE:_default' \
'(--database)--size=[Size of a read]:SIZE:_default' \
'--keys=[Which blocks are read\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the reads on 20 % of the blocks)]:LAW:_default' \
'--sessions=[Sessions, each with one read at a time]:N:_default' \
'--warm-up=[For how long the tier is read before anything counts]:TIME:_default' \
'--repeats=[Windows on each side; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window]:TIME:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::off -- Storage without the tier\: nvme-tcp\://…, a block device, or a folder:_default' \
'::on -- The same storage with the tier:_default' \
&& ret=0
;;
(cache)
_arguments "${_arguments_options[@]}" : \
'(--database --pool --postgres --tier-size --working-set --size --keys --sessions --warm-up --repeats --window)--run=[A stored run (id or file) of this command, instead]:RUN:_default' \
'--database=[The server whose reads are measured, with its data in OFF and in ON \[default\: none, blocks are read without one\]]:KIND:((postgres\:"A private PostgreSQL for each side"))' \
'--pool=[Its shared_buffers \[default\: 4m\]]:SIZE:_default' \
'--postgres=[The PostgreSQL to start\: its \`postgres\` program or the folder it is in]:FILE:_files' \
'--tier-size=[Size of the tier\: 64g is 64 GiB]:SIZE:_default' \
'--working-set=[What is read of each side, from its beginning; with --database the table'\''s size]:SIZE:_default' \
'(--database)--size=[Size of a read]:SIZE:_default' \
'--keys=[Which blocks are read\: uniform, zipf\:0.99, or hot\:80/20 (80 % of the reads on 20 % of the blocks)]:LAW:_default' \
'--sessions=[Sessions, each with one read at a time]:N:_default' \
'--warm-up=[For how long the tier is read before anything counts]:TIME:_default' \
'--repeats=[Windows on each side; from 3 on there are intervals]:N:_default' \
'--window=[Length of a window]:TIME:_default' \
'--seed=[Seed of every random choice \[default\: a new one, saved in the run\]]:N:_default' \
'-o+[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--output=[Folder for the run file and the report in every format \[default\: the run file alone, in the XDG data folder\]]:DIR:_files' \
'--format=[Format of standard output]:FORMAT:((text\:"For people\: one screen, where it is a report"
json\:"Everything, for programs; of a report the run file"
csv\:"Figures in base units, a row each"
markdown\:"The same as text, for issues and wikis"
html\:"One self-contained page with pictures"))' \
'--units=[Units of bytes]:UNITS:((si\:"1 GB = 10^9 bytes"
iec\:"1 GiB = 2^30 bytes"))' \
'--load-here[Measure although a database runs on this machine\: it will be slow for the whole run]' \
'--dry-run[Show the plan with its time, bytes and space, then what the run would refuse, and stop\: 0, or 2 where it would refuse]' \
'--explain[Show how each answer is known\: its sum, its test, the next limits]' \
'(--explain)--brief[Ten lines\: the answers, the rates, what to do]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::off -- Storage without the tier\: nvme-tcp\://…, a block device, or a folder:_default' \
'::on -- The same storage with the tier:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__tier__subcmd__prove__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-prove-help-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reads)
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
(curve)
_arguments "${_arguments_options[@]}" : \
'--size=[Size of a block of the cache]:SIZE:_default' \
'--format=[Format of standard output]:FORMAT:((csv\:"Lines of size and share, which --curve reads"
json\:"An object\: from, block_bytes, and points with size_bytes, missed, missed_least, missed_most (shares)"))' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':trace -- The trace; - is standard input:_files' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__tier__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-help-command-$line[1]:"
        case $line[1] in
            (forecast)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__tier__subcmd__help__subcmd__forecast_commands" \
"*::: :->forecast" \
&& ret=0

    case $state in
    (forecast)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-help-forecast-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reads)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(prove)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__tier__subcmd__help__subcmd__prove_commands" \
"*::: :->prove" \
&& ret=0

    case $state in
    (prove)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-tier-help-prove-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reads)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(curve)
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
(completions)
_arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':shell -- The shell:((bash\:"GNU bash, with bash-completion"
zsh\:"zsh"
fish\:"fish"
elvish\:"Elvish"))' \
&& ret=0
;;
(version)
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
(fabric)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__fabric_commands" \
"*::: :->fabric" \
&& ret=0

    case $state in
    (fabric)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-fabric-command-$line[1]:"
        case $line[1] in
            (split)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(echo)
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
(placement)
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
(compare)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(ab)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(trend)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(import)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(export)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check-claims)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(tag)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(rm)
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
(cost)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(size)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(tier)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__tier_commands" \
"*::: :->tier" \
&& ret=0

    case $state in
    (tier)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-tier-command-$line[1]:"
        case $line[1] in
            (forecast)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__tier__subcmd__forecast_commands" \
"*::: :->forecast" \
&& ret=0

    case $state in
    (forecast)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-tier-forecast-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reads)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(prove)
_arguments "${_arguments_options[@]}" : \
":: :_narrows__subcmd__help__subcmd__tier__subcmd__prove_commands" \
"*::: :->prove" \
&& ret=0

    case $state in
    (prove)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-help-tier-prove-command-$line[1]:"
        case $line[1] in
            (log)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reads)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(curve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(config)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(version)
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
'run:Measure this server layer by layer, find its bottleneck' \
'observe:Observe what a running PostgreSQL waits for; no load' \
'block:Storage alone\: IOPS within a latency limit, fio job files' \
'memory:Memory and clocks alone\: latency, bandwidth, NUMA' \
'fabric:Storage over NVMe/TCP\: where the latency goes' \
'log:WAL commits alone\: device flush, group commit, standby' \
'wal:WAL commits alone\: device flush, group commit, standby' \
'db:One benchmark workload on PostgreSQL or MariaDB' \
'report:Show a saved run in any format' \
'show:Show a saved run in any format' \
'list:List the saved runs' \
'compare:Compare saved runs\: better, worse, equivalent, and why' \
'diff:List what differs between runs besides their figures' \
'ab:Compare two configurations by runs that take turns' \
'trend:Find when the results of one machine changed level' \
'import:Save results of fio, pgbench, AWR and others as runs' \
'export:Write figures for other programs\: OpenMetrics, CSV, HDR' \
'check-claims:Check the claims of a write-up by its own figures' \
'tag:Name sets of saved runs, to compare them' \
'rm:Remove saved runs' \
'explain:Explain a finding, a verdict or a metric, and what to do' \
'platform:Show this machine\: CPUs, memory, the path to its drives' \
'gather:Save an anonymised hardware snapshot of this machine' \
'limits:Limits of components (DRAM, PCIe, NVMe, NICs, CPUs)' \
'plan:Model a hardware design\: limits, bottleneck, best upgrade' \
'cost:Cost per year, throughput, core and outage, with licences' \
'size:Which described platform carries a demand, and its cost' \
'tier:Forecast what a log tier or a read cache gives; prove it' \
'config:Show which settings are in force, and where from' \
'completions:Print completions for bash, zsh, fish or elvish' \
'version:Print the version, and how the program was built' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows commands' commands "$@"
}
(( $+functions[_narrows__subcmd__ab_commands] )) ||
_narrows__subcmd__ab_commands() {
    local commands; commands=()
    _describe -t commands 'narrows ab commands' commands "$@"
}
(( $+functions[_narrows__subcmd__block_commands] )) ||
_narrows__subcmd__block_commands() {
    local commands; commands=(
'calibrate:Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default' \
'interference:p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes' \
'run:Run fio job files, and report them here or in fio'\''s JSON' \
'steady:Sustained write rate\: rounds until steady state by the criteria of SNIA'\''s PTS' \
'writers:Do several writers to one file block each other? One file by n writers against n files by one' \
'device:What a raw device is, what is on it, and what forbids writing to it; writes nothing' \
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
'calibrate:Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default' \
'interference:p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes' \
'run:Run fio job files, and report them here or in fio'\''s JSON' \
'steady:Sustained write rate\: rounds until steady state by the criteria of SNIA'\''s PTS' \
'writers:Do several writers to one file block each other? One file by n writers against n files by one' \
'device:What a raw device is, what is on it, and what forbids writing to it; writes nothing' \
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
(( $+functions[_narrows__subcmd__check-claims_commands] )) ||
_narrows__subcmd__check-claims_commands() {
    local commands; commands=()
    _describe -t commands 'narrows check-claims commands' commands "$@"
}
(( $+functions[_narrows__subcmd__compare_commands] )) ||
_narrows__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'narrows compare commands' commands "$@"
}
(( $+functions[_narrows__subcmd__completions_commands] )) ||
_narrows__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'narrows completions commands' commands "$@"
}
(( $+functions[_narrows__subcmd__config_commands] )) ||
_narrows__subcmd__config_commands() {
    local commands; commands=()
    _describe -t commands 'narrows config commands' commands "$@"
}
(( $+functions[_narrows__subcmd__cost_commands] )) ||
_narrows__subcmd__cost_commands() {
    local commands; commands=()
    _describe -t commands 'narrows cost commands' commands "$@"
}
(( $+functions[_narrows__subcmd__db_commands] )) ||
_narrows__subcmd__db_commands() {
    local commands; commands=(
'lookup:Random single blocks by index, from shared_buffers or from the drives' \
'batch:Many random blocks per statement by a bitmap scan\: sorted and prefetched by the server' \
'update:One row and one durable commit, or a mix of updates and lookups' \
'commit:The smallest durable transaction\: a commit and nothing else' \
'scan:The whole table by one process or several' \
'orders:Order-entry mix of five transactions\: loads, runs, checks consistency' \
'clean:List what narrows left or kept on a server, and remove it' \
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
'lookup:Random single blocks by index, from shared_buffers or from the drives' \
'batch:Many random blocks per statement by a bitmap scan\: sorted and prefetched by the server' \
'update:One row and one durable commit, or a mix of updates and lookups' \
'commit:The smallest durable transaction\: a commit and nothing else' \
'scan:The whole table by one process or several' \
'orders:Order-entry mix of five transactions\: loads, runs, checks consistency' \
'clean:List what narrows left or kept on a server, and remove it' \
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
(( $+functions[_narrows__subcmd__diff_commands] )) ||
_narrows__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'narrows diff commands' commands "$@"
}
(( $+functions[_narrows__subcmd__explain_commands] )) ||
_narrows__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'narrows explain commands' commands "$@"
}
(( $+functions[_narrows__subcmd__export_commands] )) ||
_narrows__subcmd__export_commands() {
    local commands; commands=()
    _describe -t commands 'narrows export commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric_commands] )) ||
_narrows__subcmd__fabric_commands() {
    local commands; commands=(
'split:Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups' \
'echo:Send messages back until Ctrl-C\: the network'\''s part of a split, on the target'\''s machine' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows fabric commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric__subcmd__echo_commands] )) ||
_narrows__subcmd__fabric__subcmd__echo_commands() {
    local commands; commands=()
    _describe -t commands 'narrows fabric echo commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric__subcmd__help_commands] )) ||
_narrows__subcmd__fabric__subcmd__help_commands() {
    local commands; commands=(
'split:Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups' \
'echo:Send messages back until Ctrl-C\: the network'\''s part of a split, on the target'\''s machine' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows fabric help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric__subcmd__help__subcmd__echo_commands] )) ||
_narrows__subcmd__fabric__subcmd__help__subcmd__echo_commands() {
    local commands; commands=()
    _describe -t commands 'narrows fabric help echo commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__fabric__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows fabric help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric__subcmd__help__subcmd__split_commands] )) ||
_narrows__subcmd__fabric__subcmd__help__subcmd__split_commands() {
    local commands; commands=()
    _describe -t commands 'narrows fabric help split commands' commands "$@"
}
(( $+functions[_narrows__subcmd__fabric__subcmd__split_commands] )) ||
_narrows__subcmd__fabric__subcmd__split_commands() {
    local commands; commands=()
    _describe -t commands 'narrows fabric split commands' commands "$@"
}
(( $+functions[_narrows__subcmd__gather_commands] )) ||
_narrows__subcmd__gather_commands() {
    local commands; commands=()
    _describe -t commands 'narrows gather commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help_commands] )) ||
_narrows__subcmd__help_commands() {
    local commands; commands=(
'run:Measure this server layer by layer, find its bottleneck' \
'observe:Observe what a running PostgreSQL waits for; no load' \
'block:Storage alone\: IOPS within a latency limit, fio job files' \
'memory:Memory and clocks alone\: latency, bandwidth, NUMA' \
'fabric:Storage over NVMe/TCP\: where the latency goes' \
'log:WAL commits alone\: device flush, group commit, standby' \
'db:One benchmark workload on PostgreSQL or MariaDB' \
'report:Show a saved run in any format' \
'list:List the saved runs' \
'compare:Compare saved runs\: better, worse, equivalent, and why' \
'diff:List what differs between runs besides their figures' \
'ab:Compare two configurations by runs that take turns' \
'trend:Find when the results of one machine changed level' \
'import:Save results of fio, pgbench, AWR and others as runs' \
'export:Write figures for other programs\: OpenMetrics, CSV, HDR' \
'check-claims:Check the claims of a write-up by its own figures' \
'tag:Name sets of saved runs, to compare them' \
'rm:Remove saved runs' \
'explain:Explain a finding, a verdict or a metric, and what to do' \
'platform:Show this machine\: CPUs, memory, the path to its drives' \
'gather:Save an anonymised hardware snapshot of this machine' \
'limits:Limits of components (DRAM, PCIe, NVMe, NICs, CPUs)' \
'plan:Model a hardware design\: limits, bottleneck, best upgrade' \
'cost:Cost per year, throughput, core and outage, with licences' \
'size:Which described platform carries a demand, and its cost' \
'tier:Forecast what a log tier or a read cache gives; prove it' \
'config:Show which settings are in force, and where from' \
'completions:Print completions for bash, zsh, fish or elvish' \
'version:Print the version, and how the program was built' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__ab_commands] )) ||
_narrows__subcmd__help__subcmd__ab_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help ab commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__block_commands] )) ||
_narrows__subcmd__help__subcmd__block_commands() {
    local commands; commands=(
'calibrate:Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default' \
'interference:p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes' \
'run:Run fio job files, and report them here or in fio'\''s JSON' \
'steady:Sustained write rate\: rounds until steady state by the criteria of SNIA'\''s PTS' \
'writers:Do several writers to one file block each other? One file by n writers against n files by one' \
'device:What a raw device is, what is on it, and what forbids writing to it; writes nothing' \
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
(( $+functions[_narrows__subcmd__help__subcmd__check-claims_commands] )) ||
_narrows__subcmd__help__subcmd__check-claims_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help check-claims commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__compare_commands] )) ||
_narrows__subcmd__help__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help compare commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__completions_commands] )) ||
_narrows__subcmd__help__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help completions commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__config_commands] )) ||
_narrows__subcmd__help__subcmd__config_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help config commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__cost_commands] )) ||
_narrows__subcmd__help__subcmd__cost_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help cost commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__db_commands] )) ||
_narrows__subcmd__help__subcmd__db_commands() {
    local commands; commands=(
'lookup:Random single blocks by index, from shared_buffers or from the drives' \
'batch:Many random blocks per statement by a bitmap scan\: sorted and prefetched by the server' \
'update:One row and one durable commit, or a mix of updates and lookups' \
'commit:The smallest durable transaction\: a commit and nothing else' \
'scan:The whole table by one process or several' \
'orders:Order-entry mix of five transactions\: loads, runs, checks consistency' \
'clean:List what narrows left or kept on a server, and remove it' \
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
(( $+functions[_narrows__subcmd__help__subcmd__diff_commands] )) ||
_narrows__subcmd__help__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help diff commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__explain_commands] )) ||
_narrows__subcmd__help__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help explain commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__export_commands] )) ||
_narrows__subcmd__help__subcmd__export_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help export commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__fabric_commands] )) ||
_narrows__subcmd__help__subcmd__fabric_commands() {
    local commands; commands=(
'split:Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups' \
'echo:Send messages back until Ctrl-C\: the network'\''s part of a split, on the target'\''s machine' \
    )
    _describe -t commands 'narrows help fabric commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__fabric__subcmd__echo_commands] )) ||
_narrows__subcmd__help__subcmd__fabric__subcmd__echo_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help fabric echo commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__fabric__subcmd__split_commands] )) ||
_narrows__subcmd__help__subcmd__fabric__subcmd__split_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help fabric split commands' commands "$@"
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
(( $+functions[_narrows__subcmd__help__subcmd__import_commands] )) ||
_narrows__subcmd__help__subcmd__import_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help import commands' commands "$@"
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
'ladder:From the device'\''s flush to the database'\''s commit\: what each layer adds, idle and beside a load' \
'commits:Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes' \
'placement:What this workload would commit with WAL on another location\: predicted, and tested with --prove' \
'crashtest:Does acknowledged data survive a power cut? Needs a second host' \
'postgres:The cost of a commit on a running PostgreSQL, and its bottleneck; only observes' \
'streams:Several WAL streams on one device\: how they slow each other, and how many it holds' \
    )
    _describe -t commands 'narrows help log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__commits_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__commits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log commits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__crashtest_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__crashtest_commands() {
    local commands; commands=(
'listen:On the second host\: record which records were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and report each after its flush' \
'check:After the power cut\: look for every acknowledged record' \
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
(( $+functions[_narrows__subcmd__help__subcmd__log__subcmd__placement_commands] )) ||
_narrows__subcmd__help__subcmd__log__subcmd__placement_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help log placement commands' commands "$@"
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
'matrix:Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side' \
'placement:Show on which nodes the memory of running databases is; nothing is loaded, touched or moved' \
'baseline:Keep this machine'\''s figures, and compare with them later\: memory fragments with age' \
'slb:Run the loop of SLB, the "silly little benchmark", print its line, and explain it' \
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
(( $+functions[_narrows__subcmd__help__subcmd__rm_commands] )) ||
_narrows__subcmd__help__subcmd__rm_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help rm commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__run_commands] )) ||
_narrows__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help run commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__size_commands] )) ||
_narrows__subcmd__help__subcmd__size_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help size commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tag_commands] )) ||
_narrows__subcmd__help__subcmd__tag_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help tag commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier_commands] )) ||
_narrows__subcmd__help__subcmd__tier_commands() {
    local commands; commands=(
'forecast:Forecast what a tier would give\: off and on, what stops the gain, what is unknown' \
'prove:Measure a tier off and on, and hold the forecast against it' \
'curve:What a read cache of each size would miss, from a trace of the reads that reach storage' \
    )
    _describe -t commands 'narrows help tier commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__curve_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__curve_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help tier curve commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__forecast_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__forecast_commands() {
    local commands; commands=(
'log:A log tier\: durable writes acknowledged from a faster medium, and destaged behind' \
'reads:A read cache\: reads served from a faster medium; it says nothing of commits' \
    )
    _describe -t commands 'narrows help tier forecast commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__forecast__subcmd__log_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__forecast__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help tier forecast log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__forecast__subcmd__reads_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__forecast__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help tier forecast reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__prove_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__prove_commands() {
    local commands; commands=(
'log:A log tier\: PostgreSQL with WAL on storage without the tier and with it' \
'reads:A read cache\: sessions, or PostgreSQL, that read storage without the tier and with it' \
    )
    _describe -t commands 'narrows help tier prove commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__prove__subcmd__log_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__prove__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help tier prove log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__tier__subcmd__prove__subcmd__reads_commands] )) ||
_narrows__subcmd__help__subcmd__tier__subcmd__prove__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help tier prove reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__trend_commands] )) ||
_narrows__subcmd__help__subcmd__trend_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help trend commands' commands "$@"
}
(( $+functions[_narrows__subcmd__help__subcmd__version_commands] )) ||
_narrows__subcmd__help__subcmd__version_commands() {
    local commands; commands=()
    _describe -t commands 'narrows help version commands' commands "$@"
}
(( $+functions[_narrows__subcmd__import_commands] )) ||
_narrows__subcmd__import_commands() {
    local commands; commands=()
    _describe -t commands 'narrows import commands' commands "$@"
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
'ladder:From the device'\''s flush to the database'\''s commit\: what each layer adds, idle and beside a load' \
'commits:Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes' \
'placement:What this workload would commit with WAL on another location\: predicted, and tested with --prove' \
'crashtest:Does acknowledged data survive a power cut? Needs a second host' \
'postgres:The cost of a commit on a running PostgreSQL, and its bottleneck; only observes' \
'streams:Several WAL streams on one device\: how they slow each other, and how many it holds' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__commits_commands] )) ||
_narrows__subcmd__log__subcmd__commits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log commits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__crashtest_commands] )) ||
_narrows__subcmd__log__subcmd__crashtest_commands() {
    local commands; commands=(
'listen:On the second host\: record which records were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and report each after its flush' \
'check:After the power cut\: look for every acknowledged record' \
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
'listen:On the second host\: record which records were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and report each after its flush' \
'check:After the power cut\: look for every acknowledged record' \
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
'ladder:From the device'\''s flush to the database'\''s commit\: what each layer adds, idle and beside a load' \
'commits:Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes' \
'placement:What this workload would commit with WAL on another location\: predicted, and tested with --prove' \
'crashtest:Does acknowledged data survive a power cut? Needs a second host' \
'postgres:The cost of a commit on a running PostgreSQL, and its bottleneck; only observes' \
'streams:Several WAL streams on one device\: how they slow each other, and how many it holds' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows log help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__commits_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__commits_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help commits commands' commands "$@"
}
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__crashtest_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__crashtest_commands() {
    local commands; commands=(
'listen:On the second host\: record which records were acknowledged as durable' \
'write:On the machine whose power will be cut\: write numbered records, and report each after its flush' \
'check:After the power cut\: look for every acknowledged record' \
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
(( $+functions[_narrows__subcmd__log__subcmd__help__subcmd__placement_commands] )) ||
_narrows__subcmd__log__subcmd__help__subcmd__placement_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log help placement commands' commands "$@"
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
(( $+functions[_narrows__subcmd__log__subcmd__placement_commands] )) ||
_narrows__subcmd__log__subcmd__placement_commands() {
    local commands; commands=()
    _describe -t commands 'narrows log placement commands' commands "$@"
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
'matrix:Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side' \
'placement:Show on which nodes the memory of running databases is; nothing is loaded, touched or moved' \
'baseline:Keep this machine'\''s figures, and compare with them later\: memory fragments with age' \
'slb:Run the loop of SLB, the "silly little benchmark", print its line, and explain it' \
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
'matrix:Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side' \
'placement:Show on which nodes the memory of running databases is; nothing is loaded, touched or moved' \
'baseline:Keep this machine'\''s figures, and compare with them later\: memory fragments with age' \
'slb:Run the loop of SLB, the "silly little benchmark", print its line, and explain it' \
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
(( $+functions[_narrows__subcmd__rm_commands] )) ||
_narrows__subcmd__rm_commands() {
    local commands; commands=()
    _describe -t commands 'narrows rm commands' commands "$@"
}
(( $+functions[_narrows__subcmd__run_commands] )) ||
_narrows__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'narrows run commands' commands "$@"
}
(( $+functions[_narrows__subcmd__size_commands] )) ||
_narrows__subcmd__size_commands() {
    local commands; commands=()
    _describe -t commands 'narrows size commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tag_commands] )) ||
_narrows__subcmd__tag_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tag commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier_commands] )) ||
_narrows__subcmd__tier_commands() {
    local commands; commands=(
'forecast:Forecast what a tier would give\: off and on, what stops the gain, what is unknown' \
'prove:Measure a tier off and on, and hold the forecast against it' \
'curve:What a read cache of each size would miss, from a trace of the reads that reach storage' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows tier commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__curve_commands] )) ||
_narrows__subcmd__tier__subcmd__curve_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier curve commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast_commands() {
    local commands; commands=(
'log:A log tier\: durable writes acknowledged from a faster medium, and destaged behind' \
'wal:A log tier\: durable writes acknowledged from a faster medium, and destaged behind' \
'reads:A read cache\: reads served from a faster medium; it says nothing of commits' \
'cache:A read cache\: reads served from a faster medium; it says nothing of commits' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows tier forecast commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast__subcmd__help_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast__subcmd__help_commands() {
    local commands; commands=(
'log:A log tier\: durable writes acknowledged from a faster medium, and destaged behind' \
'reads:A read cache\: reads served from a faster medium; it says nothing of commits' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows tier forecast help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier forecast help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast__subcmd__help__subcmd__log_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast__subcmd__help__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier forecast help log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast__subcmd__help__subcmd__reads_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast__subcmd__help__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier forecast help reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast__subcmd__log_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier forecast log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__forecast__subcmd__reads_commands] )) ||
_narrows__subcmd__tier__subcmd__forecast__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier forecast reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help_commands] )) ||
_narrows__subcmd__tier__subcmd__help_commands() {
    local commands; commands=(
'forecast:Forecast what a tier would give\: off and on, what stops the gain, what is unknown' \
'prove:Measure a tier off and on, and hold the forecast against it' \
'curve:What a read cache of each size would miss, from a trace of the reads that reach storage' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows tier help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__curve_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__curve_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier help curve commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__forecast_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__forecast_commands() {
    local commands; commands=(
'log:A log tier\: durable writes acknowledged from a faster medium, and destaged behind' \
'reads:A read cache\: reads served from a faster medium; it says nothing of commits' \
    )
    _describe -t commands 'narrows tier help forecast commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__forecast__subcmd__log_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__forecast__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier help forecast log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__forecast__subcmd__reads_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__forecast__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier help forecast reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__prove_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__prove_commands() {
    local commands; commands=(
'log:A log tier\: PostgreSQL with WAL on storage without the tier and with it' \
'reads:A read cache\: sessions, or PostgreSQL, that read storage without the tier and with it' \
    )
    _describe -t commands 'narrows tier help prove commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__prove__subcmd__log_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__prove__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier help prove log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__help__subcmd__prove__subcmd__reads_commands] )) ||
_narrows__subcmd__tier__subcmd__help__subcmd__prove__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier help prove reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove_commands] )) ||
_narrows__subcmd__tier__subcmd__prove_commands() {
    local commands; commands=(
'log:A log tier\: PostgreSQL with WAL on storage without the tier and with it' \
'wal:A log tier\: PostgreSQL with WAL on storage without the tier and with it' \
'reads:A read cache\: sessions, or PostgreSQL, that read storage without the tier and with it' \
'cache:A read cache\: sessions, or PostgreSQL, that read storage without the tier and with it' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows tier prove commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove__subcmd__help_commands] )) ||
_narrows__subcmd__tier__subcmd__prove__subcmd__help_commands() {
    local commands; commands=(
'log:A log tier\: PostgreSQL with WAL on storage without the tier and with it' \
'reads:A read cache\: sessions, or PostgreSQL, that read storage without the tier and with it' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows tier prove help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove__subcmd__help__subcmd__help_commands] )) ||
_narrows__subcmd__tier__subcmd__prove__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier prove help help commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove__subcmd__help__subcmd__log_commands] )) ||
_narrows__subcmd__tier__subcmd__prove__subcmd__help__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier prove help log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove__subcmd__help__subcmd__reads_commands] )) ||
_narrows__subcmd__tier__subcmd__prove__subcmd__help__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier prove help reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove__subcmd__log_commands] )) ||
_narrows__subcmd__tier__subcmd__prove__subcmd__log_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier prove log commands' commands "$@"
}
(( $+functions[_narrows__subcmd__tier__subcmd__prove__subcmd__reads_commands] )) ||
_narrows__subcmd__tier__subcmd__prove__subcmd__reads_commands() {
    local commands; commands=()
    _describe -t commands 'narrows tier prove reads commands' commands "$@"
}
(( $+functions[_narrows__subcmd__trend_commands] )) ||
_narrows__subcmd__trend_commands() {
    local commands; commands=()
    _describe -t commands 'narrows trend commands' commands "$@"
}
(( $+functions[_narrows__subcmd__version_commands] )) ||
_narrows__subcmd__version_commands() {
    local commands; commands=()
    _describe -t commands 'narrows version commands' commands "$@"
}

if [ "$funcstack[1]" = "_narrows" ]; then
    _narrows "$@"
else
    compdef _narrows narrows
fi
