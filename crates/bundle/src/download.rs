//! Fetching the jar into a file: HTTPS, HTTP, or a repository in a folder.
//!
//! The content is not judged here; the caller compares its digest with the pin before anything reads it.
//! TLS trusts the machine's certificate store (also `SSL_CERT_FILE`), because company networks re-sign TLS.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use narrows_files::{Access, create_new};
use ureq::tls::{RootCerts, TlsConfig};

use crate::arriving::{Arriving, Failure, Piece};
use crate::digest::{self, Digest};
use crate::{BundleError, Pin};

pub(crate) use crate::arriving::Patience;

const ATTEMPTS: u32 = 3;
const CONNECT: Duration = Duration::from_secs(15);
/// The client's own limit on silence, by which a thread ends that nobody waits for any more.
const SILENCE: Duration = Duration::from_secs(30);
/// How much is on its way between the connection and the file.
const PIECES: usize = 4;
const PIECE_BYTES: usize = 64 << 10;

/// Why it was not fetched.
#[derive(Debug)]
pub(crate) enum Unfetched {
    /// Asked to stop.
    Stopped,
    /// The last attempt's failure, in words.
    Failed(String),
}

/// Where a jar comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JarSource {
    Web { url: String, from: String },
    File(PathBuf),
}

/// The jar's place in the public registry or in `mirror`.
pub(crate) fn place(pin: &Pin, mirror: Option<&str>) -> Result<JarSource, BundleError> {
    let Some(mirror) = mirror.map(str::trim) else {
        return Ok(JarSource::Web { url: pin.url(None), from: "Maven Central".to_owned() });
    };
    let fail = |why| BundleError::Mirror { value: without_secrets(mirror), why };
    let url = pin.url(Some(mirror));
    match mirror.split_once("://") {
        Some(("http" | "https", rest)) if !rest.is_empty() => {
            Ok(JarSource::Web { url, from: format!("the mirror {}", without_secrets(mirror)) })
        }
        Some(("file", path)) if path.starts_with('/') => {
            Ok(JarSource::File(PathBuf::from(url.trim_start_matches("file://"))))
        }
        Some(("file", _)) => Err(fail("a file:// address needs an absolute path")),
        Some(_) => Err(fail("its kind is not known")),
        None => Err(fail("it names no kind (https://…)")),
    }
}

/// `scheme://user:password@host/…` without what stands before the `@`.
fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{}", &rest[end..])
}

