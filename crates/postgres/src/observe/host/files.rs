//! Where the server's files are, as a path that leads there from here.

use std::path::{Path, PathBuf};

use narrows_facts::{Live, Source, process};
use narrows_model::Unknown;

/// The two folders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Files {
    /// The data directory.
    pub(crate) data: Option<PathBuf>,
    /// The folder of the log's segments.
    pub(crate) wal: Option<PathBuf>,
}

impl Files {
    /// Of the server with that main process; `shown` is what it says of its `data_directory`. What is missing goes to `unknown`.
    pub(crate) fn find(postmaster: u32, shown: Option<&str>, unknown: &mut Vec<Unknown>) -> Files {
        let said = shown.map(PathBuf::from).or_else(|| argument(&process::title(postmaster)?));
        let works_in = std::fs::read_link(format!("/proc/{postmaster}/cwd")).ok();
        let Some(inside) = works_in.or(said).filter(|path| path.is_absolute()) else {
            unknown.push(Unknown {
                what: "where the server's files are".into(),
                needs: "GRANT pg_read_all_settings, or root here".into(),
            });
            return Files::default();
        };
        let Some(data) = from_here(postmaster, &inside) else {
            unknown.push(Unknown {
                what: "the drives under the server's files".into(),
                needs: "root here: the server has mounts of its own, as in a container".into(),
            });
            return Files::default();
        };
        let wal = std::fs::canonicalize(data.join("pg_wal")).ok();
        if wal.is_none() {
            unknown.push(Unknown {
                what: "where WAL is, so it is assumed to be beside the data".into(),
                needs: format!("the right to read {}", data.display()),
            });
        }
        Files { data: Some(data), wal }
    }
}

/// The absolute path after `-D` in a command line.
fn argument(title: &str) -> Option<PathBuf> {
    let mut words = title.split_whitespace();
    let text = words.find_map(|word| match word.strip_prefix("-D")? {
        "" => Some(None),
        joined => Some(Some(joined)),
    })?;
    text.or_else(|| words.next()).map(PathBuf::from)
}

/// A path of the server's as one of ours: the same where both see the same mounts, else by way of its root.
fn from_here(postmaster: u32, path: &Path) -> Option<PathBuf> {
    let live: &dyn Source = &Live;
    let mounts = |of: &str| live.text(&format!("/proc/{of}/mountinfo"));
    let ours = mounts("self");
    if ours.is_some() && ours == mounts(&postmaster.to_string()) {
        return Some(path.to_path_buf());
    }
    let inside = path.strip_prefix("/").ok()?;
    let root = Path::new("/proc").join(postmaster.to_string()).join("root").join(inside);
    root.exists().then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_directory_stands_in_the_command_line_too() {
        let of = |title| argument(title).map(|path| path.display().to_string());
        assert_eq!(of("/usr/bin/postgres -D /srv/pg -c a=b").as_deref(), Some("/srv/pg"));
        assert_eq!(of("postgres -D/srv/pg").as_deref(), Some("/srv/pg"));
        assert_eq!(of("postgres -c config_file=/etc/x"), None);
    }

    #[test]
    fn a_server_beside_us_is_found_by_where_it_works() {
        let mut unknown = Vec::new();
        let files = Files::find(std::process::id(), None, &mut unknown);
        assert_eq!(files.data, std::env::current_dir().ok());
        assert_eq!(files.wal, None);
        assert_eq!(unknown.len(), 1, "{unknown:?}");
        let nobody = Files::find(u32::MAX, None, &mut unknown);
        assert_eq!(nobody, Files::default());
        assert!(unknown[1].needs.contains("pg_read_all_settings"));
    }
}
