//! A mirror on 127.0.0.1 that promises a large file and gives it slowly, so that a strike meets a download. What it gives is not what
//! was pinned: nothing that it sends is ever run.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use anyhow::Result;

const BYTES: usize = 64 << 20;
const CHUNK: usize = 256 << 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until the harness ends; gives the address for `NARROWS_MAVEN_MIRROR`.
pub(super) fn serve() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/maven2", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    Ok(address)
}

/// Until the other side has gone.
fn answer(mut stream: TcpStream) {
    let _ = stream.read(&mut [0; 4096]);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BYTES}\r\nConnection: close\r\n\r\n");
    let mut gone = stream.write_all(head.as_bytes()).is_err();
    let chunk = vec![0x5a; CHUNK];
    for _ in 0..BYTES / CHUNK {
        if gone {
            return;
        }
        gone = stream.write_all(&chunk).is_err();
        std::thread::sleep(PAUSE);
    }
}
