# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_narrows_target_global_optspecs
    string join \n h/help V/version
end

function __fish_narrows_target_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_narrows_target_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_narrows_target_using_subcommand
    set -l cmd (__fish_narrows_target_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c narrows-target -n "__fish_narrows_target_needs_command" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_needs_command" -s V -l version -d 'Print version'
complete -c narrows-target -n "__fish_narrows_target_needs_command" -f -a "serve" -d 'Serves until SIGTERM or Ctrl-C, then answers what is here, flushes and ends'
complete -c narrows-target -n "__fish_narrows_target_needs_command" -f -a "log" -d 'Logs on fast media that acknowledge writes before a slower file or device has them'
complete -c narrows-target -n "__fish_narrows_target_needs_command" -f -a "cache" -d 'Files and devices as caches in front of slower ones: they answer reads of what was read before'
complete -c narrows-target -n "__fish_narrows_target_needs_command" -f -a "tier" -d 'Asks a target that serves about the logs and caches in front of its namespaces'
complete -c narrows-target -n "__fish_narrows_target_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l subsystem -d 'Name of the subsystem: nqn.YYYY-MM.REVERSED-DOMAIN:NAME' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l config -d 'Several subsystems: a file in TOML with [[subsystem]], and in each nqn, namespaces, and hosts or any-host = true' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l namespace -d 'What is served: FILE, DEVICE, ram:SIZE or null[:SIZE], then, with commas between, block=512|4096, readonly, nsid=N; for a device serial=S (its own) and contents=keep (what is on it was written through this target); log=FILE for the log in front of it (`narrows-target log make`), twice for two media, each log=DEVICE with log-serial=S, or log=nvme-tcp://HOST:PORT/NQN for each of its peers; cache=ram:SIZE for memory that answers reads of what was read before, or cache=FILE for a file or device that does (`narrows-target cache make`), a DEVICE with cache-serial=S; in either cache-keep=OFFSET+SIZE for a range that stays, cache-recycle=OFFSET+SIZE for one that doesn\'t, and cache-index=FILE to have the same pages after a restart. May be repeated' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l listen -d 'Address and port to listen at; loopback where none is said. May be repeated' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l allow-host -d 'NQN of a host that may connect (/etc/nvme/hostnqn on it). May be repeated. NQNs are no secret: without --dhchap-key-file, whoever reaches the port can claim one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l dhchap-key-file -d 'File of the secret that every host has to prove (DH-HMAC-CHAP), as `nvme gen-dhchap-key` prints it; of mode 0600. A secret for each host: --config' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l dhchap-ctrl-key-file -d 'File of the secret that the target proves to hosts that ask for it' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l dhchap-hash -d 'Hash of that: sha256, sha384 or sha512 [default: sha256]' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l dhchap-group -d 'Diffie-Hellman group of that: null (none), ffdhe2048, ffdhe3072, ffdhe4096, ffdhe6144 or ffdhe8192 [default: ffdhe3072]' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l tls-key-file -d 'File of the key by which every host has to come (TLS 1.3 with a pre-shared key), as `nvme gen-tls-key` prints it; of mode 0600. Who comes without is refused. A key for each host: --config' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l threads -d 'Threads; each takes connections in turn' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l wait -d 'While nothing is to be done: sleep; poll, which takes a whole CPU per thread; or look for so long before sleeping (50us)' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l memory -d 'Memory for data in flight' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l queue-entries -d 'Entries of each queue' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l in-capsule -d 'Data that a command may carry with it; a larger write takes one more round trip' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l metrics -d 'File for figures in OpenMetrics\' format, written every 10 s' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l control -d 'Socket at which `narrows-target tier` asks, for this user and root' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -l allow-any-host -d 'Lets every host that reaches the port connect'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand serve" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and not __fish_seen_subcommand_from make status flush drop help" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and not __fish_seen_subcommand_from make status flush drop help" -f -a "make" -d 'Makes a log for a file or device. Nothing is written to that'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and not __fish_seen_subcommand_from make status flush drop help" -f -a "status" -d 'Shows a log: of what it is, how large, and what it holds. It may be in use'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and not __fish_seen_subcommand_from make status flush drop help" -f -a "flush" -d 'Moves all that a log holds to its file or device, so that this can be served without it'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and not __fish_seen_subcommand_from make status flush drop help" -f -a "drop" -d 'Drops a log with all that it holds, for good'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and not __fish_seen_subcommand_from make status flush drop help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -l for -d 'The file or device that the log is for; for a device with its own serial: DEVICE,serial=S' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -l log -d 'The file or device that the log lies on: as large as the log is to be, 4 MiB and 8 KiB or more, and empty. Twice for two media. Or each of two to eight peers, nvme-tcp://HOST:PORT/NQN?ns=1: an empty namespace on another machine' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -l copies -d 'With peers: how many of them have a write before it is answered. Fewer than that may lose what they hold. With as many as there are, writes fail as soon as one does' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -l acknowledge -d 'With two media: all, and a write waits for both, and either may be lost; or first, and a slow one delays no write, and both are needed after a crash' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -l separate-power -d 'With peers: no loss of power takes this machine and so many of the peers at once. Without this, no log is made of their memory'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from make" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from status" -l json -d 'As JSON'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -l for -d 'The file or device that the log is for; for a device with its own serial: DEVICE,serial=S' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -l log -d 'A medium of the log. Twice for two; each of its peers' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -l without-missing -d 'Goes without media that are lost. Where the first medium acknowledged, writes that were on it alone are lost; with peers, those that were on the lost ones alone'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -l changed -d 'Moves the records although the file was changed after them'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -l unreadable -d 'Moves what could be read although the log can\'t be read to its end. Records behind that are lost'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from flush" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from drop" -l for -d 'The file that the log is for, which is then served without it' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from drop" -l log -d 'A medium of the log; all of them' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from drop" -l lost -d 'In place of --log: the log of this name is lost for good, with whatever it held. --for is then served without it' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from drop" -l lose -d 'How many records that were acknowledged are lost by it, as `status` says. 0 needs not to be said' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from drop" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from drop" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "make" -d 'Makes a log for a file or device. Nothing is written to that'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "status" -d 'Shows a log: of what it is, how large, and what it holds. It may be in use'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "flush" -d 'Moves all that a log holds to its file or device, so that this can be served without it'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "drop" -d 'Drops a log with all that it holds, for good'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand log; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and not __fish_seen_subcommand_from make drop help" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and not __fish_seen_subcommand_from make drop help" -f -a "make" -d 'Makes a cache of an empty file or device'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and not __fish_seen_subcommand_from make drop help" -f -a "drop" -d 'Makes an ordinary file or device of a cache. Nothing is lost by it: all that a cache holds is elsewhere'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and not __fish_seen_subcommand_from make drop help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from make" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from make" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from drop" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from drop" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "make" -d 'Makes a cache of an empty file or device'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "drop" -d 'Makes an ordinary file or device of a cache. Nothing is lost by it: all that a cache holds is elsewhere'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and not __fish_seen_subcommand_from list flush evict resize help" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and not __fish_seen_subcommand_from list flush evict resize help" -f -a "list" -d 'Shows every namespace with its log and its cache: state, size, use, what they gave'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and not __fish_seen_subcommand_from list flush evict resize help" -f -a "flush" -d 'Moves all that a log holds to its file or device, now'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and not __fish_seen_subcommand_from list flush evict resize help" -f -a "evict" -d 'Empties a cache'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and not __fish_seen_subcommand_from list flush evict resize help" -f -a "resize" -d 'Makes a cache or a log larger or smaller'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and not __fish_seen_subcommand_from list flush evict resize help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from list" -l control -d 'The socket that the target was given with --control' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from list" -l json -d 'As JSON'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from flush" -l control -d 'The socket that the target was given with --control' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from flush" -l subsystem -d 'Name of the subsystem, where several have one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from flush" -l nsid -d 'Number of the namespace, where several have one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from flush" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from flush" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from evict" -l control -d 'The socket that the target was given with --control' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from evict" -l subsystem -d 'Name of the subsystem, where several have one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from evict" -l nsid -d 'Number of the namespace, where several have one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from evict" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from evict" -s h -l help -d 'Print help'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -l size -d 'Its new size, as 4GiB: of a cache up to four times the one that it was begun with, of a log that of each medium' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -l control -d 'The socket that the target was given with --control' -r -F
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -l subsystem -d 'Name of the subsystem, where several have one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -l nsid -d 'Number of the namespace, where several have one' -r
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -l log -d 'The log, and not the cache'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -l json -d 'As JSON: what was done, as an object'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from resize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "list" -d 'Shows every namespace with its log and its cache: state, size, use, what they gave'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "flush" -d 'Moves all that a log holds to its file or device, now'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "evict" -d 'Empties a cache'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "resize" -d 'Makes a cache or a log larger or smaller'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand tier; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and not __fish_seen_subcommand_from serve log cache tier help" -f -a "serve" -d 'Serves until SIGTERM or Ctrl-C, then answers what is here, flushes and ends'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and not __fish_seen_subcommand_from serve log cache tier help" -f -a "log" -d 'Logs on fast media that acknowledge writes before a slower file or device has them'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and not __fish_seen_subcommand_from serve log cache tier help" -f -a "cache" -d 'Files and devices as caches in front of slower ones: they answer reads of what was read before'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and not __fish_seen_subcommand_from serve log cache tier help" -f -a "tier" -d 'Asks a target that serves about the logs and caches in front of its namespaces'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and not __fish_seen_subcommand_from serve log cache tier help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "make" -d 'Makes a log for a file or device. Nothing is written to that'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "status" -d 'Shows a log: of what it is, how large, and what it holds. It may be in use'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "flush" -d 'Moves all that a log holds to its file or device, so that this can be served without it'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from log" -f -a "drop" -d 'Drops a log with all that it holds, for good'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "make" -d 'Makes a cache of an empty file or device'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "drop" -d 'Makes an ordinary file or device of a cache. Nothing is lost by it: all that a cache holds is elsewhere'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "list" -d 'Shows every namespace with its log and its cache: state, size, use, what they gave'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "flush" -d 'Moves all that a log holds to its file or device, now'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "evict" -d 'Empties a cache'
complete -c narrows-target -n "__fish_narrows_target_using_subcommand help; and __fish_seen_subcommand_from tier" -f -a "resize" -d 'Makes a cache or a log larger or smaller'
