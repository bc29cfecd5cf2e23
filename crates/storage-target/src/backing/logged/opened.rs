//! Media of a log before it is served: opened by the rules of what is written to, read, and given superblocks.

use std::io;

use narrows_initiator::Address;
use narrows_log_tier::{HEAD_BYTES, ReadMedium, SLOT_BYTES, Superblock};

use super::medium::{DiskMedium, LogMedium, write_superblock};
use super::open::{MediumReader, open_medium};
use super::peer::{Peer, PeerLines, PeerMedium, Reservation};
use crate::backing::FileDisk;
use crate::backing::open::OpenError;
use crate::buffer::Buffer;
use crate::journal;
use crate::namespace::LogMediumSpec;

/// A medium that is open.
#[derive(Debug)]
pub(crate) enum OpenMedium {
    Disk(Box<FileDisk>),
    Peer(Box<Peer>),
}

/// A peer that wasn't reached.
#[derive(Debug, Clone)]
pub(crate) struct Absent {
    pub(crate) address: Address,
    pub(crate) reason: String,
}

/// The media of a log, as far as they are there.
#[derive(Debug)]
pub(crate) struct OpenMedia {
    pub(crate) media: Vec<OpenMedium>,
    /// Of each of these which of those that were named it is, from 0 on.
    pub(crate) places: Vec<u8>,
    pub(crate) absent: Vec<Absent>,
}

impl OpenMedium {
    /// What it is called, as it was named.
    pub(crate) fn name(&self) -> String {
        match self {
            OpenMedium::Disk(disk) => disk.path().display().to_string(),
            OpenMedium::Peer(peer) => peer.name(),
        }
    }

    /// Its size, bytes.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn size(&self) -> io::Result<u64> {
        match self {
            OpenMedium::Disk(disk) => disk.size(),
            OpenMedium::Peer(peer) => Ok(peer.bytes()),
        }
    }

    /// A reader of it; with `ahead` one that goes through it in order.
    pub(crate) fn reader(&self, ahead: bool) -> Box<dyn ReadMedium + '_> {
        match self {
            OpenMedium::Disk(disk) => Box::new(MediumReader::new(&disk.file)),
            OpenMedium::Peer(peer) => Box::new(peer.reader(ahead)),
        }
    }

    /// Writes a superblock to its place, durably.
    ///
    /// # Errors
    /// What the medium said.
    pub(crate) fn write_superblock(&self, superblock: &Superblock) -> io::Result<()> {
        match self {
            OpenMedium::Disk(disk) => write_superblock(disk, superblock),
            OpenMedium::Peer(peer) => peer.write_superblock(superblock),
        }
    }

    /// Leaves no superblock on it, durably.
    ///
    /// # Errors
    /// What the medium said.
    pub(crate) fn empty(&self) -> io::Result<()> {
        match self {
            OpenMedium::Disk(disk) => {
                let mut zeros = Buffer::largest();
                zeros.bytes_mut(HEAD_BYTES as usize).fill(0);
                disk.write_all_at(zeros.bytes(HEAD_BYTES as usize), 0)?;
                disk.sync()
            }
            OpenMedium::Peer(peer) => peer.empty(),
        }
    }

    /// To be served, with a log of so many bytes.
    pub(super) fn into_medium(self, bytes: u64) -> io::Result<LogMedium> {
        Ok(match self {
            OpenMedium::Disk(disk) => LogMedium::Disk(Box::new(DiskMedium::new(*disk, bytes))),
            OpenMedium::Peer(peer) => {
                LogMedium::Peer(Box::new(PeerMedium::reached(PeerLines::new(*peer)?)))
            }
        })
    }
}

/// Opens the media of a log. Peers are reserved where it is said by what; one that isn't reached is told and done without.
///
/// # Errors
/// What can't be opened; a peer that another host has reserved.
pub(crate) fn open_media(
    places: &[LogMediumSpec],
    reservation: Option<Reservation>,
) -> Result<OpenMedia, OpenError> {
    let mut open = OpenMedia { media: Vec::new(), places: Vec::new(), absent: Vec::new() };
    for (index, place) in (0..).zip(places) {
        match place {
            LogMediumSpec::Disk(spec) => {
                open.media.push(OpenMedium::Disk(Box::new(open_medium(spec)?)));
            }
            LogMediumSpec::Peer(address) => match Peer::open(address, reservation) {
                Ok(peer) => open.add_peer(peer)?,
                Err(error) if error.is_of_connection() => {
                    journal::line("log-peer-absent", &[("peer", address), ("reason", &error)]);
                    let (address, reason) = ((**address).clone(), error.to_string());
                    open.absent.push(Absent { address, reason });
                    continue;
                }
                Err(error) => {
                    let taken = error.is_reservation_conflict();
                    let hint = if taken { TAKEN } else { error.hint().unwrap_or(REACHED) };
                    let reason = match taken {
                        true => "another host has reserved it".to_string(),
                        false => format!(
                            "{error} (where enough others answer, the log is served without this peer while its target is stopped)"
                        ),
                    };
                    return Err(refused_peer(address, reason, hint));
                }
            },
        }
        open.places.push(index);
    }
    match (open.media.is_empty(), open.absent.first()) {
        (true, Some(first)) => Err(OpenError::Refused {
            path: open
                .absent
                .iter()
                .map(|absent| absent.address.to_string())
                .collect::<Vec<_>>()
                .join(" and "),
            reason: format!("no peer is reached: {}", first.reason),
            hint: "start the peers: `narrows-target serve --namespace ram:SIZE`",
        }),
        _ => Ok(open),
    }
}

/// What is said of a peer that is another host's.
const TAKEN: &str =
    "a target that serves something else with a log on it, mostly; stop that, or name other peers";
/// What is said of one that can't be used otherwise.
const REACHED: &str = "`nvme discover` and `nvme list-ns` from here show what it has";

fn refused_peer(address: &Address, reason: String, hint: &'static str) -> OpenError {
    OpenError::Refused { path: address.to_string(), reason, hint }
}

impl OpenMedia {
    fn add_peer(&mut self, peer: Peer) -> Result<(), OpenError> {
        let same = self.media.iter().find(|other| match other {
            OpenMedium::Peer(other) => other.is_same_as(&peer),
            OpenMedium::Disk(_) => false,
        });
        if let Some(same) = same {
            return Err(OpenError::Refused {
                path: peer.name(),
                reason: format!("it is the same namespace as {}", same.name()),
                hint: "each peer is a namespace of another machine",
            });
        }
        self.media.push(OpenMedium::Peer(Box::new(peer)));
        Ok(())
    }
}

/// The newest whole superblock of a medium.
pub(crate) fn newest_on(reader: &mut dyn ReadMedium) -> Option<Superblock> {
    let slots = [0, SLOT_BYTES].map(|at| {
        let mut bytes = vec![0; SLOT_BYTES as usize];
        reader.read(at, &mut bytes).ok()?;
        Superblock::parse(&bytes)
    });
    slots.into_iter().flatten().max_by_key(|superblock| superblock.generation)
}
