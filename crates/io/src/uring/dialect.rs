//! How an operation is put to the kernel: as a read or write of a file, or as a command of the drive's own.

use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use io_uring::types::{Fd, Fixed, FsyncFlags};
use io_uring::{cqueue, opcode, squeue};

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

    /// The entry for a trim or sync; or the result, where it must be, or could only be, executed without the ring. A
    /// `polled` ring takes only what can be polled for.
    fn without_data(&self, wish: &Wish, file: &File, polled: bool)
    -> Result<Self::Submission, i32>;

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
    /// What is the same in every read, and in every write.
    read: Template,
    write: Template,
}

impl Files {
    pub(super) fn on(file: &File) -> Files {
        let none = Template::of(opcode::Nop::new().build());
        Files { block_device: discard::is_block_device(file), nop: false, read: none, write: none }
    }

    pub(super) fn nop(file: &File) -> Files {
        Files { nop: true, ..Files::on(file) }
    }
}

impl Dialect for Files {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;

    fn method(&self) -> Method {
        if self.nop { Method::Nop } else { Method::IoUring }
    }

    fn prepare(&mut self, wish: &Wish) {
        let Wish { pointer, bytes, .. } = *wish;
        macro_rules! on {
            ($fd:expr) => {
                if wish.fixed_buffer {
                    (
                        opcode::ReadFixed::new($fd, pointer, bytes, 0).build(),
                        opcode::WriteFixed::new($fd, pointer, bytes, 0).build(),
                    )
                } else {
                    (
                        opcode::Read::new($fd, pointer, bytes).build(),
                        opcode::Write::new($fd, pointer, bytes).build(),
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

    fn without_data(&self, wish: &Wish, file: &File, polled: bool) -> Result<squeue::Entry, i32> {
        let Wish { op, offset, bytes, .. } = *wish;
        if self.nop {
            return Ok(opcode::Nop::new().build().user_data(wish.user_data));
        }
        if op == Op::Trim && (self.block_device || polled) {
            return Err(discard::discard(file, self.block_device, offset, bytes));
        }
        if op == Op::Sync && polled {
            return Err(discard::sync(file));
        }
        macro_rules! on {
            ($fd:expr) => {
                if op == Op::Trim {
                    opcode::Fallocate::new($fd, u64::from(bytes))
                        .offset(offset)
                        .mode(discard::PUNCH)
                        .build()
                } else {
                    opcode::Fsync::new($fd).flags(FsyncFlags::DATASYNC).build()
                }
            };
        }
        let entry = if wish.fixed_file { on!(Fixed(0)) } else { on!(Fd(wish.fd)) };
        Ok(entry.user_data(wish.user_data))
    }

    #[inline]
    fn outcome(&self, result: i32, bytes: u32) -> i32 {
        if self.nop && result == 0 { bytes as i32 } else { result }
    }

    fn cannot_poll(&self, file: &File) -> Option<String> {
        // SAFETY: asks for the descriptor's flags only.
        let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
        if flags < 0 || flags & libc::O_DIRECT == 0 {
            return Some("the file is not open for direct I/O".to_string());
        }
        let found = file.metadata().ok()?;
        let device = if found.file_type().is_block_device() { found.rdev() } else { found.dev() };
        let base = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
        // A partition has its disk's queue.
        super::queue::cannot_poll(&[format!("{base}/queue"), format!("{base}/../queue")])
    }
}

/// An entry as the kernel has it (`struct io_uring_sqe`), in words. Reads and writes differ in four fields, which
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
        words[1] = wish.offset;
        words[2] = wish.pointer as u64;
        // The length, before 32 bits of flags.
        words[3] = if cfg!(target_endian = "little") {
            words[3] >> 32 << 32 | u64::from(wish.bytes)
        } else {
            u64::from(wish.bytes) << 32 | words[3] & u64::from(u32::MAX)
        };
        words[4] = wish.user_data;
        // SAFETY: as in `of`; every value of the four fields is one the library's builders could have written.
        unsafe { std::mem::transmute::<[u64; 8], squeue::Entry>(words) }
    }
}

#[cfg(test)]
mod tests {
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
            };
            let mut files = Files::on(&file);
            files.prepare(&Wish { offset: 0, bytes: 1, ..wish(Op::Read) });
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
}
