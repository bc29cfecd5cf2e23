//! SHA-256 of files and streams.

use std::io::{self, Read, Write};
use std::path::Path;

use ring::digest::{Context, SHA256};

/// No file of ours is longer.
const MOST_BYTES: u64 = 1 << 30;
const CHUNK: usize = 256 * 1024;

/// Bytes and lower-case hexadecimal SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    pub bytes: u64,
    pub sha256: String,
}

/// Reads `from` to its end, copying it to `to`; stops with an error beyond `limit_bytes`.
pub(crate) fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    limit_bytes: u64,
    seen: &mut dyn FnMut(u64),
) -> io::Result<Digest> {
    let mut context = Context::new(&SHA256);
    let mut chunk = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        let n = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes += n as u64;
        if bytes > limit_bytes {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("more than the {limit_bytes} bytes expected"),
            ));
        }
        context.update(&chunk[..n]);
        to.write_all(&chunk[..n])?;
        seen(bytes);
    }
    let hex = context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Digest { bytes, sha256: hex })
}

/// The digest of a plain file.
pub(crate) fn of_file(path: &Path) -> io::Result<Digest> {
    copy(&mut narrows_files::open_plain(path)?, &mut io::sink(), MOST_BYTES, &mut |_| {})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vectors() {
        // FIPS 180-4 examples, and the empty message.
        for (text, expected) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            let digest =
                copy(&mut text.as_bytes(), &mut io::sink(), u64::MAX, &mut |_| {}).unwrap();
            assert_eq!(digest, Digest { bytes: text.len() as u64, sha256: expected.to_owned() });
        }
    }

    #[test]
    fn stops_beyond_the_limit() {
        let mut out = Vec::new();
        assert!(copy(&mut [0; 10].as_slice(), &mut out, 9, &mut |_| {}).is_err());
        assert!(out.is_empty());
    }
}
