//! The server of a table: in which start and which boot it is, and on which attached devices its files are.
//!
//! A row that a server gives may come from its own memory, or from the page cache of the kernel beneath it. Both forget only
//! when they are started afresh, so both are compared with what was noted before the first record.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use narrows_facts::{Live, Source};
use narrows_postgres::{Address, Connection, Endpoint, WireError};
use serde::{Deserialize, Serialize};

use crate::Acknowledged;

/// Bytes; the server writes some hundred into its `postmaster.pid`.
const LONGEST_PID_FILE: u64 = 64 << 10;

/// A server at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// When it was started (`pg_postmaster_start_time`), its own clock.
    pub started_unix_ms: u64,
    /// What its clock said when it was asked.
    pub now_unix_ms: u64,
    /// The boot of the machine that it runs on; absent where it doesn't tell.
    pub boot_id: Option<String>,
    /// Numbers of the attachments of the devices under its data and its log (Linux `Documentation/ABI/testing/sysfs-block`,
    /// `diskseq`): new when a device is attached again. Empty where they can't be seen.
    pub attachments: Vec<u64>,
}

/// How long a server may take from its process's start to the moment that it calls its start, s.
const LONGEST_START_S: u64 = 120;

/// Asks the server. The second is its data folder, where it is on this machine and its files can be seen.
///
/// # Errors
/// The server's, for what every user may ask.
pub(crate) fn look(
    connection: &mut Connection,
    address: &Address,
) -> Result<(Server, Option<PathBuf>), WireError> {
    let millis = |what: &str| format!("(extract(epoch FROM {what}) * 1000)::bigint");
    let (started, now) = (millis("pg_postmaster_start_time()"), millis("clock_timestamp()"));
    let rows = connection.query(&format!("SELECT {started}, {now}"))?;
    let number = |at: usize| {
        let field: Option<&String> = rows.first().and_then(|row| row.get(at)?.as_ref());
        field.and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    let here = narrows_platform::boot_id(&Live);
    // Only some users may.
    let told = connection.one("SELECT pg_read_file('/proc/sys/kernel/random/boot_id', 0, 36)");
    let told = told.ok().flatten().map(|id| id.trim().to_string()).filter(|id| !id.is_empty());
    let mut server = Server {
        started_unix_ms: number(0),
        now_unix_ms: number(1),
        boot_id: told,
        attachments: Vec::new(),
    };
    let near = match &server.boot_id {
        Some(told) => here.as_ref() == Some(told),
        None => address.is_local(),
    };
    let folder = if near { connection.one("SHOW data_directory").ok().flatten() } else { None };
    let folder = server.settle(&address.endpoint, here, folder.map(PathBuf::from));
    server.attachments = folder.as_deref().map(attachments).unwrap_or_default();
    Ok((server, folder))
}

impl Server {
    /// The folder, if it is this server's and here. A server that doesn't tell its boot has this machine's where its socket
    /// or its folder is here; an address of this machine alone may be the end of a tunnel.
    fn settle(
        &mut self,
        endpoint: &Endpoint,
        here: Option<String>,
        folder: Option<PathBuf>,
    ) -> Option<PathBuf> {
        let folder = folder.filter(|folder| self.lives_in(folder));
        if self.boot_id.is_none() && (folder.is_some() || matches!(endpoint, Endpoint::Unix { .. }))
        {
            self.boot_id = here;
        }
        folder
    }

    /// Whether that folder is this server's, and not one of the same path that its container can't see.
    fn lives_in(&self, folder: &Path) -> bool {
        let lock = narrows_files::read_text(&folder.join("postmaster.pid"), LONGEST_PID_FILE)
            .unwrap_or_default();
        let began: Option<u64> = lock.lines().nth(2).and_then(|line| line.trim().parse().ok());
        let started = self.started_unix_ms / 1000;
        began.is_some_and(|began| began.abs_diff(started) <= LONGEST_START_S)
    }

    /// Why rows that this server gives may come from a memory that the cut spared, if so. With `remounted` the user says that
    /// the machine beneath was started again, or the file systems were mounted again.
    pub(crate) fn doubt(&self, list: &Acknowledged, remounted: bool) -> Option<String> {
        let Some(before) = &list.terms.server else {
            return Some(
                "the list doesn't say in which start the server was: rows may come from its memory"
                    .to_string(),
            );
        };
        // From the second host's clock to the server's.
        let last = list.last_record_unix_ms.unwrap_or(list.began_unix_ms);
        let last = (last + before.now_unix_ms).saturating_sub(list.began_unix_ms);
        if self.started_unix_ms == before.started_unix_ms || self.started_unix_ms <= last {
            return Some(
                "the server was, by its clock, not started after the last acknowledged row: rows may come from its memory, not from \
                 the medium"
                    .to_string(),
            );
        }
        let same_kernel = before.boot_id.as_ref().zip(self.boot_id.as_ref()).map(|(a, b)| a == b);
        match same_kernel {
            Some(false) => None,
            _ if remounted || self.is_attached_afresh(before) => None,
            Some(true) => Some(
                "the kernel under the server is the one that wrote: rows may come from its memory. Before the server is \
                 started, unmount its file systems and mount them again; then --remounted"
                    .to_string(),
            ),
            None => Some(
                "whether the kernel under the server is the one that wrote can't be told: ask over its Unix socket, or as a \
                 user who may read files there (pg_read_server_files), or say with --remounted that it was started again"
                    .to_string(),
            ),
        }
    }

    /// Whether each device was attached anew, and nothing that the kernel kept of the old ones is its own.
    fn is_attached_afresh(&self, before: &Server) -> bool {
        let (old, new) = (&before.attachments, &self.attachments);
        !old.is_empty() && !new.is_empty() && new.iter().all(|number| !old.contains(number))
    }
}

/// Of the devices under data and log; empty if one of them is not known.
fn attachments(folder: &Path) -> Vec<u64> {
    let of = |folder: &Path| attachment(fs::metadata(folder).ok()?.dev());
    let both: Option<Vec<u64>> = [of(folder), of(&folder.join("pg_wal"))].into_iter().collect();
    both.unwrap_or_default()
}

/// Of the disk that has that number, or a partition with it. File systems on no single device have none.
fn attachment(device: u64) -> Option<u64> {
    let source: &dyn Source = &Live;
    let folder = source.real_path(&format!("/sys/dev/block/{}", number(device))).ok()?;
    let disk = folder.rfind('/').map(|end| &folder[..end]);
    let at = |folder: &str| source.number(&format!("{folder}/diskseq"));
    at(&folder).or_else(|| at(disk.filter(|_| source.exists(&format!("{folder}/partition")))?))
}

/// `major:minor` of a device's number.
pub(crate) fn number(device: u64) -> String {
    format!("{}:{}", libc::major(device), libc::minor(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Machine, RecordLocation, RunId, Terms};

    fn server(started_unix_ms: u64, boot: Option<&str>, attachments: &[u64]) -> Server {
        Server {
            started_unix_ms,
            now_unix_ms: 50_000,
            boot_id: boot.map(String::from),
            attachments: attachments.to_vec(),
        }
    }

    /// The second host's clock is 40 s behind the server's, and the last row came at 20 s of it: 60 s of the server's.
    fn list(server: Option<Server>) -> Acknowledged {
        let terms = Terms {
            run: RunId(7),
            writer: Machine { host: "db".into(), boot_id: "w".into(), machine: None },
            target: "db".into(),
            method: "commit".into(),
            flushes: true,
            place: RecordLocation::Table { name: "t".into(), streams: 1 },
            local_medium: false,
            elsewhere: None,
            server,
            mount_point: None,
            power: Vec::new(),
            drives: 0,
            same_host: false,
        };
        Acknowledged {
            collector: terms.writer.clone(),
            terms,
            streams: Vec::new(),
            end: Some(End::Failed("gone".into())),
            began_unix_ms: 10_000,
            last_record_unix_ms: Some(20_000),
            last_heard_unix_ms: Some(20_000),
        }
    }

    #[test]
    fn a_server_that_was_not_started_after_the_last_row_may_answer_from_memory() {
        let listed = list(Some(server(1000, Some("a"), &[3, 3])));
        let doubt = |now: Server| now.doubt(&listed, true).unwrap_or_default();
        for started in [1000, 59_999, 60_000] {
            let text = doubt(server(started, Some("b"), &[]));
            assert!(text.contains("from its memory"), "{started}: {text}");
        }
        assert_eq!(doubt(server(60_001, Some("b"), &[])), "");
        assert!(server(70_000, Some("b"), &[]).doubt(&list(None), true).is_some());
    }

    #[test]
    fn a_kernel_that_lived_on_may_answer_too() {
        let listed = list(Some(server(1000, Some("a"), &[3, 4])));
        for (boot, attachments, remounted, silent) in [
            // The machine was started again.
            (Some("b"), &[3, 4][..], false, true),
            (Some("a"), &[3, 4], false, false),
            (Some("a"), &[3, 4], true, true),
            // Both devices are new; the log's alone is; nobody knows.
            (Some("a"), &[8, 9], false, true),
            (Some("a"), &[3, 9], false, false),
            (Some("a"), &[], false, false),
            (None, &[], false, false),
            (None, &[], true, true),
        ] {
            let now = server(70_000, boot, attachments);
            let doubt = now.doubt(&listed, remounted);
            assert_eq!(doubt.is_none(), silent, "{boot:?} {attachments:?} {remounted}: {doubt:?}");
        }
        let unseen = list(Some(server(1000, Some("a"), &[])));
        assert!(server(70_000, Some("a"), &[8, 9]).doubt(&unseen, false).is_some());
    }

    #[test]
    fn only_the_folder_of_this_very_server_counts() {
        let folder = tempfile::tempdir().unwrap();
        let now = server(1_700_000_000_500, None, &[]);
        assert!(!now.lives_in(folder.path()), "nobody lives there");
        let lock = folder.path().join("postmaster.pid");
        fs::write(&lock, "77\n/data\n1700000000\n5432\n").unwrap();
        assert!(now.lives_in(folder.path()));
        fs::write(&lock, "77\n/data\n1600000000\n5432\n").unwrap();
        assert!(!now.lives_in(folder.path()), "an older server's");
    }

    #[test]
    fn the_end_of_a_tunnel_is_not_taken_for_a_server_here() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("postmaster.pid");
        let tcp = Address::parse("postgres://localhost").unwrap().endpoint;
        let socket = Endpoint::Unix { folder: "/run/postgresql".into(), port: 5432 };
        let settle = |endpoint: &Endpoint, told: Option<&str>, began: u64| {
            fs::write(&lock, format!("77\n/data\n{began}\n5432\n")).unwrap();
            let mut server = server(1_700_000_000_500, told, &[]);
            let here = Some("here".to_string());
            let found = server.settle(endpoint, here, Some(folder.path().to_path_buf()));
            (server.boot_id, found.is_some())
        };
        let (here, there) = (Some("here".to_string()), Some("there".to_string()));
        let (its_own, anothers) = (1_700_000_000, 1_600_000_000);
        assert_eq!(settle(&tcp, None, anothers), (None, false));
        assert_eq!(settle(&tcp, None, its_own), (here.clone(), true));
        assert_eq!(settle(&socket, None, anothers), (here, false));
        assert_eq!(settle(&tcp, Some("there"), anothers), (there, false));
    }
}
