//! May this machine, or the user's server, be loaded? A running database is never loaded unasked.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_model::{DatabaseChoice, Layer, Platform, RunningDatabase};

use crate::failure::Failure;
use crate::resolved::Resolved;
use crate::server_address;
use crate::ui::Ui;

/// Refuses where a database runs, may run, or would itself be loaded, unless the user took responsibility.
///
/// # Errors
/// Such a database, and nobody took responsibility.
pub fn server(resolved: &Resolved, load_here: bool, ui: &dyn Ui) -> Result<()> {
    let url = match &resolved.plan.database {
        DatabaseChoice::Url(address) if resolved.has(Layer::Database) => Some(address.as_str()),
        _ => None,
    };
    let folders = [resolved.data_dir.as_path(), resolved.wal_dir.as_path()];
    decide(found(&resolved.platform, &folders, url), load_here, ui)
}

/// The same where only storage is measured, below `folders`.
///
/// # Errors
/// A database runs there, and nobody took responsibility.
pub fn storage(
    platform: &Platform,
    folders: &[PathBuf],
    load_here: bool,
    ui: &dyn Ui,
) -> Result<()> {
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    decide(found(platform, &folders, None), load_here, ui)
}

fn decide(found: Option<Finding>, load_here: bool, ui: &dyn Ui) -> Result<()> {
    let Some(found) = found else { return Ok(()) };
    if load_here {
        ui.say(&format!("warning: {}; it is loaded because of --load-here", found.what));
        return Ok(());
    }
    Err(Failure::hinted(format!("{}: {}", found.what, found.consequence), found.way_out()))
}

/// Whether no database is found that a run would disturb: none runs here, and none may have its files in these folders.
pub fn none_runs(platform: &Platform, folders: &[PathBuf]) -> bool {
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    found(platform, &folders, None).is_none()
}

struct Finding {
    what: String,
    consequence: &'static str,
    whose: &'static str,
    /// What `narrows observe` is given for it; `None` where it is none that can be observed.
    observed_at: Option<String>,
}

impl Finding {
    fn way_out(&self) -> String {
        let whose = self.whose;
        let all_the_same =
            format!("--load-here measures all the same, if {whose} may be slow for the whole run");
        match &self.observed_at {
            Some(address) => {
                format!("to see what slows it: narrows observe {address}; {all_the_same}")
            }
            None => all_the_same,
        }
    }
}

/// Stands for an address that is not known.
const UNKNOWN_ADDRESS: &str = "ADDRESS";
/// The kind of server that can be observed.
const OBSERVED_KIND: &str = "postgresql";

/// How the first of them that can be observed is reached.
fn observed_at(databases: &[RunningDatabase]) -> Option<String> {
    let server = databases.iter().find(|server| server.kind == OBSERVED_KIND)?;
    let found = server_address::of_process(server.pid);
    Some(found.unwrap_or_else(|| UNKNOWN_ADDRESS.to_string()))
}

fn found(platform: &Platform, folders: &[&Path], url: Option<&str>) -> Option<Finding> {
    if let Some(address) = url {
        return Some(Finding {
            what: format!("{address} is a server in use"),
            consequence: "a run would fill a table in a schema of its own there and keep the server's CPUs, memory and drives busy for minutes",
            whose: "that server",
            // A shell takes an `&` apart.
            observed_at: Some(format!("'{address}'")),
        });
    }
    let consequence = match folders {
        [] => "measuring would use its CPUs and memory, and its own work would distort the results",
        _ => {
            "a run would use its CPUs, memory and drives for minutes, and its own work would distort the results"
        }
    };
    if let Some(what) = running(&platform.databases) {
        let observed_at = observed_at(&platform.databases);
        return Some(Finding { what, consequence, whose: "that database", observed_at });
    }
    let home = folders.iter().find_map(|folder| server_home(folder))?;
    Some(Finding {
        what: format!(
            "{} is a PostgreSQL data folder with a postmaster.pid: the server may run where its processes are not visible from here, as in another container",
            home.display()
        ),
        consequence,
        whose: "that database",
        observed_at: Some(
            server_address::of_folder(home).unwrap_or_else(|| UNKNOWN_ADDRESS.to_string()),
        ),
    })
}

