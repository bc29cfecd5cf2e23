//! Commands of an NVMe drive's own, past file system and block layer: what the layers between cost is the difference
//! to reads of the same drive by `Files`.
//!
//! IORING_OP_URING_CMD on the drive's character device `/dev/ngXnY` (Linux 5.19) with entries of double size;
//! `linux/nvme_ioctl.h` for the structure, NVM Express base and NVM command set specifications for the commands.
//! There is no page cache, no split of large commands, no count in `/proc/diskstats`. Trim is not offered: its ranges
//! would need buffers of their own.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use io_uring::types::{Fd, Fixed};
use io_uring::{cqueue, opcode, squeue};

use super::dialect::{Dialect, Wish};
use crate::nvme_generic::Namespace;
use crate::{Method, Op};

/// `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
const NVME_URING_CMD_IO: u32 = 0xC048_4E80;
const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;

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

/// Reads, writes and flushes of one namespace.
#[derive(Debug, Clone)]
pub struct Nvme {
    namespace: Namespace,
}

impl Nvme {
    /// For the character device that `file` is.
    pub(super) fn on(file: &File) -> io::Result<Nvme> {
        Ok(Nvme { namespace: Namespace::of(file)? })
    }

    /// The command; `None` where it is not a number of blocks that one command can move.
    fn command(&self, wish: &Wish) -> Option<Command> {
        let mut command =
            Command { namespace: self.namespace.id, opcode: FLUSH, ..Command::default() };
        if wish.op.moves_data() {
            let block = self.namespace.block_bytes;
            let blocks = wish.bytes / block;
            let whole = wish.bytes.is_multiple_of(block)
                && wish.offset.is_multiple_of(u64::from(block))
                && (1..=1 << 16).contains(&blocks);
            if !whole {
                return None;
            }
            let first = wish.offset / u64::from(block);
            command.opcode = if wish.op == Op::Read { READ } else { WRITE };
            command.address = wish.pointer as u64;
            command.data_bytes = wish.bytes;
            command.words_10_15 = [first as u32, (first >> 32) as u32, blocks - 1, 0, 0, 0];
        }
        Some(command)
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
        Ok(wrap(self.command(wish).ok_or(-libc::EINVAL)?, wish))
    }

    fn without_data(&self, wish: &Wish, _: &File, _: bool) -> Result<squeue::Entry128, i32> {
        if wish.op == Op::Trim {
            return Err(-libc::EOPNOTSUPP);
        }
        self.data(wish)
    }

    #[inline]
    fn outcome(&self, result: i32, bytes: u32) -> i32 {
        match result {
            0 => bytes as i32,
            // A status of the drive: LBA Out of Range is what other ways call ENOSPC, the rest is an error of the
            // medium or of the command.
            status if status > 0 => {
                if status & 0x7ff == 0x80 {
                    -libc::ENOSPC
                } else {
                    -libc::EIO
                }
            }
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
