//! Database servers that run on this machine: found by process name, told apart from their own children, and
//! followed to the drives their files are on. Only looked at; nothing connects to them.

use narrows_facts::{Source, mounts, parse_mounts};
use narrows_model::{Role, RunningDatabase};

use crate::block;
use crate::mount::{is_anonymous, locate};
use crate::role;
use crate::unknown::Unknowns;

/// How a kind of server is recognised.
struct ServerSignature {
    name: &'static str,
    /// Process names, as far as the kernel keeps them (15 bytes).
    matches: fn(&str) -> bool,
    /// Arguments that name the data folder.
    arguments: &'static [&'static str],
    /// Whether its main process works in the data folder.
    works_in_data: bool,
}

const KINDS: [ServerSignature; 6] = [
    ServerSignature {
        name: "postgresql",
        matches: |name| matches!(name, "postgres" | "postmaster"),
        arguments: &["-D", "--data_directory"],
        works_in_data: true,
    },
    ServerSignature {
        // One process monitor per instance; the files' places are inside the database.
        name: "oracle",
        matches: |name| {
            ["ora_pmon_", "db_pmon_", "xe_pmon_", "asm_pmon_"].iter().any(|p| name.starts_with(p))
        },
        arguments: &[],
        works_in_data: false,
    },
    ServerSignature {
        name: "mysql",
        matches: |name| matches!(name, "mysqld" | "mariadbd"),
        arguments: &["--datadir", "-h"],
        works_in_data: true,
    },
    ServerSignature {
        name: "mongodb",
        matches: |name| name == "mongod",
        arguments: &["--dbpath"],
        works_in_data: false,
    },
    ServerSignature {
        name: "sqlserver",
        matches: |name| name == "sqlservr",
        arguments: &[],
        works_in_data: false,
    },
    ServerSignature {
        name: "db2",
        matches: |name| name == "db2sysc",
        arguments: &[],
        works_in_data: false,
    },
];

pub(crate) fn read(
    source: &dyn Source,
    roles: &[role::Path],
    unknown: &mut Unknowns,
) -> Vec<RunningDatabase> {
    let mut pids: Vec<u32> = source
        .list("/proc")
        .unwrap_or_default()
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect();
    pids.sort_unstable();
    pids.into_iter().filter_map(|pid| server(source, pid, roles, unknown)).collect()
}

fn server(
    source: &dyn Source,
    pid: u32,
    roles: &[role::Path],
    unknown: &mut Unknowns,
) -> Option<RunningDatabase> {
    let name = source.text(&format!("/proc/{pid}/comm"))?;
    let kind = KINDS.iter().find(|kind| (kind.matches)(&name))?;
    // One that has ended and waits to be collected uses nothing.
    let stat = state_and_parent(source, pid);
    if stat.is_some_and(|(state, _)| matches!(state, 'Z' | 'X')) {
        return None;
    }
    // A child of the same server, of which some have hundreds.
    let parent_name = stat.and_then(|(_, parent)| source.text(&format!("/proc/{parent}/comm")));
    if parent_name.is_some_and(|name| (kind.matches)(&name)) {
        return None;
    }
    let data_dir = data_dir(source, pid, kind);
    let shares_role = match &data_dir {
        Some(folder) => shared(source, pid, folder, roles, kind, unknown),
        None => {
            let what = format!("where the running {} (process {pid}) keeps its files", kind.name);
            let needs = match kind.name {
                "oracle" | "sqlserver" | "db2" | "mongodb" => "asking the server itself",
                _ => "root, or the server's own user",
            };
            unknown.add(what, format!("{needs}; until then it is assumed to share no drive"));
            Vec::new()
        }
    };
    Some(RunningDatabase { kind: kind.name.to_string(), pid, data_dir, shares_role })
}

