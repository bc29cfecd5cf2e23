# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_narrows_global_optspecs
    string join \n h/help V/version
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

complete -c narrows -n "__fish_narrows_needs_command" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_needs_command" -s V -l version -d 'Print version'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "run" -d 'Measure this server layer by layer and say where it is narrow'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "observe" -d 'Look at a running PostgreSQL, load nothing, and say what its transactions wait for'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "block" -d 'Measure storage alone: calibrate it, run fio\'s job files, look at raw devices'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "memory" -d 'Measure memory and clocks alone: latency, bandwidth, and what one does to the other'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "log" -d 'Measure the commit log alone: from the device\'s flush to the database\'s commit, and how many share one'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "db" -d 'Put one load of our own on PostgreSQL: lookups, updates, scans, at chosen sessions'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "report" -d 'Show a stored run again, in any format'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "show" -d 'Show a stored run again, in any format'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "list" -d 'List the stored runs'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "explain" -d 'Say what a finding, a verdict or a metric means, and what to do'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "platform" -d 'Show what this machine is: processors, memory, and the whole path under a folder'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "gather" -d 'Capture this machine in a small file that names nobody, for another place or another user'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "limits" -d 'Show what parts of a machine can carry, with the source of every figure'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "plan" -d 'Say what platforms described in files could do, what binds, and what to widen first'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "config" -d 'Show which settings are in force, and where they come from'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l observe -d 'Look at this server, postgres://USER@HOST:PORT/DATABASE, and load nothing' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l for -d 'How long to look at most [default: 10min]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l capacities -d 'Compare with what this stored run of this machine measured of drives, log and memory: its id or its file' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l facts -d 'Answer from this capture of this machine what this user can\'t read (`narrows gather --privileged`)' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l layers -d 'Only these layers' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l data -d 'Folder on the drives that would hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l wal -d 'Folder on the drives that would hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l database -d 'managed (a PostgreSQL of our own), none, or postgres://… (a schema of our own on that server)' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l postgres -d 'The PostgreSQL to start for --database managed: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l workloads -d 'Only these database workloads' -r -f -a "lookup_cached\t'One row by its key, from the buffer pool'
lookup_uncached\t'One row by its key, from the drive'
update\t'One row, one durable commit'
scan\t'The whole table, by 1 and by n workers'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l sessions -d 'Concurrent sessions of the database workloads [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand run" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand run" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l quick -d 'Quick, in about 2 min: three repeats and no tests, so nothing is CONFIRMED'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l for -d 'How long to look at most [default: 10min]' -r
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l capacities -d 'Compare with what this stored run of this machine measured of drives, log and memory: its id or its file' -r
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l facts -d 'Answer from this capture of this machine what this user can\'t read (`narrows gather --privileged`)' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand observe" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l dry-run -d 'Say what would be looked at, and stop'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand observe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l at -d 'Folder on the file system to measure; a file of ours is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l device -d 'This raw device instead of a file; it is only read, and may be in use' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l write-to-device -d 'Write to this raw device; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l serial -d 'Its serial, as `narrows block device DEV` shows it' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l percentile -d 'The percentile that has to stay within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l within -d 'The limit, counted from when an operation was due' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l size -d 'Bytes of an operation: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l reads -d 'Of a hundred operations, reads; the rest are writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l beside -d 'What runs at the same time' -r -f -a "log\t'A durable log: 8 KiB appended and flushed 200 times per second'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l arrivals -d 'How operations arrive' -r -f -a "poisson\t'Independently of each other, as from many users'
constant\t'At equal distances, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l file-size -d 'Size of the file that is made and removed: 1g is 1 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l minutes -d 'Time for all windows, writing the file not counted [default: a minute and a half]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "calibrate" -d 'How many operations per second keep a percentile of latency within a limit? Also the default'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "interference" -d 'What do writes do to reads? p99 of reads by rate, alone and beside random writes and a durable log'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "run" -d 'Run the jobs of fio\'s job files, and report them here or in fio\'s JSON'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "steady" -d 'Does the rate of writes last? Rounds until it is shown, by the criteria of SNIA\'s PTS'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "writers" -d 'Do several writers to one file get in each other\'s way? One file by n against n files by one'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "device" -d 'Say what a raw device is, what is on it, and what stands against writing; writes nothing'
complete -c narrows -n "__fish_narrows_using_subcommand block; and not __fish_seen_subcommand_from calibrate interference run steady writers device help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l at -d 'Folder on the file system to measure; a file of ours is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l device -d 'This raw device instead of a file; it is only read, and may be in use' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l write-to-device -d 'Write to this raw device; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l serial -d 'Its serial, as `narrows block device DEV` shows it' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l percentile -d 'The percentile that has to stay within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l within -d 'The limit, counted from when an operation was due' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l size -d 'Bytes of an operation: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l reads -d 'Of a hundred operations, reads; the rest are writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l beside -d 'What runs at the same time' -r -f -a "log\t'A durable log: 8 KiB appended and flushed 200 times per second'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l arrivals -d 'How operations arrive' -r -f -a "poisson\t'Independently of each other, as from many users'
constant\t'At equal distances, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l file-size -d 'Size of the file that is made and removed: 1g is 1 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l minutes -d 'Time for all windows, writing the file not counted [default: a minute and a half]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from calibrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l at -d 'Folder on the file system to measure; a file of ours is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l write-to-device -d 'Write to this raw device; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l serial -d 'Its serial, as `narrows block device DEV` shows it' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l size -d 'Bytes of a read and of a write: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l file-size -d 'Size of the file that is read; one of a quarter of it is written. Both are made and removed' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l budget -d 'Most that may be written, the files not counted: 16g is 16 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l minutes -d 'Time for all windows, writing the files not counted [default: 3]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from interference" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l section -d 'Only the sections of this name; may be given several times' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l env -d 'Let the job file have this variable of the environment, for its ${NAME}; may be given several times' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l at -d 'Folder on the file system to measure; a file of ours is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l write-to-device -d 'Write to this raw device; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l serial -d 'Its serial, as `narrows block device DEV` shows it' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l fio-json -d 'Write fio\'s JSON to this file too, or with - to standard output instead of the report' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l fio-json-plus -d 'fio\'s json+ layout with every bin of the histograms, as --output-format=json+'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l at -d 'Folder on the file system to measure; a file of ours is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l write-to-device -d 'Write to this raw device; everything on it is lost' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l serial -d 'Its serial, as `narrows block device DEV` shows it' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l size -d 'Bytes of an operation: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l reads -d 'Of a hundred operations, reads; the rest are writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l depth -d 'Operations in flight' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l round -d 'Length of a round; SNIA\'s is a minute' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l file-size -d 'Size of the file that is made and removed: 1g is 1 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l budget -d 'Most that may be written, the file not counted: 64g is 64 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from steady" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l at -d 'Folder on the file system to measure; a file of ours is made there and removed [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l writers -d 'Writers, and files in the second half of each pair' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l size -d 'Bytes of a write: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from writers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from device" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from device" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "calibrate" -d 'How many operations per second keep a percentile of latency within a limit? Also the default'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "interference" -d 'What do writes do to reads? p99 of reads by rate, alone and beside random writes and a durable log'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "run" -d 'Run the jobs of fio\'s job files, and report them here or in fio\'s JSON'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "steady" -d 'Does the rate of writes last? Rounds until it is shown, by the criteria of SNIA\'s PTS'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "writers" -d 'Do several writers to one file get in each other\'s way? One file by n against n files by one'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "device" -d 'Say what a raw device is, what is on it, and what stands against writing; writes nothing'
complete -c narrows -n "__fish_narrows_using_subcommand block; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l quick -d 'Quick: three repeats, over less memory'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l thorough -d 'Everything that takes longer: every cell of the matrix of nodes, 1 GiB pages, latency beside writes'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "matrix" -d 'Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "placement" -d 'Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "baseline" -d 'Keep this machine\'s figures, and later say whether it has aged'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "slb" -d 'Run the loop of SLB, the "silly little benchmark", print its line, and say what it means'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "process" -d 'One of several processes that work at the same moment'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and not __fish_seen_subcommand_from matrix placement baseline slb process help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l thorough -d 'Every cell, and not some for each distance'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from matrix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l pid -d 'The pools of 16 MiB and more that this process maps, and its private memory' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l postgres -d 'The pools of this PostgreSQL server, which runs on this machine' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l matrix -d 'Say what it costs by the matrix of nodes in this run' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l every-page -d 'Ask for every page and not for a sample of 65,536 of each pool'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from placement" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l renew -d 'Keep what is measured now in place of the baseline that there is'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from baseline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l kit -d 'Whose loop' -r -f -a "2007\t'Writes a word of a line of each page'
2010\t'Reads a word of a line of each page into a register'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l processes -d 'Processes, started at the same moment' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l bind -d 'CPUs for them in this order, as 0,2 or 0-3 [default: one of each core first]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l huge -d '2 MiB pages underneath; refused where they can\'t be had'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from slb" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from process" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "matrix" -d 'Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "placement" -d 'Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "baseline" -d 'Keep this machine\'s figures, and later say whether it has aged'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "slb" -d 'Run the loop of SLB, the "silly little benchmark", print its line, and say what it means'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "process" -d 'One of several processes that work at the same moment'
complete -c narrows -n "__fish_narrows_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l wal -d 'Folder on the drives that would hold the commit log [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l data -d 'Folder on the drives that would hold the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l percentile -d 'The percentile that has to stay within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l within -d 'The limit, counted from when a commit was due' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l minutes -d 'Time for the search [default: a minute]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l no-database -d 'Leave the database\'s own commit out'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l standby -d 'A synchronous standby on this machine above it: what its write and its flush add'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, alone and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "commits" -d 'How many commits per second keep a percentile of their wait within a limit? Sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "compare" -d 'What would this workload commit with its log elsewhere? Predicted for each place, and proved where asked'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "crashtest" -d 'Does what was acknowledged as durable survive a cut of the power? Takes a second host'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "postgres" -d 'What does a commit cost on somebody\'s PostgreSQL, and what bounds it? Only looks'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "streams" -d 'What do several logs on one device do to each other, and how many does it hold?'
complete -c narrows -n "__fish_narrows_using_subcommand log; and not __fish_seen_subcommand_from ladder commits compare crashtest postgres streams help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l wal -d 'Folder on the drives that would hold the commit log [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l data -d 'Folder on the drives that would hold the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l methods -d 'Ways to make a write durable' -r -f -a "fdatasync\t'A write, then fdatasync (PostgreSQL\'s default on Linux)'
fsync\t'A write, then fsync'
dsync\t'One write to a file opened with O_DSYNC'
dsync_direct\t'The same past the page cache (O_DIRECT), as Oracle writes'
rwf_dsync\t'One pwritev2 with RWF_DSYNC'
uring\t'io_uring: a write and an fdatasync linked behind it, in one call'
all\t'All of them'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l layouts -d 'What the file is' -r -f -a "overwrite\t'Its blocks were written before, as in a recycled segment'
extend\t'Each write makes it longer'
fallocated\t'Its blocks are allocated and were never written'
all\t'All of them'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l sizes -d 'Bytes of a write: 8k is 8 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l repeats -d 'Fresh windows of each; from 6 on there are intervals' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l alone -d 'Leave the load on the data files out'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l no-database -d 'Leave the database\'s own commit out'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l standby -d 'A synchronous standby on this machine above it: what its write and its flush add'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from ladder" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l wal -d 'Folder on the drives that would hold the commit log [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l data -d 'Folder on the drives that would hold the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l percentile -d 'The percentile that has to stay within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l within -d 'The limit, counted from when a commit was due' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l minutes -d 'Time for the search [default: a minute]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l arrivals -d 'How commits arrive' -r -f -a "poisson\t'Independently of each other, as from many users'
constant\t'At equal distances, as from a clock'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l bytes -d 'Log bytes of a commit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l size-histogram -d 'Sizes of commits instead: a file of lines with bytes and how many commits had so many' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l style -d 'Who writes the log' -r -f -a "leader\t'One of those who commit, for all that wait, as in PostgreSQL'
writer\t'A process of its own that is posted, as in Oracle'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l commit-delay -d 'Who is about to write waits for so long first, so that more can join' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l commit-siblings -d 'But only if so many others are committing' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l most-sessions -d 'Most sessions that commit again at once' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from commits" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l wal -d 'Folders for the log on different file systems, the one it is in now first; two or more' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l data -d 'Folder on the drives that would hold the data files [default: the first --wal that is not in memory]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l sessions -d 'Sessions that update and commit, each again at once' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l repeats -d 'Fresh windows of everything; from 3 on there are intervals' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l window -d 'Length of a window of the database; the emulation\'s is half of it' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l prove -d 'Run PostgreSQL with its log in each of them too, in turns, beside its prediction'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "listen" -d 'On the second host: keep the list of records that were acknowledged as durable'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "write" -d 'On the machine whose power will be cut: write numbered records, and name each after its flush'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "check" -d 'After the cut: look for every acknowledged record'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from crashtest" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l for -d 'How long to look; below 6 s nothing is told from chance' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l pg-test-fsync -d 'What pg_test_fsync printed on the log\'s drive, to stand beside it' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l anonymous -d 'Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l dry-run -d 'Say what would be looked at, and stop'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from postgres" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l wal -d 'Folder on the drives that would hold the commit log [default: the current folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l data -d 'Folder on the drives that would hold the data files [default: that of --wal]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l streams -d 'Logs together' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l rate -d 'What each of them writes' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l size -d 'Bytes of a write: 128k is 128 KiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l percentile -d 'The percentile of a write\'s time that has to stay within the limit' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l within -d 'The limit, counted from when a write was due' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l most-streams -d 'Most logs that the search tries' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l cache -d 'A cache whose turnover is asked for: 4g is 4 GiB' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l repeats -d 'Fresh windows of each number' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from streams" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, alone and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "commits" -d 'How many commits per second keep a percentile of their wait within a limit? Sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "compare" -d 'What would this workload commit with its log elsewhere? Predicted for each place, and proved where asked'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "crashtest" -d 'Does what was acknowledged as durable survive a cut of the power? Takes a second host'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "postgres" -d 'What does a commit cost on somebody\'s PostgreSQL, and what bounds it? Only looks'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "streams" -d 'What do several logs on one device do to each other, and how many does it hold?'
complete -c narrows -n "__fish_narrows_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "lookup" -d 'Random single blocks by the index, from the buffer pool or from the drives'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "batch" -d 'Many random blocks at once by a bitmap: sorted and prefetched by the server'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "update" -d 'One row and one durable commit, or a mix of them and lookups'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "commit" -d 'The smallest durable transaction: a commit and nothing else'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "scan" -d 'The whole table by one process or by several'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "orders" -d 'An order-entry mix of five transactions: loaded, run, its consistency checked'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "clean" -d 'Lists what narrows has on a server: what runs left that were cut off, and what was kept; and removes it'
complete -c narrows -n "__fish_narrows_using_subcommand db; and not __fish_seen_subcommand_from lookup batch update commit scan orders clean help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l kind -d 'What kind of server is started and loaded: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l pool -d 'shared_buffers of our own server: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l layers -d 'Layers to measure before, for the verdict\'s ceilings [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l from -d 'Where the blocks come from' -r -f -a "pool\t'The server\'s buffer pool, warmed before'
drive\t'The drives: evicted from memory, which the drives\' own counts must confirm'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l blocks -d 'Blocks of one operation' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l calls -d 'How the client calls for them' -r -f -a "each\t'A statement for each block, one after the other'
any\t'One statement with all keys, `= ANY`, still block by block in the server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l table -d 'Size of the table, one row in each block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l entropy -d 'Of a hundred bytes of a row\'s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l working-set -d 'Part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of the buffer pool [default: half of the pool; from the drives the whole table]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l keys -d 'How keys are drawn: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with the law of scaling from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l think -d 'Mean time a session pauses after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l rate -d 'Open loop: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l p99 -d 'The highest rate in an open loop at which 99 % of the operations take no longer than this' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l starts -d 'Starts of our own server on which the load is repeated; from three on it is said by how much starts differ' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l inside -d 'A function inside the server calls for them, so that the client\'s share is one call'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l private -d 'A table for every session, so that none waits for another\'s rows; together they have the size'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l quick -d 'Three short repeats and no test of the verdict: no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from lookup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l kind -d 'What kind of server is started and loaded: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l pool -d 'shared_buffers of our own server: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l layers -d 'Layers to measure before, for the verdict\'s ceilings [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l from -d 'Where the blocks come from' -r -f -a "pool\t'The server\'s buffer pool, warmed before'
drive\t'The drives: evicted from memory, which the drives\' own counts must confirm'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l blocks -d 'Blocks of one operation' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l table -d 'Size of the table, one row in each block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l entropy -d 'Of a hundred bytes of a row\'s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l working-set -d 'Part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of the buffer pool [default: half of the pool; from the drives the whole table]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l keys -d 'How keys are drawn: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with the law of scaling from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l think -d 'Mean time a session pauses after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l rate -d 'Open loop: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l p99 -d 'The highest rate in an open loop at which 99 % of the operations take no longer than this' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l starts -d 'Starts of our own server on which the load is repeated; from three on it is said by how much starts differ' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l private -d 'A table for every session, so that none waits for another\'s rows; together they have the size'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l quick -d 'Three short repeats and no test of the verdict: no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from batch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l kind -d 'What kind of server is started and loaded: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l pool -d 'shared_buffers of our own server: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l layers -d 'Layers to measure before, for the verdict\'s ceilings [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l updates -d 'Of a hundred operations those that update; the rest look up' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l redo -d 'What an update changes' -r -f -a "light\t'One number; the log has some hundred bytes of it'
heavy\t'Every column but the key; the log has the whole row'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l from -d 'Where the blocks come from' -r -f -a "pool\t'The server\'s buffer pool, warmed before'
drive\t'The drives: evicted from memory, which the drives\' own counts must confirm'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l table -d 'Size of the table, one row in each block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l entropy -d 'Of a hundred bytes of a row\'s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l working-set -d 'Part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of the buffer pool [default: half of the pool; from the drives the whole table]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l keys -d 'How keys are drawn: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with the law of scaling from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l think -d 'Mean time a session pauses after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l rate -d 'Open loop: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l p99 -d 'The highest rate in an open loop at which 99 % of the operations take no longer than this' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l starts -d 'Starts of our own server on which the load is repeated; from three on it is said by how much starts differ' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l private -d 'A table for every session, so that none waits for another\'s rows; together they have the size'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l quick -d 'Three short repeats and no test of the verdict: no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l kind -d 'What kind of server is started and loaded: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l pool -d 'shared_buffers of our own server: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l layers -d 'Layers to measure before, for the verdict\'s ceilings [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l sessions -d 'Concurrent sessions; several numbers are a sweep, with the law of scaling from six on [default: twice the server\'s CPUs, 8 to 256]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l think -d 'Mean time a session pauses after an answer: 10ms [default: none]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l rate -d 'Open loop: so many operations per second, due at random times whether or not sessions are free; latencies count from when they were due' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l p99 -d 'The highest rate in an open loop at which 99 % of the operations take no longer than this' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l starts -d 'Starts of our own server on which the load is repeated; from three on it is said by how much starts differ' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l quick -d 'Three short repeats and no test of the verdict: no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from commit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l kind -d 'What kind of server is started and loaded: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l pool -d 'shared_buffers of our own server: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l layers -d 'Layers to measure before, for the verdict\'s ceilings [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l from -d 'Where the blocks come from' -r -f -a "pool\t'The server\'s buffer pool, warmed before'
drive\t'The drives: evicted from memory, which the drives\' own counts must confirm'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l workers -d 'Processes that scan together, the session\'s own among them [default: 1 and one per server CPU]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l answer -d 'What it has to answer' -r -f -a "sum\t'A sum over a column: every row is touched'
count\t'count(*), as the server likes: said where the index alone answers'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l table -d 'Size of the table, one row in each block: 2g is 2 GiB [default: 2g, 512m with --quick]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l entropy -d 'Of a hundred bytes of a row\'s padding those that are random; the rest are zeros, which drives and file systems may compress. The server itself never does' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l starts -d 'Starts of our own server on which the load is repeated; from three on it is said by how much starts differ' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l quick -d 'Three short repeats and no test of the verdict: no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from scan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l kind -d 'What kind of server is started and loaded: lookups, updates and commits are measured on both' -r -f -a "postgres\t'PostgreSQL'
mariadb\t'MariaDB, from the distribution\'s package mariadb-server'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l postgres -d 'The PostgreSQL to start: its `postgres` program or the folder it is in' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l pool -d 'shared_buffers of our own server: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l layers -d 'Layers to measure before, for the verdict\'s ceilings [default: those the workload uses; none with a URL, unless --data says where]' -r -f -a "clock\t'Cost of reading the time'
memory\t'Latency and bandwidth'
block\t'Random and sequential reads and writes'
log\t'Durable appends and group commit'
database\t'PostgreSQL workloads and their verdicts'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l warehouses -d 'Warehouses, each of about 100 MB and ten terminals' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l loaders -d 'Connections that load [default: the machine\'s CPUs, up to 16]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l sessions -d 'Concurrent sessions [default: twice the server\'s CPUs, 8 to 256; ten for each warehouse with --paced]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l calls -d 'Where the transactions run' -r -f -a "functions\t'Functions of the server, in PL/pgSQL: a round trip for each transaction'
statements\t'Statements of the client: a round trip for nearly each'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l isolation -d 'Isolation of the sessions' -r -f -a "read-committed\t'What PostgreSQL does unless told otherwise; keeps the consistency conditions, and is weaker than the specification asks'
repeatable-read\t'A snapshot for each transaction; conflicts are tried again and counted'
serializable\t'As if one after the other; conflicts are tried again and counted'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l home -d 'Which warehouses sessions work for [default: all; one with --paced]' -r -f -a "all\t'Every transaction for any of them, all alike: the working set is all that is loaded'
one\t'Every session for one; few sessions touch few warehouses, which is said'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l rate -d 'Open loop: so many transactions per second, due at random times whether or not sessions are free' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l warm-up -d 'Unmeasured start of every window [default: 2s; 30s with --paced]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l window -d 'Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l starts -d 'Starts of our own server on which the load is repeated; from three on it is said by how much starts differ' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l seed -d 'Seed of every random choice [default: a new one, kept in the run]' -r
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -s o -l output -d 'Folder for the run file and the report in every format [default: the run file alone, in the XDG data folder]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l paced -d 'Sessions key and think as the specification\'s terminals do: at most 12.6 new orders a minute for each warehouse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l load-only -d 'Loads and does not run; what is loaded stays, until --drop'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l keep -d 'What this run loads stays; what was there before stays in any case'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l crash -d 'Afterwards kills the server under the mix, starts it again and looks for every order that it acknowledged: a check of the server\'s recovery, and none of the drives'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l drop -d 'Removes what is loaded there and does nothing else; with --dry-run says what that would be'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l quick -d 'Three short repeats and no test of the verdict: no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l dry-run -d 'Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from orders" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from clean" -l remove -d 'Removes all that is listed and that nobody works in'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from clean" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "lookup" -d 'Random single blocks by the index, from the buffer pool or from the drives'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "batch" -d 'Many random blocks at once by a bitmap: sorted and prefetched by the server'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "update" -d 'One row and one durable commit, or a mix of them and lookups'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "commit" -d 'The smallest durable transaction: a commit and nothing else'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "scan" -d 'The whole table by one process or by several'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "orders" -d 'An order-entry mix of five transactions: loaded, run, its consistency checked'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "clean" -d 'Lists what narrows has on a server: what runs left that were cut off, and what was kept; and removes it'
complete -c narrows -n "__fish_narrows_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l format -d 'Format of the report' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand report" -s o -l output -d 'Write to this file; - is standard output [default: standard output, for a page on a terminal narrows-ID.html]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l crash-test -d 'Bring in the result of a crash test (`narrows log crashtest check --format json`), and judge again' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l pg-test-fsync -d 'Bring in what pg_test_fsync printed, to stand beside the ladder or the live server\'s flushes' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l what-if -d 'Ask what a change would allow at most, by the law: storage=2x, data=2x, log=2x, log=flush:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%' -r
complete -c narrows -n "__fish_narrows_using_subcommand report" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand report" -l html -d 'The same as --format html'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l rejudge -d 'Judge again with this version\'s rules instead of showing the stored verdicts'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l format -d 'Format of the report' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand show" -s o -l output -d 'Write to this file; - is standard output [default: standard output, for a page on a terminal narrows-ID.html]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand show" -l crash-test -d 'Bring in the result of a crash test (`narrows log crashtest check --format json`), and judge again' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand show" -l pg-test-fsync -d 'Bring in what pg_test_fsync printed, to stand beside the ladder or the live server\'s flushes' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand show" -l what-if -d 'Ask what a change would allow at most, by the law: storage=2x, data=2x, log=2x, log=flush:80us, log=RUN, cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%' -r
complete -c narrows -n "__fish_narrows_using_subcommand show" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand show" -l html -d 'The same as --format html'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l rejudge -d 'Judge again with this version\'s rules instead of showing the stored verdicts'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l explain -d 'Say how each answer is known: its sum, its test, the limits that come next'
complete -c narrows -n "__fish_narrows_using_subcommand show" -l brief -d 'Ten lines: the answers, the rates, what to do'
complete -c narrows -n "__fish_narrows_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand list" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand list" -l all -d 'All of them, not the 20 newest'
complete -c narrows -n "__fish_narrows_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand explain" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l root -d 'Examine the machine whose files are copied below this folder, not this one' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand platform" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand gather" -s o -l output -d 'The capture, a new file' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l data -d 'Folder on the drives that hold the data files [default: /var/tmp]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l privileged -d 'Capture as root what others can\'t read'
complete -c narrows -n "__fish_narrows_using_subcommand gather" -l force -d 'Replace FILE if it is there'
complete -c narrows -n "__fish_narrows_using_subcommand gather" -s h -l help -d 'Print help'
complete -c narrows -n "__fish_narrows_using_subcommand limits" -l limits -d 'Put this file\'s figures over the table\'s' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand limits" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand limits" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l table -d 'Size of the table whose scan is timed' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l block -d 'Size of a block that is read or written at random' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l demand -d 'A run (id or file): does what its database workloads or the transactions of an observed log took fit these platforms?' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l core-ratio -d 'With --demand: the work of a core there over that of one where it was measured, for machines that don\'t say their own core_ratio; without it a core is taken as a core' -r
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l limits -d 'Put this file\'s figures over the table of limits' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand plan" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand config" -l format -d 'Format of standard output' -r -f -a "text\t'For people: one screen, where it is a report'
json\t'Everything, for programs; of a report the run file'
csv\t'Figures in base units, a row each'
markdown\t'The same as text, for issues and wikis'
html\t'One self-contained page with pictures'"
complete -c narrows -n "__fish_narrows_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "run" -d 'Measure this server layer by layer and say where it is narrow'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "observe" -d 'Look at a running PostgreSQL, load nothing, and say what its transactions wait for'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "block" -d 'Measure storage alone: calibrate it, run fio\'s job files, look at raw devices'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "memory" -d 'Measure memory and clocks alone: latency, bandwidth, and what one does to the other'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "log" -d 'Measure the commit log alone: from the device\'s flush to the database\'s commit, and how many share one'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "db" -d 'Put one load of our own on PostgreSQL: lookups, updates, scans, at chosen sessions'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "report" -d 'Show a stored run again, in any format'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "list" -d 'List the stored runs'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "explain" -d 'Say what a finding, a verdict or a metric means, and what to do'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "platform" -d 'Show what this machine is: processors, memory, and the whole path under a folder'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "gather" -d 'Capture this machine in a small file that names nobody, for another place or another user'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "limits" -d 'Show what parts of a machine can carry, with the source of every figure'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "plan" -d 'Say what platforms described in files could do, what binds, and what to widen first'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "config" -d 'Show which settings are in force, and where they come from'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run observe block memory log db report list explain platform gather limits plan config help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "calibrate" -d 'How many operations per second keep a percentile of latency within a limit? Also the default'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "interference" -d 'What do writes do to reads? p99 of reads by rate, alone and beside random writes and a durable log'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "run" -d 'Run the jobs of fio\'s job files, and report them here or in fio\'s JSON'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "steady" -d 'Does the rate of writes last? Rounds until it is shown, by the criteria of SNIA\'s PTS'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "writers" -d 'Do several writers to one file get in each other\'s way? One file by n against n files by one'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from block" -f -a "device" -d 'Say what a raw device is, what is on it, and what stands against writing; writes nothing'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "matrix" -d 'Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "placement" -d 'Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "baseline" -d 'Keep this machine\'s figures, and later say whether it has aged'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "slb" -d 'Run the loop of SLB, the "silly little benchmark", print its line, and say what it means'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "process" -d 'One of several processes that work at the same moment'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "ladder" -d 'From the device\'s flush to the database\'s commit: what each layer adds, alone and beside a load'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "commits" -d 'How many commits per second keep a percentile of their wait within a limit? Sessions share flushes'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "compare" -d 'What would this workload commit with its log elsewhere? Predicted for each place, and proved where asked'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "crashtest" -d 'Does what was acknowledged as durable survive a cut of the power? Takes a second host'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "postgres" -d 'What does a commit cost on somebody\'s PostgreSQL, and what bounds it? Only looks'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "streams" -d 'What do several logs on one device do to each other, and how many does it hold?'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "lookup" -d 'Random single blocks by the index, from the buffer pool or from the drives'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "batch" -d 'Many random blocks at once by a bitmap: sorted and prefetched by the server'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "update" -d 'One row and one durable commit, or a mix of them and lookups'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "commit" -d 'The smallest durable transaction: a commit and nothing else'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "scan" -d 'The whole table by one process or by several'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "orders" -d 'An order-entry mix of five transactions: loaded, run, its consistency checked'
complete -c narrows -n "__fish_narrows_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "clean" -d 'Lists what narrows has on a server: what runs left that were cut off, and what was kept; and removes it'
