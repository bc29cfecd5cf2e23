_narrows__target() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="narrows__target"
                ;;
            narrows__target,cache)
                cmd="narrows__target__subcmd__cache"
                ;;
            narrows__target,help)
                cmd="narrows__target__subcmd__help"
                ;;
            narrows__target,log)
                cmd="narrows__target__subcmd__log"
                ;;
            narrows__target,serve)
                cmd="narrows__target__subcmd__serve"
                ;;
            narrows__target,tier)
                cmd="narrows__target__subcmd__tier"
                ;;
            narrows__target__subcmd__cache,drop)
                cmd="narrows__target__subcmd__cache__subcmd__drop"
                ;;
            narrows__target__subcmd__cache,help)
                cmd="narrows__target__subcmd__cache__subcmd__help"
                ;;
            narrows__target__subcmd__cache,make)
                cmd="narrows__target__subcmd__cache__subcmd__make"
                ;;
            narrows__target__subcmd__cache__subcmd__help,drop)
                cmd="narrows__target__subcmd__cache__subcmd__help__subcmd__drop"
                ;;
            narrows__target__subcmd__cache__subcmd__help,help)
                cmd="narrows__target__subcmd__cache__subcmd__help__subcmd__help"
                ;;
            narrows__target__subcmd__cache__subcmd__help,make)
                cmd="narrows__target__subcmd__cache__subcmd__help__subcmd__make"
                ;;
            narrows__target__subcmd__help,cache)
                cmd="narrows__target__subcmd__help__subcmd__cache"
                ;;
            narrows__target__subcmd__help,help)
                cmd="narrows__target__subcmd__help__subcmd__help"
                ;;
            narrows__target__subcmd__help,log)
                cmd="narrows__target__subcmd__help__subcmd__log"
                ;;
            narrows__target__subcmd__help,serve)
                cmd="narrows__target__subcmd__help__subcmd__serve"
                ;;
            narrows__target__subcmd__help,tier)
                cmd="narrows__target__subcmd__help__subcmd__tier"
                ;;
            narrows__target__subcmd__help__subcmd__cache,drop)
                cmd="narrows__target__subcmd__help__subcmd__cache__subcmd__drop"
                ;;
            narrows__target__subcmd__help__subcmd__cache,make)
                cmd="narrows__target__subcmd__help__subcmd__cache__subcmd__make"
                ;;
            narrows__target__subcmd__help__subcmd__log,drop)
                cmd="narrows__target__subcmd__help__subcmd__log__subcmd__drop"
                ;;
            narrows__target__subcmd__help__subcmd__log,flush)
                cmd="narrows__target__subcmd__help__subcmd__log__subcmd__flush"
                ;;
            narrows__target__subcmd__help__subcmd__log,make)
                cmd="narrows__target__subcmd__help__subcmd__log__subcmd__make"
                ;;
            narrows__target__subcmd__help__subcmd__log,status)
                cmd="narrows__target__subcmd__help__subcmd__log__subcmd__status"
                ;;
            narrows__target__subcmd__help__subcmd__tier,evict)
                cmd="narrows__target__subcmd__help__subcmd__tier__subcmd__evict"
                ;;
            narrows__target__subcmd__help__subcmd__tier,flush)
                cmd="narrows__target__subcmd__help__subcmd__tier__subcmd__flush"
                ;;
            narrows__target__subcmd__help__subcmd__tier,list)
                cmd="narrows__target__subcmd__help__subcmd__tier__subcmd__list"
                ;;
            narrows__target__subcmd__help__subcmd__tier,resize)
                cmd="narrows__target__subcmd__help__subcmd__tier__subcmd__resize"
                ;;
            narrows__target__subcmd__log,drop)
                cmd="narrows__target__subcmd__log__subcmd__drop"
                ;;
            narrows__target__subcmd__log,flush)
                cmd="narrows__target__subcmd__log__subcmd__flush"
                ;;
            narrows__target__subcmd__log,help)
                cmd="narrows__target__subcmd__log__subcmd__help"
                ;;
            narrows__target__subcmd__log,make)
                cmd="narrows__target__subcmd__log__subcmd__make"
                ;;
            narrows__target__subcmd__log,status)
                cmd="narrows__target__subcmd__log__subcmd__status"
                ;;
            narrows__target__subcmd__log__subcmd__help,drop)
                cmd="narrows__target__subcmd__log__subcmd__help__subcmd__drop"
                ;;
            narrows__target__subcmd__log__subcmd__help,flush)
                cmd="narrows__target__subcmd__log__subcmd__help__subcmd__flush"
                ;;
            narrows__target__subcmd__log__subcmd__help,help)
                cmd="narrows__target__subcmd__log__subcmd__help__subcmd__help"
                ;;
            narrows__target__subcmd__log__subcmd__help,make)
                cmd="narrows__target__subcmd__log__subcmd__help__subcmd__make"
                ;;
            narrows__target__subcmd__log__subcmd__help,status)
                cmd="narrows__target__subcmd__log__subcmd__help__subcmd__status"
                ;;
            narrows__target__subcmd__tier,evict)
                cmd="narrows__target__subcmd__tier__subcmd__evict"
                ;;
            narrows__target__subcmd__tier,flush)
                cmd="narrows__target__subcmd__tier__subcmd__flush"
                ;;
            narrows__target__subcmd__tier,help)
                cmd="narrows__target__subcmd__tier__subcmd__help"
                ;;
            narrows__target__subcmd__tier,list)
                cmd="narrows__target__subcmd__tier__subcmd__list"
                ;;
            narrows__target__subcmd__tier,resize)
                cmd="narrows__target__subcmd__tier__subcmd__resize"
                ;;
            narrows__target__subcmd__tier__subcmd__help,evict)
                cmd="narrows__target__subcmd__tier__subcmd__help__subcmd__evict"
                ;;
            narrows__target__subcmd__tier__subcmd__help,flush)
                cmd="narrows__target__subcmd__tier__subcmd__help__subcmd__flush"
                ;;
            narrows__target__subcmd__tier__subcmd__help,help)
                cmd="narrows__target__subcmd__tier__subcmd__help__subcmd__help"
                ;;
            narrows__target__subcmd__tier__subcmd__help,list)
                cmd="narrows__target__subcmd__tier__subcmd__help__subcmd__list"
                ;;
            narrows__target__subcmd__tier__subcmd__help,resize)
                cmd="narrows__target__subcmd__tier__subcmd__help__subcmd__resize"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        narrows__target)
            opts="-h -V --help --version serve log cache tier help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache)
            opts="-h --help make drop help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache__subcmd__drop)
            opts="-h --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache__subcmd__help)
            opts="make drop help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache__subcmd__help__subcmd__drop)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache__subcmd__help__subcmd__make)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__cache__subcmd__make)
            opts="-h --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help)
            opts="serve log cache tier help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__cache)
            opts="make drop"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__cache__subcmd__drop)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__cache__subcmd__make)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__log)
            opts="make status flush drop"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__log__subcmd__drop)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__log__subcmd__flush)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__log__subcmd__make)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__log__subcmd__status)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__serve)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__tier)
            opts="list flush evict resize"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__tier__subcmd__evict)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__tier__subcmd__flush)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__tier__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__help__subcmd__tier__subcmd__resize)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log)
            opts="-h --help make status flush drop help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__drop)
            opts="-h --for --log --lost --lose --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --for)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lost)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__flush)
            opts="-h --for --log --without-missing --changed --unreadable --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --for)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__help)
            opts="make status flush drop help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__help__subcmd__drop)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__help__subcmd__flush)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__help__subcmd__make)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__help__subcmd__status)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__make)
            opts="-h --for --log --copies --separate-power --acknowledge --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --for)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --copies)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --acknowledge)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__log__subcmd__status)
            opts="-h --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__serve)
            opts="-h --subsystem --config --namespace --listen --allow-host --allow-any-host --dhchap-key-file --dhchap-ctrl-key-file --dhchap-hash --dhchap-group --tls-key-file --threads --wait --memory --queue-entries --in-capsule --metrics --control --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --subsystem)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --listen)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow-host)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dhchap-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dhchap-ctrl-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dhchap-hash)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dhchap-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tls-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --queue-entries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --in-capsule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --metrics)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --control)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier)
            opts="-h --help list flush evict resize help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__evict)
            opts="-h --control --subsystem --nsid --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --control)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --subsystem)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nsid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__flush)
            opts="-h --control --subsystem --nsid --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --control)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --subsystem)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nsid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__help)
            opts="list flush evict resize help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__help__subcmd__evict)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__help__subcmd__flush)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__help__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__help__subcmd__resize)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__list)
            opts="-h --control --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --control)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        narrows__subcmd__target__subcmd__tier__subcmd__resize)
            opts="-h --size --log --control --subsystem --nsid --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --control)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --subsystem)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nsid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _narrows__target -o nosort -o bashdefault -o default narrows-target
else
    complete -F _narrows__target -o bashdefault -o default narrows-target
fi
