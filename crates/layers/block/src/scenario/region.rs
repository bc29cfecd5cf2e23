//! Where a stream works: a file or device, or a part of one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use narrows_io::{Durable, Pattern, Target, TestFile};

use super::refuse;
use crate::BlockError;

/// A file or device, or a part of one. Clones share its descriptors; a file that goes with its owner must outlive the
/// windows of its streams.
#[derive(Debug, Clone)]
pub struct Region {
    target: Target,
    offset_bytes: u64,
    bytes: u64,
}

impl From<Target> for Region {
    fn from(target: Target) -> Self {
        let bytes = target.bytes();
        Region { target, offset_bytes: 0, bytes }
    }
}

impl Region {
    /// The whole of a file that was made for measuring.
    pub fn of(file: &TestFile) -> Region {
        Region::from(file.target().clone())
    }

    /// A part of it.
    ///
    /// # Errors
    /// [`BlockError::Scenario`] where it ends behind the region, or is empty.
    pub fn part(&self, offset_bytes: u64, bytes: u64) -> Result<Region, BlockError> {
        match offset_bytes.checked_add(bytes) {
            Some(end) if end <= self.bytes && bytes > 0 => {
                Ok(Region { offset_bytes: self.offset_bytes + offset_bytes, bytes, ..self.clone() })
            }
            _ => Err(refuse(
                &self.target.path().display().to_string(),
                &format!("it wants {bytes} bytes at {offset_bytes} of a region of {}", self.bytes),
                "keep inside the file",
            )),
        }
    }

    /// The same through descriptors whose writes are that durable by themselves.
    ///
    /// # Errors
    /// What opening gave.
    pub fn durable(&self, durable: Durable) -> Result<Region, BlockError> {
        Ok(Region { target: self.target.durable(durable)?, ..self.clone() })
    }

    /// The same with blocks that are not narrows' own.
    #[must_use]
    pub fn foreign(self) -> Region {
        Region { target: self.target.without_pattern(), ..self }
    }

    /// The file or device.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The file's name.
    pub fn name(&self) -> &Path {
        self.target.path()
    }

    /// Where it begins, bytes from the beginning of the file.
    pub fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// Its length, bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it may be written.
    pub fn writable(&self) -> bool {
        self.target.writable()
    }

    /// What it holds and is written with, where that is known; its entropy is that of writes.
    pub fn pattern(&self) -> Option<Pattern> {
        self.target.pattern()
    }

    /// Why it can't be reached past the page cache, if so.
    pub fn direct_refused(&self) -> Option<&str> {
        self.target.direct().err()
    }

    /// The descriptor past the page cache, or else the shared one through it.
    pub(crate) fn direct_file(&self) -> Arc<File> {
        self.target.direct_file().unwrap_or_else(|_| Arc::clone(self.target.buffered_file()))
    }

    /// Whether both lie in the same file and share a byte.
    pub(crate) fn overlaps(&self, other: &Region) -> bool {
        self.name() == other.name()
            && self.offset_bytes < other.offset_bytes + other.bytes
            && other.offset_bytes < self.offset_bytes + self.bytes
    }
}