/// Fetches into `part`, trying again where a second attempt can succeed.
pub(crate) fn fetch(
    pin: &Pin,
    place: &JarSource,
    part: &Path,
    patience: &Patience,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Digest, Unfetched> {
    let mut attempt = 1;
    loop {
        let result = match place {
            JarSource::File(path) => from_file(pin, path, part, progress),
            JarSource::Web { url, .. } => from_web(pin, url, part, (patience, stop), progress),
        };
        match result {
            Ok(digest) => return Ok(digest),
            Err(_) if stop() => return Err(Unfetched::Stopped),
            Err(Failure { again: true, .. }) if attempt < ATTEMPTS => {
                wait(Duration::from_secs(u64::from(attempt)), stop);
                attempt += 1;
            }
            Err(Failure { why, .. }) => return Err(Unfetched::Failed(why)),
        }
    }
}

fn wait(length: Duration, stop: &dyn Fn() -> bool) {
    let end = Instant::now() + length;
    while Instant::now() < end && !stop() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn from_file(
    pin: &Pin,
    path: &Path,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Digest, Failure> {
    let failed = |why: String| Failure { why, again: false };
    let mut source = narrows_files::open_plain(path)
        .map_err(|error| failed(format!("{}: {error}", path.display())))?;
    store(pin, &mut source, part, progress).map_err(|error| failed(error.to_string()))
}

fn from_web(
    pin: &Pin,
    url: &str,
    part: &Path,
    (patience, stop): (&Patience, &dyn Fn() -> bool),
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Digest, Failure> {
    let (to, pieces) = sync_channel(PIECES);
    let asked = url.to_owned();
    // Looking up a name, connecting and reading all wait for others.
    let started = std::thread::Builder::new().spawn(move || send(&asked, &to));
    started.map_err(|error| Failure { why: error.to_string(), again: false })?;
    let mut body = Arriving::new(pieces, *patience, stop);
    let stored = store(pin, &mut body, part, progress);
    // A full disk is not cured by asking again, a broken connection may be.
    stored.map_err(|error| {
        body.failed.take().unwrap_or(Failure { why: error.to_string(), again: false })
    })
}

/// Sends what comes from there, until nobody takes it.
fn send(url: &str, to: &SyncSender<Piece>) {
    let mut body = match agent().get(url).call() {
        Ok(response) => response.into_body().into_reader(),
        Err(error) => {
            let again = match &error {
                ureq::Error::StatusCode(status) => *status >= 500 || *status == 429,
                ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed => {
                    true
                }
                _ => false,
            };
            let _ = to.send(Piece::Failed(Failure { why: error.to_string(), again }));
            return;
        }
    };
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        let piece = match body.read(&mut buffer) {
            Ok(0) => Piece::End,
            Ok(count) => Piece::Bytes(buffer[..count].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Piece::Failed(Failure {
                again: matches!(
                    error.kind(),
                    io::ErrorKind::TimedOut
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::UnexpectedEof
                        | io::ErrorKind::Other
                ),
                why: error.to_string(),
            }),
        };
        let more = matches!(piece, Piece::Bytes(_));
        if to.send(piece).is_err() || !more {
            return;
        }
    }
}

/// Into a new file; what an earlier attempt left goes.
fn store(
    pin: &Pin,
    source: &mut dyn Read,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<Digest> {
    let _ = narrows_files::remove_file(part);
    let mut file = create_new(part, Access::Write, 0o644)?;
    progress(0, pin.bytes);
    let digest =
        digest::copy(source, &mut file, pin.bytes, &mut |bytes| progress(bytes, pin.bytes))?;
    file.sync_all()?;
    Ok(digest)
}

fn agent() -> ureq::Agent {
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(narrows_tls::provider())
        .build();
    ureq::Agent::config_builder()
        .tls_config(tls)
        .user_agent(concat!("narrows/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(CONNECT))
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(SILENCE))
        .timeout_per_read(Some(SILENCE))
        .build()
        .into()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::testing;

    #[test]
    fn mirrors_of_the_three_kinds_and_none_other() {
        let pin = testing::pin(b"x");
        let web = place(&pin, Some("https://user:secret@mirror.example/maven")).unwrap();
        let JarSource::Web { url, from } = web else { panic!("{web:?}") };
        assert!(url.starts_with("https://user:secret@mirror.example/maven/io/zonky"));
        assert_eq!(from, "the mirror https://mirror.example/maven");
        let file = place(&pin, Some("file:///srv/maven/")).unwrap();
        let JarSource::File(path) = file else { panic!("{file:?}") };
        assert!(path.starts_with("/srv/maven/io/zonky/test/postgres"), "{}", path.display());
        for wrong in ["srv/maven", "file://srv/maven", "ftp://mirror.example", "https://"] {
            let error = place(&pin, Some(wrong)).unwrap_err().to_string();
            assert!(error.contains("\nhint: "), "{error}");
        }
    }

    /// Serves one canned response per connection; returns the base address.
    fn serve(responses: Vec<Vec<u8>>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for response in responses {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                let _ = stream.write_all(&response);
            }
        });
        base
    }

    fn response(status: &str, length: usize, body: &[u8]) -> Vec<u8> {
        let mut all =
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")
                .into_bytes();
        all.extend_from_slice(body);
        all
    }

    fn fetch_from(responses: Vec<Vec<u8>>, content: &[u8]) -> (Result<Digest, String>, Vec<u64>) {
        let mut seen = Vec::new();
        let result = fetch_with(&serve(responses), content, &PATIENT, &|| false, &mut |done| {
            seen.push(done);
        });
        let said = result.map_err(|why| match why {
            Unfetched::Stopped => "stopped".to_string(),
            Unfetched::Failed(why) => why,
        });
        (said, seen)
    }

    /// Longer than any test.
    const PATIENT: Patience = Patience {
        silence: Duration::from_secs(86_400),
        span: Duration::from_secs(86_400),
        least_bytes: 1,
        whole: Duration::from_secs(86_400),
    };

    fn fetch_with(
        base: &str,
        content: &[u8],
        patience: &Patience,
        stop: &dyn Fn() -> bool,
        seen: &mut dyn FnMut(u64),
    ) -> Result<Digest, Unfetched> {
        let dir = tempfile::tempdir().unwrap();
        let pin = testing::pin(content);
        let place = place(&pin, Some(base)).unwrap();
        fetch(&pin, &place, &dir.path().join("part"), patience, stop, &mut |done, all| {
            assert_eq!(all, content.len() as u64);
            seen(done);
        })
    }

    /// Takes connections, says `head`, then `byte` again and again, or nothing more; tells how many came.
    fn stalls(head: Vec<u8>, byte: Option<u8>) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let came = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&came);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.write_all(&head);
                held.push(stream.try_clone().unwrap());
                count.fetch_add(1, Ordering::SeqCst);
                let Some(byte) = byte else { continue };
                std::thread::spawn(move || {
                    while stream.write_all(&[byte]).is_ok() {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                });
            }
        });
        (base, came)
    }

    #[test]
    fn a_stop_ends_the_waiting_for_a_mirror_that_says_nothing_or_drips() {
        let content = vec![7; 600_000];
        let head = response("200 OK", content.len(), b"");
        for (head, byte) in [(Vec::new(), None), (head.clone(), None), (head, Some(7))] {
            let (base, came) = stalls(head, byte);
            // Nothing but the stop can end it: there is no other limit, and the mirror never ends.
            let stop = || came.load(Ordering::SeqCst) > 0;
            let result = fetch_with(&base, &content, &PATIENT, &stop, &mut |_| {});
            assert!(matches!(result, Err(Unfetched::Stopped)), "{result:?}");
        }
    }

    #[test]
    fn silence_and_dripping_and_lasting_too_long_have_their_limits() {
        let content = vec![7; 600_000];
        let head = response("200 OK", content.len(), b"");
        let at_once = Duration::ZERO;
        for (byte, patience, said, attempts) in [
            (None, Patience { silence: at_once, ..PATIENT }, "nothing came", ATTEMPTS),
            (Some(7), Patience { span: at_once, least_bytes: u64::MAX, ..PATIENT }, "too slow", 1),
            (Some(7), Patience { whole: at_once, ..PATIENT }, "not done after", 1),
        ] {
            let (base, _) = stalls(head.clone(), byte);
            let mut began = 0;
            let result = fetch_with(&base, &content, &patience, &|| false, &mut |_| began += 1);
            let Err(Unfetched::Failed(why)) = result else { panic!("{result:?}") };
            assert!(why.contains(said), "{why}");
            assert!(began >= attempts, "{said}: {began} attempts");
        }
    }

    #[test]
    fn a_body_arrives_whole_and_progress_ends_at_its_length() {
        let body = vec![7; 600_000];
        let (result, seen) = fetch_from(vec![response("200 OK", body.len(), &body)], &body);
        assert_eq!(result.unwrap(), testing::digest(&body));
        assert_eq!(seen.last(), Some(&600_000));
    }

    #[test]
    fn a_broken_connection_and_a_busy_server_are_asked_again() {
        let body = b"content".to_vec();
        let responses = vec![
            response("503 Busy", 0, b""),
            response("200 OK", body.len(), &body[..3]),
            response("200 OK", body.len(), &body),
        ];
        let (result, _) = fetch_from(responses, &body);
        assert_eq!(result.unwrap(), testing::digest(&body));
    }

    #[test]
    fn a_missing_file_is_not_asked_for_again() {
        // A second request would find no one listening any more and give another message.
        let (result, _) = fetch_from(vec![response("404 Not Found", 0, b"")], b"content");
        assert!(result.as_ref().is_err_and(|why| why.contains("404")), "{result:?}");
    }

    #[test]
    fn a_body_without_end_is_cut_at_the_pinned_length() {
        let (result, _) = fetch_from(vec![response("200 OK", 1000, &[1; 1000])], b"content");
        assert!(
            result.as_ref().is_err_and(|why| why.contains("more than the 7 bytes")),
            "{result:?}"
        );
    }
}
