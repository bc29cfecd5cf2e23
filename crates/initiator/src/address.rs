//! Where a namespace is: `nvme-tcp://HOST:PORT/SUBSYSTEM-NQN?ns=1&digest=data`. Secrets stand in files, whose names may stand here.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use narrows_nvme::digest::Digests;
use narrows_nvme::{IO_PORT, Nqn};

use crate::reconnect::{IO_TIMEOUT_S, KEEP_ALIVE_S, Reconnect};

/// What addresses begin with.
const SCHEME: &str = "nvme-tcp://";
/// Longest time that is taken, seconds: a day.
const MOST_S: u32 = 86_400;
/// Most I/O queues that are taken: each is a thread's.
const MOST_QUEUES: u16 = 1024;

/// What secrets begin with: that of an authentication, and a pre-shared key of TLS.
const OF_SECRETS: [&str; 2] = ["DHHC-", "NVMeTLSkey-"];

/// What other options of `nvme connect` that are about TLS begin with.
const OF_TLS: [&str; 3] = ["tls", "keyring", "concat"];
/// What is said to them.
const HOW_TLS: &str = "TLS is used where the file of its key is named: `tls-key-file=FILE`";

/// A namespace at a target, and how it is to be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Name or IP address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// The subsystem.
    pub subsystem: Nqn,
    /// NSID.
    pub namespace: u32,
    /// I/O queues that a load has; as many as it takes where none is said.
    pub queues: Option<u16>,
    /// Digests that are asked for.
    pub digests: Digests,
    /// The name that this host gives itself; its own where none is said.
    pub host_nqn: Option<Nqn>,
    /// File of the secret that this host proves (DH-HMAC-CHAP).
    pub key_file: Option<PathBuf>,
    /// File of the secret that the target has to prove.
    pub ctrl_key_file: Option<PathBuf>,
    /// File of the key of TLS, by which it is used.
    pub tls_key_file: Option<PathBuf>,
    /// Keep-alive timeout, seconds: so long one side may be silent before the other takes it for gone.
    pub keep_alive_s: u32,
    /// I/O timeout, seconds: a command that is not answered for so long means that the connections are lost, though Keep Alive is
    /// answered.
    pub io_timeout_s: u32,
    /// What is done about a lost connection; without it the loss is an error.
    pub reconnect: Option<Reconnect>,
}

/// Why a text is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no NVMe/TCP address: {reason}")]
pub struct InvalidAddress {
    text: String,
    reason: String,
}

impl Address {
    /// Whether a text is meant as one.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(SCHEME)
    }
}

impl FromStr for Address {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Address, InvalidAddress> {
        // Neither text nor option is quoted where a secret itself stands there.
        if let Some(of) = OF_SECRETS.into_iter().find(|of| text.contains(of)) {
            let reason = match of {
                "DHHC-" => {
                    "a secret stands in a file, which the address names: `dhchap-key-file=FILE`"
                }
                _ => "a key stands in a file, which the address names: `tls-key-file=FILE`",
            };
            let text = format!("{SCHEME}…");
            return Err(InvalidAddress { text, reason: reason.to_string() });
        }
        parse(text).map_err(|reason| InvalidAddress { text: text.to_string(), reason })
    }
}

