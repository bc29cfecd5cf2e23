//! What the server said: the end of its log, and what can be done about the commonest of it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Of a log so much is looked at, bytes.
const MOST_BYTES: u64 = 64 << 10;

/// The last `lines` of a log; empty if there is nothing.
pub(super) fn tail(log: &File, lines: usize) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let length = log.metadata()?.len();
        let mut bytes = vec![0; length.min(MOST_BYTES) as usize];
        log.read_exact_at(&mut bytes, length.saturating_sub(MOST_BYTES))?;
        Ok(bytes)
    };
    last_lines(&String::from_utf8_lossy(&read().unwrap_or_default()), lines)
}

pub(super) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// What can be done about the commonest failures, recognised by the words the system or the server has for them.
pub(super) fn hint(output: &str) -> &'static str {
    const HINTS: [(&str, &str); 10] = [
        (
            "could not look up effective user ID",
            "PostgreSQL needs its user to have an entry in the user database (/etc/passwd), as in containers with \
             made-up user numbers it hasn't; run as a user who has one",
        ),
        ("No space left on device", "free some space there, or name another folder"),
        ("Disk quota exceeded", "the quota is used up; name another folder"),
        ("Read-only file system", "the file system is read-only; name another folder"),
        ("Permission denied", "the server's user may not write there; name another folder"),
        (
            "was terminated by signal 9",
            "the kernel probably ran out of memory for it; look at cgroup limits and at the kernel's log",
        ),
        ("Cannot allocate memory", "there is not enough memory; look at cgroup limits"),
        ("could not map anonymous shared memory", "there is not enough memory for shared_buffers"),
        ("unrecognized configuration parameter", "this version has no such setting"),
        ("invalid value for parameter", "this build does not accept that setting"),
    ];
    HINTS
        .iter()
        .find(|(words, _)| output.contains(words))
        .map_or("the lines above say why; --postgres FILE names another server", |(_, hint)| hint)
}
