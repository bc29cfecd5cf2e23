//! A ring that owns its three parts. The library lends them out with a borrow of the ring, which a struct cannot hold
//! beside the ring itself; and taking them anew for each call would read the shared indices each time.

use std::io;
use std::mem::ManuallyDrop;
use std::time::Duration;

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, cqueue, squeue};

/// IORING_ENTER_GETEVENTS of `linux/io_uring.h`.
const GETEVENTS: u32 = 1;

pub(super) struct Ring<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> {
    // The three borrow `ring`, which is why they are dropped by hand, before it.
    pub submitter: ManuallyDrop<Submitter<'static>>,
    submissions: ManuallyDrop<SubmissionQueue<'static, S>>,
    completions: ManuallyDrop<CompletionQueue<'static, C>>,
    ring: *mut IoUring<S, C>,
    polled: bool,
}

impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Ring<S, C> {
    pub(super) fn new(ring: IoUring<S, C>) -> Self {
        let polled = ring.params().is_setup_iopoll();
        let ring = Box::into_raw(Box::new(ring));
        // SAFETY: `ring` comes from Box::into_raw and is freed only in `drop`, after the three parts that borrow it.
        let (mut submitter, submissions, completions) = unsafe { (*ring).split() };
        // Saves a look-up of the descriptor per system call; kernels before 5.18 refuse.
        let _ = submitter.register_ring_fd();
        Ring {
            submitter: ManuallyDrop::new(submitter),
            submissions: ManuallyDrop::new(submissions),
            completions: ManuallyDrop::new(completions),
            ring,
            polled,
        }
    }

    /// Queues an entry, making room first where the queue is full. Returns whether it was queued: the kernel
    /// may decline to take entries for a while.
    ///
    /// # Safety
    /// What the entry points to stays valid until its completion was taken.
    #[inline]
    pub(super) unsafe fn push(&mut self, entry: &S) -> bool {
        // SAFETY: the caller's promise, here and below.
        if unsafe { self.submissions.push(entry) }.is_ok() {
            return true;
        }
        self.make_room();
        // SAFETY: as above.
        unsafe { self.submissions.push(entry) }.is_ok()
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.submissions.sync();
        let _ = self.submitter.submit();
        self.submissions.sync();
    }

    /// Hands over what is queued and waits for `wanted` completions; with 0 it only lets those appear that have
    /// ended, without a system call where there is nothing to do.
    #[inline]
    pub(super) fn enter(&mut self, wanted: usize) -> io::Result<()> {
        self.submissions.sync();
        let result = if wanted > 0 {
            self.submitter.submit_and_wait(wanted).map(drop)
        } else if !self.submissions.is_empty()
            || self.submissions.taskrun()
            || self.submissions.cq_overflow()
            || self.polled
        {
            let queued = self.submissions.len() as u32;
            // SAFETY: no argument is passed, and the entries were pushed under the promise of `push`.
            unsafe { self.submitter.enter::<libc::sigset_t>(queued, 0, GETEVENTS, None) }.map(drop)
        } else {
            Ok(())
        };
        self.submissions.sync();
        result
    }

    /// The same with a limit of its own for the wait; whether the kernel knows such waits is the caller's to know.
    pub(super) fn enter_within(&mut self, wanted: usize, wait: Duration) -> io::Result<()> {
        self.submissions.sync();
        let limit = Timespec::from(wait);
        let result = self.submitter.submit_with_args(wanted, &SubmitArgs::new().timespec(&limit));
        self.submissions.sync();
        match result {
            Err(error) if error.raw_os_error() == Some(libc::ETIME) => Ok(()),
            result => result.map(drop),
        }
    }

    /// Whether everything queued was handed over.
    #[inline]
    pub(super) fn all_submitted(&self) -> bool {
        self.submissions.is_empty()
    }

    /// Gives every completion that is there (`user_data` and result) to `each`.
    #[inline]
    pub(super) fn completions(&mut self, mut each: impl FnMut(u64, i32)) {
        self.completions.sync();
        for entry in &mut *self.completions {
            let entry: cqueue::Entry = entry.into();
            each(entry.user_data(), entry.result());
        }
        self.completions.sync();
    }
}

impl<S: squeue::EntryMarker + 'static, C: cqueue::EntryMarker + 'static> Drop for Ring<S, C> {
    fn drop(&mut self) {
        // SAFETY: each is dropped once, here, the borrowers before `ring`, which came from Box::into_raw.
        unsafe {
            ManuallyDrop::drop(&mut self.submitter);
            ManuallyDrop::drop(&mut self.submissions);
            ManuallyDrop::drop(&mut self.completions);
            drop(Box::from_raw(self.ring));
        }
    }
}
