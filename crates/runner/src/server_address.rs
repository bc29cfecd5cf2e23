//! Where a PostgreSQL on this machine is reached, as its `postmaster.pid` says: one value a line, the main process, the data folder, the
//! start, the port, the folder of the socket, the first address that it listens on (PostgreSQL source, `src/include/utils/pidfile.h`).
//! Told so that it can be typed behind `narrows observe`. Nothing connects.

use std::path::{Path, PathBuf};

/// Bytes; it has eight short lines.
const LONGEST: u64 = 4096;
/// Folders of sockets that packages have.
const USUAL: [&str; 3] = ["/run/postgresql", "/var/run/postgresql", "/tmp"];
/// What names of sockets begin with.
const SOCKET: &str = ".s.PGSQL.";

/// Of the server with that main process; `None` where this user may not read it and there is more or less than one socket.
pub(crate) fn of_process(pid: u32) -> Option<String> {
    let file = PathBuf::from(format!("/proc/{pid}/cwd/postmaster.pid"));
    read(&file)
        .and_then(|text| socket_of_pid_file(&text, Some(pid)))
        .or_else(|| only_socket(&USUAL))
}

/// Of the server whose data folder that is.
pub(crate) fn of_folder(home: &Path) -> Option<String> {
    read(&home.join("postmaster.pid")).and_then(|text| socket_of_pid_file(&text, None))
}

fn read(file: &Path) -> Option<String> {
    narrows_files::read_text(file, LONGEST).ok()
}

/// What such a file says; it has to be of that process, where one is given: another number is another namespace's, whose socket is not
/// reached from here.
fn socket_of_pid_file(text: &str, pid: Option<u32>) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if pid.is_some_and(|pid| lines.first().and_then(|line| line.parse().ok()) != Some(pid)) {
        return None;
    }
    let port: u16 = lines.get(3)?.parse().ok()?;
    let folder = lines.get(4).copied().unwrap_or_default();
    if !folder.is_empty() && Path::new(folder).join(format!("{SOCKET}{port}")).exists() {
        return words(folder, port);
    }
    match lines.get(5).copied().unwrap_or_default() {
        "" => None,
        "*" | "0.0.0.0" | "::" => words("localhost", port),
        host => words(host, port),
    }
}

/// The only socket in these folders.
fn only_socket(folders: &[&str]) -> Option<String> {
    let mut found: Vec<(PathBuf, u16)> = Vec::new();
    for folder in folders {
        // One of the usual folders leads to another.
        let Ok(folder) = std::fs::canonicalize(folder) else { continue };
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let ports = names.filter_map(|entry| {
            entry.file_name().to_str()?.strip_prefix(SOCKET)?.parse::<u16>().ok()
        });
        for port in ports {
            let socket = (folder.clone(), port);
            if !found.contains(&socket) {
                found.push(socket);
            }
        }
    }
    match found.as_slice() {
        [(folder, port)] => words(folder.to_str()?, *port),
        _ => None,
    }
}

/// Keywords in one word for a shell; nothing of what a shell would take otherwise.
fn words(host: &str, port: u16) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._:-".contains(c);
    host.chars().all(plain).then(|| format!("\"host={host} port={port} dbname=postgres\""))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    fn file(pid: u32, port: u16, folder: &str, listens: &str) -> String {
        format!("{pid}\n/srv/pg\n1700000000\n{port}\n{folder}\n{listens}\n  5432001 12\nready\n")
    }

    #[test]
    fn a_server_is_reached_by_its_socket_and_else_by_its_port() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_str().unwrap();
        let by_socket = file(12, 5433, folder, "localhost");
        let tcp = "\"host=localhost port=5433 dbname=postgres\"";
        assert_eq!(
            socket_of_pid_file(&by_socket, Some(12)).as_deref(),
            Some(tcp),
            "no socket is there yet"
        );
        let _socket = UnixListener::bind(dir.path().join(".s.PGSQL.5433")).unwrap();
        let socket = format!("\"host={folder} port=5433 dbname=postgres\"");
        assert_eq!(socket_of_pid_file(&by_socket, Some(12)), Some(socket.clone()));
        assert_eq!(socket_of_pid_file(&by_socket, Some(13)), None, "of another namespace");
        assert_eq!(socket_of_pid_file(&by_socket, None), Some(socket.clone()));
        assert_eq!(socket_of_pid_file(&file(12, 5433, "", "*"), None).as_deref(), Some(tcp));
        for nothing in ["", "12\n", "12\n/srv/pg\n1\nx\n\n\n", &file(12, 5433, "", "")] {
            assert_eq!(socket_of_pid_file(nothing, None), None, "{nothing:?}");
        }
        assert_eq!(
            socket_of_pid_file(&file(12, 5433, "", "h; rm"), None),
            None,
            "a shell would take it apart"
        );
        std::fs::write(dir.path().join("postmaster.pid"), &by_socket).unwrap();
        assert_eq!(of_folder(dir.path()), Some(socket.clone()));
        assert_eq!(only_socket(&[folder, folder]), Some(socket));
        let _second = UnixListener::bind(dir.path().join(".s.PGSQL.5434")).unwrap();
        assert_eq!(only_socket(&[folder]), None, "nobody knows which");
    }
}
