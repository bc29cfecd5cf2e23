//! Names and what stands for them: one name has one stand-in throughout a run, and nothing of the name is in it.

use std::collections::BTreeMap;

use narrows_mariadb::observe::SocketAddress;
use narrows_postgres::{Address, Endpoint};

/// What a name is of. Numbered, not digests: names are few enough to try them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Of {
    /// A machine, by name or address.
    Host,
    /// The digest of a machine's id.
    Machine,
    /// A boot's id.
    Boot,
    /// A user or role of the database.
    User,
    Database,
    /// A folder, a file, a mount point.
    Folder,
    /// What a file system is mounted from.
    Source,
    Standby,
    Program,
    /// `application_name`.
    Application,
    /// A table, its schema with it, or what belongs to one.
    Table,
    /// A replication slot, or a prepared transaction.
    Slot,
    /// A database's whole address, its port with it, or that of storage.
    Address,
    /// A storage target's subsystem, or a host's NQN.
    Nqn,
    /// A serial number.
    Serial,
    /// A network interface.
    Interface,
}

impl Of {
    fn word(self) -> &'static str {
        match self {
            Of::Host => "host",
            Of::Machine => "machine",
            Of::Boot => "boot",
            Of::User => "user",
            Of::Database => "database",
            Of::Folder => "/folder",
            Of::Source => "source",
            Of::Standby => "standby",
            Of::Program => "program",
            Of::Application => "application",
            Of::Table => "table",
            Of::Slot => "slot",
            Of::Address => "address",
            Of::Nqn => "nqn",
            Of::Serial => "serial",
            Of::Interface => "interface",
        }
    }

    /// Names that name nobody: everybody has them.
    fn everybodys(self) -> &'static [&'static str] {
        match self {
            Of::User | Of::Database => &["postgres"],
            Of::Host => &["localhost", "local", "127.0.0.1", "::1"],
            Of::Folder => &[
                "/",
                ".",
                "/tmp",
                "/var/tmp",
                "/dev/shm",
                "/run",
                "/run/postgresql",
                "/var/run/postgresql",
                "/etc/hosts",
            ],
            Of::Source => &["tmpfs", "overlay", "none"],
            Of::Application => &["psql", "pgbench", "pg_dump", "pg_basebackup", "narrows"],
            Of::Interface => &["lo"],
            Of::Machine
            | Of::Boot
            | Of::Standby
            | Of::Program
            | Of::Table
            | Of::Slot
            | Of::Address
            | Of::Nqn
            | Of::Serial => &[],
        }
    }
}

/// Names seen so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: BTreeMap<(Of, String), String>,
    counts: BTreeMap<Of, usize>,
}

impl Names {
    /// What stands for a name.
    pub(super) fn name(&mut self, of: Of, name: &str) -> String {
        if name.is_empty() || of.everybodys().contains(&name) {
            return name.to_string();
        }
        if let Some(stands) = self.known.get(&(of, name.to_string())) {
            return stands.clone();
        }
        let count = self.counts.entry(of).or_default();
        *count += 1;
        let stands = format!("{}-{count}", of.word());
        self.known.insert((of, name.to_string()), stands.clone());
        stands
    }

    /// In the place where the name stands.
    pub(super) fn rename(&mut self, of: Of, name: &mut String) {
        *name = self.name(of, name);
    }

    /// The same, where there is one.
    pub(super) fn rename_any(&mut self, of: Of, name: &mut Option<String>) {
        if let Some(name) = name {
            self.rename(of, name);
        }
    }

    /// A database's address, without its port.
    pub(super) fn address(&mut self, address: &Address) -> String {
        let user = self.name(Of::User, &address.user);
        let database = self.name(Of::Database, &address.database);
        let stands = match &address.endpoint {
            Endpoint::Tcp { host, at, .. } => {
                if let Some(at) = at {
                    self.name(Of::Host, &at.to_string());
                }
                format!("postgres://{user}@{}/{database}", self.name(Of::Host, host))
            }
            Endpoint::Unix { folder, .. } => {
                let folder = self.name(Of::Folder, &folder.to_string_lossy());
                format!("postgres://{user}@/{database}?host={folder}")
            }
        };
        for text in [address.to_string(), address.masked()] {
            self.known.insert((Of::Address, text), stands.clone());
        }
        stands
    }

