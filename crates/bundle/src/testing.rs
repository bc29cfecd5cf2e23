//! Small jars made on the spot: a real zip around a real xz around a real tar.

use std::io::{Cursor, Write};

use crate::Pin;
use crate::digest::{self, Digest};

pub(crate) enum Entry {
    File { name: &'static str, content: &'static [u8], mode: u32 },
    Link { name: &'static str, target: &'static str },
    Special { name: &'static str },
}

/// What a good bundle looks like, five entries in all.
pub(crate) fn bundle() -> Vec<Entry> {
    vec![
        Entry::File { name: "bin/postgres", content: b"#!/bin/sh\necho postgres\n", mode: 0o775 },
        Entry::File { name: "bin/initdb", content: b"#!/bin/sh\necho initdb\n", mode: 0o755 },
        Entry::File { name: "./share/a.sql", content: b"SELECT 1;\n", mode: 0o664 },
        Entry::File { name: "lib/liba.so.1", content: b"library", mode: 0o644 },
        Entry::Link { name: "lib/liba.so", target: "liba.so.1" },
    ]
}

pub(crate) fn tar(entries: &[Entry]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        let (name, content): (&str, &[u8]) = match entry {
            Entry::File { name, content, mode } => {
                header.set_mode(*mode);
                (name, content)
            }
            Entry::Link { name, target } => {
                header.set_entry_type(tar::EntryType::Symlink);
                // The builder would refuse the names that a hostile archive has, so they are written raw.
                header.as_ustar_mut().unwrap().linkname[..target.len()]
                    .copy_from_slice(target.as_bytes());
                (name, b"")
            }
            Entry::Special { name } => {
                header.set_entry_type(tar::EntryType::Fifo);
                (name, b"")
            }
        };
        header.as_ustar_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn xz(content: &[u8]) -> Vec<u8> {
    let mut writer =
        lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap()
}

pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for (name, content) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn jar(entries: &[Entry]) -> Vec<u8> {
    zip(&[("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n"), ("a.txz", &xz(&tar(entries)))])
}

pub(crate) fn digest(content: &[u8]) -> Digest {
    digest::copy(&mut &content[..], &mut std::io::sink(), u64::MAX, &mut |_| {}).unwrap()
}

/// A pin for exactly this jar.
pub(crate) fn pin(jar: &[u8]) -> Pin {
    let digest = digest(jar);
    Pin {
        arch: "amd64",
        version: "99.1.0",
        bytes: digest.bytes,
        sha256: Box::leak(digest.sha256.into_boxed_str()),
    }
}
