//! A server of a few sentences, for what a real one can't be brought to do on request: leave questions unanswered.

pub(crate) mod server;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use super::session::LIMITS;
use crate::address::Address;
use crate::wire::{Row, guard};

/// What it does with a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// These.
    Rows(Vec<Row>),
    /// With this SQLSTATE.
    Refuse(&'static str),
    /// Ends the connection.
    HangUp,
}

/// Serves one connection; `reply` decides of each statement. Its address, and its end.
pub(crate) fn serve(
    mut reply: impl FnMut(&str) -> Reply + Send + 'static,
) -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let address =
        Address::parse(&format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=disable")).unwrap();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        read_body(&mut stream).unwrap();
        stream.write_all(&admission()).unwrap();
        let mut kind = [0];
        while stream.read_exact(&mut kind).is_ok() {
            let body = read_body(&mut stream).unwrap();
            if kind != *b"Q" {
                return;
            }
            let sql = String::from_utf8_lossy(&body).trim_end_matches('\0').to_string();
            if sql == guard::question() {
                stream.write_all(&answer(&[guard::expected(PID, "bob")])).unwrap();
                continue;
            }
            let answered = match reply(&sql) {
                // Like a server itself, and unlike a pooler, unless the test has it otherwise.
                Reply::Rows(rows) if sql == LIMITS && rows.is_empty() => {
                    Reply::Rows(vec![row(["on", "5s", "1s"])])
                }
                answered => answered,
            };
            match answered {
                Reply::Rows(rows) => stream.write_all(&answer(&rows)).unwrap(),
                Reply::Refuse(code) => stream.write_all(&refusal(code)).unwrap(),
                Reply::HangUp => return,
            }
        }
    });
    (address, served)
}

/// Its process for us.
pub(crate) const PID: u32 = 4711;

/// Lets anybody in, and is ready.
pub(crate) fn admission() -> Vec<u8> {
    let key = [PID.to_be_bytes(), 42_u32.to_be_bytes()].concat();
    [message(b'R', &[0; 4]), message(b'K', &key), message(b'Z', b"I")].concat()
}

/// A row of texts, NULL where they are empty.
pub(crate) fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> Row {
    cells.into_iter().map(|text| Some(text.to_string()).filter(|text| !text.is_empty())).collect()
}

/// A message's body, whose length comes first.
pub(crate) fn read_body(stream: &mut impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    stream.read_exact(&mut body)?;
    Ok(body)
}

/// The rows, and that it is ready.
pub(crate) fn answer(rows: &[Row]) -> Vec<u8> {
    let mut sent: Vec<u8> = rows.iter().flat_map(data_row).collect();
    sent.extend(message(b'C', b"SELECT\0"));
    sent.extend(message(b'Z', b"I"));
    sent
}

fn data_row(row: &Row) -> Vec<u8> {
    let mut body = (row.len() as u16).to_be_bytes().to_vec();
    for cell in row {
        match cell {
            None => body.extend((-1_i32).to_be_bytes()),
            Some(text) => {
                body.extend((text.len() as u32).to_be_bytes());
                body.extend(text.as_bytes());
            }
        }
    }
    message(b'D', &body)
}

fn refusal(code: &str) -> Vec<u8> {
    let error = format!("SERROR\0C{code}\0Mplanted\0\0");
    [message(b'E', error.as_bytes()), message(b'Z', b"I")].concat()
}

/// A message of that kind.
pub(crate) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend((body.len() as u32 + 4).to_be_bytes());
    message.extend(body);
    message
}
