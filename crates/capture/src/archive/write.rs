//! Writing an archive.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};

use super::line::lines;
use crate::Capture;

/// Writes the archive and gives back what it was written to.
///
/// # Errors
/// What writing gave.
pub fn write<W: Write>(capture: &Capture, out: W) -> io::Result<W> {
    // No file name and no time: the same capture is the same file.
    let mut gzip = GzBuilder::new().mtime(0).write(out, Compression::best());
    let mut entries = 0usize;
    line(&mut gzip, &capture.header)?;
    for entry in lines(&capture.recording) {
        line(&mut gzip, &entry)?;
        entries += 1;
    }
    writeln!(gzip, "{{\"end\":{entries}}}")?;
    gzip.finish()
}

fn line(out: &mut impl Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
