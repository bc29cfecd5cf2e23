//! Who may use the machine at the same time: tests that look at figures have it alone, those that look at how a run
//! behaves share it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());

/// Whether a test that needs a machine on which nothing else runs is wanted (`cargo xtask quiet` sets it); says loudly if not. No
/// other test may fail because of what else runs.
pub fn quiet(what: &str) -> bool {
    let wanted = std::env::var_os("NARROWS_QUIET_MACHINE").is_some();
    if !wanted {
        eprintln!("SKIPPED {what}: needs a quiet machine; run it by `cargo xtask quiet`");
    }
    wanted
}

/// For a test whose figures another's load would change.
pub fn alone() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

/// For a test that puts load on the machine and is indifferent to that of others. Once per test: who waits to be alone is
/// served before a second request.
pub fn shared() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().unwrap_or_else(PoisonError::into_inner)
}

/// Checks all cases, so many of them side by side, because each mostly waits; the test fails with any of them.
pub fn together<Case: Sync>(at_once: usize, cases: &[Case], check: impl Fn(&Case) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(case);
                }
            });
        }
    });
}
