//! OpenSSL's own client and server on the other side, over loopback: an implementation that shares nothing with this one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use narrows_nvme::tls::{ConfiguredKey, PskHash, TlsPsk};
use narrows_nvme_tls::{Session, TlsError};

use crate::pair::{Keys, key, offer};

/// How long OpenSSL may take to say something.
const WITHIN: Duration = Duration::from_secs(20);

fn openssl(arguments: &[&str]) -> Option<Child> {
    let mut command = Command::new("openssl");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().ok();
    if child.is_none() {
        eprintln!("SKIPPED: openssl is not installed here; nothing was held against it");
    }
    child
}

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A session over a socket.
struct Line {
    socket: TcpStream,
    session: Session,
    keys: Keys,
    plain: Vec<u8>,
}

impl Line {
    fn new(socket: TcpStream, session: Session, keys: Vec<ConfiguredKey>) -> Line {
        socket.set_read_timeout(Some(WITHIN)).unwrap();
        Line { socket, session, keys: Keys(keys), plain: Vec::new() }
    }

    fn flush(&mut self) {
        let bytes = self.session.output().to_vec();
        // Who was refused may have left.
        let _ = self.socket.write_all(&bytes);
        self.session.sent(bytes.len());
    }

    /// Sends and takes until `done`; whether the other side closed before.
    fn run(&mut self, done: impl Fn(&Line) -> bool) -> Result<bool, TlsError> {
        let mut input = [0; 4096];
        loop {
            self.flush();
            if done(self) {
                return Ok(false);
            }
            let came = self.socket.read(&mut input).unwrap();
            if came == 0 {
                return Ok(true);
            }
            let taken = self.session.receive(&input[..came], &self.keys, &mut self.plain);
            if taken.is_err() {
                self.flush();
            }
            taken?;
        }
    }
}

/// OpenSSL's server with a key under a name, and where it listens.
fn server(psk: &TlsPsk, key: &str) -> Option<(Ended, std::net::SocketAddr)> {
    let name = psk.identity.to_string();
    let mut child = Ended(openssl(&[
        "s_server",
        "-accept",
        "127.0.0.1:0",
        "-tls1_3",
        "-nocert",
        "-psk_identity",
        &name,
        "-psk",
        key,
        "-rev",
    ])?);
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let listens = lines.find_map(|line| line.unwrap().strip_prefix("ACCEPT ").map(str::to_string));
    Some((child, listens.unwrap().parse().unwrap()))
}

#[test]
fn its_server_takes_our_key_and_gives_what_it_was_sent() {
    // Both forms of the name, each alone: it knows one.
    for psk in offer(&key(1)) {
        let Some((_server, address)) = server(&psk, &hex(&psk.key)) else { return };
        let socket = TcpStream::connect(address).unwrap();
        let session = Session::host(&offer(&key(1))).unwrap();
        let mut line = Line::new(socket, session, Vec::new());
        assert!(!line.run(|line| line.session.is_open()).unwrap());
        assert_eq!(line.session.identity(), Some(&psk.identity));
        let text = "narrows ".repeat(1000);
        line.session.send((text.clone() + "\n").as_bytes()).unwrap();
        assert!(!line.run(|line| line.plain.len() > text.len()).unwrap());
        let back: String = text.chars().rev().collect();
        assert_eq!(String::from_utf8(line.plain.clone()).unwrap(), back + "\n");
    }
}

#[test]
fn its_server_with_another_key_refuses_ours() {
    let psk = offer(&key(1)).pop().unwrap();
    let Some((_server, address)) = server(&psk, &hex(&[7; 32])) else { return };
    let session = Session::host(std::slice::from_ref(&psk)).unwrap();
    let mut line = Line::new(TcpStream::connect(address).unwrap(), session, Vec::new());
    let error = line.run(|line| line.session.is_open()).unwrap_err();
    assert!(error.is_of_key(), "{error}");
}

/// OpenSSL's client with a key under a name, connected to us, and the line to it.
fn client(psk: &TlsPsk, key: &str, more: &[&str]) -> Option<(Ended, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, name) = (listener.local_addr().unwrap().to_string(), psk.identity.to_string());
    let mut arguments = vec!["s_client", "-connect", &address, "-quiet", "-no_ign_eof"];
    if key.is_empty() {
        arguments.extend(["-tls1_3"]);
    } else {
        arguments.extend(["-psk_identity", &name, "-psk", key]);
    }
    arguments.extend(more);
    let child = Ended(openssl(&arguments)?);
    Some((child, listener.accept().unwrap().0))
}

#[test]
fn its_client_is_let_in_by_the_key_and_hears_what_it_is_sent() {
    for psk in offer(&key(1)) {
        let Some((mut child, socket)) = client(&psk, &hex(&psk.key), &["-tls1_3"]) else { return };
        let mut line = Line::new(socket, Session::target(), vec![key(1)]);
        assert!(!line.run(|line| line.session.is_open()).unwrap());
        assert_eq!(line.session.identity(), Some(&psk.identity));
        child.0.stdin.as_mut().unwrap().write_all(b"from the other side\n").unwrap();
        assert!(!line.run(|line| line.plain.ends_with(b"\n")).unwrap());
        assert_eq!(line.plain, b"from the other side\n");
        line.session.send(b"and back\n").unwrap();
        line.flush();
        let mut heard = String::new();
        BufReader::new(child.0.stdout.as_mut().unwrap()).read_line(&mut heard).unwrap();
        assert_eq!(heard, "and back\n");
        // Its end of input is an end in order.
        drop(child.0.stdin.take());
        line.run(|line| line.session.is_closed()).unwrap();
        assert!(line.session.is_closed());
    }
}

#[test]
fn its_client_with_a_proof_by_another_hash_is_told() {
    // By its old way it takes SHA-256 for every key, as GnuTLS did until 3.8.11.
    let long = ConfiguredKey::new(Some(PskHash::Sha384), &[1; 48]).unwrap();
    let psk = offer(&long).pop().unwrap();
    let Some((_child, socket)) = client(&psk, &hex(&psk.key), &["-tls1_3"]) else { return };
    let mut line = Line::new(socket, Session::target(), vec![long]);
    let error = line.run(|line| line.session.is_open()).unwrap_err();
    let TlsError::Unsuited(what) = &error else { panic!("{error}") };
    assert!(what.contains("proof by another hash"), "{what}");
}

#[test]
fn its_client_without_the_key_is_refused_with_the_reason() {
    let psk = offer(&key(1)).pop().unwrap();
    let error = |key_text: &str, keys: Vec<ConfiguredKey>, more: &[&str]| {
        let (_child, socket) = client(&psk, key_text, more)?;
        let mut line = Line::new(socket, Session::target(), keys);
        Some(line.run(|line| line.session.is_open()).unwrap_err())
    };
    let Some(other) = error(&hex(&[7; 32]), vec![key(1)], &["-tls1_3"]) else { return };
    assert!(matches!(other, TlsError::OtherKey(_)), "{other}");
    let none = error(&hex(&psk.key), Vec::new(), &["-tls1_3"]).unwrap();
    assert!(matches!(none, TlsError::NoKey(_)), "{none}");
    let certificate = error("", vec![key(1)], &[]).unwrap();
    assert_eq!(certificate, TlsError::Unsuited("no pre-shared key"));
    let old = error(&hex(&psk.key), vec![key(1)], &["-tls1_2", "-cipher", "PSK"]).unwrap();
    assert_eq!(old, TlsError::Unsuited("no TLS 1.3"));
}
