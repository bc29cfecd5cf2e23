#compdef narrows-target

autoload -U is-at-least

_narrows-target() {
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
":: :_narrows-target_commands" \
"*::: :->narrows-target" \
&& ret=0
    case $state in
    (narrows-target)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-command-$line[1]:"
        case $line[1] in
            (serve)
_arguments "${_arguments_options[@]}" : \
'--subsystem=[Name of the subsystem\: nqn.YYYY-MM.REVERSED-DOMAIN\:NAME]:NQN:_default' \
'(--subsystem --namespace --allow-host --allow-any-host --dhchap-key-file --dhchap-ctrl-key-file --dhchap-hash --dhchap-group --tls-key-file)--config=[Several subsystems\: a file in TOML with \[\[subsystem\]\], and in each nqn, namespaces, and hosts or any-host = true]:FILE:_files' \
'*--namespace=[What is served\: FILE, DEVICE, ram\:SIZE or null\[\:SIZE\], then, with commas between, block=512|4096, readonly, nsid=N; for a device serial=S (its own) and contents=keep (what is on it was written through this target); log=FILE for the log in front of it (\`narrows-target log make\`), twice for two media, each log=DEVICE with log-serial=S, or log=nvme-tcp\://HOST\:PORT/NQN for each of its peers; cache=ram\:SIZE for memory that answers reads of what was read before, or cache=FILE for a file or device that does (\`narrows-target cache make\`), a DEVICE with cache-serial=S; in either cache-keep=OFFSET+SIZE for a range that stays, cache-recycle=OFFSET+SIZE for one that doesn'\''t, and cache-index=FILE to have the same pages after a restart. May be repeated]:WHAT:_default' \
'*--listen=[Address and port to listen at; loopback where none is said. May be repeated]:ADDRESS:PORT:_default' \
'*--allow-host=[NQN of a host that may connect (/etc/nvme/hostnqn on it). May be repeated. NQNs are no secret\: without --dhchap-key-file, whoever reaches the port can claim one]:NQN:_default' \
'--dhchap-key-file=[File of the secret that every host has to prove (DH-HMAC-CHAP), as \`nvme gen-dhchap-key\` prints it; of mode 0600. A secret for each host\: --config]:FILE:_files' \
'--dhchap-ctrl-key-file=[File of the secret that the target proves to hosts that ask for it]:FILE:_files' \
'--dhchap-hash=[Hash of that\: sha256, sha384 or sha512 \[default\: sha256\]]:HASH:_default' \
'--dhchap-group=[Diffie-Hellman group of that\: null (none), ffdhe2048, ffdhe3072, ffdhe4096, ffdhe6144 or ffdhe8192 \[default\: ffdhe3072\]]:GROUP:_default' \
'--tls-key-file=[File of the key by which every host has to come (TLS 1.3 with a pre-shared key), as \`nvme gen-tls-key\` prints it; of mode 0600. Who comes without is refused. A key for each host\: --config]:FILE:_files' \
'--threads=[Threads; each takes connections in turn]:N:_default' \
'--wait=[While nothing is to be done\: sleep; poll, which takes a whole CPU per thread; or look for so long before sleeping (50us)]:HOW:_default' \
'--memory=[Memory for data in flight]:SIZE:_default' \
'--queue-entries=[Entries of each queue]:N:_default' \
'--in-capsule=[Data that a command may carry with it; a larger write takes one more round trip]:SIZE:_default' \
'--metrics=[File for figures in OpenMetrics'\'' format, written every 10 s]:FILE:_files' \
'--control=[Socket at which \`narrows-target tier\` asks, for this user and root]:FILE:_files' \
'(--allow-host)--allow-any-host[Lets every host that reaches the port connect]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(log)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
":: :_narrows-target__subcmd__log_commands" \
"*::: :->log" \
&& ret=0

    case $state in
    (log)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-log-command-$line[1]:"
        case $line[1] in
            (make)
_arguments "${_arguments_options[@]}" : \
'--for=[The file or device that the log is for; for a device with its own serial\: DEVICE,serial=S]:WHAT:_default' \
'*--log=[The file or device that the log lies on\: as large as the log is to be, 4 MiB and 8 KiB or more, and empty. Twice for two media. Or each of two to eight peers, nvme-tcp\://HOST\:PORT/NQN?ns=1\: an empty namespace on another machine]:WHAT:_default' \
'(--acknowledge)--copies=[With peers\: how many of them have a write before it is answered. Fewer than that may lose what they hold. With as many as there are, writes fail as soon as one does]:K:_default' \
'--acknowledge=[With two media\: all, and a write waits for both, and either may be lost; or first, and a slow one delays no write, and both are needed after a crash]:WHICH:_default' \
'--separate-power[With peers\: no loss of power takes this machine and so many of the peers at once. Without this, no log is made of their memory]' \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[As JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'*::log -- A medium of the log. Twice for two; each of its peers:_default' \
&& ret=0
;;
(flush)
_arguments "${_arguments_options[@]}" : \
'--for=[The file or device that the log is for; for a device with its own serial\: DEVICE,serial=S]:WHAT:_default' \
'*--log=[A medium of the log. Twice for two; each of its peers]:WHAT:_default' \
'--without-missing[Goes without media that are lost. Where the first medium acknowledged, writes that were on it alone are lost; with peers, those that were on the lost ones alone]' \
'--changed[Moves the records although the file was changed after them]' \
'--unreadable[Moves what could be read although the log can'\''t be read to its end. Records behind that are lost]' \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(drop)
_arguments "${_arguments_options[@]}" : \
'--for=[The file that the log is for, which is then served without it]:WHAT:_default' \
'*--log=[A medium of the log; all of them]:WHAT:_default' \
'(--log --lose)--lost=[In place of --log\: the log of this name is lost for good, with whatever it held. --for is then served without it]:LOG-ID:_default' \
'--lose=[How many records that were acknowledged are lost by it, as \`status\` says. 0 needs not to be said]:RECORDS:_default' \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__log__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-log-help-command-$line[1]:"
        case $line[1] in
            (make)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(flush)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(drop)
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
(cache)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
":: :_narrows-target__subcmd__cache_commands" \
"*::: :->cache" \
&& ret=0

    case $state in
    (cache)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-cache-command-$line[1]:"
        case $line[1] in
            (make)
_arguments "${_arguments_options[@]}" : \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
':cache -- The file or device, of 1.25 MiB or more; for a device with its own serial\: DEVICE,serial=S:_default' \
&& ret=0
;;
(drop)
_arguments "${_arguments_options[@]}" : \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
':cache -- The file or device, of 1.25 MiB or more; for a device with its own serial\: DEVICE,serial=S:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__cache__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-cache-help-command-$line[1]:"
        case $line[1] in
            (make)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(drop)
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
(tier)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
":: :_narrows-target__subcmd__tier_commands" \
"*::: :->tier" \
&& ret=0

    case $state in
    (tier)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-tier-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--control=[The socket that the target was given with --control]:FILE:_files' \
'--json[As JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(flush)
_arguments "${_arguments_options[@]}" : \
'--control=[The socket that the target was given with --control]:FILE:_files' \
'--subsystem=[Name of the subsystem, where several have one]:NQN:_default' \
'--nsid=[Number of the namespace, where several have one]:N:_default' \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(evict)
_arguments "${_arguments_options[@]}" : \
'--control=[The socket that the target was given with --control]:FILE:_files' \
'--subsystem=[Name of the subsystem, where several have one]:NQN:_default' \
'--nsid=[Number of the namespace, where several have one]:N:_default' \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(resize)
_arguments "${_arguments_options[@]}" : \
'--size=[Its new size, as 4GiB\: of a cache up to four times the one that it was begun with, of a log that of each medium]:SIZE:_default' \
'--control=[The socket that the target was given with --control]:FILE:_files' \
'--subsystem=[Name of the subsystem, where several have one]:NQN:_default' \
'--nsid=[Number of the namespace, where several have one]:N:_default' \
'--log[The log, and not the cache]' \
'--json[As JSON\: what was done, as an object]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__tier__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-tier-help-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(flush)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(evict)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(resize)
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
(help)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-help-command-$line[1]:"
        case $line[1] in
            (serve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(log)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__help__subcmd__log_commands" \
"*::: :->log" \
&& ret=0

    case $state in
    (log)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-help-log-command-$line[1]:"
        case $line[1] in
            (make)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(flush)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(drop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(cache)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__help__subcmd__cache_commands" \
"*::: :->cache" \
&& ret=0

    case $state in
    (cache)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-help-cache-command-$line[1]:"
        case $line[1] in
            (make)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(drop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(tier)
_arguments "${_arguments_options[@]}" : \
":: :_narrows-target__subcmd__help__subcmd__tier_commands" \
"*::: :->tier" \
&& ret=0

    case $state in
    (tier)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:narrows-target-help-tier-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(flush)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(evict)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(resize)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
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

(( $+functions[_narrows-target_commands] )) ||
_narrows-target_commands() {
    local commands; commands=(
'serve:Serves until SIGTERM or Ctrl-C, then answers what is here, flushes and ends' \
'log:Logs on fast media that acknowledge writes before a slower file or device has them' \
'cache:Files and devices as caches in front of slower ones\: they answer reads of what was read before' \
'tier:Asks a target that serves about the logs and caches in front of its namespaces' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache_commands] )) ||
_narrows-target__subcmd__cache_commands() {
    local commands; commands=(
'make:Makes a cache of an empty file or device' \
'drop:Makes an ordinary file or device of a cache. Nothing is lost by it\: all that a cache holds is elsewhere' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target cache commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache__subcmd__drop_commands] )) ||
_narrows-target__subcmd__cache__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target cache drop commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache__subcmd__help_commands] )) ||
_narrows-target__subcmd__cache__subcmd__help_commands() {
    local commands; commands=(
'make:Makes a cache of an empty file or device' \
'drop:Makes an ordinary file or device of a cache. Nothing is lost by it\: all that a cache holds is elsewhere' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target cache help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache__subcmd__help__subcmd__drop_commands] )) ||
_narrows-target__subcmd__cache__subcmd__help__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target cache help drop commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache__subcmd__help__subcmd__help_commands] )) ||
_narrows-target__subcmd__cache__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target cache help help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache__subcmd__help__subcmd__make_commands] )) ||
_narrows-target__subcmd__cache__subcmd__help__subcmd__make_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target cache help make commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__cache__subcmd__make_commands] )) ||
_narrows-target__subcmd__cache__subcmd__make_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target cache make commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help_commands] )) ||
_narrows-target__subcmd__help_commands() {
    local commands; commands=(
'serve:Serves until SIGTERM or Ctrl-C, then answers what is here, flushes and ends' \
'log:Logs on fast media that acknowledge writes before a slower file or device has them' \
'cache:Files and devices as caches in front of slower ones\: they answer reads of what was read before' \
'tier:Asks a target that serves about the logs and caches in front of its namespaces' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__cache_commands] )) ||
_narrows-target__subcmd__help__subcmd__cache_commands() {
    local commands; commands=(
'make:Makes a cache of an empty file or device' \
'drop:Makes an ordinary file or device of a cache. Nothing is lost by it\: all that a cache holds is elsewhere' \
    )
    _describe -t commands 'narrows-target help cache commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__cache__subcmd__drop_commands] )) ||
_narrows-target__subcmd__help__subcmd__cache__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help cache drop commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__cache__subcmd__make_commands] )) ||
_narrows-target__subcmd__help__subcmd__cache__subcmd__make_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help cache make commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__help_commands] )) ||
_narrows-target__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__log_commands] )) ||
_narrows-target__subcmd__help__subcmd__log_commands() {
    local commands; commands=(
'make:Makes a log for a file or device. Nothing is written to that' \
'status:Shows a log\: of what it is, how large, and what it holds. It may be in use' \
'flush:Moves all that a log holds to its file or device, so that this can be served without it' \
'drop:Drops a log with all that it holds, for good' \
    )
    _describe -t commands 'narrows-target help log commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__log__subcmd__drop_commands] )) ||
_narrows-target__subcmd__help__subcmd__log__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help log drop commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__log__subcmd__flush_commands] )) ||
_narrows-target__subcmd__help__subcmd__log__subcmd__flush_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help log flush commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__log__subcmd__make_commands] )) ||
_narrows-target__subcmd__help__subcmd__log__subcmd__make_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help log make commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__log__subcmd__status_commands] )) ||
_narrows-target__subcmd__help__subcmd__log__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help log status commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__serve_commands] )) ||
_narrows-target__subcmd__help__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help serve commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__tier_commands] )) ||
_narrows-target__subcmd__help__subcmd__tier_commands() {
    local commands; commands=(
'list:Shows every namespace with its log and its cache\: state, size, use, what they gave' \
'flush:Moves all that a log holds to its file or device, now' \
'evict:Empties a cache' \
'resize:Makes a cache or a log larger or smaller' \
    )
    _describe -t commands 'narrows-target help tier commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__tier__subcmd__evict_commands] )) ||
_narrows-target__subcmd__help__subcmd__tier__subcmd__evict_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help tier evict commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__tier__subcmd__flush_commands] )) ||
_narrows-target__subcmd__help__subcmd__tier__subcmd__flush_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help tier flush commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__tier__subcmd__list_commands] )) ||
_narrows-target__subcmd__help__subcmd__tier__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help tier list commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__help__subcmd__tier__subcmd__resize_commands] )) ||
_narrows-target__subcmd__help__subcmd__tier__subcmd__resize_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target help tier resize commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log_commands] )) ||
_narrows-target__subcmd__log_commands() {
    local commands; commands=(
'make:Makes a log for a file or device. Nothing is written to that' \
'status:Shows a log\: of what it is, how large, and what it holds. It may be in use' \
'flush:Moves all that a log holds to its file or device, so that this can be served without it' \
'drop:Drops a log with all that it holds, for good' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target log commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__drop_commands] )) ||
_narrows-target__subcmd__log__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log drop commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__flush_commands] )) ||
_narrows-target__subcmd__log__subcmd__flush_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log flush commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__help_commands] )) ||
_narrows-target__subcmd__log__subcmd__help_commands() {
    local commands; commands=(
'make:Makes a log for a file or device. Nothing is written to that' \
'status:Shows a log\: of what it is, how large, and what it holds. It may be in use' \
'flush:Moves all that a log holds to its file or device, so that this can be served without it' \
'drop:Drops a log with all that it holds, for good' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target log help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__help__subcmd__drop_commands] )) ||
_narrows-target__subcmd__log__subcmd__help__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log help drop commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__help__subcmd__flush_commands] )) ||
_narrows-target__subcmd__log__subcmd__help__subcmd__flush_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log help flush commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__help__subcmd__help_commands] )) ||
_narrows-target__subcmd__log__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log help help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__help__subcmd__make_commands] )) ||
_narrows-target__subcmd__log__subcmd__help__subcmd__make_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log help make commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__help__subcmd__status_commands] )) ||
_narrows-target__subcmd__log__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log help status commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__make_commands] )) ||
_narrows-target__subcmd__log__subcmd__make_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log make commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__log__subcmd__status_commands] )) ||
_narrows-target__subcmd__log__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target log status commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__serve_commands] )) ||
_narrows-target__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target serve commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier_commands] )) ||
_narrows-target__subcmd__tier_commands() {
    local commands; commands=(
'list:Shows every namespace with its log and its cache\: state, size, use, what they gave' \
'flush:Moves all that a log holds to its file or device, now' \
'evict:Empties a cache' \
'resize:Makes a cache or a log larger or smaller' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target tier commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__evict_commands] )) ||
_narrows-target__subcmd__tier__subcmd__evict_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier evict commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__flush_commands] )) ||
_narrows-target__subcmd__tier__subcmd__flush_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier flush commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__help_commands] )) ||
_narrows-target__subcmd__tier__subcmd__help_commands() {
    local commands; commands=(
'list:Shows every namespace with its log and its cache\: state, size, use, what they gave' \
'flush:Moves all that a log holds to its file or device, now' \
'evict:Empties a cache' \
'resize:Makes a cache or a log larger or smaller' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'narrows-target tier help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__help__subcmd__evict_commands] )) ||
_narrows-target__subcmd__tier__subcmd__help__subcmd__evict_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier help evict commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__help__subcmd__flush_commands] )) ||
_narrows-target__subcmd__tier__subcmd__help__subcmd__flush_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier help flush commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__help__subcmd__help_commands] )) ||
_narrows-target__subcmd__tier__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier help help commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__help__subcmd__list_commands] )) ||
_narrows-target__subcmd__tier__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier help list commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__help__subcmd__resize_commands] )) ||
_narrows-target__subcmd__tier__subcmd__help__subcmd__resize_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier help resize commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__list_commands] )) ||
_narrows-target__subcmd__tier__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier list commands' commands "$@"
}
(( $+functions[_narrows-target__subcmd__tier__subcmd__resize_commands] )) ||
_narrows-target__subcmd__tier__subcmd__resize_commands() {
    local commands; commands=()
    _describe -t commands 'narrows-target tier resize commands' commands "$@"
}

if [ "$funcstack[1]" = "_narrows-target" ]; then
    _narrows-target "$@"
else
    compdef _narrows-target narrows-target
fi