    /// Learns the address of storage, as it was written and as it is told, and what is in it. Of one that can't be read nothing but its
    /// whole is known.
    pub(super) fn storage(&mut self, text: &str) {
        self.name(Of::Address, text);
        if let Ok(address) = text.parse::<narrows_initiator::Address>() {
            let stands = self.name(Of::Address, text);
            self.known.insert((Of::Address, address.to_string()), stands);
            self.name(Of::Host, &address.host);
            self.name(Of::Nqn, &address.subsystem.to_string());
            if let Some(host) = &address.host_nqn {
                self.name(Of::Nqn, &host.to_string());
            }
        } else if let Some((host, _)) = text.rsplit_once(':') {
            self.name(Of::Host, host);
        }
    }

    /// In the place where a folder stands, or the address of storage.
    pub(super) fn rename_place(&mut self, place: &mut String) {
        let of = match narrows_initiator::Address::is_meant(place) {
            true => Of::Address,
            false => Of::Folder,
        };
        self.rename(of, place);
    }

    /// The same, as text; one that can't be read is left out.
    pub(super) fn rename_address(&mut self, text: &mut String) {
        if SocketAddress::is_meant(text) {
            *text = self.socket(text);
            return;
        }
        *text = match Address::parse(text) {
            Ok(address) => self.address(&address),
            Err(_) => "postgres://…".to_string(),
        };
    }

    /// The address of a MariaDB: its user and its socket.
    fn socket(&mut self, text: &str) -> String {
        let Ok(address) = SocketAddress::parse(text, "") else {
            return "mariadb://…".to_string();
        };
        let user = self.name(Of::User, &address.user);
        let folder = self.name(Of::Folder, &address.socket.to_string_lossy());
        let stands = format!("mariadb://{user}@/?socket={folder}");
        self.known.insert((Of::Address, text.to_string()), stands.clone());
        stands
    }

    /// A sentence that quotes names which are known already: whole words of it.
    pub(super) fn sentence(&self, text: &str) -> String {
        let mut names: Vec<(&str, &str)> =
            self.known.iter().map(|((_, name), stands)| (name.as_str(), stands.as_str())).collect();
        // The longer first: a folder begins with its mount point.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let mut said = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let found = names.iter().find(|(name, _)| stands_here(&said, rest, name));
            if let Some((name, stands)) = found {
                said += stands;
                rest = &rest[name.len()..];
                // What lies below a folder is called after somebody too.
                if name.starts_with('/') && rest.starts_with('/') {
                    rest = &rest[rest.find(ends_a_path).unwrap_or(rest.len())..];
                }
            } else {
                let mut chars = rest.chars();
                said.extend(chars.next());
                rest = chars.as_str();
            }
        }
        said
    }

    /// A sentence of the run file: its folders and files are names, also those that are no place of the machine.
    pub(super) fn rename_sentence(&mut self, text: &mut String) {
        for path in paths(text) {
            self.name(Of::Folder, &path);
        }
        *text = self.sentence(text);
    }
}

/// Whether `name` stands at the beginning of `rest` as a word, or as the beginning of a path.
fn stands_here(before: &str, rest: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let inside = |c: char| word(c) || c == '-';
    let begins = !name.starts_with(word) || !before.ends_with(inside);
    let after = rest.strip_prefix(name);
    begins && after.is_some_and(|after| !name.ends_with(word) || !after.starts_with(inside))
}

fn ends_a_path(c: char) -> bool {
    c.is_whitespace() || ",;:()[]'\"`".contains(c)
}

