//! Commands of an NVMe drive's own, past file system and block layer: what the layers between cost is the difference
//! to reads of the same drive by `Files`.
//!
//! IORING_OP_URING_CMD on the drive's character device `/dev/ngXnY` (Linux 5.19) with entries of double size;
//! `linux/nvme_ioctl.h` for the structure, NVM Express base and NVM command set specifications for the commands.
//! There is no page cache, no split of large commands, no count in `/proc/diskstats`. Trim is Dataset Management with the
//! attribute Deallocate, whose ranges the drive reads from memory of this module's own.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use io_uring::types::{Fd, Fixed};
use io_uring::{cqueue, opcode, squeue};

use super::submission_encoder::{Dialect, Route, Wish};
use crate::nvme_generic::Namespace;
use crate::{Method, Op};

/// `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
const NVME_URING_CMD_IO: u32 = 0xC048_4E80;
const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const DATASET_MANAGEMENT: u8 = 0x09;
/// Attribute of Dataset Management: what the ranges hold is no longer needed.
const DEALLOCATE: u32 = 1 << 2;
/// Status (type and code): a command that the drive doesn't know.
const INVALID_OPCODE: i32 = 0x01;
/// Status: beyond the namespace's end.
const LBA_OUT_OF_RANGE: i32 = 0x80;

/// `struct nvme_uring_cmd`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    words_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    words_10_15: [u32; 6],
    timeout_ms: u32,
    reserved_end: u32,
}

const _: () = assert!(size_of::<Command>() == 72);

/// A range of Dataset Management, little-endian. Aligned, so that none lies across two pages.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, Default)]
struct Range {
    attributes: u32,
    blocks: u32,
    first: u64,
}

const _: () = assert!(size_of::<Range>() == 16);

/// Reads, writes, trims and flushes of one namespace.
#[derive(Debug, Clone)]
pub struct Nvme {
    namespace: Namespace,
    /// What a slot's trim is about, for the drive to read until it has ended.
    ranges: Box<[Range]>,
}

impl Nvme {
    /// For the character device that `file` is, with so many operations in flight at most.
    pub(super) fn on(file: &File, slots: u32) -> io::Result<Nvme> {
        let ranges = vec![Range::default(); slots as usize].into_boxed_slice();
        Ok(Nvme { namespace: Namespace::of(file)?, ranges })
    }

    /// First block and number of blocks; `None` where it is not a whole number of them.
    fn blocks(&self, wish: &Wish) -> Option<(u64, u32)> {
        let block = self.namespace.block_bytes;
        let whole = wish.bytes.is_multiple_of(block)
            && wish.offset.is_multiple_of(u64::from(block))
            && wish.bytes > 0;
        whole.then(|| (wish.offset / u64::from(block), wish.bytes / block))
    }

    /// A read or write; `None` where it is not a number of blocks that one command can move.
    fn data_command(&self, wish: &Wish) -> Option<Command> {
        let (first, blocks) = self.blocks(wish).filter(|(_, blocks)| *blocks <= 1 << 16)?;
        Some(Command {
            opcode: if wish.op == Op::Read { READ } else { WRITE },
            namespace: self.namespace.id,
            address: wish.pointer as u64,
            data_bytes: wish.bytes,
            words_10_15: [first as u32, (first >> 32) as u32, blocks - 1, 0, 0, 0],
            ..Command::default()
        })
    }

    fn flush(&self) -> Command {
        Command { opcode: FLUSH, namespace: self.namespace.id, ..Command::default() }
    }

    /// A trim of one range, kept until the slot's next.
    fn trim(&mut self, wish: &Wish) -> Option<Command> {
        let (first, blocks) = self.blocks(wish)?;
        let range = &mut self.ranges[wish.slot() as usize];
        *range = Range { attributes: 0, blocks: blocks.to_le(), first: first.to_le() };
        Some(Command {
            opcode: DATASET_MANAGEMENT,
            namespace: self.namespace.id,
            address: std::ptr::from_ref(range) as u64,
            data_bytes: size_of::<Range>() as u32,
            // The number of ranges, less one.
            words_10_15: [0, DEALLOCATE, 0, 0, 0, 0],
            ..Command::default()
        })
    }
}

impl Dialect for Nvme {
    type Submission = squeue::Entry128;
    type Completion = cqueue::Entry32;

    fn method(&self) -> Method {
        Method::Passthrough
    }

    fn prepare(&mut self, _: &Wish) {}

    #[inline]
    fn data(&self, wish: &Wish) -> Result<squeue::Entry128, i32> {
        Ok(wrap(self.data_command(wish).ok_or(-libc::EINVAL)?, wish))
    }

    fn without_data(&mut self, wish: &Wish, _: &File, _: bool) -> Route<squeue::Entry128> {
        let command = if wish.op == Op::Trim { self.trim(wish) } else { Some(self.flush()) };
        command.map_or(Route::Ended(-libc::EINVAL), |command| Route::Ring(wrap(command, wish)))
    }

