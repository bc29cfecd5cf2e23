//! A server of a few sentences, for what a real one can't be brought to do on request: leave questions unanswered.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use super::waits;
use crate::address::Address;

/// What it does with a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Answer,
    /// With this SQLSTATE.
    Refuse(&'static str),
    HangUp,
}

/// Statements that a look repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Counters,
    States,
    /// Everything that is asked once.
    Once,
}

/// Serves one connection; `mood` decides of each statement. Its address, and its end.
pub(super) fn serve(
    mut mood: impl FnMut(Asked) -> Mood + Send + 'static,
) -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let address = Address::parse(&format!("postgres://bob@127.0.0.1:{port}/shop")).unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        read_body(&mut stream).unwrap();
        stream.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").unwrap();
        let mut kind = [0];
        let mut ids = 0;
        while stream.read_exact(&mut kind).is_ok() {
            let body = read_body(&mut stream).unwrap();
            if kind != *b"Q" {
                return;
            }
            let sql = String::from_utf8_lossy(&body).trim_end_matches('\0').to_string();
            ids += 1000;
            match mood(asked(&sql)) {
                Mood::Answer => stream.write_all(&answer(&sql, ids)).unwrap(),
                Mood::Refuse(code) => stream.write_all(&refusal(code)).unwrap(),
                Mood::HangUp => return,
            }
        }
    });
    (address, served)
}

fn asked(sql: &str) -> Asked {
    if sql == waits::SQL {
        Asked::States
    } else if sql.contains("pg_snapshot_xmax") {
        Asked::Counters
    } else {
        Asked::Once
    }
}

/// A message's body, whose length comes first.
fn read_body(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    stream.read_exact(&mut body)?;
    Ok(body)
}

/// The rows, and that it is ready; ids given out grow with each statement.
fn answer(sql: &str, ids: u32) -> Vec<u8> {
    let ids = ids.to_string();
    let row: &[&str] = match asked(sql) {
        Asked::States => &["client backend", "LWLock", "WALWrite", "2"],
        Asked::Counters => &[&ids, &ids, ""],
        Asked::Once if sql.contains("server_version_num") => &["170002", "17.2", "bob", "t"],
        Asked::Once if sql.contains("pg_is_in_recovery") => &["f"],
        Asked::Once => &[],
    };
    let mut body = (row.len() as u16).to_be_bytes().to_vec();
    for cell in row {
        body.extend((cell.len() as u32).to_be_bytes());
        body.extend(cell.as_bytes());
    }
    let rows = if row.is_empty() { Vec::new() } else { message(b'D', &body) };
    [rows, message(b'C', b"SELECT\0"), message(b'Z', b"I")].concat()
}

fn refusal(code: &str) -> Vec<u8> {
    let error = format!("SERROR\0C{code}\0Mplanted\0\0");
    [message(b'E', error.as_bytes()), message(b'Z', b"I")].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend((body.len() as u32 + 4).to_be_bytes());
    message.extend(body);
    message
}
