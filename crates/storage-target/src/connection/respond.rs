//! Answers.

use std::sync::Arc;

use narrows_nvme::digest::{digest, digest_more};
use narrows_nvme::feature::ServiceTime;
use narrows_nvme::log::ErrorEntry;
use narrows_nvme::pdu::{DataTransfer, Pdu};
use narrows_nvme::{CompletionEntry, Status, SubmissionEntry};

use super::zero::zeros;
use super::{Connection, Context};
use crate::buffer::Buffer;
use crate::namespace::Namespace;

/// Where the data of an answer are.
pub(super) enum Payload<'a> {
    /// Here; they are copied.
    Copied(&'a dyn Fn(&mut Vec<u8>)),
    /// In a buffer, which goes with them.
    Buffer(Buffer),
    /// In memory, from this offset on.
    Blocks(Arc<Namespace>, u64),
    /// Nowhere: they are zeros.
    Zeros,
}

/// How long a command took, where its host asked for that.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timing {
    /// When it was complete, ns; 0 where nobody asks.
    pub(super) arrived_ns: u64,
    /// In the storage, ns.
    pub(super) storage_ns: u64,
}

impl Connection {
    /// Ends a command.
    pub(super) fn complete(&mut self, entry: &SubmissionEntry, status: Status, result: u64) {
        let mut completion = CompletionEntry::new(entry.command_id(), status, result);
        if let Some(queue) = &self.queue {
            completion.queue = queue.number;
            completion.queue_head = if queue.no_flow_control { 0xFFFF } else { queue.head };
        }
        let digests = self.framing.digests;
        self.outbox.bytes(|out| {
            Pdu::CapsuleResp(completion).write(0, digests, 4, out);
        });
    }

    /// Ends an I/O command without data.
    pub(super) fn complete_io(
        &mut self,
        entry: &SubmissionEntry,
        status: Status,
        timing: Timing,
        context: &Context<'_>,
    ) {
        if !status.is_success() {
            self.record(entry, status);
        }
        let result = if status.is_success() { service_time(timing, context) } else { 0 };
        self.complete(entry, status, result);
    }

    /// Ends a command with `bytes` of data, as many as it asked for.
    pub(super) fn answer(
        &mut self,
        entry: &SubmissionEntry,
        payload: Payload<'_>,
        bytes: usize,
        result: u64,
    ) {
        let flow_control = self.queue.as_ref().is_none_or(|queue| !queue.no_flow_control);
        // Data can stand for the answer where it has nothing more to say.
        let success = !flow_control && result == 0;
        let transfer = DataTransfer {
            command_id: entry.command_id(),
            transfer_tag: 0,
            offset: 0,
            length: bytes as u32,
        };
        let pdu = Pdu::C2hData { transfer, last: true, success };
        let (digests, alignment) = (self.framing.digests, self.alignment);
        match payload {
            Payload::Copied(write) => self.outbox.bytes(|out| {
                pdu.write(bytes, digests, alignment, out);
                let start = out.len();
                write(out);
                debug_assert_eq!(out.len() - start, bytes, "as much data as was asked for");
                if digests.data {
                    let its_digest = digest(&out[start..]);
                    out.extend_from_slice(&its_digest.to_le_bytes());
                }
            }),
            Payload::Buffer(buffer) => {
                self.outbox.bytes(|out| {
                    pdu.write(bytes, digests, alignment, out);
                });
                let its_digest = digests.data.then(|| digest(buffer.bytes(bytes)));
                self.outbox.data(buffer, bytes);
                if let Some(its_digest) = its_digest {
                    self.outbox.bytes(|out| out.extend_from_slice(&its_digest.to_le_bytes()));
                }
            }
            Payload::Blocks(namespace, offset) => {
                debug_assert!(!digests.data, "a digest is of what is sent");
                self.outbox.bytes(|out| {
                    pdu.write(bytes, digests, alignment, out);
                });
                self.outbox.blocks(namespace, offset, bytes);
            }
            Payload::Zeros => {
                self.outbox.bytes(|out| {
                    pdu.write(bytes, digests, alignment, out);
                });
                let mut its_digest = digest(&[]);
                let mut left = bytes;
                while left > 0 {
                    let piece = left.min(zeros().len());
                    self.outbox.zeros(piece);
                    if digests.data {
                        its_digest = digest_more(its_digest, &zeros()[..piece]);
                    }
                    left -= piece;
                }
                if digests.data {
                    self.outbox.bytes(|out| out.extend_from_slice(&its_digest.to_le_bytes()));
                }
            }
        }
        if !success {
            self.complete(entry, Status::SUCCESS, result);
        }
    }

    /// Remembers a command that failed.
    fn record(&mut self, entry: &SubmissionEntry, status: Status) {
        let Some(queue) = &self.queue else { return };
        queue.controller.registers().record_error(ErrorEntry {
            count: 0,
            queue: queue.number,
            command_id: entry.command_id(),
            status,
            location: 0xFFFF,
            block: 0,
            namespace: entry.namespace(),
        });
    }

    /// Whether the host wants to know how long its commands take.
    pub(super) fn is_timed(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| {
            let asked = &queue.controller.tells_service_time;
            asked.load(std::sync::atomic::Ordering::Relaxed)
        })
    }
}

/// The result of an I/O command's completion.
pub(super) fn service_time(timing: Timing, context: &Context<'_>) -> u64 {
    if timing.arrived_ns == 0 {
        return 0;
    }
    let saturated = |ns: u64| u32::try_from(ns).unwrap_or(u32::MAX);
    // Never 0, which would say that nobody asked.
    let target_ns = context.target.now_ns().saturating_sub(timing.arrived_ns).max(1);
    ServiceTime { target_ns: saturated(target_ns), storage_ns: saturated(timing.storage_ns) }
        .to_result()
}