fn parse(text: &str) -> Result<Address, String> {
    let rest = text.strip_prefix(SCHEME).ok_or_else(|| format!("it begins with {SCHEME}"))?;
    let (whole, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (place, subsystem) = whole
        .split_once('/')
        .ok_or("after HOST:PORT comes / and the subsystem's NQN; `nvme discover` lists them")?;
    if options.is_empty() && subsystem.contains('&') && subsystem.contains('=') {
        return Err("the first option follows a `?`, others a `&`: …/NQN?ns=1&queues=4".to_string());
    }
    // Not quoted: what stands there may be a password.
    if place.contains('@') {
        return Err("no user stands before HOST:PORT".to_string());
    }
    let (host, port) = host_and_port(place)?;
    let subsystem = subsystem.parse().map_err(|why| format!("{why}"))?;
    let mut address = Address {
        host,
        port,
        subsystem,
        namespace: 1,
        queues: None,
        digests: Digests::NONE,
        host_nqn: None,
        key_file: None,
        ctrl_key_file: None,
        tls_key_file: None,
        keep_alive_s: KEEP_ALIVE_S,
        io_timeout_s: IO_TIMEOUT_S,
        reconnect: None,
    };
    let (mut delay_s, mut loss_s) = (None, None);
    for option in options.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("ns", number)) => {
                let number = number.parse().ok().filter(|number| *number > 0);
                address.namespace = number.ok_or_else(|| format!("`{option}`: a number from 1"))?;
            }
            Some(("queues", number)) => {
                let number =
                    number.parse().ok().filter(|number| (1..=MOST_QUEUES).contains(number));
                let why = || format!("`{option}`: a number from 1 to {MOST_QUEUES}");
                address.queues = Some(number.ok_or_else(why)?);
            }
            Some(("digest", "header")) => address.digests.header = true,
            Some(("digest", "data")) => address.digests.data = true,
            Some(("digest", "both")) => address.digests = Digests { header: true, data: true },
            Some(("hostnqn", name)) => {
                address.host_nqn = Some(name.parse().map_err(|why| format!("{why}"))?);
            }
            Some(("dhchap-key-file", file)) if !file.is_empty() => {
                address.key_file = Some(file.into());
            }
            Some(("dhchap-ctrl-key-file", file)) if !file.is_empty() => {
                address.ctrl_key_file = Some(file.into());
            }
            Some(("tls-key-file" | "tls-key", file)) if !file.is_empty() => {
                address.tls_key_file = Some(file.into());
            }
            Some(("keep-alive-tmo", seconds)) => {
                address.keep_alive_s = seconds_of(option, seconds, 1)?
            }
            Some(("io-timeout", seconds)) => address.io_timeout_s = seconds_of(option, seconds, 1)?,
            Some(("reconnect-delay", seconds)) => delay_s = Some(seconds_of(option, seconds, 1)?),
            Some(("ctrl-loss-tmo", seconds)) if seconds.starts_with('-') => {
                return Err(format!(
                    "`{option}`: a run that waits for ever has no result; say for how many seconds at most"
                ));
            }
            Some(("ctrl-loss-tmo", seconds)) => loss_s = Some(seconds_of(option, seconds, 0)?),
            Some(("fast-io-fail-tmo", _)) => {
                return Err(format!(
                    "`{option}`: operations that fail are no measurement; `ctrl-loss-tmo` says how long they wait before the run fails"
                ));
            }
            _ if OF_TLS.iter().any(|name| option.starts_with(name)) => {
                return Err(format!("`{option}`: {HOW_TLS}"));
            }
            _ => {
                let known = "ns=N, queues=N, digest=header, digest=data, digest=both, hostnqn=NQN, dhchap-key-file=FILE, dhchap-ctrl-key-file=FILE, tls-key-file=FILE, keep-alive-tmo=SECONDS, io-timeout=SECONDS, reconnect-delay=SECONDS, ctrl-loss-tmo=SECONDS";
                return Err(format!("`{option}` is none of {known}"));
            }
        }
    }
    if address.ctrl_key_file.is_some() && address.key_file.is_none() {
        let why = "a target proves itself only to a host that does: `dhchap-key-file` is missing";
        return Err(why.to_string());
    }
    address.reconnect = Reconnect::asked(delay_s, loss_s);
    Ok(address)
}

fn seconds_of(option: &str, text: &str, least: u32) -> Result<u32, String> {
    let seconds = text.parse().ok().filter(|seconds| (least..=MOST_S).contains(seconds));
    seconds.ok_or_else(|| format!("`{option}`: seconds, {least} to {MOST_S}"))
}

