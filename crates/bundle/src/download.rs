//! Fetching the jar into a file: HTTPS, HTTP, or a repository in a folder.
//!
//! The content is not judged here; the caller compares its digest with the pin before anything reads it.
//! TLS trusts the machine's certificate store (also `SSL_CERT_FILE`), because company networks re-sign TLS.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use ureq::tls::{RootCerts, TlsConfig};

use crate::digest::{self, Digest};
use crate::{BundleError, Pin};

const ATTEMPTS: u32 = 3;
const CONNECT: Duration = Duration::from_secs(15);
/// A connection over which nothing comes for this long is dead. The whole may take as long as it takes.
const SILENCE: Duration = Duration::from_secs(30);

/// Where a jar comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Web { url: String, from: String },
    File(PathBuf),
}

/// The jar's place in the public registry or in `mirror`.
pub(crate) fn place(pin: &Pin, mirror: Option<&str>) -> Result<Place, BundleError> {
    let Some(mirror) = mirror.map(str::trim) else {
        return Ok(Place::Web { url: pin.url(None), from: "Maven Central".to_owned() });
    };
    let fail = |why| BundleError::Mirror { value: without_secrets(mirror), why };
    let url = pin.url(Some(mirror));
    match mirror.split_once("://") {
        Some(("http" | "https", rest)) if !rest.is_empty() => {
            Ok(Place::Web { url, from: format!("the mirror {}", without_secrets(mirror)) })
        }
        Some(("file", path)) if path.starts_with('/') => {
            Ok(Place::File(PathBuf::from(url.trim_start_matches("file://"))))
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

/// Fetches into `part`, trying again where a second attempt can succeed. The error is the last attempt's, in words.
pub(crate) fn fetch(
    pin: &Pin,
    place: &Place,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Digest, String> {
    let mut attempt = 1;
    loop {
        let result = match place {
            Place::File(path) => from_file(pin, path, part, progress),
            Place::Web { url, .. } => from_web(pin, url, part, progress),
        };
        match result {
            Ok(digest) => return Ok(digest),
            Err(Failure { again: true, .. }) if attempt < ATTEMPTS => {
                sleep(Duration::from_secs(u64::from(attempt)));
                attempt += 1;
            }
            Err(Failure { why, .. }) => return Err(why),
        }
    }
}

struct Failure {
    why: String,
    again: bool,
}

impl Failure {
    fn last(error: &io::Error) -> Failure {
        Failure { why: error.to_string(), again: false }
    }
}

fn from_file(
    pin: &Pin,
    path: &Path,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Digest, Failure> {
    let mut source = narrows_files::open_plain(path)
        .map_err(|error| Failure { why: format!("{}: {error}", path.display()), again: false })?;
    store(pin, &mut source, part, progress).map_err(|error| Failure::last(&error))
}

fn from_web(
    pin: &Pin,
    url: &str,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Digest, Failure> {
    let again = |error: ureq::Error| {
        let again = match &error {
            ureq::Error::StatusCode(status) => *status >= 500 || *status == 429,
            ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed => true,
            _ => false,
        };
        Failure { why: error.to_string(), again }
    };
    let response = agent().get(url).call().map_err(again)?;
    let mut body = response.into_body().into_reader();
    // A full disk is not cured by asking again, a broken connection may be.
    store(pin, &mut body, part, progress).map_err(|error| Failure {
        again: matches!(
            error.kind(),
            io::ErrorKind::TimedOut
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::UnexpectedEof
                | io::ErrorKind::Other
        ),
        why: error.to_string(),
    })
}

fn store(
    pin: &Pin,
    source: &mut dyn Read,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<Digest> {
    let mut file = File::create(part)?;
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

    use super::*;
    use crate::testing;

    #[test]
    fn mirrors_of_the_three_kinds_and_none_other() {
        let pin = testing::pin(b"x");
        let web = place(&pin, Some("https://user:secret@mirror.example/maven")).unwrap();
        let Place::Web { url, from } = web else { panic!("{web:?}") };
        assert!(url.starts_with("https://user:secret@mirror.example/maven/io/zonky"));
        assert_eq!(from, "the mirror https://mirror.example/maven");
        let file = place(&pin, Some("file:///srv/maven/")).unwrap();
        let Place::File(path) = file else { panic!("{file:?}") };
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
        let dir = tempfile::tempdir().unwrap();
        let pin = testing::pin(content);
        let place = place(&pin, Some(&serve(responses))).unwrap();
        let mut seen = Vec::new();
        let result = fetch(&pin, &place, &dir.path().join("part"), &mut |done, all| {
            assert_eq!(all, content.len() as u64);
            seen.push(done);
        });
        (result, seen)
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
