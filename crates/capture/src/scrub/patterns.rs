//! What is secret in a text by its form: ids, hardware and network addresses, homes. One pass, leftmost first, so that no
//! replacement is looked at again.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::tokens::{TokenKind, Tokens};

/// One named group per form. `\b` is at the edge of a word of letters, digits and `_`.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        // Kubernetes writes `pod` before it, and systemd `_` or `\x2d` in place of each dash.
        r"(?<uuid>[0-9a-f]{8}(?:(?:[-_]|\\x2d)[0-9a-f]{4}){3}(?:[-_]|\\x2d)[0-9a-f]{12})",
        // Ethernet has six pairs, Infiniband twenty.
        r"(?<mac>\b[0-9a-f]{2}(?::[0-9a-f]{2}){5,19}\b)",
        r"(?<dashed>\b[0-9a-f]{2}(?:-[0-9a-f]{2}){5}\b)",
        // The kernel's name of an interface that has only its address.
        r"\b(?<interface>enx|wlx|wwx)(?<joined>[0-9a-f]{12})\b",
        r"(?<ip6>[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})",
        r"(?<ip4>\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b)",
        // World-wide names begin with the digit of their kind (NAA); addresses in memory don't.
        r"(?<wwn>\b0x[12356][0-9a-f]{15}(?:[0-9a-f]{16})?\b)",
        r"\b(?<prefix>naa\.|eui\.|uuid\.|t10\.|nvme\.|nqn\.|iqn\.)(?<name>(?u-i:[^ \t\n/,;\x22'])+)",
        r"(?<hex>\b[0-9a-f]{16,}\b)",
        r"(?<home>/(?:home|Users|media)/)(?<user>(?u-i:[^/ \t\n,:;\x22'])+)",
    ];
    Regex::new(&format!("(?i-u){}", forms.join("|"))).expect("the forms are an expression")
});

/// `text` with everything replaced that looks secret. `versions`: whether four numbers with dots may be an address.
pub(super) fn replace<'a>(text: &'a str, addresses: bool, tokens: &mut Tokens) -> Cow<'a, str> {
    FORMS.replace_all(text, |found: &Captures| {
        let whole = &found[0];
        let token = |kind, name| found.name(name).map(|value| (kind, value.as_str()));
        let simple = token(TokenKind::Uuid, "uuid")
            .or_else(|| token(TokenKind::Mac, "mac"))
            .or_else(|| token(TokenKind::Mac, "dashed"))
            .or_else(|| token(TokenKind::Id, "wwn"))
            .or_else(|| token(TokenKind::Id, "hex").filter(|(_, value)| is_id(value)))
            .or_else(|| {
                token(TokenKind::Ip4, "ip4").filter(|(_, value)| addresses && is_ip4(value))
            })
            .or_else(|| token(TokenKind::Ip6, "ip6").filter(|(_, value)| is_ip6(value)))
            .or_else(|| token(TokenKind::Id, "ip6").filter(|(_, value)| is_guid(value)));
        if let Some((kind, value)) = simple {
            return tokens.token(kind, value);
        }
        for (before, kind, name) in [
            ("interface", TokenKind::Mac, "joined"),
            ("prefix", TokenKind::Id, "name"),
            ("home", TokenKind::User, "user"),
        ] {
            if let (Some(before), Some((kind, value))) = (found.name(before), token(kind, name)) {
                let token = tokens.token(kind, value).replace(':', "");
                return format!("{}{token}", before.as_str());
            }
        }
        whole.to_string()
    })
}

/// A digest or id: a mask of processors has no digits and letters mixed, a capability set begins with zeros.
fn is_id(text: &str) -> bool {
    let has = |wanted: fn(&u8) -> bool| text.bytes().any(|byte| wanted(&byte));
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !text.starts_with("0000")
}

/// An address that is somebody's: neither of this machine alone nor of everybody.
fn is_ip4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok_and(|ip| {
        !(ip.is_loopback() || ip.is_unspecified() || ip.is_broadcast() || ip.octets()[0] == 255)
    })
}

/// As [`is_ip4`]; `0::` of a control group and `00:01:02` are none.
fn is_ip6(text: &str) -> bool {
    let groups = text.split(':').filter(|group| !group.is_empty()).count();
    groups >= 2 && text.parse::<Ipv6Addr>().is_ok()
}

/// As it stands in `node_guid`: groups of four digits.
fn is_guid(text: &str) -> bool {
    let mut groups = 0;
    text.split(':').all(|group| {
        groups += 1;
        group.len() == 4
    }) && groups >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str) -> String {
        replace(text, true, &mut Tokens::default()).into_owned()
    }

    #[test]
    fn secrets_by_form() {
        for (text, expected) in [
            (
                "UUID=8C2A1F5E-1111-2222-3333-444455556666 x",
                "UUID=00000000-0000-4000-8000-000000000001 x",
            ),
            (
                "/kubepods/burstable/pod8c2a1f5e-1111-2222-3333-444455556666/x",
                "/kubepods/burstable/pod00000000-0000-4000-8000-000000000001/x",
            ),
            (
                "kubepods-pod8c2a1f5e_1111_2222_3333_444455556666.slice",
                "kubepods-pod00000000-0000-4000-8000-000000000001.slice",
            ),
            (
                r"mnt-8c2a1f5e\x2d1111\x2d2222\x2d3333\x2d444455556666.mount",
                "mnt-00000000-0000-4000-8000-000000000001.mount",
            ),
            ("link b8:59:9f:aa:bb:cc up", "link 02:00:00:00:00:01 up"),
            ("/sys/class/net/enxb8599faabbcc/mtu", "/sys/class/net/enx020000000001/mtu"),
            ("0002:c903:00fe:1234", "id-1"),
            ("traddr=192.168.7.9,trsvcid=4420", "traddr=198.18.0.1,trsvcid=4420"),
            ("fe80::b859:9fff:feaa:bbcc", "2001:db8::1"),
            ("wwn-0x5000c500a1b2c3d4-part1", "wwn-id-1-part1"),
            ("eui.0025385b71b0a1c2", "eui.id-1"),
            ("nqn.2014-08.org.nvmexpress:uuid:1,x", "nqn.id-1,x"),
            ("docker-0123456789abcdef0123456789abcdef.scope", "docker-id-1.scope"),
            (concat!("a /ho", "me/alice/pg"), concat!("a /ho", "me/user-1/pg")),
            (concat!("/Us", "ers/alice"), concat!("/Us", "ers/user-1")),
        ] {
            assert_eq!(replaced(text), expected, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_stays() {
        for text in [
            "0000:5e:00.0",
            "pci0000:00/0000:00:01.1/0000:5e:00.0",
            "0::/user.slice/a.scope",
            "4:cpu,cpuacct:/a",
            "259:2",
            "ffffffff,00000000,ffffffffffffffff",
            "0x0000000fb0000000 0x00000000fb003fff",
            "0000003fffffffff",
            "127.0.0.1 0.0.0.0 255.255.255.0",
            "22.31.1014.0",
            "Linux 6.1.0-9-amd64",
            "pci:v0000144Dd0000A80Asv0000144Dsd0000A801bc01sc08i02",
            "2026-11-22 08:30:00",
            "0-3,8-11",
        ] {
            assert_eq!(replaced(text), text);
        }
    }

    #[test]
    fn versions_of_four_numbers_are_no_addresses_where_versions_stand() {
        let mut tokens = Tokens::default();
        assert_eq!(replace("20.40.10.2", false, &mut tokens), "20.40.10.2");
    }
}
