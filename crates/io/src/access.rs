//! Which way to the device can be had, found out once, with the reason where it is not the one wanted.
//!
//! Ways fall back in the order io_uring, Linux AIO, threads with blocking calls. Whether I/O is direct or buffered is
//! not decided here but by the file that is opened ([`crate::Target`]).

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use narrows_files::Names;

use crate::file_calls::FileCalls;
use crate::{
    AioPath, Arena, BlockingPath, DevicePath, Error, Fault, FaultPath, FileCall, FileCallPath,
    Method, NullPath, Options, PassthroughPath, Refusal, UringPath, aio, uring,
};

/// The way obtained; clone it into the threads that use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    method: Method,
    options: Options,
    refusals: Vec<Refusal>,
    faults: Vec<Fault>,
    remote: Option<SharedRemote>,
    file_calls: Option<FileCalls>,
}

/// What opens ways to a device that is no file of this machine. Its maker knows the network; this crate doesn't.
pub trait Remote: fmt::Debug + Send + Sync {
    /// A way for up to `depth` operations in flight, to be used on the calling thread.
    ///
    /// # Errors
    /// What stood in the way.
    fn open(&self, arena: Arena, depth: u32) -> Result<Box<dyn DevicePath>, Error>;

    /// Most bytes of one operation.
    fn most_bytes(&self) -> u32;

    /// Ways that a load has, a thread each: the least, which were asked for, and the most that there are.
    fn ways(&self) -> (u32, u32) {
        (1, u32::MAX)
    }
}

/// Equal to itself and its clones alone.
#[derive(Debug, Clone)]
struct SharedRemote(Arc<dyn Remote>);

impl PartialEq for SharedRemote {
    fn eq(&self, other: &SharedRemote) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedRemote {}

impl Access {
    fn of(method: Method) -> Access {
        Access {
            method,
            options: Options::default(),
            refusals: Vec::new(),
            faults: Vec::new(),
            remote: None,
            file_calls: None,
        }
    }

    /// io_uring where the kernel and its administrator allow it, else Linux AIO, else blocking calls.
    pub fn best() -> Access {
        Access::named(Method::IoUring, Options::default())
    }

    /// That way with those options where it can be had, else the next one; [`method`](Access::method) says which it
    /// became, [`refusals`](Access::refusals) why. What of `options` cannot be had shows when a path is opened
    /// ([`DevicePath::refusals`]).
    pub fn named(method: Method, options: Options) -> Access {
        let mut access = Access { options, ..Access::of(method) };
        if matches!(access.method, Method::IoUring | Method::Nop)
            && let Err(why) = uring::available()
        {
            access.refuse("io_uring", why, Method::Aio);
        }
        if access.method == Method::Aio
            && let Err(why) = aio::available()
        {
            access.refuse("aio", why, Method::Blocking);
        }
        access
    }

    fn refuse(&mut self, what: &'static str, why: String, next: Method) {
        self.refusals.push(Refusal { what, why });
        // A ring of no-ops has no substitute in the kernel, only the path without a device.
        self.method = if self.method == Method::Nop { Method::Null } else { next };
    }

    /// Blocking calls, whatever else there may be: the server's path.
    pub fn blocking() -> Access {
        Access::of(Method::Blocking)
    }

    /// Blocking calls, as where io_uring is refused for `reason` and there is nothing else.
    pub fn without_uring(reason: &str) -> Access {
        Access { refusals: vec![Refusal::new("io_uring", reason)], ..Access::of(Method::Blocking) }
    }

    /// No device at all, to calibrate the generator.
    pub fn null() -> Access {
        Access::of(Method::Null)
    }

    /// No device, but a ring that executes no-ops: what generator and kernel cost together.
    pub fn nop() -> Access {
        Access::named(Method::Nop, Options::default())
    }

    /// A way to what is no file of this machine.
    pub fn remote(remote: Arc<dyn Remote>) -> Access {
        Access { remote: Some(SharedRemote(remote)), ..Access::of(Method::NvmeTcp) }
    }

    /// Calls that move no data; those on whole files are on `names`, which are needed when a path is opened.
    pub fn file_calls(call: FileCall, names: Option<Arc<Names>>) -> Access {
        Access { file_calls: Some(FileCalls { call, names }), ..Access::of(Method::FileCalls) }
    }

    /// Which call, where it is one that moves no data.
    pub fn file_call(&self) -> Option<FileCall> {
        self.file_calls.as_ref().map(|calls| calls.call)
    }

    /// The same way to a device that fails as planned. For tests of what stands on a path.
    #[must_use]
    pub fn with_faults(self, faults: Vec<Fault>) -> Access {
        Access { faults, ..self }
    }

    /// Most bytes of one operation, where something beyond this machine has a limit.
    pub fn most_bytes(&self) -> Option<u32> {
        self.remote.as_ref().map(|remote| remote.0.most_bytes())
    }

    /// Threads that a load has, as far as its depth reaches: the least and the most, where something beyond this machine decides that.
    pub fn ways(&self) -> (u32, u32) {
        self.remote.as_ref().map_or((1, u32::MAX), |remote| remote.0.ways())
    }

    /// Which way.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What is asked of it.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Why it is not io_uring, where that was wanted.
    pub fn refused(&self) -> Option<&str> {
        self.refusals.iter().find(|refusal| refusal.what == "io_uring").map(|r| r.why.as_str())
    }

    /// Every way that was wanted first, and why it could not be had.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Operations one thread can keep in flight; more need more threads. Linux AIO counts as unlimited, but keeps
    /// only one in flight on a file that is not open for direct I/O.
    pub fn depth_per_thread(&self) -> Option<u32> {
        matches!(self.method, Method::Blocking | Method::FileCalls).then_some(1)
    }

    /// A path to `file` (called `name` in errors), to be used on the calling thread, for up to `depth` operations in
    /// flight.
    pub fn open(
        &self,
        file: Arc<File>,
        name: &Path,
        arena: Arena,
        depth: u32,
    ) -> Result<Box<dyn DevicePath>, Error> {
        let set_up = |action| move |source| Error::system(action, name, source);
        let owned = name.to_path_buf();
        let path: Box<dyn DevicePath> = match self.method {
            Method::IoUring => Box::new(
                UringPath::new(file, owned, arena, depth, self.options)
                    .map_err(set_up("set up io_uring for"))?,
            ),
            Method::Passthrough => Box::new(
                PassthroughPath::new(file, owned, arena, depth, self.options)
                    .map_err(set_up("send NVMe commands to"))?,
            ),
            Method::Nop => Box::new(
                UringPath::nop(file, owned, arena, depth).map_err(set_up("set up io_uring for"))?,
            ),
            Method::Aio => Box::new(
                AioPath::new(file, owned, arena, depth)
                    .map_err(set_up("set up Linux AIO for"))?
                    .atomic(self.options.atomic_writes),
            ),
            Method::Blocking => Box::new(BlockingPath::new(file, owned, arena)),
            Method::FileCalls => match &self.file_calls {
                Some(calls) => Box::new(FileCallPath::new(file, calls.clone(), arena)),
                None => return Err(set_up("call")(std::io::ErrorKind::Unsupported.into())),
            },
            Method::NvmeTcp => match &self.remote {
                Some(remote) => remote.0.open(arena, depth)?,
                None => return Err(set_up("reach")(std::io::ErrorKind::AddrNotAvailable.into())),
            },
            Method::Null => Box::new(NullPath::new(arena)),
        };
        Ok(if self.faults.is_empty() {
            path
        } else {
            Box::new(FaultPath::new(path, self.faults.clone()))
        })
    }
}
