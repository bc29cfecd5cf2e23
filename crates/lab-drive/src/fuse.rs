//! As much of the FUSE protocol as one file in one folder needs (Linux `include/uapi/linux/fuse.h`, version 7.31).
//!
//! Messages are taken apart and put together byte by byte; the kernel accepts an older minor version than its own.

use std::io;

/// Length of a request's header.
pub const HEADER_BYTES: usize = 40;
/// Largest read or write.
pub const MOST_BYTES: usize = 1 << 20;

const ROOT: u64 = 1;
const DISK: u64 = 2;
/// The file's name.
pub const DISK_NAME: &str = "disk";

const MAJOR: u32 = 7;
const MINOR: u32 = 31;
const ASYNC_READ: u32 = 1;
const BIG_WRITES: u32 = 1 << 5;
const ASYNC_DIO: u32 = 1 << 15;
const MAX_PAGES: u32 = 1 << 22;
/// Every read and write comes here: the kernel keeps no copy.
const OPEN_DIRECT_IO: u32 = 1;

/// What the kernel asks.
#[derive(Debug, PartialEq, Eq)]
pub enum Ask<'a> {
    /// The first message.
    Init,
    /// A name in the folder.
    Lookup(&'a [u8]),
    /// Attributes of a node.
    Attributes(u64),
    /// Opens a file or folder.
    Open(u64),
    /// Reads so many bytes from there.
    Read(u64, usize),
    /// Writes these bytes there.
    Write(u64, &'a [u8]),
    /// Everything before is to be permanent.
    Flush,
    /// Size of the file system.
    Size,
    /// Whatever is answered with success and nothing else.
    Nothing,
    /// Whatever has no answer.
    Silent,
    /// Whatever this server can't.
    Unknown,
}

/// A request's number, and what it asks.
pub fn parse(message: &[u8]) -> io::Result<(u64, Ask<'_>)> {
    let short = || io::Error::new(io::ErrorKind::InvalidData, "a FUSE request ends early");
    let u32_at = |at: usize| -> io::Result<u32> {
        let bytes = message.get(at..at + 4).ok_or_else(short)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    };
    let u64_at = |at: usize| -> io::Result<u64> {
        let bytes = message.get(at..at + 8).ok_or_else(short)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    };
    let body = HEADER_BYTES;
    let node = u64_at(16)?;
    let ask = match u32_at(4)? {
        26 => Ask::Init,
        1 => {
            let name = message.get(body..).ok_or_else(short)?;
            Ask::Lookup(name.split(|byte| *byte == 0).next().unwrap_or_default())
        }
        // A new size or owner is not taken; the answer says what is.
        3 | 4 => Ask::Attributes(node),
        14 | 27 => Ask::Open(node),
        15 => Ask::Read(u64_at(body + 8)?, u32_at(body + 16)? as usize),
        16 => {
            let size = u32_at(body + 16)? as usize;
            let data = message.get(body + 40..body + 40 + size).ok_or_else(short)?;
            Ask::Write(u64_at(body + 8)?, data)
        }
        20 => Ask::Flush,
        17 => Ask::Size,
        // Close, its last part, of folders too, an empty folder's list, access, the end.
        25 | 18 | 29 | 28 | 34 | 38 => Ask::Nothing,
        // Forgotten nodes, interrupts.
        2 | 42 | 36 => Ask::Silent,
        _ => Ask::Unknown,
    };
    Ok((u64_at(8)?, ask))
}

/// An answer with that body.
pub fn answer(unique: u64, body: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(16 + body.len());
    message.extend(((16 + body.len()) as u32).to_le_bytes());
    message.extend(0i32.to_le_bytes());
    message.extend(unique.to_le_bytes());
    message.extend(body);
    message
}

/// An answer of failure.
pub fn failure(unique: u64, code: i32) -> Vec<u8> {
    let mut message = Vec::with_capacity(16);
    message.extend(16u32.to_le_bytes());
    message.extend((-code).to_le_bytes());
    message.extend(unique.to_le_bytes());
    message
}

/// The answer to the first message.
pub fn init() -> Vec<u8> {
    let mut body = Vec::with_capacity(64);
    words(&mut body, &[MAJOR, MINOR, 0, ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES]);
    // Requests under way, and when the kernel holds back.
    body.extend(64u16.to_le_bytes());
    body.extend(48u16.to_le_bytes());
    words(&mut body, &[MOST_BYTES as u32, 1]);
    body.extend(((MOST_BYTES / 4096) as u16).to_le_bytes());
    body.resize(64, 0);
    body
}

/// The answer to the name of the file.
pub fn entry(size_bytes: u64) -> Vec<u8> {
    let mut body = Vec::with_capacity(128);
    longs(&mut body, &[DISK, 0, 3600, 3600]);
    words(&mut body, &[0, 0]);
    attributes_of(&mut body, DISK, size_bytes);
    body
}

/// The answer to a question for attributes.
pub fn attributes(node: u64, size_bytes: u64) -> Vec<u8> {
    let mut body = Vec::with_capacity(104);
    longs(&mut body, &[3600]);
    words(&mut body, &[0, 0]);
    attributes_of(&mut body, node, size_bytes);
    body
}

/// The answer to an open.
pub fn opened(node: u64) -> Vec<u8> {
    let mut body = Vec::with_capacity(16);
    longs(&mut body, &[0]);
    words(&mut body, &[if node == DISK { OPEN_DIRECT_IO } else { 0 }, 0]);
    body
}

/// The answer to a write of so many bytes.
pub fn written(bytes: usize) -> Vec<u8> {
    let mut body = Vec::with_capacity(8);
    words(&mut body, &[bytes as u32, 0]);
    body
}

/// The answer to a question for the file system's size.
pub fn size(size_bytes: u64) -> Vec<u8> {
    let mut body = Vec::with_capacity(80);
    longs(&mut body, &[size_bytes / 4096, 0, 0, 1, 0]);
    words(&mut body, &[4096, 255, 4096]);
    body.resize(80, 0);
    body
}

fn attributes_of(body: &mut Vec<u8>, node: u64, size_bytes: u64) {
    let (mode, links, size_bytes) = match node {
        ROOT => (libc::S_IFDIR | 0o755, 2, 4096),
        _ => (libc::S_IFREG | 0o600, 1, size_bytes),
    };
    longs(body, &[node, size_bytes, size_bytes / 512, 0, 0, 0]);
    words(body, &[0, 0, 0, mode, links, 0, 0, 0, 4096, 0]);
}

fn words(body: &mut Vec<u8>, values: &[u32]) {
    body.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn longs(body: &mut Vec<u8>, values: &[u64]) {
    body.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_the_lengths_of_the_kernels_structures() {
        assert_eq!(init().len(), 64);
        assert_eq!(entry(1).len(), 128);
        assert_eq!(attributes(ROOT, 1).len(), 104);
        assert_eq!(opened(DISK).len(), 16);
        assert_eq!(written(1).len(), 8);
        assert_eq!(size(1).len(), 80);
        assert_eq!(failure(1, libc::EIO).len(), 16);
    }

    #[test]
    fn a_write_is_taken_apart_and_one_that_ends_early_is_refused() {
        let mut message = vec![0; HEADER_BYTES + 40];
        message[4] = 16;
        message[8] = 77;
        message[HEADER_BYTES + 8..HEADER_BYTES + 10].copy_from_slice(&4096u16.to_le_bytes());
        message[HEADER_BYTES + 16] = 3;
        message.extend(b"abc");
        assert_eq!(parse(&message).unwrap(), (77, Ask::Write(4096, b"abc")));
        message.pop();
        assert!(parse(&message).is_err());
        assert!(parse(&message[..20]).is_err());
    }
}