    #[inline]
    fn outcome(&self, result: i32, bytes: u32) -> i32 {
        match result {
            0 => bytes as i32,
            // A status of the drive, in the words of other ways; what they have no word for is an error of the medium
            // or of the command.
            status if status > 0 => match status & 0x7ff {
                LBA_OUT_OF_RANGE => -libc::ENOSPC,
                INVALID_OPCODE => -libc::EOPNOTSUPP,
                _ => -libc::EIO,
            },
            errno => errno,
        }
    }

    fn cannot_poll(&self, _: &File) -> Option<String> {
        super::queue::cannot_poll(std::slice::from_ref(&self.namespace.queue))
    }
}

#[inline]
fn wrap(command: Command, wish: &Wish) -> squeue::Entry128 {
    let mut bytes = [0u8; 80];
    // SAFETY: a plain structure of integers without gaps, 72 bytes long.
    let command: [u8; 72] = unsafe { std::mem::transmute(command) };
    bytes[..72].copy_from_slice(&command);
    let buffer = (wish.fixed_buffer && wish.op.moves_data()).then_some(0);
    let entry = if wish.fixed_file {
        opcode::UringCmd80::new(Fixed(0), NVME_URING_CMD_IO).cmd(bytes).buf_index(buffer).build()
    } else {
        opcode::UringCmd80::new(Fd(wish.fd), NVME_URING_CMD_IO).cmd(bytes).buf_index(buffer).build()
    };
    entry.user_data(wish.user_data)
}

/// The drive behind a file, asked with the ioctl of the same name.
pub(crate) fn namespace_id(file: &File) -> io::Result<u32> {
    /// `_IO('N', 0x40)`.
    const NVME_IOCTL_ID: u32 = 0x4E40;
    // SAFETY: the request takes no argument.
    let id = unsafe { libc::ioctl(file.as_raw_fd(), NVME_IOCTL_ID as _) };
    u32::try_from(id).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nvme() -> Nvme {
        let namespace =
            Namespace { id: 3, block_bytes: 4096, bytes: 1 << 40, queue: String::new() };
        Nvme { namespace, ranges: vec![Range::default(); 4].into_boxed_slice() }
    }

    fn wish(op: Op, offset: u64, bytes: u32) -> Wish {
        let pointer = std::ptr::without_provenance_mut(0x1000);
        let (fixed_file, fixed_buffer) = (true, true);
        let (user_data, fd, priority) = (2, -1, 0);
        Wish { op, pointer, offset, bytes, user_data, fd, fixed_file, fixed_buffer, priority }
    }

    #[test]
    fn a_trim_is_one_range_in_memory_of_its_own_that_says_deallocate() {
        let mut nvme = nvme();
        // Block 2^33, so that both halves count; more blocks than one read could move.
        let trim = nvme.trim(&wish(Op::Trim, 4096 << 33, 4096 * 100_000)).unwrap();
        assert_eq!((trim.opcode, trim.namespace), (0x09, 3));
        assert_eq!((trim.words_10_15[0], trim.words_10_15[1]), (0, 4), "one range, AD");
        assert_eq!(trim.address, std::ptr::from_ref(&nvme.ranges[2]) as u64, "the slot's own");
        assert_eq!(trim.data_bytes, 16);
        // SAFETY: a plain structure of integers without gaps.
        let range: [u8; 16] = unsafe { std::mem::transmute(nvme.ranges[2]) };
        assert_eq!(range[..4], [0; 4]);
        assert_eq!(range[4..8], 100_000u32.to_le_bytes());
        assert_eq!(range[8..], (1u64 << 33).to_le_bytes());
    }

    #[test]
    fn odd_ranges_are_refused_before_the_drive_sees_them() {
        let mut nvme = nvme();
        let file = File::open("/dev/null").unwrap();
        for (offset, bytes) in [(0, 0), (512, 4096), (0, 4095)] {
            let route = nvme.without_data(&wish(Op::Trim, offset, bytes), &file, false);
            assert!(matches!(route, Route::Ended(errno) if errno == -libc::EINVAL), "{route:?}");
            assert_eq!(nvme.data(&wish(Op::Read, offset, bytes)).err(), Some(-libc::EINVAL));
        }
        assert_eq!(nvme.data(&wish(Op::Read, 0, 4096 * 65_537)).err(), Some(-libc::EINVAL));
        assert!(nvme.data(&wish(Op::Read, 0, 4096 * 65_536)).is_ok());
    }

    #[test]
    fn what_the_drive_answers_is_told_in_the_words_of_other_ways() {
        let nvme = nvme();
        // With the bits More and Do Not Retry, which say nothing about what happened.
        let answers = [0x0, 0x4080, 0x4001, 0x281, -libc::EINTR].map(|s| nvme.outcome(s, 512));
        let words = [512, -libc::ENOSPC, -libc::EOPNOTSUPP, -libc::EIO, -libc::EINTR];
        assert_eq!(answers, words);
    }
}
