//! What goes to the host: bytes in the order of their answers, with data from where they lie.
//!
//! Answers gather in one batch while another is being sent, so that a system call carries as many as there are.

use std::ops::Range;
use std::sync::Arc;

use super::zero::zeros;
use crate::backing::Backing;
use crate::buffer::{Buffer, BufferPool};
use crate::namespace::Namespace;

/// Room for bytes of our own that is kept between bursts, bytes.
const KEPT: usize = 256 << 10;
/// Most pieces that one call sends; the kernel's limit is 1024 (IOV_MAX).
pub(crate) const PIECES: usize = 256;

#[derive(Debug)]
enum Piece {
    /// Of the batch's own bytes.
    Bytes(Range<usize>),
    /// A command's data.
    Data { buffer: Buffer, bytes: usize },
    /// Blocks in memory.
    Blocks { namespace: Arc<Namespace>, offset: u64, bytes: usize },
    /// Zeros.
    Zeros { bytes: usize },
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Bytes(range) => range.len(),
            Piece::Data { bytes, .. } | Piece::Blocks { bytes, .. } | Piece::Zeros { bytes } => {
                *bytes
            }
        }
    }
}

#[derive(Debug, Default)]
struct Batch {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

/// What goes to the host.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// What gathers.
    next: Batch,
    /// What is being sent, and how far.
    flight: Batch,
    piece: usize,
    sent_of_piece: usize,
}

impl Outbox {
    /// Appends what `write` appends to the bytes.
    pub(crate) fn bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.next.bytes.len();
        write(&mut self.next.bytes);
        let end = self.next.bytes.len();
        match self.next.pieces.last_mut() {
            Some(Piece::Bytes(range)) if range.end == start => range.end = end,
            _ => self.next.pieces.push(Piece::Bytes(start..end)),
        }
    }

    /// Appends the first `bytes` of a buffer, which goes back to the pool when they are sent.
    pub(crate) fn data(&mut self, buffer: Buffer, bytes: usize) {
        self.next.pieces.push(Piece::Data { buffer, bytes });
    }

    /// Appends blocks of a namespace in memory, as they are when they are sent.
    pub(crate) fn blocks(&mut self, namespace: Arc<Namespace>, offset: u64, bytes: usize) {
        self.next.pieces.push(Piece::Blocks { namespace, offset, bytes });
    }

    /// Appends zeros, at most as many as there are in one piece ([`zeros`]).
    pub(crate) fn zeros(&mut self, bytes: usize) {
        self.next.pieces.push(Piece::Zeros { bytes });
    }

    /// Bytes of our own that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.next.bytes.len()
    }

    /// Whether there is nothing to be sent.
    pub(crate) fn is_empty(&self) -> bool {
        self.flight.pieces.is_empty() && self.next.pieces.is_empty()
    }

    /// Fills `pieces` with what is to be sent next; whether there is something. What it points to stays where it is until
    /// [`sent`](Outbox::sent) says that it went.
    pub(crate) fn gather(&mut self, pieces: &mut Vec<libc::iovec>) -> bool {
        pieces.clear();
        if self.flight.pieces.is_empty() {
            std::mem::swap(&mut self.flight, &mut self.next);
        }
        let mut skip = self.sent_of_piece;
        for piece in self.flight.pieces.iter().skip(self.piece).take(PIECES) {
            let pointer = match piece {
                Piece::Bytes(range) => self.flight.bytes[range.clone()].as_ptr(),
                Piece::Data { buffer, .. } => buffer.pointer().cast_const(),
                Piece::Zeros { bytes } => zeros()[..*bytes].as_ptr(),
                Piece::Blocks { namespace, offset, bytes } => match &namespace.backing {
                    Backing::Ram(disk) => disk.pointer(*offset, *bytes),
                    _ => unreachable!("only memory is sent from where it lies"),
                },
            };
            pieces.push(libc::iovec {
                iov_base: pointer.wrapping_add(skip).cast_mut().cast(),
                iov_len: piece.len() - skip,
            });
            skip = 0;
        }
        !pieces.is_empty()
    }

    /// Gives back the memory of what will never be sent.
    pub(crate) fn abandon(&mut self, pool: &mut BufferPool) {
        for piece in self.flight.pieces.drain(..).chain(self.next.pieces.drain(..)) {
            if let Piece::Data { buffer, .. } = piece {
                pool.give(buffer);
            }
        }
    }

    /// So many bytes went.
    pub(crate) fn sent(&mut self, mut bytes: usize, pool: &mut BufferPool) {
        while bytes > 0 {
            let piece = &self.flight.pieces[self.piece];
            let left = piece.len() - self.sent_of_piece;
            if bytes < left {
                self.sent_of_piece += bytes;
                return;
            }
            bytes -= left;
            self.sent_of_piece = 0;
            self.piece += 1;
        }
        if self.piece == self.flight.pieces.len() {
            self.piece = 0;
            self.flight.bytes.clear();
            // What one burst took is not kept for ever.
            self.flight.bytes.shrink_to(KEPT);
            for piece in self.flight.pieces.drain(..) {
                if let Piece::Data { buffer, .. } = piece {
                    pool.give(buffer);
                }
            }
        }
    }
}