fn host_and_port(place: &str) -> Result<(String, u16), String> {
    let (host, rest) = match place.strip_prefix('[') {
        Some(bracketed) => {
            bracketed.split_once(']').ok_or("the bracket of its IPv6 address is not closed")?
        }
        None => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    if host.is_empty() {
        return Err("it names no host".to_string());
    }
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => IO_PORT,
        port => {
            let number = port.and_then(|port| port.parse().ok()).filter(|port| *port > 0);
            number.ok_or_else(|| format!("`{rest}` is no port"))?
        }
    };
    Ok((host.to_string(), port))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        write!(f, "{SCHEME}{open}{}{close}:{}/{}", self.host, self.port, self.subsystem)?;
        write!(f, "?ns={}", self.namespace)?;
        if let Some(queues) = self.queues {
            write!(f, "&queues={queues}")?;
        }
        match (self.digests.header, self.digests.data) {
            (false, false) => {}
            (true, false) => f.write_str("&digest=header")?,
            (false, true) => f.write_str("&digest=data")?,
            (true, true) => f.write_str("&digest=both")?,
        }
        if let Some(name) = &self.host_nqn {
            write!(f, "&hostnqn={name}")?;
        }
        let files = [("key", &self.key_file), ("ctrl-key", &self.ctrl_key_file)];
        for (name, file) in
            files.into_iter().filter_map(|(name, file)| Some((name, file.as_ref()?)))
        {
            write!(f, "&dhchap-{name}-file={}", file.display())?;
        }
        if let Some(file) = &self.tls_key_file {
            write!(f, "&tls-key-file={}", file.display())?;
        }
        if self.keep_alive_s != KEEP_ALIVE_S {
            write!(f, "&keep-alive-tmo={}", self.keep_alive_s)?;
        }
        if self.io_timeout_s != IO_TIMEOUT_S {
            write!(f, "&io-timeout={}", self.io_timeout_s)?;
        }
        self.reconnect.map_or(Ok(()), |reconnect| {
            let Reconnect { delay_s, loss_s } = reconnect;
            write!(f, "&reconnect-delay={delay_s}&ctrl-loss-tmo={loss_s}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        let short: Address = "nvme-tcp://storage-1/nqn.2026-11.org.example:disk".parse().unwrap();
        assert_eq!((short.host.as_str(), short.port, short.namespace), ("storage-1", 4420, 1));
        let whole = "nvme-tcp://[2001:db8::1]:8009/nqn.2026-11.org.example:a?ns=7&queues=4&digest=both&hostnqn=nqn.x:h&dhchap-key-file=/etc/nvme/host.key&dhchap-ctrl-key-file=target.key&tls-key-file=/etc/nvme/tls.key&io-timeout=5";
        let address: Address = whole.parse().unwrap();
        assert_eq!((address.host.as_str(), address.io_timeout_s), ("2001:db8::1", 5));
        assert!(address.digests.header && address.digests.data);
        assert_eq!((short.queues, address.queues), (None, Some(4)));
        assert_eq!(address.to_string(), whole);
        assert_eq!(address.to_string().parse(), Ok(address));
    }

    #[test]
    fn without_an_option_a_lost_connection_is_an_error_and_one_option_brings_the_other() {
        let read = |options: &str| {
            let address: Address = format!("nvme-tcp://a/nqn.x?{options}").parse().unwrap();
            assert_eq!(address.to_string().parse(), Ok(address.clone()));
            (address.keep_alive_s, address.reconnect)
        };
        let of = |delay_s, loss_s| Some(Reconnect { delay_s, loss_s });
        assert_eq!(read(""), (15, None));
        assert_eq!(read("keep-alive-tmo=5"), (5, None));
        assert_eq!(read("reconnect-delay=1"), (15, of(1, 600)));
        assert_eq!(read("ctrl-loss-tmo=30"), (15, of(10, 30)));
        assert_eq!(read("reconnect-delay=2&ctrl-loss-tmo=5"), (15, of(2, 5)));
        // As in Linux: no attempt.
        assert_eq!(read("reconnect-delay=2&ctrl-loss-tmo=0"), (15, None));
    }

    #[test]
    fn what_is_missing_or_wrong_is_told() {
        let why = |text: &str| text.parse::<Address>().unwrap_err().to_string();
        assert!(why("nvme-tcp://a:4420").contains("the subsystem's NQN"));
        assert!(why("nvme-tcp://:4420/nqn.x").contains("names no host"));
        assert!(why("nvme-tcp://a:x/nqn.x").contains("`:x` is no port"));
        assert!(why("nvme-tcp://app:S3cret@a/nqn.x").ends_with("no user stands before HOST:PORT"));
        assert!(why("nvme-tcp://a/iqn.x").contains("begins with `nqn.`"));
        assert!(why("nvme-tcp://a/nqn.x?ns=0").contains("from 1"));
        assert!(why("nvme-tcp://a/nqn.x?qd=4").contains("none of ns=N, queues=N"));
        for queues in ["0", "1025", "-1", "many", ""] {
            let said = why(&format!("nvme-tcp://a/nqn.x?queues={queues}"));
            assert!(said.contains("a number from 1 to 1024"), "{said}");
        }
        assert!(why("nvme-tcp://[::1/nqn.x").contains("not closed"));
        assert!(why("nvme-tcp://a/nqn.x?dhchap-key-file=").contains("none of ns=N"));
        assert!(why("nvme-tcp://a/nqn.x?dhchap-ctrl-key-file=f").contains("is missing"));
        let secret = why("nvme-tcp://a/nqn.x?dhchap-key-file=DHHC-1:00:S3cret:");
        assert!(secret.contains("stands in a file") && !secret.contains("S3cret"), "{secret}");
        for option in [
            "tls",
            "tls=1",
            "tls_key=1234",
            "tls_key_identity=a",
            "keyring=.nvme",
            "concat",
            "tls-key=",
        ] {
            let said = why(&format!("nvme-tcp://a/nqn.x?{option}"));
            assert!(said.contains(&format!("`{option}`: TLS is used where")), "{said}");
            assert!(said.contains("`tls-key-file=FILE`"), "{said}");
        }
        let key = why("nvme-tcp://a/nqn.x?tls-key=NVMeTLSkey-1:01:S3cret:");
        assert!(key.contains("`tls-key-file=FILE`") && !key.contains("S3cret"), "{key}");
        assert!(why("nvme-tcp://a/nqn.x&hostnqn=nqn.y").contains("follows a `?`"));
        assert!(why("nvme-tcp://a/nqn.x?reconnect-delay=0").contains("seconds, 1 to 86400"));
        assert!(why("nvme-tcp://a/nqn.x?io-timeout=0").contains("seconds, 1 to 86400"));
        assert!(why("nvme-tcp://a/nqn.x?ctrl-loss-tmo=-1").contains("waits for ever"));
        assert!(why("nvme-tcp://a/nqn.x?fast-io-fail-tmo=5").contains("ctrl-loss-tmo"));
    }
}
