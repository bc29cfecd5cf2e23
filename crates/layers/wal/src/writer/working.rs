//! The threads of sessions that work between their commits, and of their clients.

use std::io;
use std::sync::atomic::Ordering;

use narrows_engine::{Rng, Window, now_ns};
use narrows_facts::affinity;

use super::account::Commit;
use super::drive::{Load, Shared};
use super::log::Flusher;
use super::work::Worker;

/// The clients' threads, one on each of their processors; none where nobody hands over to them.
pub fn serve<'scope, 'env, F: Flusher + Send>(
    scope: &'scope std::thread::Scope<'scope, 'env>,
    shared: &'env Shared<'_, F>,
) -> Vec<std::thread::ScopedJoinHandle<'scope, io::Result<()>>> {
    let Load::Working { work, .. } = shared.how.load else { return Vec::new() };
    let most = shared.how.load.sessions() as usize;
    let serve = |cpu: u32| {
        scope.spawn(move || {
            let pinned = affinity::pin(&[cpu]);
            // Also where it is not: sessions wait for it.
            shared.clients.serve(work.client_ns);
            pinned
        })
    };
    // Sessions would wait for ever for nobody.
    let cpus = match shared.how.client_cpus {
        [] => shared.how.cpus,
        cpus => cpus,
    };
    cpus.iter().take(most).map(|cpu| serve(*cpu)).collect()
}

/// Each commit is due when the one before has returned: its wait is the whole operation's.
pub fn working<F: Flusher>(
    shared: &Shared<'_, F>,
    window: Window,
    mut worker: Worker<'_>,
    rng: &mut Rng,
    commits: &mut Vec<Commit>,
) -> io::Result<()> {
    let mut due_ns = now_ns();
    let mut cpu_ns = 0;
    while due_ns < shared.end_ns(window) && !shared.stop.is_set() {
        worker.work();
        let queued_ns = now_ns();
        let position = shared.log.commit(shared.how.sizes.draw(rng))?;
        let woken_ns = now_ns();
        commits.push(Commit { due_ns, queued_ns, position, woken_ns });
        let used_ns = worker.committed();
        if woken_ns >= window.start_ns && woken_ns < shared.end_ns(window) {
            cpu_ns += used_ns;
        }
        due_ns = woken_ns;
    }
    shared.sessions_cpu_ns.fetch_add(cpu_ns, Ordering::Relaxed);
    Ok(())
}
