//! A relay from a TCP port to the server's Unix socket through which everything arrives later. What is under way doesn't hold up
//! what follows: bytes of one direction are delayed, not slowed down.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_facts::affinity;

/// Bytes that are due then.
type Due = (Instant, Vec<u8>);

/// It listens until it is dropped.
pub(super) struct Proxy {
    port: u16,
    halt: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Its threads run on `cpus`.
    pub(super) fn start(socket: &Path, delay: Duration, cpus: &[u32]) -> Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0").context("listening on 127.0.0.1")?;
        let port = listener.local_addr()?.port();
        let halt = Arc::new(AtomicBool::new(false));
        let (told, cpus, socket) = (halt.clone(), cpus.to_vec(), socket.to_path_buf());
        let thread = std::thread::spawn(move || {
            // Threads that it starts stay there.
            let _ = affinity::pin(&cpus);
            for client in listener.incoming() {
                if told.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(error) = client.and_then(|client| relay(client, &socket, delay)) {
                    eprintln!("the proxy lost a connection: {error}");
                }
            }
        });
        Ok(Proxy { port, halt, thread: Some(thread) })
    }

    /// Of 127.0.0.1.
    pub(super) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.halt.store(true, Ordering::Relaxed);
        // It looks at the flag when somebody comes.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Two threads for each way; they end when either side closes.
fn relay(client: TcpStream, socket: &PathBuf, delay: Duration) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let server = UnixStream::connect(socket)?;
    let (to_server, from_client) = (server.try_clone()?, client.try_clone()?);
    let (due, later) = channel();
    std::thread::spawn(move || take(from_client, delay, &due));
    std::thread::spawn(move || {
        give(to_server, &later, |server| drop(server.shutdown(Shutdown::Both)))
    });
    let (due, later) = channel();
    std::thread::spawn(move || take(server, delay, &due));
    std::thread::spawn(move || {
        give(client, &later, |client| drop(client.shutdown(Shutdown::Both)))
    });
    Ok(())
}

fn take(mut from: impl Read, delay: Duration, due: &Sender<Due>) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        if due.send((Instant::now() + delay, bytes[..length].to_vec())).is_err() {
            return;
        }
    }
}

fn give<T: Write>(mut to: T, later: &Receiver<Due>, close: impl FnOnce(&T)) {
    for (due, bytes) in later {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    close(&to);
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn bytes_arrive_later_both_ways_and_the_end_is_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4];
            stream.read_exact(&mut bytes).unwrap();
            stream.write_all(&bytes).unwrap();
            // Until the client closes.
            stream.read(&mut bytes).unwrap()
        });
        let delay = Duration::from_millis(20);
        let proxy = Proxy::start(&socket, delay, &affinity::current()).unwrap();
        let mut client = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
        let began = Instant::now();
        client.write_all(b"ping").unwrap();
        let mut bytes = [0; 4];
        client.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"ping");
        assert!(began.elapsed() >= 2 * delay);
        drop(client);
        assert_eq!(server.join().unwrap(), 0);
    }
}
