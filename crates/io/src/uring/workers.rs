//! How many of the kernel's threads do a ring's work, because it could not be started without blocking.
//!
//! They are threads of this process, named after the thread that made the ring (`iou-wrk-<thread>`), and stay five
//! seconds after their last piece of work. See io_uring_register(2), IORING_REGISTER_IOWQ_MAX_WORKERS.

/// Workers of the thread `owner` that are there now; `None` where the threads cannot be listed.
pub(super) fn count(owner: libc::pid_t) -> Option<u32> {
    let name = format!("iou-wrk-{owner}");
    let mut workers = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        // One that ended meanwhile is none.
        let found = std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        workers += u32::from(found.trim_end() == name);
    }
    Some(workers)
}

/// The calling thread's number.
pub(super) fn this_thread() -> libc::pid_t {
    rustix::thread::gettid().as_raw_nonzero().get()
}
