//! How an operation is put to the kernel: as a read or write of a file, or as a command of the drive's own.

use std::fs::File;
use std::os::fd::RawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use io_uring::types::{Fd, Fixed, FsyncFlags};
use io_uring::{cqueue, opcode, squeue};
use rustix::fs::OFlags;

use crate::{Method, Op, discard};

/// One operation, as a dialect needs it.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    pub(super) op: Op,
    pub(super) pointer: *mut u8,
    pub(super) offset: u64,
    pub(super) bytes: u32,
    pub(super) user_data: u64,
    pub(super) fd: RawFd,
    /// The file is number 0 of the registered ones.
    pub(super) fixed_file: bool,
    /// The buffer lies in number 0 of the registered ones.
    pub(super) fixed_buffer: bool,
    /// I/O priority in the kernel's form; 0: that of the thread.
    pub(super) priority: u16,
}

/// Where a trim or sync goes.
#[derive(Debug)]
pub enum Route<S> {
    /// To the ring.
    Ring(S),
    /// To the ordinary ring beside a polled one. The entry points to no memory.
    Aside(squeue::Entry),
    /// Nowhere: it has ended, with this result.
    Ended(i32),
}

impl Wish {
    /// The slot, as it is in what comes back.
    pub(super) fn slot(&self) -> u32 {
        self.user_data as u32
    }
}

/// What a ring's entries say.
pub trait Dialect {
    /// What is submitted.
    type Submission: squeue::EntryMarker + 'static;
    /// What comes back.
    type Completion: cqueue::EntryMarker + 'static;

    /// The way's name.
    fn method(&self) -> Method;

    /// Gets ready for wishes that differ from this one in operation, offset, buffer and length only.
    fn prepare(&mut self, wish: &Wish);

    /// The entry for a read or write; or the negative error number, where there is none.
    fn data(&self, wish: &Wish) -> Result<Self::Submission, i32>;

    /// What to do about a trim or sync. A `polled` ring takes only what can be polled for.
    fn without_data(&mut self, wish: &Wish, file: &File, polled: bool) -> Route<Self::Submission>;

    /// The result of a trim or sync of this slot that came back with `result`: another one where it was tried again in
    /// another way.
    fn ended(&mut self, slot: u32, result: i32, file: &File) -> i32 {
        let _ = (slot, file);
        result
    }

    /// Bytes moved or negative error number of an operation that was to move `bytes` and came back with `result`.
    fn outcome(&self, result: i32, bytes: u32) -> i32;

    /// Why completions of this file's operations can't be polled for, as far as can be told without trying.
    fn cannot_poll(&self, file: &File) -> Option<String>;
}

/// Reads and writes of a file or block device; or, as a no-op, of nothing.
#[derive(Debug, Clone)]
pub struct Files {
    block_device: bool,
    nop: bool,
    /// Ranges of block devices that are being discarded by the ring, by slot.
    discarding: Box<[Option<(u64, u32)>]>,
    /// Whether the kernel can (Linux 6.12), as far as is known.
    discards: bool,
    /// `RWF_` flags of every write.
    write_flags: i32,
    /// What is the same in every read, and in every write.
    read: Template,
    write: Template,
}

impl Files {
    pub(super) fn on(file: &File, slots: u32) -> Files {
        let none = Template::of(opcode::Nop::new().build());
        Files {
            block_device: discard::is_block_device(file),
            nop: false,
            discarding: vec![None; slots as usize].into_boxed_slice(),
            discards: true,
            write_flags: 0,
            read: none,
            write: none,
        }
    }

    /// Writes as atomic ones, where asked for.
    pub(super) fn atomic(self, atomic: bool) -> Files {
        Files { write_flags: if atomic { libc::RWF_ATOMIC } else { 0 }, ..self }
    }

    pub(super) fn nop(file: &File, slots: u32) -> Files {
        Files { nop: true, ..Files::on(file, slots) }
    }

    /// The entry for a trim or sync on an ordinary ring.
    fn plain(&self, wish: &Wish, fixed_file: bool) -> squeue::Entry {
        let Wish { op, offset, bytes, .. } = *wish;
        macro_rules! on {
            ($fd:expr) => {
                match op {
                    Op::Trim if self.block_device => {
                        let mut command = [0; 16];
                        command[..8].copy_from_slice(&u64::from(bytes).to_ne_bytes());
                        opcode::UringCmd16::new($fd, BLOCK_URING_CMD_DISCARD)
                            .addr(Some(offset))
                            .cmd(command)
                            .build()
                    }
                    Op::Trim => opcode::Fallocate::new($fd, u64::from(bytes))
                        .offset(offset)
                        .mode(discard::PUNCH)
                        .build(),
                    _ => opcode::Fsync::new($fd).flags(FsyncFlags::DATASYNC).build(),
                }
            };
        }
        let entry = if fixed_file { on!(Fixed(0)) } else { on!(Fd(wish.fd)) };
        entry.user_data(wish.user_data)
    }
}

