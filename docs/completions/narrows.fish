# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_narrows_global_optspecs
    string join \n V/version h/help
end

function __fish_narrows_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_narrows_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_narrows_using_subcommand
    set -l cmd (__fish_narrows_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c narrows -n "__fish_narrows_needs_command" -s V -l version -d 'Print version; with --verbose how it was built'
complete -c narrows -n "__fish_narrows_needs_command" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "run" -d 'Measure this server layer by layer, find its bottleneck'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "observe" -d 'Observe what a running PostgreSQL waits for; no load'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "block" -d 'Storage alone: IOPS within a latency limit, fio job files'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "memory" -d 'Memory and clocks alone: latency, bandwidth, NUMA'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "fabric" -d 'Storage over NVMe/TCP: where the latency goes'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "log" -d 'WAL commits alone: device flush, group commit, standby'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "wal" -d 'WAL commits alone: device flush, group commit, standby'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "db" -d 'One benchmark workload on PostgreSQL or MariaDB'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "report" -d 'Show a saved run in any format'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "show" -d 'Show a saved run in any format'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "list" -d 'List the saved runs'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "compare" -d 'Compare saved runs: better, worse, equivalent, and why'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "diff" -d 'List what differs between runs besides their figures'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "ab" -d 'Compare two configurations by runs that take turns'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "trend" -d 'Find when the results of one machine changed level'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "import" -d 'Save results of fio, pgbench, AWR and others as runs'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "export" -d 'Write figures for other programs: OpenMetrics, CSV, HDR'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "check-claims" -d 'Check the claims of a write-up by its own figures'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "tag" -d 'Name sets of saved runs, to compare them'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "rm" -d 'Remove saved runs'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "explain" -d 'Explain a finding, a verdict or a metric, and what to do'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "platform" -d 'Show this machine: CPUs, memory, the path to its drives'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "gather" -d 'Save an anonymised hardware snapshot of this machine'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "limits" -d 'Limits of components (DRAM, PCIe, NVMe, NICs, CPUs)'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "plan" -d 'Model a hardware design: limits, bottleneck, best upgrade'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "cost" -d 'Cost per year, throughput, core and outage, with licences'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "size" -d 'Which described platform carries a demand, and its cost'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "tier" -d 'Forecast what a log tier or a read cache gives; prove it'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "config" -d 'Show which settings are in force, and where from'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "completions" -d 'Print completions for bash, zsh, fish or elvish'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "version" -d 'Print the version, and how the program was built'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l facts -d 'Use hardware details from a capture made by root (`narrows gather --privileged`)' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l layers -d 'Measure only these layers' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l data -d 'Folder on the drives for the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l wal -d 'Folder on the drives for WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l database -d 'managed (a private PostgreSQL instance), none, or postgres://… (a schema of narrows on that server)' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l postgres -d 'The PostgreSQL to start for --database managed: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l workloads -d 'Run only these database workloads' -r -f -a "lookup_cached\t'One row by its key, from shared_buffers'
lookup_uncached\t'One row by its key, from the drive'
update\t'One row, one durable commit'
scan\t'The whole table, by 1 and by n workers'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l sessions -d 'Concurrent sessions of the database workloads [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l write-budget -d 'Bytes that the block layer\'s writes may write after the file is made, at most [default: a tenth of the free space, up to 16g]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l max-depth -d 'Deepest queue that is tried on the drives, 1 to 16384 [default: 256 per drive]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l with -d 'An Oracle database\'s AWR report of this machine (HTML or text), judged by what is measured here' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l observe -d 'Observe this server, postgres://USER@HOST:PORT/DATABASE, and load nothing' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l for -d 'How long to observe at most [default: 10min]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l capacities -d 'Use drive, WAL and memory capacities from an earlier run of this machine: its id or its file' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l quick -d 'Quick, in about 2 min: three repeats and no tests, so nothing is CONFIRMED'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l same-machine -d 'The report is of this machine, whatever it calls its host'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l no-explain -d 'Don\'t ask for plans of the statements that take most (EXPLAIN, never ANALYZE)'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l show-queries -d 'Keep the literals in statements of sessions that wait for locks or hold rows from vacuum'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l for -d 'How long to observe at most [default: 10min]' -r
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l capacities -d 'Use drive, WAL and memory capacities from an earlier run of this machine: its id or its file' -r
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l facts -d 'Use hardware details from a capture made by root (`narrows gather --privileged`)' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand observe" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l no-explain -d 'Don\'t ask for plans of the statements that take most (EXPLAIN, never ANALYZE)'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l show-queries -d 'Keep the literals in statements of sessions that wait for locks or hold rows from vacuum'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l watch -d 'Observe again and again until Ctrl-C, a minute each; ten lines of each, which is a run of its own'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l dry-run -d 'Show what would be read, and stop'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l at -d 'Folder on the file system to measure; a test file is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l device -d 'This raw device, or nvme-tcp://HOST:PORT/NQN, instead of a file; it is only read, and may be in use' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l write-to-device -d 'Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l serial -d 'Its serial, as `narrows block device DEV` shows it, or the subsystem\'s' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l accept -d 'A doubt about that device that you take upon yourself; can be repeated' -r -f -a "unseen-users\t'Who has it open can\'t be seen: in a container, or without root'
unknown-contents\t'Data is on it that no known mark explains'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l percentile -d 'Percentile of latency to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l within -d 'Latency limit, from the scheduled start of an operation' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l size -d 'Block size: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l reads -d 'Read percentage, 0 to 100; the rest are writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l beside -d 'What runs at the same time' -r -f -a "log\t'A WAL-like stream: 8 KiB appended and flushed 200 times per second'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l arrivals -d 'How operations arrive' -r -f -a "poisson\t'Poisson: independent of each other, as from many users'
constant\t'At equal intervals, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l file-size -d 'Size of the test file: 1g is 1 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l max-depth -d 'Deepest queue that is tried for the ceiling, 1 to 16384 [default: 256 per drive]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l minutes -d 'Minutes for all windows, without writing the file [default: 1.5]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l idle -d 'At the end do nothing for so long, then measure the ceiling again: is it still what it was just after the file was written? [default: no pause]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "calibrate" -d 'Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "interference" -d 'p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "run" -d 'Run fio job files, and report them here or in fio\'s JSON'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "steady" -d 'Sustained write rate: rounds until steady state by the criteria of SNIA\'s PTS'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "writers" -d 'Do several writers to one file block each other? One file by n writers against n files by one'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "device" -d 'What a raw device is, what is on it, and what forbids writing to it; writes nothing'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l at -d 'Folder on the file system to measure; a test file is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l device -d 'This raw device, or nvme-tcp://HOST:PORT/NQN, instead of a file; it is only read, and may be in use' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l write-to-device -d 'Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l serial -d 'Its serial, as `narrows block device DEV` shows it, or the subsystem\'s' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l accept -d 'A doubt about that device that you take upon yourself; can be repeated' -r -f -a "unseen-users\t'Who has it open can\'t be seen: in a container, or without root'
unknown-contents\t'Data is on it that no known mark explains'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l percentile -d 'Percentile of latency to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l within -d 'Latency limit, from the scheduled start of an operation' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l size -d 'Block size: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l reads -d 'Read percentage, 0 to 100; the rest are writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l beside -d 'What runs at the same time' -r -f -a "log\t'A WAL-like stream: 8 KiB appended and flushed 200 times per second'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l arrivals -d 'How operations arrive' -r -f -a "poisson\t'Poisson: independent of each other, as from many users'
constant\t'At equal intervals, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l file-size -d 'Size of the test file: 1g is 1 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l max-depth -d 'Deepest queue that is tried for the ceiling, 1 to 16384 [default: 256 per drive]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l minutes -d 'Minutes for all windows, without writing the file [default: 1.5]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l idle -d 'At the end do nothing for so long, then measure the ceiling again: is it still what it was just after the file was written? [default: no pause]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l at -d 'Folder on the file system to measure; a test file is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l write-to-device -d 'Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l serial -d 'Its serial, as `narrows block device DEV` shows it, or the subsystem\'s' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l accept -d 'A doubt about that device that you take upon yourself; can be repeated' -r -f -a "unseen-users\t'Who has it open can\'t be seen: in a container, or without root'
unknown-contents\t'Data is on it that no known mark explains'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l size -d 'Block size of reads and writes: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l file-size -d 'Size of the file that is read; one of a quarter of it is written. Both are removed afterwards' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l budget -d 'Most bytes to write, without the files: 16g is 16 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l minutes -d 'Minutes for all windows, without writing the files [default: 3]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l section -d 'Only sections of this name; may be repeated' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l env -d 'Allow the job file this environment variable, for its ${NAME}; may be repeated' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l at -d 'Folder on the file system to measure; a test file is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l write-to-device -d 'Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l serial -d 'Its serial, as `narrows block device DEV` shows it, or the subsystem\'s' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l accept -d 'A doubt about that device that you take upon yourself; can be repeated' -r -f -a "unseen-users\t'Who has it open can\'t be seen: in a container, or without root'
unknown-contents\t'Data is on it that no known mark explains'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l fio-json -d 'Also write fio\'s JSON to this file, or with - to standard output in place of the report' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l fio-json-plus -d 'fio\'s json+ layout with every bin of the histograms, as --output-format=json+'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l at -d 'Folder on the file system to measure; a test file is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l write-to-device -d 'Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l serial -d 'Its serial, as `narrows block device DEV` shows it, or the subsystem\'s' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l accept -d 'A doubt about that device that you take upon yourself; can be repeated' -r -f -a "unseen-users\t'Who has it open can\'t be seen: in a container, or without root'
unknown-contents\t'Data is on it that no known mark explains'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l size -d 'Block size: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l reads -d 'Read percentage, 0 to 100; the rest are writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l depth -d 'Queue depth' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l round -d 'Length of a round; SNIA\'s is 1min' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l file-size -d 'Size of the test file: 1g is 1 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l budget -d 'Most bytes to write, without the file: 64g is 64 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l at -d 'Folder on the file system to measure; a test file is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l writers -d 'Writers, and files in the second half of each pair' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l size -d 'Block size of a write: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from device" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from device" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "calibrate" -d 'Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "interference" -d 'p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "run" -d 'Run fio job files, and report them here or in fio\'s JSON'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "steady" -d 'Sustained write rate: rounds until steady state by the criteria of SNIA\'s PTS'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "writers" -d 'Do several writers to one file block each other? One file by n writers against n files by one'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "device" -d 'What a raw device is, what is on it, and what forbids writing to it; writes nothing'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l quick -d 'Quick: three repeats, over less memory'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l thorough -d 'All that takes longer: every cell of the node matrix, 1 GiB pages, latency beside writes'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "matrix" -d 'Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "placement" -d 'Show on which nodes the memory of running databases is; nothing is loaded, touched or moved'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "baseline" -d 'Keep this machine\'s figures, and compare with them later: memory fragments with age'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "slb" -d 'Run the loop of SLB, the "silly little benchmark", print its line, and explain it'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "process" -d 'One of several processes that work at the same moment'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l thorough -d 'Every cell, not only some for each distance'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l pid -d 'Shared memory of 16 MiB and more that this process maps, and its private memory' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l postgres -d 'Shared memory of this PostgreSQL server, which runs on this machine' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l matrix -d 'Compute the cost by the node matrix in this run' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l every-page -d 'Ask for every page, not for a sample of 65,536 of each mapping'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l renew -d 'Replace the stored baseline with what is measured now'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l kit -d 'Kit of SLB' -r -f -a "2007\t'Writes a word of a line of each page'
2010\t'Reads a word of a line of each page into a register'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l processes -d 'Processes, started at the same moment' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l bind -d 'CPUs for them in this order, as 0,2 or 0-3 [default: one of each core first]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l huge -d 'Use 2 MiB pages; an error where they are not available'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from process" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "matrix" -d 'Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "placement" -d 'Show on which nodes the memory of running databases is; nothing is loaded, touched or moved'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "baseline" -d 'Keep this machine\'s figures, and compare with them later: memory fragments with age'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "slb" -d 'Run the loop of SLB, the "silly little benchmark", print its line, and explain it'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "process" -d 'One of several processes that work at the same moment'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and not __fish_seen_subcommand_from split echo help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and not __fish_seen_subcommand_from split echo help" -f -a "split" -d 'Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and not __fish_seen_subcommand_from split echo help" -f -a "echo" -d 'Send messages back until Ctrl-C: the network\'s part of a split, on the target\'s machine'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and not __fish_seen_subcommand_from split echo help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l write-to-device -d 'Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l serial -d 'Its serial, as `narrows block device DEV` shows it, or the subsystem\'s' -r
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l accept -d 'A doubt about that device that you take upon yourself; can be repeated' -r -f -a "unseen-users\t'Who has it open can\'t be seen: in a container, or without root'
unknown-contents\t'Data is on it that no known mark explains'"
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l echo -d '`narrows fabric echo` on the target\'s machine' -r
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l device-run -d 'Run of `narrows block run` on the target\'s machine that measured the drive behind it, one operation in flight: a file or an id' -r
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from split" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from echo" -l listen -d 'Address and port; whoever reaches it can use it' -r
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from echo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from help" -f -a "split" -d 'Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from help" -f -a "echo" -d 'Send messages back until Ctrl-C: the network\'s part of a split, on the target\'s machine'
complete -c narrows -n "__fish_narrows_using_subcommand fabric; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l percentile -d 'Percentile of the commit wait to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l within -d 'Limit of the commit wait, from its scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l minutes -d 'Minutes for the search [default: 1]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l no-database -d 'Leave out the database\'s own commit'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l standby -d 'A synchronous standby on this machine too: what its write and its flush add'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, idle and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "commits" -d 'Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "placement" -d 'What this workload would commit with WAL on another location: predicted, and tested with --prove'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "crashtest" -d 'Does acknowledged data survive a power cut? Needs a second host'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "postgres" -d 'The cost of a commit on a running PostgreSQL, and its bottleneck; only observes'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "streams" -d 'Several WAL streams on one device: how they slow each other, and how many it holds'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l tier -d 'Folder on the same storage with a log tier in front: the durable write there too, by one writer and by four' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l methods -d 'Sync methods' -r -f -a "fdatasync\t'A write, then fdatasync (PostgreSQL\'s default on Linux)'
fsync\t'A write, then fsync'
dsync\t'One write to a file opened with O_DSYNC'
dsync_direct\t'The same with direct I/O (O_DIRECT), as Oracle writes'
rwf_dsync\t'One pwritev2 with RWF_DSYNC'
uring\t'io_uring: a write and a linked fdatasync, in one call'
all\t'All of them'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l layouts -d 'What the file is' -r -f -a "overwrite\t'Its blocks were written before, as in a recycled segment'
extend\t'Each write extends it'
fallocated\t'Its blocks are allocated and were never written'
all\t'All of them'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l sizes -d 'Bytes per write: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l repeats -d 'New windows of each; from 6 on there are intervals' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l alone -d 'Leave out the load on the data files'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l no-database -d 'Leave out the database\'s own commit'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l standby -d 'A synchronous standby on this machine too: what its write and its flush add'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l percentile -d 'Percentile of the commit wait to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l within -d 'Limit of the commit wait, from its scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l minutes -d 'Minutes for the search [default: 1]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l arrivals -d 'How commits arrive' -r -f -a "poisson\t'Poisson: independent of each other, as from many users'
constant\t'At equal intervals, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l bytes -d 'WAL bytes per commit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l size-histogram -d 'Sizes of commits in place of --bytes: a file of lines with bytes and number of commits' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l style -d 'Who writes WAL' -r -f -a "leader\t'One of the committing sessions, for all that wait, as in PostgreSQL'
writer\t'A process of its own that is posted, as in Oracle'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l commit-delay -d 'commit_delay: how long a session waits before a flush so that others can join' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l commit-siblings -d 'commit_siblings: only if that many others are committing' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l most-sessions -d 'Most sessions of the closed loop' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l wal -d 'Folders for WAL on different file systems, the one in use now first; two or more' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l data -d 'Folder on the drives for the data files [default: the first --wal that is not in memory]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l sessions -d 'Sessions that update and commit in a closed loop' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l repeats -d 'New windows of everything; from 3 on there are intervals' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l window -d 'Length of a window of the database; the emulation\'s is half of it' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l prove -d 'Run PostgreSQL with WAL on each location too, in turns, to test the prediction'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from placement" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "listen" -d 'On the second host: record which records were acknowledged as durable'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "write" -d 'On the machine whose power will be cut: write numbered records, and report each after its flush'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "check" -d 'After the power cut: look for every acknowledged record'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l for -d 'How long to observe; below 6 s chance cannot be excluded' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l pg-test-fsync -d 'Output of pg_test_fsync on the WAL drive, to compare with' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l dry-run -d 'Show what would be read, and stop'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l streams -d 'WAL streams at once' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l rate -d 'Bytes per second of each' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l size -d 'Bytes per write: 128k is 128 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l percentile -d 'Percentile of the write time to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l within -d 'Limit of the write time, from its scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l most-streams -d 'Most streams that the search tries' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l cache -d 'Cache size whose turnover time to report: 4g is 4 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l repeats -d 'New windows of each number' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, idle and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "commits" -d 'Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "placement" -d 'What this workload would commit with WAL on another location: predicted, and tested with --prove'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "crashtest" -d 'Does acknowledged data survive a power cut? Needs a second host'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "postgres" -d 'The cost of a commit on a running PostgreSQL, and its bottleneck; only observes'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "streams" -d 'Several WAL streams on one device: how they slow each other, and how many it holds'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l percentile -d 'Percentile of the commit wait to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l within -d 'Limit of the commit wait, from its scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l minutes -d 'Minutes for the search [default: 1]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l no-database -d 'Leave out the database\'s own commit'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l standby -d 'A synchronous standby on this machine too: what its write and its flush add'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, idle and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "commits" -d 'Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "placement" -d 'What this workload would commit with WAL on another location: predicted, and tested with --prove'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "crashtest" -d 'Does acknowledged data survive a power cut? Needs a second host'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "postgres" -d 'The cost of a commit on a running PostgreSQL, and its bottleneck; only observes'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "streams" -d 'Several WAL streams on one device: how they slow each other, and how many it holds'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and not __fish_seen_subcommand_from ladder commits placement crashtest postgres streams help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l tier -d 'Folder on the same storage with a log tier in front: the durable write there too, by one writer and by four' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l methods -d 'Sync methods' -r -f -a "fdatasync\t'A write, then fdatasync (PostgreSQL\'s default on Linux)'
fsync\t'A write, then fsync'
dsync\t'One write to a file opened with O_DSYNC'
dsync_direct\t'The same with direct I/O (O_DIRECT), as Oracle writes'
rwf_dsync\t'One pwritev2 with RWF_DSYNC'
uring\t'io_uring: a write and a linked fdatasync, in one call'
all\t'All of them'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l layouts -d 'What the file is' -r -f -a "overwrite\t'Its blocks were written before, as in a recycled segment'
extend\t'Each write extends it'
fallocated\t'Its blocks are allocated and were never written'
all\t'All of them'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l sizes -d 'Bytes per write: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l repeats -d 'New windows of each; from 6 on there are intervals' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l alone -d 'Leave out the load on the data files'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l no-database -d 'Leave out the database\'s own commit'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l standby -d 'A synchronous standby on this machine too: what its write and its flush add'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from ladder" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l percentile -d 'Percentile of the commit wait to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l within -d 'Limit of the commit wait, from its scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l minutes -d 'Minutes for the search [default: 1]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l arrivals -d 'How commits arrive' -r -f -a "poisson\t'Poisson: independent of each other, as from many users'
constant\t'At equal intervals, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l bytes -d 'WAL bytes per commit' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l size-histogram -d 'Sizes of commits in place of --bytes: a file of lines with bytes and number of commits' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l style -d 'Who writes WAL' -r -f -a "leader\t'One of the committing sessions, for all that wait, as in PostgreSQL'
writer\t'A process of its own that is posted, as in Oracle'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l commit-delay -d 'commit_delay: how long a session waits before a flush so that others can join' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l commit-siblings -d 'commit_siblings: only if that many others are committing' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l most-sessions -d 'Most sessions of the closed loop' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from commits" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l wal -d 'Folders for WAL on different file systems, the one in use now first; two or more' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l data -d 'Folder on the drives for the data files [default: the first --wal that is not in memory]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l sessions -d 'Sessions that update and commit in a closed loop' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l repeats -d 'New windows of everything; from 3 on there are intervals' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l window -d 'Length of a window of the database; the emulation\'s is half of it' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l prove -d 'Run PostgreSQL with WAL on each location too, in turns, to test the prediction'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from placement" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from crashtest" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from crashtest" -f -a "listen" -d 'On the second host: record which records were acknowledged as durable'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from crashtest" -f -a "write" -d 'On the machine whose power will be cut: write numbered records, and report each after its flush'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from crashtest" -f -a "check" -d 'After the power cut: look for every acknowledged record'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from crashtest" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l for -d 'How long to observe; below 6 s chance cannot be excluded' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l pg-test-fsync -d 'Output of pg_test_fsync on the WAL drive, to compare with' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l dry-run -d 'Show what would be read, and stop'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from postgres" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l wal -d 'Folder on the drives for WAL [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l data -d 'Folder on the drives for the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l write-to-device -d 'A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l serial -d 'The subsystem\'s serial number' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l streams -d 'WAL streams at once' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l rate -d 'Bytes per second of each' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l size -d 'Bytes per write: 128k is 128 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l percentile -d 'Percentile of the write time to keep within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l within -d 'Limit of the write time, from its scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l most-streams -d 'Most streams that the search tries' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l cache -d 'Cache size whose turnover time to report: 4g is 4 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l repeats -d 'New windows of each number' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from streams" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, idle and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "commits" -d 'Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "placement" -d 'What this workload would commit with WAL on another location: predicted, and tested with --prove'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "crashtest" -d 'Does acknowledged data survive a power cut? Needs a second host'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "postgres" -d 'The cost of a commit on a running PostgreSQL, and its bottleneck; only observes'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "streams" -d 'Several WAL streams on one device: how they slow each other, and how many it holds'
complete -c narrows -n "__fish_narrows_using_subcommand wal; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "lookup" -d 'Random single blocks by index, from shared_buffers or from the drives'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "batch" -d 'Many random blocks per statement by a bitmap scan: sorted and prefetched by the server'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "update" -d 'One row and one durable commit, or a mix of updates and lookups'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "commit" -d 'The smallest durable transaction: a commit and nothing else'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "scan" -d 'The whole table by one process or several'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "orders" -d 'Order-entry mix of five transactions: loads, runs, checks consistency'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "clean" -d 'List what narrows left or kept on a server, and remove it'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l kind -d 'Kind of server to start and load: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l pool -d 'shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l layers -d 'Layers to measure first, for the verdict\'s limits [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l from -d 'Where the blocks come from' -r -f -a "pool\t'shared_buffers, warmed up before'
drive\t'The drives: evicted from memory, checked against the drives\' own counts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l blocks -d 'Blocks per operation' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l calls -d 'How the client requests them' -r -f -a "each\t'One statement per block, one after the other'
any\t'One statement with all keys, `= ANY`, still block by block in the server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l table -d 'Size of the table, one row per block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l entropy -d 'Incompressible share of each row\'s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l working-set -d 'Working set: part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of shared_buffers [default: half of shared_buffers; from the drives the whole table]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l keys -d 'Distribution of keys: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with a scaling law from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l think -d 'Mean think time of a session after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l rate -d 'Open loop: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l p99 -d 'Find the highest open-loop rate with p99 within this limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l starts -d 'Starts of the private instance on which the load is repeated; from three on with the difference between starts' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l inside -d 'A function inside the server reads them, so that the client\'s share is one call'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l private -d 'One table per session, so that none waits for another\'s rows; total size unchanged'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l quick -d 'Quick: three short repeats and no test of the verdict; no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l kind -d 'Kind of server to start and load: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l pool -d 'shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l layers -d 'Layers to measure first, for the verdict\'s limits [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l from -d 'Where the blocks come from' -r -f -a "pool\t'shared_buffers, warmed up before'
drive\t'The drives: evicted from memory, checked against the drives\' own counts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l blocks -d 'Blocks per operation' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l table -d 'Size of the table, one row per block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l entropy -d 'Incompressible share of each row\'s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l working-set -d 'Working set: part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of shared_buffers [default: half of shared_buffers; from the drives the whole table]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l keys -d 'Distribution of keys: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with a scaling law from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l think -d 'Mean think time of a session after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l rate -d 'Open loop: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l p99 -d 'Find the highest open-loop rate with p99 within this limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l starts -d 'Starts of the private instance on which the load is repeated; from three on with the difference between starts' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l private -d 'One table per session, so that none waits for another\'s rows; total size unchanged'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l quick -d 'Quick: three short repeats and no test of the verdict; no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l kind -d 'Kind of server to start and load: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l pool -d 'shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l layers -d 'Layers to measure first, for the verdict\'s limits [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l updates -d 'Update percentage, 0 to 100; the rest are lookups' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l redo -d 'Columns that an update changes' -r -f -a "light\t'One column: about a hundred bytes of WAL'
heavy\t'Every column but the key: the whole row in WAL'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l from -d 'Where the blocks come from' -r -f -a "pool\t'shared_buffers, warmed up before'
drive\t'The drives: evicted from memory, checked against the drives\' own counts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l table -d 'Size of the table, one row per block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l entropy -d 'Incompressible share of each row\'s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l working-set -d 'Working set: part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of shared_buffers [default: half of shared_buffers; from the drives the whole table]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l keys -d 'Distribution of keys: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with a scaling law from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l think -d 'Mean think time of a session after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l rate -d 'Open loop: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l p99 -d 'Find the highest open-loop rate with p99 within this limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l starts -d 'Starts of the private instance on which the load is repeated; from three on with the difference between starts' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l private -d 'One table per session, so that none waits for another\'s rows; total size unchanged'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l quick -d 'Quick: three short repeats and no test of the verdict; no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l kind -d 'Kind of server to start and load: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l pool -d 'shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l layers -d 'Layers to measure first, for the verdict\'s limits [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with a scaling law from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l think -d 'Mean think time of a session after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l rate -d 'Open loop: operations per second, scheduled at random times whether or not sessions are free; latency counts from the scheduled start' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l p99 -d 'Find the highest open-loop rate with p99 within this limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l starts -d 'Starts of the private instance on which the load is repeated; from three on with the difference between starts' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l quick -d 'Quick: three short repeats and no test of the verdict; no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l kind -d 'Kind of server to start and load: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l pool -d 'shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l layers -d 'Layers to measure first, for the verdict\'s limits [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l from -d 'Where the blocks come from' -r -f -a "pool\t'shared_buffers, warmed up before'
drive\t'The drives: evicted from memory, checked against the drives\' own counts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l workers -d 'Parallel processes of a scan, the session\'s own included [default: 1 and one per server CPU]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l answer -d 'What it computes' -r -f -a "sum\t'A sum over a column: every row is read'
count\t'count(*), as the server plans it: an index-only scan is reported'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l table -d 'Size of the table, one row per block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l entropy -d 'Incompressible share of each row\'s padding, in percent; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l starts -d 'Starts of the private instance on which the load is repeated; from three on with the difference between starts' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l quick -d 'Quick: three short repeats and no test of the verdict; no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l kind -d 'Kind of server to start and load: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l pool -d 'shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l layers -d 'Layers to measure first, for the verdict\'s limits [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l warehouses -d 'Warehouses, each of about 100 MB and ten terminals' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l loaders -d 'Connections that load [default: the machine\'s CPUs, up to 16]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l sessions -d 'Concurrent sessions [default: twice the server\'s CPUs, 8 to 256; ten per warehouse with --paced]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l calls -d 'Where the transactions run' -r -f -a "functions\t'Functions in the server, PL/pgSQL: one round trip per transaction'
statements\t'Statements of the client: a round trip for nearly each'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l isolation -d 'Isolation of the sessions' -r -f -a "read-committed\t'PostgreSQL\'s default; keeps the consistency conditions, and is weaker than the specification requires'
repeatable-read\t'A snapshot per transaction; conflicts are retried and counted'
serializable\t'As if one after the other; conflicts are retried and counted'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l home -d 'Which warehouses sessions work for [default: all; one with --paced]' -r -f -a "all\t'Every transaction for any of them: the working set is all that is loaded'
one\t'Every session for one; few sessions use few warehouses, which is reported'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l rate -d 'Open loop: transactions per second, scheduled at random times whether or not sessions are free' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l warm-up -d 'Warm-up before every window [default: 2s; 30s with --paced]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l starts -d 'Starts of the private instance on which the load is repeated; from three on with the difference between starts' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l seed -d 'Seed of every random choice [default: a new one, saved in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l paced -d 'Keying and thinking times as specified: at most 12.6 new orders per minute and warehouse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l load-only -d 'Load and do not run; the data stays until --drop'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l keep -d 'Keep what this run loads; what was there before stays in any case'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l crash -d 'Then kill the server under load, restart it and look for every acknowledged order: a test of the server\'s recovery, not of the drives'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l drop -d 'Remove the loaded data and do nothing else; with --dry-run list it'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l quick -d 'Quick: three short repeats and no test of the verdict; no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l load-here -d 'Measure although a database runs on this machine: it will be slow for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l dry-run -d 'Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from clean" -l remove -d 'Remove all that is listed and not in use'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from clean" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "lookup" -d 'Random single blocks by index, from shared_buffers or from the drives'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "batch" -d 'Many random blocks per statement by a bitmap scan: sorted and prefetched by the server'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "update" -d 'One row and one durable commit, or a mix of updates and lookups'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "commit" -d 'The smallest durable transaction: a commit and nothing else'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "scan" -d 'The whole table by one process or several'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "orders" -d 'Order-entry mix of five transactions: loads, runs, checks consistency'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "clean" -d 'List what narrows left or kept on a server, and remove it'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l format -d 'Format of the report' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand report" -s o -l output -d 'Write to this file; - is standard output [default: standard output, for a page on a terminal narrows-ID.html]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l crash-test -d 'Add the result of a crash test (`narrows log crashtest check --format json`), and re-evaluate' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l pg-test-fsync -d 'Add the output of pg_test_fsync, to compare with the ladder or the observed server\'s flushes' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l what-if -d 'Estimate what a change would allow at most: storage=2x, data=2x, log=2x (or wal=2x), log=flush:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%' -r
complete -c narrows -n "__fish_narrows_using_subcommand report" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand report" -l html -d 'The same as --format html'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l rejudge -d 'Re-evaluate with this version\'s rules instead of showing the stored verdicts'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l format -d 'Format of the report' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand show" -s o -l output -d 'Write to this file; - is standard output [default: standard output, for a page on a terminal narrows-ID.html]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand show" -l crash-test -d 'Add the result of a crash test (`narrows log crashtest check --format json`), and re-evaluate' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand show" -l pg-test-fsync -d 'Add the output of pg_test_fsync, to compare with the ladder or the observed server\'s flushes' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand show" -l what-if -d 'Estimate what a change would allow at most: storage=2x, data=2x, log=2x (or wal=2x), log=flush:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%' -r
complete -c narrows -n "__fish_narrows_using_subcommand show" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand show" -l html -d 'The same as --format html'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l rejudge -d 'Re-evaluate with this version\'s rules instead of showing the stored verdicts'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l explain -d 'Show how each answer is known: its sum, its test, the next limits'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand list" -l host -d 'Only runs of the machine of this name' -r
complete -c narrows -n "__fish_narrows_using_subcommand list" -l layer -d 'Only runs of this layer' -r -f -a "clock\t'Time to read the clock'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable writes and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand list" -l since -d 'Only runs from this day on, UTC: 2026-11-01' -r
complete -c narrows -n "__fish_narrows_using_subcommand list" -l until -d 'Only runs up to this day, it included' -r
complete -c narrows -n "__fish_narrows_using_subcommand list" -l tag -d 'Only runs of this tag' -r
complete -c narrows -n "__fish_narrows_using_subcommand list" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand list" -l all -d 'All of them, not the 20 newest'
complete -c narrows -n "__fish_narrows_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand compare" -l margin -d 'Difference below which both are as good as the same: 2%' -r
complete -c narrows -n "__fish_narrows_using_subcommand compare" -l only -d 'Compare measurements that begin so: database.update, block' -r
complete -c narrows -n "__fish_narrows_using_subcommand compare" -l correct -d 'For the number of measurements: holm keeps all words right in 95 of 100 comparisons, bh lets at most 5 of 100 words be wrong' -r -f -a "holm\t'Holm'
bh\t'Benjamini and Hochberg'"
complete -c narrows -n "__fish_narrows_using_subcommand compare" -l fail-if -d 'End with 1 where a growth crosses this bound, with 4 where that is not resolved: \'block.read.random.8k.knee.throughput < -5%\'' -r
complete -c narrows -n "__fish_narrows_using_subcommand compare" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand compare" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand diff" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l a -d 'Shell command that sets the state of A before each of its runs' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l b -d 'Shell command that sets the state of B' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l with-a -d 'Options of A\'s runs' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l with-b -d 'Options of B\'s runs' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l restore -d 'Shell command that puts the state back at the end, also after a crash' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l after -d 'Shell command after each run, as to stop a server' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l clone -d 'Give each run a new clone of this folder, which stays as it is' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l pairs -d 'Number of pairs [default: by the scatter of the first three]' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l find -d 'Smallest difference to be found in 80 of 100 experiments [default: 5%]' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l within -d 'Time for all pairs [default: 1h]' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l measure -d 'Measurements whose scatter decides how many pairs there are, by the beginning of their ids [default: the database\'s]' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l margin -d 'Difference below which both are as good as the same' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l seed -d 'Seed that draws who begins [default: a new one]' -r
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand ab" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand ab" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand trend" -l host -d 'Runs of the machine of this name [default: that of the newest run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand trend" -l tag -d 'Runs of this tag' -r
complete -c narrows -n "__fish_narrows_using_subcommand trend" -l only -d 'Measurements that begin so' -r
complete -c narrows -n "__fish_narrows_using_subcommand trend" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand trend" -l units -d 'Units of bytes' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand trend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand import" -l tag -d 'Add the runs to this tag' -r
complete -c narrows -n "__fish_narrows_using_subcommand import" -l capacities -d 'Judge an AWR report by what this run measured of the same machine' -r
complete -c narrows -n "__fish_narrows_using_subcommand import" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand import" -l same-machine -d 'The run is of the report\'s machine, whatever the two call it'
complete -c narrows -n "__fish_narrows_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand export" -l as -d 'Form of the figures' -r -f -a "openmetrics\t'Gauges in base units, for a collector of text files'
csv\t'A tidy table: a row for each figure and each of its repeats'
hdr\t'Latency histograms as a log of HdrHistogram'
parquet\t'csv\'s table as Parquet'"
complete -c narrows -n "__fish_narrows_using_subcommand export" -s o -l output -d 'File to write, replaced whole [default: standard output]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand check-claims" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand check-claims" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand tag" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand tag" -l remove -d 'Forget the tag; its runs stay'
complete -c narrows -n "__fish_narrows_using_subcommand tag" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand explain" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l root -d 'Examine the machine whose files are copied below this folder, not this one' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand platform" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand gather" -s o -l output -d 'The capture, a new file' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l data -d 'Folder on the drives with the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l wal -d 'Folder on the drives with WAL [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l privileged -d 'Capture as root what other users cannot read'
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l force -d 'Replace FILE if it exists'
complete -c narrows -n "__fish_narrows_using_subcommand gather" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand limits" -l limits -d 'Override the table with this file\'s figures' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand limits" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand limits" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l table -d 'Size of the table whose scan is timed' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l block -d 'Block size of random reads and writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l demand -d 'A run (id or file): would its database workloads, or the transactions of an observed server, fit these platforms?' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l core-ratio -d 'With --demand: speed of one core there relative to one where it was measured, for platforms without their own core_ratio; without either, cores are taken as equal' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l limits -d 'Override the table of limits with this file\'s figures' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand cost" -l run -d 'A run (id or file): the CPU time of its workloads and I/O becomes money' -r
complete -c narrows -n "__fish_narrows_using_subcommand cost" -l what-if -d 'Take this figure instead of the given one; VALUE is a number or a range "12 to 15", repeatable' -r
complete -c narrows -n "__fish_narrows_using_subcommand cost" -l rules -d 'Override licence rules, or add some, with this file\'s' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand cost" -l limits -d 'Override the table of limits with this file\'s figures, for descriptions of platforms' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand cost" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand cost" -l list-rules -d 'List the licence rules with their sources and end'
complete -c narrows -n "__fish_narrows_using_subcommand cost" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand size" -l demand -d 'A run (id or file) whose workloads are the demand' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l given -d 'A demand that is known from elsewhere, TOML' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand size" -l only -d 'Of the run\'s workloads only this one' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l rate -d 'The rate that is needed now, operations per second, instead of the one that was measured' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l growth -d 'Growth of the demand per year, -90% to 1000%' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l years -d 'Years of growth, up to 20; costs have years of their own' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l headroom -d 'How much of a ceiling may be used, whatever binds, instead of what runs measured' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l p99 -d 'Limit of an operation\'s p99: how busy CPUs may be then, by the run\'s open loop or its numbers of sessions' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l calibration -d 'Another run with a curve of latency against rate (narrows block calibrate for drives), repeatable' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l core-ratio -d 'Speed of one core there relative to one where the demand was measured, for platforms without their own core_ratio' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l what-if -d 'Take this figure instead of the given one; VALUE is a number or a range "12 to 15", repeatable' -r
complete -c narrows -n "__fish_narrows_using_subcommand size" -l rules -d 'Override licence rules, or add some, with this file\'s' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand size" -l limits -d 'Override the table of limits with this file\'s figures' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand size" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand size" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and not __fish_seen_subcommand_from forecast prove curve help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and not __fish_seen_subcommand_from forecast prove curve help" -f -a "forecast" -d 'Forecast what a tier would give: off and on, what stops the gain, what is unknown'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and not __fish_seen_subcommand_from forecast prove curve help" -f -a "prove" -d 'Measure a tier off and on, and hold the forecast against it'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and not __fish_seen_subcommand_from forecast prove curve help" -f -a "curve" -d 'What a read cache of each size would miss, from a trace of the reads that reach storage'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and not __fish_seen_subcommand_from forecast prove curve help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from forecast" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from forecast" -f -a "log" -d 'A log tier: durable writes acknowledged from a faster medium, and destaged behind'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from forecast" -f -a "wal" -d 'A log tier: durable writes acknowledged from a faster medium, and destaged behind'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from forecast" -f -a "reads" -d 'A read cache: reads served from a faster medium; it says nothing of commits'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from forecast" -f -a "cache" -d 'A read cache: reads served from a faster medium; it says nothing of commits'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from forecast" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from prove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from prove" -f -a "log" -d 'A log tier: PostgreSQL with WAL on storage without the tier and with it'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from prove" -f -a "wal" -d 'A log tier: PostgreSQL with WAL on storage without the tier and with it'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from prove" -f -a "reads" -d 'A read cache: sessions, or PostgreSQL, that read storage without the tier and with it'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from prove" -f -a "cache" -d 'A read cache: sessions, or PostgreSQL, that read storage without the tier and with it'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from prove" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from curve" -l size -d 'Size of a block of the cache' -r
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from curve" -l format -d 'Format of standard output' -r -f -a "csv\t'Lines of size and share, which --curve reads'
json\t'An object: from, block_bytes, and points with size_bytes, missed, missed_least, missed_most (shares)'"
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from curve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "forecast" -d 'Forecast what a tier would give: off and on, what stops the gain, what is unknown'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "prove" -d 'Measure a tier off and on, and hold the forecast against it'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "curve" -d 'What a read cache of each size would miss, from a trace of the reads that reach storage'
complete -c narrows -n "__fish_narrows_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand config" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand version" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "run" -d 'Measure this server layer by layer, find its bottleneck'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "observe" -d 'Observe what a running PostgreSQL waits for; no load'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "block" -d 'Storage alone: IOPS within a latency limit, fio job files'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "memory" -d 'Memory and clocks alone: latency, bandwidth, NUMA'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "fabric" -d 'Storage over NVMe/TCP: where the latency goes'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "log" -d 'WAL commits alone: device flush, group commit, standby'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "db" -d 'One benchmark workload on PostgreSQL or MariaDB'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "report" -d 'Show a saved run in any format'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "list" -d 'List the saved runs'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "compare" -d 'Compare saved runs: better, worse, equivalent, and why'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "diff" -d 'List what differs between runs besides their figures'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "ab" -d 'Compare two configurations by runs that take turns'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "trend" -d 'Find when the results of one machine changed level'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "import" -d 'Save results of fio, pgbench, AWR and others as runs'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "export" -d 'Write figures for other programs: OpenMetrics, CSV, HDR'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "check-claims" -d 'Check the claims of a write-up by its own figures'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "tag" -d 'Name sets of saved runs, to compare them'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "rm" -d 'Remove saved runs'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "explain" -d 'Explain a finding, a verdict or a metric, and what to do'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "platform" -d 'Show this machine: CPUs, memory, the path to its drives'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "gather" -d 'Save an anonymised hardware snapshot of this machine'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "limits" -d 'Limits of components (DRAM, PCIe, NVMe, NICs, CPUs)'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "plan" -d 'Model a hardware design: limits, bottleneck, best upgrade'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "cost" -d 'Cost per year, throughput, core and outage, with licences'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "size" -d 'Which described platform carries a demand, and its cost'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "tier" -d 'Forecast what a log tier or a read cache gives; prove it'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "config" -d 'Show which settings are in force, and where from'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "completions" -d 'Print completions for bash, zsh, fish or elvish'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "version" -d 'Print the version, and how the program was built'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory fabric log db report list compare diff ab trend import export check-claims tag rm explain platform gather limits plan cost size tier config completions version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "calibrate" -d 'Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "interference" -d 'p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "run" -d 'Run fio job files, and report them here or in fio\'s JSON'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "steady" -d 'Sustained write rate: rounds until steady state by the criteria of SNIA\'s PTS'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "writers" -d 'Do several writers to one file block each other? One file by n writers against n files by one'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "device" -d 'What a raw device is, what is on it, and what forbids writing to it; writes nothing'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "matrix" -d 'Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "placement" -d 'Show on which nodes the memory of running databases is; nothing is loaded, touched or moved'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "baseline" -d 'Keep this machine\'s figures, and compare with them later: memory fragments with age'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "slb" -d 'Run the loop of SLB, the "silly little benchmark", print its line, and explain it'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "process" -d 'One of several processes that work at the same moment'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from fabric" -f -a "split" -d 'Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from fabric" -f -a "echo" -d 'Send messages back until Ctrl-C: the network\'s part of a split, on the target\'s machine'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, idle and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "commits" -d 'Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "placement" -d 'What this workload would commit with WAL on another location: predicted, and tested with --prove'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "crashtest" -d 'Does acknowledged data survive a power cut? Needs a second host'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "postgres" -d 'The cost of a commit on a running PostgreSQL, and its bottleneck; only observes'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "streams" -d 'Several WAL streams on one device: how they slow each other, and how many it holds'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "lookup" -d 'Random single blocks by index, from shared_buffers or from the drives'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "batch" -d 'Many random blocks per statement by a bitmap scan: sorted and prefetched by the server'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "update" -d 'One row and one durable commit, or a mix of updates and lookups'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "commit" -d 'The smallest durable transaction: a commit and nothing else'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "scan" -d 'The whole table by one process or several'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "orders" -d 'Order-entry mix of five transactions: loads, runs, checks consistency'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "clean" -d 'List what narrows left or kept on a server, and remove it'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "forecast" -d 'Forecast what a tier would give: off and on, what stops the gain, what is unknown'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "prove" -d 'Measure a tier off and on, and hold the forecast against it'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "curve" -d 'What a read cache of each size would miss, from a trace of the reads that reach storage'