fn state_and_parent(source: &dyn Source, pid: u32) -> Option<(char, u32)> {
    let stat = source.text(&format!("/proc/{pid}/stat"))?;
    // The name in parentheses may hold anything; the last parenthesis ends it.
    let mut words = stat[stat.rfind(')')? + 1..].split_whitespace();
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

fn data_dir(source: &dyn Source, pid: u32, kind: &ServerSignature) -> Option<String> {
    let bytes = source.read(&format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<String> = bytes
        .split(|&byte| byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    if let Some(folder) = from_arguments(&words, kind.arguments).filter(|f| f.starts_with('/')) {
        return Some(folder);
    }
    // Both name it in a file; both make it their working folder.
    kind.works_in_data.then(|| source.link(&format!("/proc/{pid}/cwd")).ok()).flatten()
}

/// `-D /x`, `-D/x`, `--datadir /x` or `--datadir=/x`.
fn from_arguments(words: &[String], names: &[&str]) -> Option<String> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        for name in names {
            let Some(rest) = word.strip_prefix(name) else { continue };
            if rest.is_empty() {
                return words.next().cloned();
            }
            if let Some(value) = rest.strip_prefix('=') {
                return Some(value.to_string());
            }
            if !name.starts_with("--") {
                return Some(rest.to_string());
            }
        }
    }
    None
}

fn shared(
    source: &dyn Source,
    pid: u32,
    data_dir: &str,
    roles: &[role::Path],
    kind: &ServerSignature,
    unknown: &mut Unknowns,
) -> Vec<Role> {
    let what = format!("drives of the running {} (process {pid})", kind.name);
    let Some(numbers) = numbers(source, pid, data_dir) else {
        let needs = "root, or the server's own user; until then it is assumed to share no drive";
        unknown.add(what, needs);
        return Vec::new();
    };
    let drives: Vec<String> = numbers
        .iter()
        .flat_map(|number| block::stack(source, number))
        .filter(|device| device.slaves.is_empty())
        .map(|device| device.name)
        .collect();
    if drives.is_empty() && numbers.iter().any(|number| is_anonymous(number)) {
        unknown.add(what, "the tools of its file system, which is on no single block device");
    }
    roles
        .iter()
        .filter(|path| {
            let same_file_system =
                path.number.as_ref().is_some_and(|number| numbers.contains(number));
            same_file_system || path.role.drives().any(|drive| drives.contains(&drive.name))
        })
        .map(|path| path.role.role)
        .collect()
}

/// Names of the devices under a server's files, upper ones first.
pub(crate) fn devices(source: &dyn Source, server: &RunningDatabase) -> Vec<String> {
    let numbers = server.data_dir.as_ref().and_then(|dir| numbers(source, server.pid, dir));
    let mut names: Vec<String> = Vec::new();
    for device in numbers.unwrap_or_default().iter().flat_map(|n| block::stack(source, n)) {
        if !names.contains(&device.name) {
            names.push(device.name);
        }
    }
    names
}

/// `major:minor` of the file systems of a server's data folder and, for PostgreSQL where they can be read, of its log
/// and tablespaces.
fn numbers(source: &dyn Source, pid: u32, data_dir: &str) -> Option<Vec<String>> {
    let ours = mounts(source);
    // In a container the server has mounts of its own, and its paths mean nothing here.
    let theirs = source.text(&format!("/proc/{pid}/mountinfo")).map(|text| parse_mounts(&text));
    let theirs = theirs.filter(|theirs| *theirs != ours);
    if let Some(theirs) = theirs {
        let mount = narrows_facts::mount_of(&theirs, data_dir)?;
        return Some(vec![mount.number.clone()]);
    }
    let mut numbers = vec![locate(source, &ours, data_dir)?.mount.number.clone()];
    let spaces = format!("{data_dir}/pg_tblspc");
    let links = source.list(&spaces).unwrap_or_default();
    let links = links.iter().map(|link| format!("{spaces}/{link}"));
    for path in links.chain([format!("{data_dir}/pg_wal")]).filter(|path| source.exists(path)) {
        let Some(place) = locate(source, &ours, &path) else { continue };
        if !numbers.contains(&place.mount.number) {
            numbers.push(place.mount.number.clone());
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(line: &str, names: &[&str]) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        from_arguments(&words, names)
    }

    #[test]
    fn data_folders_in_arguments() {
        let postgres = ["-D", "--data_directory"];
        assert_eq!(folder("postgres -D /x/y -c a=b", &postgres).as_deref(), Some("/x/y"));
        assert_eq!(folder("postgres -D/x/y", &postgres).as_deref(), Some("/x/y"));
        assert_eq!(folder("postgres -c D=/x", &postgres), None);
        assert_eq!(folder("mysqld --datadir=/d", &["--datadir"]).as_deref(), Some("/d"));
        assert_eq!(folder("mongod --dbpath /d --fork", &["--dbpath"]).as_deref(), Some("/d"));
        assert_eq!(folder("mongod --dbpathx /d", &["--dbpath"]), None);
        assert_eq!(folder("postgres -D", &postgres), None);
    }

    #[test]
    fn names_the_kernel_cuts_off() {
        let kind = |name: &str| KINDS.iter().find(|kind| (kind.matches)(name)).map(|k| k.name);
        assert_eq!(kind("ora_pmon_ORCLCD"), Some("oracle"));
        assert_eq!(kind("ora_dbw0_ORCL"), None);
        assert_eq!(kind("mariadbd"), Some("mysql"));
        assert_eq!(kind("mysqld_safe"), None);
    }
}