/// Absolute paths in a sentence, those of the kernel's own folders left out.
fn paths(text: &str) -> Vec<String> {
    let words = text.split(ends_a_path).map(|word| word.trim_end_matches('.'));
    let after_equals = words.map(|word| word.rsplit_once('=').map_or(word, |(_, value)| value));
    let absolute = after_equals.filter(|word| {
        let mut chars = word.chars();
        chars.next() == Some('/') && chars.next().is_some_and(|c| c.is_alphanumeric() || c == '.')
    });
    let kernels = |path: &&str| ["/proc/", "/sys/", "/dev/"].iter().any(|of| path.starts_with(of));
    absolute.filter(|path| !kernels(path)).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_stand_in_and_everybodys_names_stay() {
        let mut names = Names::default();
        assert_eq!(names.name(Of::Host, "db7"), "host-1");
        assert_eq!(names.name(Of::Host, "db8"), "host-2");
        assert_eq!(names.name(Of::Host, "db7"), "host-1");
        assert_eq!(names.name(Of::User, "postgres"), "postgres");
        let address = Address::parse("postgres://alice@db7:6543/shop").unwrap();
        assert_eq!(names.address(&address), "postgres://user-1@host-1/database-1");
        let said = names.sentence("window 1 of postgres://alice@db7:6543/shop, shop");
        assert_eq!(said, "window 1 of postgres://user-1@host-1/database-1, database-1");
        let secret = Address::parse("postgres://alice:S3cret@db7:6543/shop").unwrap();
        assert_eq!(names.address(&secret), "postgres://user-1@host-1/database-1");
        let said = names.sentence(&format!("cannot connect to {}: refused", secret.masked()));
        assert_eq!(said, "cannot connect to postgres://user-1@host-1/database-1: refused");
        let address = Address::parse("postgres://alice@/shop?host=/srv/acme&port=6543").unwrap();
        assert_eq!(names.address(&address), "postgres://user-1@/database-1?host=/folder-1");
    }

    #[test]
    fn an_address_of_storage_is_one_name_and_its_parts_are_names() {
        let mut names = Names::default();
        let text = "nvme-tcp://acme-san:4420/nqn.2026-11.com.acme:shop";
        names.storage(text);
        names.storage("acme-echo:4430");
        let mut place = format!("{text}?ns=1");
        names.rename_place(&mut place);
        assert_eq!(place, "address-1");
        for (said, without) in [
            (format!("{text}: refused"), "address-1: refused"),
            (format!("fabric to {text}?ns=1"), "fabric to address-1"),
            ("no nqn.2026-11.com.acme:shop at acme-san".to_string(), "no nqn-1 at host-1"),
            ("the echo at acme-echo:4430".to_string(), "the echo at address-2"),
        ] {
            assert_eq!(names.sentence(&said), without);
        }
    }

    #[test]
    fn sentences_lose_whole_words_and_their_folders() {
        let mut names = Names::default();
        names.name(Of::User, "app");
        names.name(Of::Folder, "/srv/acme");
        names.name(Of::Host, "db7");
        assert_eq!(names.sentence("below /srv/acme/beta, and"), "below /folder-1, and");
        let mut said = |text: &str| {
            let mut text = text.to_string();
            names.rename_sentence(&mut text);
            text
        };
        assert_eq!(said("GRANT pg_monitor TO app"), "GRANT pg_monitor TO user-1");
        assert_eq!(
            said("application, wrapper, app_2 and app-2"),
            "application, wrapper, app_2 and app-2"
        );
        assert_eq!(said("in /srv/acme: full"), "in /folder-1: full");
        assert_eq!(said("cannot open /srv/beta/x (denied)."), "cannot open /folder-2 (denied).");
        assert_eq!(
            said("I/O of /proc/stat, 4 MB/s, read / write"),
            "I/O of /proc/stat, 4 MB/s, read / write"
        );
        assert_eq!(said("wal=/srv/gamma, db7."), "wal=/folder-3, host-1.");
    }
}
