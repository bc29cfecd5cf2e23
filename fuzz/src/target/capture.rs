//! An archive of somebody's machine: packed as it is, or packed here from its text, so that mutations reach what is inside.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use narrows_capture::{different, is_archive, read, write};
use narrows_facts::Replay;
use narrows_model::Role;

use super::machine;
use crate::property;

/// Reads it, shows the machine, and writes it again.
pub fn check(data: &[u8]) {
    let archive = if is_archive(data) { data.to_vec() } else { packed(data) };
    let capture = match read(archive.as_slice()) {
        Ok(capture) => capture,
        Err(error) => return property::told(&error.to_string(), ""),
    };
    let again = write(&capture, Vec::new()).expect("memory takes everything");
    assert_eq!(read(again.as_slice()).expect("what was written can be read"), capture);
    let replay = Replay::new(capture.recording.clone());
    machine::discovered(&replay);
    let roles = [(Role::Data, Path::new("/data"))];
    let here = narrows_platform::discover(&replay, &roles);
    let _ = different(&capture.header, &here, &here, Some("0123"));
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(text).expect("memory takes everything");
    gzip.finish().expect("memory takes everything")
}