/// The data folder of a PostgreSQL that runs or crashed, if `folder` is one or lies in one.
fn server_home(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .find(|above| above.join("postmaster.pid").exists() && above.join("PG_VERSION").exists())
}

fn running(databases: &[RunningDatabase]) -> Option<String> {
    let first = databases.first()?;
    let place = first.data_dir.as_ref().map_or(String::new(), |dir| format!(", {dir}"));
    let drives = if first.shares_role.is_empty() { "" } else { " on the drives to be measured" };
    let more = match databases.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    Some(format!("{} (process {}{place}){more} runs here{drives}", first.kind, first.pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> RunningDatabase {
        RunningDatabase {
            kind: "postgresql".into(),
            pid: 12,
            data_dir: Some("/srv/pg".into()),
            shares_role: Vec::new(),
        }
    }

    fn sentence(platform: &Platform, folders: &[&Path], url: Option<&str>) -> Option<String> {
        found(platform, folders, url).map(|found| found.what)
    }

    #[test]
    fn a_running_database_is_refused_by_name() {
        let platform = Platform { databases: vec![database()], ..Platform::default() };
        let what = sentence(&platform, &[], None).unwrap();
        for part in ["postgresql", "12", "/srv/pg"] {
            assert!(what.contains(part), "{part} is missing in {what}");
        }
        assert_eq!(sentence(&Platform::default(), &[Path::new("/")], None), None);
    }

    #[test]
    fn a_server_by_address_is_somebodys_wherever_it_runs() {
        let what = sentence(&Platform::default(), &[], Some("postgres://bob@db7/x")).unwrap();
        assert!(what.contains("db7"), "{what}");
    }

    #[test]
    fn a_servers_folder_is_recognised_from_inside_though_no_process_is_seen() {
        let home = tempfile::tempdir().unwrap();
        let wal = home.path().join("pg_wal");
        std::fs::create_dir(&wal).unwrap();
        std::fs::write(home.path().join("PG_VERSION"), "15").unwrap();
        assert_eq!(sentence(&Platform::default(), &[&wal], None), None);
        std::fs::write(home.path().join("postmaster.pid"), "1").unwrap();
        let what = sentence(&Platform::default(), &[&wal], None).unwrap();
        assert!(what.starts_with(&home.path().display().to_string()), "{what}");
        assert!(!none_runs(&Platform::default(), &[wal]));
    }

    #[test]
    fn what_is_printed_to_observe_it_can_be_typed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().display().to_string();
        let _socket =
            std::os::unix::net::UnixListener::bind(home.path().join(".s.PGSQL.5433")).unwrap();
        let file = format!("1\n{folder}\n1\n5433\n{folder}\n\n");
        std::fs::write(home.path().join("postmaster.pid"), file).unwrap();
        std::fs::write(home.path().join("PG_VERSION"), "15").unwrap();
        let way_out = |platform: &Platform, url| {
            found(platform, &[home.path()], url).expect("a database").way_out()
        };
        let of_folder = way_out(&Platform::default(), None);
        let typed = format!("narrows observe \"host={folder} port=5433 dbname=postgres\"; ");
        assert!(of_folder.contains(&typed), "{of_folder}");
        let of_address = way_out(&Platform::default(), Some("postgres://bob@db7/x"));
        assert!(of_address.contains("narrows observe 'postgres://bob@db7/x'; "), "{of_address}");
        // What can't be observed is not sent there.
        let oracle = RunningDatabase { kind: "oracle".into(), ..database() };
        let platform = Platform { databases: vec![oracle], ..Platform::default() };
        let other = way_out(&platform, None);
        assert!(other.starts_with("--load-here measures all the same"), "{other}");
    }
}