/// `_IO(0x12, 0)` of `linux/blkdev.h` (6.12): discards `cmd` (64 bits) bytes from `addr` on.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;

impl Dialect for Files {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;

    fn method(&self) -> Method {
        if self.nop { Method::Nop } else { Method::IoUring }
    }

    fn prepare(&mut self, wish: &Wish) {
        let Wish { pointer, bytes, .. } = *wish;
        let flags = self.write_flags;
        macro_rules! on {
            ($fd:expr) => {
                if wish.fixed_buffer {
                    (
                        opcode::ReadFixed::new($fd, pointer, bytes, 0).build(),
                        opcode::WriteFixed::new($fd, pointer, bytes, 0).rw_flags(flags).build(),
                    )
                } else {
                    (
                        opcode::Read::new($fd, pointer, bytes).build(),
                        opcode::Write::new($fd, pointer, bytes).rw_flags(flags).build(),
                    )
                }
            };
        }
        if !self.nop {
            let (read, write) = if wish.fixed_file { on!(Fixed(0)) } else { on!(Fd(wish.fd)) };
            (self.read, self.write) = (Template::of(read), Template::of(write));
        }
    }

    #[inline]
    fn data(&self, wish: &Wish) -> Result<squeue::Entry, i32> {
        let template = if wish.op == Op::Read { &self.read } else { &self.write };
        Ok(template.entry(wish))
    }

    fn without_data(&mut self, wish: &Wish, file: &File, polled: bool) -> Route<squeue::Entry> {
        if self.nop {
            return Route::Ring(opcode::Nop::new().build().user_data(wish.user_data));
        }
        if wish.op == Op::Trim && self.block_device {
            if !self.discards {
                return Route::Ended(discard::discard(file, true, wish.offset, wish.bytes));
            }
            self.discarding[wish.slot() as usize] = Some((wish.offset, wish.bytes));
        }
        if polled {
            // The file is registered with the polled ring alone.
            Route::Aside(self.plain(wish, false))
        } else {
            Route::Ring(self.plain(wish, wish.fixed_file))
        }
    }

    fn ended(&mut self, slot: u32, result: i32, file: &File) -> i32 {
        let Some((offset, bytes)) = self.discarding[slot as usize].take() else { return result };
        // Kernels without this command say so in either way, and so do drives that cannot discard: asked for the second
        // time, without the ring, both tell the truth.
        if !matches!(-result, libc::EINVAL | libc::EOPNOTSUPP) {
            return result;
        }
        let result = discard::discard(file, true, offset, bytes);
        self.discards &= result != 0;
        result
    }

    #[inline]
    fn outcome(&self, result: i32, bytes: u32) -> i32 {
        if self.nop && result == 0 { bytes as i32 } else { result }
    }

    fn cannot_poll(&self, file: &File) -> Option<String> {
        let direct = |flags: OFlags| flags.contains(OFlags::DIRECT);
        if !rustix::fs::fcntl_getfl(file).is_ok_and(direct) {
            return Some("the file is not open for direct I/O".to_string());
        }
        let found = file.metadata().ok()?;
        let device = if found.file_type().is_block_device() { found.rdev() } else { found.dev() };
        let base = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
        // A partition has its disk's queue.
        super::queue::cannot_poll(&[format!("{base}/queue"), format!("{base}/../queue")])
    }
}

/// An entry as the kernel has it (`struct io_uring_sqe`), in words. Reads and writes differ in five fields, which
/// have had their places since 5.1; the library would build the whole entry anew, at three times the instructions.
#[derive(Debug, Clone, Copy)]
struct Template([u64; 8]);

impl Template {
    fn of(entry: squeue::Entry) -> Template {
        // SAFETY: both are 64 bytes of integers, all of them initialised by the library.
        Template(unsafe { std::mem::transmute::<squeue::Entry, [u64; 8]>(entry) })
    }

