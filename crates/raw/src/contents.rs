//! What is on a device: marks of owners, and how much of it isn't zero.

use std::io::{self, Read, Seek, SeekFrom};

use crate::signature::{FoundSignature, scan};

/// Blocks looked at all over the device.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: u64 = 4096;
const HEAD_BYTES: u64 = 1 << 20;

/// What reading a device showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// Marks, each name once.
    pub signatures: Vec<FoundSignature>,
    /// Share of bytes that aren't zero in the first megabyte (2^20 bytes).
    pub head_nonzero_share: f64,
    /// Blocks of 4 KiB looked at, evenly spread.
    pub samples: u32,
    /// Those of them that hold anything but zeros.
    pub samples_nonzero: u32,
    /// And of these, those that aren't one value all over, nor of an earlier test of ours.
    pub samples_unknown: u32,
}

/// Reads `size_bytes` of a device or of an image of one: the places where marks stand, the first megabyte, and some
/// blocks all over. Moves the reader's position; writes nothing.
///
/// # Errors
/// What reading gave; what can't be read may hold anything.
pub fn contents(reader: &mut (impl Read + Seek), size_bytes: u64) -> io::Result<Contents> {
    let signatures = scan(reader, size_bytes)?;
    let mut head = vec![0; size_bytes.min(HEAD_BYTES) as usize];
    reader.seek(SeekFrom::Start(0))?;
    reader.read_exact(&mut head)?;
    let nonzero = head.iter().filter(|byte| **byte != 0).count();
    let samples = (size_bytes / SAMPLE_BYTES).min(SAMPLES);
    let (mut samples_nonzero, mut samples_unknown) = (0, 0);
    for index in 0..samples {
        // The middle of the index-th of equal stretches, on a block's boundary.
        let at = (size_bytes / samples) * index + size_bytes / samples / 2;
        let mut block = [0; SAMPLE_BYTES as usize];
        reader.seek(SeekFrom::Start(
            (at / SAMPLE_BYTES * SAMPLE_BYTES).min(size_bytes - SAMPLE_BYTES),
        ))?;
        reader.read_exact(&mut block)?;
        samples_nonzero += u32::from(block.iter().any(|byte| *byte != 0));
        let constant = block.iter().all(|byte| *byte == block[0]);
        samples_unknown += u32::from(!constant && !narrows_facts::pattern::is_ours(&block));
    }
    Ok(Contents {
        signatures,
        head_nonzero_share: nonzero as f64 / head.len().max(1) as f64,
        samples: samples as u32,
        samples_nonzero,
        samples_unknown,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn zeros_and_data_are_told_apart() {
        let empty = contents(&mut Cursor::new(vec![0; 8 << 20]), 8 << 20).unwrap();
        assert_eq!((empty.head_nonzero_share, empty.samples, empty.samples_nonzero), (0.0, 64, 0));
        assert_eq!(empty.signatures, []);
        let mut image = vec![0; 8 << 20];
        image[..1 << 18].fill(1);
        image[4 << 20..].fill(2);
        let half = contents(&mut Cursor::new(image), 8 << 20).unwrap();
        // A quarter of a MiB is two of 64 stretches of an eighth.
        assert_eq!((half.head_nonzero_share, half.samples_nonzero), (0.25, 34));
    }

    #[test]
    fn tiny_and_truncated_devices() {
        let tiny = contents(&mut Cursor::new(vec![7; 512]), 512).unwrap();
        assert_eq!((tiny.head_nonzero_share, tiny.samples), (1.0, 0));
        assert_eq!(contents(&mut Cursor::new(Vec::new()), 0).unwrap().head_nonzero_share, 0.0);
        assert!(contents(&mut Cursor::new(vec![0; 4096]), 8192).is_err(), "shorter than it says");
    }
}
