//! Room on the file systems under a server's files.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use narrows_facts::{Live, Source as _, answer_within};
use narrows_io::Space;
use narrows_model::{FileSystemRoom, Observation, Role};

/// A file system that doesn't answer within this time is left alone: one of a network may hang for as long as its server.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

/// The folders of a server's data and of its WAL, as far as there is a path to them.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerFolders(Vec<(Role, PathBuf)>);

impl ServerFolders {
    pub(super) fn of([data, wal]: [Option<&Path>; 2]) -> ServerFolders {
        let of = |role, folder: Option<&Path>| folder.map(|folder| (role, folder.to_path_buf()));
        ServerFolders([of(Role::Data, data), of(Role::Wal, wal)].into_iter().flatten().collect())
    }

    /// Writes the room that there is now into what was observed.
    pub(super) fn tell(&self, seen: &mut Observation) {
        let file_systems = self.room();
        if let (false, Some(consumers)) = (file_systems.is_empty(), &mut seen.consumers) {
            consumers.reserves.get_or_insert_default().file_systems = file_systems;
        }
    }

    /// One row for each file system; none where one of them doesn't answer.
    fn room(&self) -> Vec<FileSystemRoom> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let folders = self.0.clone();
        answer_within(ANSWERS_WITHIN, move || ask(&folders)).unwrap_or_default()
    }
}

fn ask(folders: &[(Role, PathBuf)]) -> Vec<FileSystemRoom> {
    let mut found: Vec<(u64, FileSystemRoom)> = Vec::new();
    for (role, folder) in folders {
        let Ok(about) = std::fs::metadata(folder) else { continue };
        let same = found.iter_mut().find(|(device, _)| *device == about.dev());
        if let Some((_, room)) = same {
            room.roles.push(*role);
        } else if let Ok(space) = Space::of(folder) {
            let room = FileSystemRoom {
                roles: vec![*role],
                total_bytes: space.total_bytes as f64,
                available_bytes: space.available_bytes as f64,
                available_files: space.available_files.map(|files| files as f64),
                requests_in_flight: in_flight(about.dev()),
            };
            found.push((about.dev(), room));
        }
    }
    found.into_iter().map(|(_, room)| room).collect()
}

/// Requests in flight on a block device (`/sys/dev/block/…/inflight`: reads, writes).
fn in_flight(device: u64) -> Option<f64> {
    let (major, minor) = (libc::major(device), libc::minor(device));
    let bytes = Live.read(&format!("/sys/dev/block/{major}:{minor}/inflight")).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let counts: Option<Vec<f64>> = text.split_whitespace().map(|n| n.parse().ok()).collect();
    counts.filter(|counts| !counts.is_empty()).map(|counts| counts.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folders_of_one_file_system_are_one_row_and_one_that_is_gone_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let wal = dir.path().join("pg_wal");
        std::fs::create_dir(&wal).unwrap();
        let room = ServerFolders::of([Some(dir.path()), Some(&wal)]).room();
        let [one] = &room[..] else { panic!("{room:?}") };
        assert_eq!(one.roles, [Role::Data, Role::Wal]);
        assert!(one.total_bytes >= one.available_bytes && one.available_bytes > 0.0);
        let gone = ServerFolders::of([Some(&dir.path().join("gone")), Some(&wal)]).room();
        let [one] = &gone[..] else { panic!("{gone:?}") };
        assert_eq!(one.roles, [Role::Wal]);
        assert!(ServerFolders::default().room().is_empty());
    }
}