    #[inline]
    fn entry(&self, wish: &Wish) -> squeue::Entry {
        let mut words = self.0;
        // Operation and flags, before the priority, before 32 bits of the file's number; the template has no priority.
        words[0] |=
            u64::from(wish.priority) << if cfg!(target_endian = "little") { 16 } else { 32 };
        words[1] = wish.offset;
        words[2] = wish.pointer as u64;
        // The length, before 32 bits of flags.
        words[3] = if cfg!(target_endian = "little") {
            words[3] >> 32 << 32 | u64::from(wish.bytes)
        } else {
            u64::from(wish.bytes) << 32 | words[3] & u64::from(u32::MAX)
        };
        words[4] = wish.user_data;
        // SAFETY: as in `of`; every value of the five fields is one the library's builders could have written.
        unsafe { std::mem::transmute::<[u64; 8], squeue::Entry>(words) }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    fn bytes(entry: squeue::Entry) -> [u8; 64] {
        // SAFETY: a plain structure of 64 bytes, all of them initialised by the library.
        unsafe { std::mem::transmute(entry) }
    }

    #[test]
    fn entries_are_those_the_library_builds() {
        let file = File::open("/dev/zero").unwrap();
        let mut buffer = [0u8; 8];
        let pointer = buffer.as_mut_ptr();
        let (fd, offset, length) = (file.as_raw_fd(), 0x1122_3344_5566_7788, 0x99AA_BBCC);
        for (fixed_file, fixed_buffer) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let wish = |op| Wish {
                op,
                pointer,
                offset,
                bytes: length,
                user_data: 7,
                fd,
                fixed_file,
                fixed_buffer,
                priority: 0,
            };
            let mut files = Files::on(&file, 1);
            files.prepare(&Wish { offset: 0, bytes: 1, ..wish(Op::Read) });
            let first = files.data(&Wish { priority: (1 << 13) | 5, ..wish(Op::Write) }).unwrap();
            // `ioprio` has its place behind a byte of operation and one of flags.
            assert_eq!(bytes(first)[2..4], ((1_u16 << 13) | 5).to_ne_bytes());
            let plain = bytes(files.data(&wish(Op::Write)).unwrap());
            assert_eq!(plain[2..4], [0, 0], "the next one has none");
            // `rw_flags` has its place behind operation, file, offset, pointer and length.
            assert_eq!(plain[28..32], [0; 4]);
            let mut atomic = Files::on(&file, 1).atomic(true);
            atomic.prepare(&Wish { offset: 0, bytes: 1, ..wish(Op::Read) });
            let write = bytes(atomic.data(&wish(Op::Write)).unwrap());
            assert_eq!(write[28..32], 0x40_u32.to_ne_bytes(), "RWF_ATOMIC");
            assert_eq!((&write[..28], &write[32..]), (&plain[..28], &plain[32..]));
            let read = bytes(atomic.data(&wish(Op::Read)).unwrap());
            assert_eq!(read[28..32], [0; 4], "reads have no such flag");
            macro_rules! same {
                ($op:expr, $build:expr) => {{
                    let ours = files.data(&wish($op)).unwrap();
                    let build = $build;
                    let theirs = if fixed_file { build(None) } else { build(Some(Fd(fd))) };
                    assert_eq!(
                        bytes(ours),
                        bytes(theirs.user_data(7)),
                        "{:?} {fixed_file} {fixed_buffer}",
                        $op
                    );
                }};
            }
            macro_rules! built {
                ($kind:ident $(, $index:expr)?) => {
                    |fd: Option<Fd>| match fd {
                        Some(fd) => {
                            opcode::$kind::new(fd, pointer, length $(, $index)?).offset(offset).build()
                        }
                        None => opcode::$kind::new(Fixed(0), pointer, length $(, $index)?)
                            .offset(offset)
                            .build(),
                    }
                };
            }
            if fixed_buffer {
                same!(Op::Read, built!(ReadFixed, 0));
                same!(Op::Write, built!(WriteFixed, 0));
            } else {
                same!(Op::Read, built!(Read));
                same!(Op::Write, built!(Write));
            }
        }
    }

    #[test]
    fn a_discard_the_ring_does_not_know_is_asked_for_without_it() {
        let file = tempfile::tempfile().unwrap();
        let mut files = Files { block_device: true, ..Files::on(&file, 2) };
        let wish = Wish {
            op: Op::Trim,
            pointer: std::ptr::null_mut(),
            offset: 8192,
            bytes: 4096,
            user_data: 1,
            fd: file.as_raw_fd(),
            fixed_file: true,
            fixed_buffer: true,
            priority: 0,
        };
        assert!(matches!(files.without_data(&wish, &file, true), Route::Aside(_)));
        assert!(matches!(files.without_data(&wish, &file, false), Route::Ring(_)));
        assert_eq!(files.ended(1, -libc::EIO, &file), -libc::EIO, "the drive's own answer");
        // No block device: the second way says so, in its own words.
        files.without_data(&wish, &file, false);
        assert_eq!(files.ended(0, -libc::EINVAL, &file), -libc::EINVAL, "another slot");
        assert_eq!(files.ended(1, -libc::EINVAL, &file), -libc::ENOTTY);
        assert_eq!(files.ended(1, -libc::EINVAL, &file), -libc::EINVAL, "once");
        assert!(files.discards, "nothing worked yet that the ring refused");
        // Known not to work by the ring, it goes there no more.
        files.discards = false;
        let route = files.without_data(&wish, &file, false);
        assert!(matches!(route, Route::Ended(errno) if errno == -libc::ENOTTY), "{route:?}");
        let sync = Wish { op: Op::Sync, ..wish };
        assert!(matches!(files.without_data(&sync, &file, true), Route::Aside(_)));
    }
}
