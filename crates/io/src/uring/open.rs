//! Opening: a ring with as much of what was asked as the kernel grants, and the rest as refusals.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;

use io_uring::types::Timespec;

use super::nvme::Nvme;
use super::path::{Granted, PassthroughPath, RingPath, UringPath};
use super::ring::Ring;
use super::secondary_ring::Aside;
use super::submission_encoder::{Dialect, Files, Wish};
use super::{polled, setup, workers};
use crate::flights::Flights;
use crate::path::HEARTBEAT_MS;
use crate::{Arena, Op, Options, Refusal};

impl UringPath {
    /// A ring for up to `depth` operations in flight on `file` (called `name` in errors). What of `options` cannot be
    /// had is left out and kept among the [refusals](DevicePath::refusals).
    pub fn new(
        file: Arc<File>,
        name: PathBuf,
        arena: Arena,
        depth: u32,
        options: Options,
    ) -> io::Result<UringPath> {
        let dialect = Files::on(&file, arena.slots()).atomic(options.atomic_writes);
        RingPath::with(dialect, file, name, arena, depth, options)
    }

    /// A ring that executes IORING_OP_NOP for whatever is submitted, and moves no byte.
    pub fn nop(file: Arc<File>, name: PathBuf, arena: Arena, depth: u32) -> io::Result<UringPath> {
        let options = Options { polled: false, registered_buffers: false, ..Options::default() };
        let dialect = Files::nop(&file, arena.slots());
        RingPath::with(dialect, file, name, arena, depth, options)
    }
}

impl PassthroughPath {
    /// The same on the character device of an NVMe namespace; fails on anything else.
    pub fn new(
        file: Arc<File>,
        name: PathBuf,
        arena: Arena,
        depth: u32,
        options: Options,
    ) -> io::Result<PassthroughPath> {
        let dialect = Nvme::on(&file, arena.slots())?;
        RingPath::with(dialect, file, name, arena, depth, options)
    }
}

impl<D: Dialect> RingPath<D> {
    fn with(
        mut dialect: D,
        file: Arc<File>,
        name: PathBuf,
        arena: Arena,
        depth: u32,
        options: Options,
    ) -> io::Result<Self> {
        let mut refusals = Vec::new();
        let mut polled = options.polled;
        let first = Wish {
            op: Op::Read,
            pointer: arena.pointer(0),
            offset: 0,
            bytes: arena.slot_bytes(),
            user_data: 0,
            fd: file.as_raw_fd(),
            fixed_file: false,
            fixed_buffer: false,
            priority: 0,
        };
        dialect.prepare(&first);
        if polled && let Err(why) = polled::try_out(&dialect, &first, &file) {
            refusals.push(Refusal::new("polled completion", why));
            polled = false;
        }
        let (ring, defer_taskrun) =
            setup::build::<D::Submission, D::Completion>(depth + 2, polled)?;
        let mut granted = |wanted: bool, what, result: io::Result<()>| {
            if let (true, Err(error)) = (wanted, &result) {
                refusals.push(Refusal::new(what, why_not_registered(error)));
            }
            wanted && result.is_ok()
        };
        let register = |wanted: bool, act: &dyn Fn() -> io::Result<()>| {
            if wanted { act() } else { Ok(()) }
        };
        let submitter = ring.submitter();
        let fixed_file = granted(
            options.registered_file,
            "registered file",
            register(options.registered_file, &|| submitter.register_files(&[file.as_raw_fd()])),
        );
        let fixed_buffers = granted(
            options.registered_buffers,
            "registered buffers",
            // SAFETY: the arena outlives the ring: it is freed in `drop` after the ring, or leaked.
            register(options.registered_buffers, &|| unsafe {
                submitter.register_buffers(&[arena.whole()])
            }),
        );
        if !fixed_buffers && !setup::reads_into_any_buffer(&ring) {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this kernel's io_uring (before 5.6) needs registered buffers, and RLIMIT_MEMLOCK refused them",
            ));
        }
        let aside = polled.then(|| Aside::new(depth));
        if let Some(Err(error)) = &aside {
            let why = format!("a second ring for them could not be made: {error}");
            refusals.push(Refusal::new("syncs and trims beside a polled ring", why));
        }
        let aside = aside.and_then(Result::ok);
        let timed_waits = ring.params().is_feature_ext_arg() && !polled;
        dialect.prepare(&Wish { fixed_file, fixed_buffer: fixed_buffers, ..first });
        let slots = arena.slots();
        Ok(RingPath {
            ring: ManuallyDrop::new(Ring::new(ring)),
            arena: ManuallyDrop::new(arena),
            dialect: ManuallyDrop::new(dialect),
            aside,
            file,
            name,
            granted: Granted { defer_taskrun, fixed_file, fixed_buffers, polled, timed_waits },
            refusals,
            flights: Flights::new(slots),
            heartbeat: Box::new(Timespec::new().nsec(HEARTBEAT_MS as u32 * 1_000_000)),
            heartbeat_armed: false,
            ended: Vec::with_capacity(slots as usize),
            owner: workers::this_thread(),
            priority: 0,
        })
    }
}

fn why_not_registered(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOMEM) => "not enough locked memory (ulimit -l)".to_string(),
        _ => error.to_string(),
    }
}
