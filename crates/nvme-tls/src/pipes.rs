//! What the library reads from and writes to in place of a socket.

use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use libc::c_int;

/// Room for bytes that is kept between bursts, bytes.
const KEPT: usize = 256 << 10;

/// Both directions of a session.
#[derive(Debug)]
pub(crate) struct Pipes {
    /// What came and was not read yet; it is lent for one call of the library.
    input: *const u8,
    left: usize,
    /// What is to go.
    output: Vec<u8>,
    /// Of it, what went.
    gone: usize,
}

// SAFETY: `input` points to something only while a call lends it, and the value is borrowed exclusively for that long.
unsafe impl Send for Pipes {}
// SAFETY: nothing behind a shared reference follows the pointer.
unsafe impl Sync for Pipes {}

/// Pipes at a place of their own, to which the library has a pointer: no reference to them outlives a call, and nothing moves them.
#[derive(Debug)]
pub(crate) struct PlacedPipes(NonNull<Pipes>);

// SAFETY: as of a box.
unsafe impl Send for PlacedPipes {}
// SAFETY: as of a box.
unsafe impl Sync for PlacedPipes {}

impl PlacedPipes {
    pub(crate) fn new() -> PlacedPipes {
        PlacedPipes(NonNull::from(Box::leak(Box::new(Pipes::new()))))
    }

    /// For the library, for as long as this is there.
    pub(crate) fn pointer(&self) -> *mut c_void {
        self.0.as_ptr().cast()
    }
}

impl Deref for PlacedPipes {
    type Target = Pipes;

    fn deref(&self) -> &Pipes {
        // SAFETY: they are there until this is dropped, and the library uses them during its calls alone.
        unsafe { self.0.as_ref() }
    }
}

impl DerefMut for PlacedPipes {
    fn deref_mut(&mut self) -> &mut Pipes {
        // SAFETY: as above, and this is borrowed exclusively.
        unsafe { self.0.as_mut() }
    }
}

impl Drop for PlacedPipes {
    fn drop(&mut self) {
        // SAFETY: made of a box, and given back once.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Pipes {
    pub(crate) fn new() -> Pipes {
        Pipes { input: std::ptr::null(), left: 0, output: Vec::new(), gone: 0 }
    }

    /// Lends what came, until [`take_back`](Pipes::take_back).
    pub(crate) fn lend(&mut self, input: &[u8]) {
        (self.input, self.left) = (input.as_ptr(), input.len());
    }

    /// What was lent is no more to be had; how much of it was not read.
    pub(crate) fn take_back(&mut self) -> usize {
        self.input = std::ptr::null();
        std::mem::take(&mut self.left)
    }

    pub(crate) fn output(&self) -> &[u8] {
        &self.output[self.gone..]
    }

    pub(crate) fn take_output(&mut self, into: &mut Vec<u8>) {
        if self.gone > 0 {
            into.extend_from_slice(self.output());
            return self.sent(usize::MAX);
        }
        into.shrink_to(KEPT);
        std::mem::swap(&mut self.output, into);
    }

    /// So many bytes of the output went.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.gone = self.gone.saturating_add(bytes).min(self.output.len());
        if self.gone == self.output.len() {
            self.output.clear();
            self.output.shrink_to(KEPT);
            self.gone = 0;
        }
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) {
        // What went is not kept beside what waits, however long a connection is never idle.
        if self.gone > KEPT && self.gone > self.output.len() / 2 {
            self.output.drain(..self.gone);
            self.gone = 0;
        }
        self.output.extend_from_slice(bytes);
    }
}

/// Gives the library what came: as recv(2) does.
///
/// # Safety
/// `context` points to [`Pipes`] that nobody else uses now, and `memory` to `length` bytes that may be written.
pub(crate) unsafe extern "C" fn receive(
    context: *mut c_void,
    memory: *mut u8,
    length: u32,
) -> c_int {
    // SAFETY: as promised.
    let pipes = unsafe { &mut *context.cast::<Pipes>() };
    let bytes = pipes.left.min(length as usize).min(c_int::MAX as usize);
    if bytes == 0 {
        set_would_block();
        return -1;
    }
    // SAFETY: `left` bytes are lent from `input` on, and the two are of different owners.
    unsafe {
        std::ptr::copy_nonoverlapping(pipes.input, memory, bytes);
        pipes.input = pipes.input.add(bytes);
    }
    pipes.left -= bytes;
    bytes as c_int
}

/// Takes what the library has to say: as send(2) does to a socket that takes everything.
///
/// # Safety
/// `context` points to [`Pipes`] that nobody else uses now, and `memory` to `length` bytes.
pub(crate) unsafe extern "C" fn send(
    context: *mut c_void,
    memory: *const u8,
    length: u32,
) -> c_int {
    // SAFETY: as promised.
    let (pipes, bytes) = unsafe {
        let length = (length as usize).min(c_int::MAX as usize);
        (&mut *context.cast::<Pipes>(), std::slice::from_raw_parts(memory, length))
    };
    pipes.append(bytes);
    bytes.len() as c_int
}

fn set_would_block() {
    // SAFETY: this thread's own error number.
    unsafe { *libc::__errno_location() = libc::EAGAIN };
}
