//! A log that was made, as it is told.

use narrows_log_tier::{Acknowledge, Superblock};
use serde::Serialize;

use super::{Notes, Report};
use crate::backing::FileDisk;
use crate::backing::logged::{OpenMedium, PEER_WORD, medium_word, power_of, power_of_copies};

/// A log that was made.
#[derive(Debug, Serialize)]
pub(super) struct LogMade {
    log: String,
    /// What it is for.
    path: String,
    backing_bytes: u64,
    capacity_bytes: u64,
    media: Vec<String>,
    /// What each of them is: file, block device, persistent memory and how it is written, or peer.
    media_kinds: Vec<String>,
    /// What the platform says of a loss of power, of each that is persistent memory.
    media_power: Vec<Option<String>>,
    /// all, first, or copies.
    acknowledge: &'static str,
    /// How many peers have each write before it is answered, where it is on peers.
    copies: Option<u8>,
    /// What a loss of power means for a log on peers.
    peers_power: Option<String>,
    /// What `serve --namespace` takes for what it is for, with it in front.
    namespace: String,
    notes: Vec<String>,
}

impl LogMade {
    /// The log of this first superblock.
    pub(super) fn of(
        first: &Superblock,
        backing: &FileDisk,
        media: &[OpenMedium],
        notes: &Notes,
    ) -> LogMade {
        let path = backing.path().display().to_string();
        let names: Vec<String> = media.iter().map(OpenMedium::name).collect();
        let logs: String = names.iter().map(|name| format!(",log={name}")).collect();
        let copies = match first.acknowledge {
            Acknowledge::Copies(copies) => Some(copies),
            Acknowledge::All | Acknowledge::First => None,
        };
        LogMade {
            log: first.id.to_string(),
            namespace: format!("{path}{logs}"),
            path,
            backing_bytes: first.backing_bytes,
            capacity_bytes: first.geometry.capacity,
            media: names,
            media_kinds: media.iter().map(kind_of).collect(),
            media_power: media.iter().map(power_of_medium).collect(),
            acknowledge: match first.acknowledge {
                Acknowledge::All => "all",
                Acknowledge::First => "first",
                Acknowledge::Copies(_) => "copies",
            },
            copies,
            peers_power: copies.map(|copies| power_of_copies(copies, first.media)),
            notes: notes.kept(),
        }
    }
}

fn kind_of(medium: &OpenMedium) -> String {
    match medium {
        OpenMedium::Disk(disk) => medium_word(&disk.file),
        OpenMedium::Peer(_) => PEER_WORD.to_string(),
    }
}

fn power_of_medium(medium: &OpenMedium) -> Option<String> {
    match medium {
        OpenMedium::Disk(disk) => power_of(&disk.file),
        OpenMedium::Peer(_) => None,
    }
}

impl Report for LogMade {
    fn text(&self) -> String {
        let LogMade { log, path, capacity_bytes, media, namespace, .. } = self;
        let of_media = media.iter().zip(&self.media_kinds).zip(&self.media_power);
        let kinds: String = match &self.peers_power {
            Some(power) => format!("\n{power}"),
            None => of_media.map(kind_line).collect(),
        };
        // An address has what a shell takes for its own.
        let quote = if self.copies.is_some() { "'" } else { "" };
        format!(
            "log {log} of {capacity_bytes} bytes on {} for {path}{kinds}\nserve it: narrows-target serve --namespace {quote}{namespace}{quote} …",
            media.join(" and "),
        )
    }
}

/// What a medium is, a line or two.
fn kind_line(((name, kind), power): ((&String, &String), &Option<String>)) -> String {
    match power {
        Some(power) => format!("\n{name}: {kind}; {power}"),
        None => format!("\n{name}: {kind}"),
    }
}
