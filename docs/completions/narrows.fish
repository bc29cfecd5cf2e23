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
complete -c narrows -n "__fish_narrows_needs_command" -f -a "report" -d 'Render a stored run again, in any format'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "platform" -d 'Show what this machine is: processors, memory, and the whole path under a folder'
complete -c narrows -n "__fish_narrows_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
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
complete -c narrows -n "__fish_narrows_using_subcommand run" -l format -d 'Format of standard output' -r -f -a "text\t'The one screen'
json\t'The run file'
csv\t'One row per metric'
markdown\t'The screen as Markdown'
html\t'One self-contained page'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand run" -l quick -d 'A sketch in about 90 seconds: three repeats, no grade above LIKELY'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l load-here -d 'Measure although a database runs on this machine: it will be slowed down for the whole run'
complete -c narrows -n "__fish_narrows_using_subcommand run" -l dry-run -d 'Print the plan with its minutes and bytes, and stop'
complete -c narrows -n "__fish_narrows_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l format -d 'Format of the report' -r -f -a "text\t'The one screen'
json\t'The run file'
csv\t'One row per metric'
markdown\t'The screen as Markdown'
html\t'One self-contained page'"
complete -c narrows -n "__fish_narrows_using_subcommand report" -s o -l output -d 'Write to this file instead of standard output' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand report" -l units -d 'Prefixes of byte quantities' -r -f -a "si\t'1 GB = 10^9 bytes'
iec\t'1 GiB = 2^30 bytes'"
complete -c narrows -n "__fish_narrows_using_subcommand report" -l html -d 'The same as --format html'
complete -c narrows -n "__fish_narrows_using_subcommand report" -l rejudge -d 'Judge again with this version\'s rules instead of showing the stored verdicts'
complete -c narrows -n "__fish_narrows_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l data -d 'Folder on the drives that hold the data files' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l wal -d 'Folder on the drives that hold the commit log [default: that of --data]' -r -F
complete -c narrows -n "__fish_narrows_using_subcommand platform" -l format -d 'Text or JSON' -r -f -a "text\t'For people'
json\t'As in the run file'"
complete -c narrows -n "__fish_narrows_using_subcommand platform" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run report platform help" -f -a "run" -d 'Measure this server layer by layer and say where it is narrow'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run report platform help" -f -a "report" -d 'Render a stored run again, in any format'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run report platform help" -f -a "platform" -d 'Show what this machine is: processors, memory, and the whole path under a folder'
complete -c narrows -n "__fish_narrows_using_subcommand help; and not __fish_seen_subcommand_from run report platform help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
