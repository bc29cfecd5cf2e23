//! The ways to a device by name, what may be asked of them, and what was refused.

use std::fmt;

/// The way that was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// io_uring.
    IoUring,
    /// io_uring with commands of an NVMe drive's own, past file system and block layer (`/dev/ngXnY`).
    Passthrough,
    /// Linux AIO (`io_submit`), the path of Oracle and InnoDB.
    Aio,
    /// Blocking `pread` and `pwrite`, one operation at a time per thread.
    Blocking,
    /// NVMe over TCP without a driver: a queue of a target, reached by [`crate::Remote`]. An address is its word.
    NvmeTcp,
    /// Calls that move no data, on whole files or on a file's space ([`crate::FileCall`]); one at a time per thread.
    FileCalls,
    /// No device: completes at once. Shows what the generator alone costs.
    Null,
    /// No device, but the kernel: a ring that executes IORING_OP_NOP. Shows what the generator and the ring cost.
    Nop,
}

impl Method {
    /// All that a file or device can be reached by.
    pub const ALL: [Method; 6] = [
        Method::IoUring,
        Method::Passthrough,
        Method::Aio,
        Method::Blocking,
        Method::Null,
        Method::Nop,
    ];

    /// The word for it in results and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Method::IoUring => "io_uring",
            Method::Passthrough => "passthrough",
            Method::Aio => "aio",
            Method::Blocking => "threads",
            Method::NvmeTcp => "nvme-tcp",
            Method::FileCalls => "file calls",
            Method::Null => "null",
            Method::Nop => "nop",
        }
    }

    /// Whether bytes pass, so that a bandwidth means something.
    pub fn moves_data(self) -> bool {
        self != Method::FileCalls
    }

    /// The method a word stands for.
    pub fn from_word(word: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.word() == word)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What is asked of a way beyond moving bytes; a way that knows no such thing ignores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Options {
    /// Look for completions instead of being interrupted (io_uring on devices with poll queues, direct I/O only).
    /// Burns a processor; a device that never answers is waited for without a heartbeat.
    pub polled: bool,
    /// Have the kernel pin the buffers once instead of for every operation (io_uring).
    pub registered_buffers: bool,
    /// Have the kernel look up the file once instead of for every operation (io_uring).
    pub registered_file: bool,
    /// Mark writes as atomic (`RWF_ATOMIC`, Linux 6.11; io_uring and Linux AIO): whoever asks for it has looked whether the file takes them.
    pub atomic_writes: bool,
}

impl Default for Options {
    /// Interrupts, registered buffers and file.
    fn default() -> Self {
        Options {
            polled: false,
            registered_buffers: true,
            registered_file: true,
            atomic_writes: false,
        }
    }
}

/// Something that was asked for and not obtained; the next best was taken. A finding, not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for: `io_uring`, `polled completion`, `registered buffers`.
    pub what: &'static str,
    /// What stood in the way.
    pub why: String,
}

impl Refusal {
    pub(crate) fn new(what: &'static str, why: impl Into<String>) -> Self {
        Refusal { what, why: why.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refused: {}", self.what, self.why)
    }
}
