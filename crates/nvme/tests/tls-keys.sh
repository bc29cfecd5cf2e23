#!/usr/bin/env bash
# Keys of NVMe/TCP with TLS by OpenSSL's command line: what the table in src/tls/derive.rs was made of. Needs openssl 3, base64 and xxd or od.
set -euo pipefail
host=${HOST:-nqn.2014-08.org.nvmexpress:uuid:2cd2c43b-a90a-45c1-a8cd-86b33ab273b5}
subsystem=${SUBSYSTEM:-nqn.2026-11.org.example:disk}

hex() { od -An -v -tx1 | tr -d ' \n'; }
# HKDF-Expand-Label of HKDF-Extract: hash, bytes, key in hex, label, context.
label() {
    local name="tls13 $4"
    local info
    info=$(printf '%04x%02x%s%02x%s' "$2" "${#name}" "$(printf %s "$name" | hex)" "${#5}" "$(printf %s "$5" | hex)")
    openssl kdf -keylen "$2" -kdfopt "digest:$1" -kdfopt "hexkey:$3" -kdfopt "hexsalt:$(printf '%0*d' $(($2 * 2)) 0)" \
        -kdfopt "hexinfo:$info" HKDF | tr -d ':\n' | tr 'A-F' 'a-f'
}

for text in "$@"; do
    IFS=: read -r _ transform base64 _ <<<"$text"
    key=$(printf %s "$base64" | base64 -d | hex)
    key=${key::-8}
    bytes=$((${#key} / 2))
    case $bytes in 32) hash=SHA256 id=01 ;; 48) hash=SHA384 id=02 ;; esac
    retained=$key
    if [ "$transform" != 00 ]; then retained=$(label $hash $bytes "$key" HostNQN "$host"); fi
    digest=$(printf '%s %s NVMe-over-Fabrics' "$host" "$subsystem" |
        openssl dgst -"$hash" -mac HMAC -macopt "hexkey:$retained" -binary | base64 -w0)
    echo "$text"
    echo "  $digest"
    echo "  $(label $hash $bytes "$retained" nvme-tls-psk "$id $digest")"
    echo "  $(label $hash $bytes "$retained" nvme-tls-psk "NVMe0R$id $host $subsystem")"
done
