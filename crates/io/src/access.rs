//! Which way to the device can be had, found out once, with the reason where it is not the best one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::uring::{self, UringPath};
use crate::{Arena, BlockingPath, DevicePath, Error, Method};

/// The way obtained; clone it into the threads that use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    method: Method,
    refused: Option<String>,
}

impl Access {
    /// io_uring where the kernel and its administrator allow it, else blocking calls.
    pub fn best() -> Access {
        match uring::available() {
            Ok(()) => Access { method: Method::IoUring, refused: None },
            Err(reason) => Access { method: Method::Blocking, refused: Some(reason) },
        }
    }

    /// Blocking calls, whatever else there may be: the server's path.
    pub fn blocking() -> Access {
        Access { method: Method::Blocking, refused: None }
    }

    /// What remains when io_uring is refused for `reason`.
    pub fn without_uring(reason: &str) -> Access {
        Access { method: Method::Blocking, refused: Some(reason.to_string()) }
    }

    /// No device at all, to calibrate the generator.
    pub fn null() -> Access {
        Access { method: Method::Null, refused: None }
    }

    /// Which way.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Why it is not io_uring, where that was wanted.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Operations one thread can keep in flight; more need more threads.
    pub fn depth_per_thread(&self) -> Option<u32> {
        (self.method == Method::Blocking).then_some(1)
    }

    /// A path to `file` (called `name` in errors), to be used on the calling thread, for up to `depth` operations in
    /// flight.
    pub fn open(
        &self,
        file: Arc<File>,
        name: &Path,
        arena: Arena,
        depth: u32,
    ) -> Result<Box<dyn DevicePath>, Error> {
        Ok(match self.method {
            Method::IoUring => Box::new(
                UringPath::new(file, name.to_path_buf(), arena, depth)
                    .map_err(|source| Error::system("set up io_uring for", name, source))?,
            ),
            Method::Blocking => Box::new(BlockingPath::new(file, name.to_path_buf(), arena)),
            Method::Null => Box::new(crate::NullPath::new(arena)),
            Method::Aio | Method::Nop => unreachable!("no constructor gives these yet"),
        })
    }
}
