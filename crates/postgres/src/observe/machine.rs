//! The server's processes beside everything else on their machine.

use narrows_facts::{affinity, process};
use narrows_model::{ClassUse, HotProcess, ObservedProcesses, ProcessClass};

use super::host::OtherPrograms;
use super::sampling::PollLoop;
use super::window::{Took, Window};

/// The processors that a process may run on; empty where that can't be asked.
pub(crate) fn allowed(pid: u32) -> Vec<u32> {
    affinity::of_pid(pid).unwrap_or_default()
}

/// Processor time of the kernel's own threads over the look. They are the children of process 2, where that can be seen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KernelThreads {
    begin_ns: Option<u64>,
    /// Over the whole look, ns; absent until it has ended, and where they can't be seen.
    pub(crate) used_ns: Option<f64>,
}

impl KernelThreads {
    /// Reads them where that is `wanted`.
    pub(crate) fn begin(wanted: bool) -> KernelThreads {
        KernelThreads { begin_ns: if wanted { all_ns() } else { None }, used_ns: None }
    }

    /// Reads them again.
    pub(crate) fn end(&mut self) {
        let used = self.begin_ns.zip(self.begin_ns.and_then(|_| all_ns()));
        self.used_ns = used.map(|(begin, end)| end.saturating_sub(begin) as f64);
    }
}

fn all_ns() -> Option<u64> {
    (process::name(2).as_deref() == Some("kthreadd")).then(|| {
        let threads = process::children(2).into_iter();
        threads.filter_map(process::main_thread_ns).map(|(cpu_ns, _)| cpu_ns).sum()
    })
}

/// Processors that our looking took: the server's process for us, and this program.
pub(super) fn our_processors(whole: &Window) -> Option<f64> {
    let took = whole.machine.as_ref()?;
    (whole.ns > 0.0).then(|| took.own_ns / whole.ns + took.seen.self_cpus)
}

/// Processors that neither the server nor we nor the kernel's own work used; `kernel` are those of its threads.
pub(super) fn others(took: &Took, ns: f64, kernel: f64) -> f64 {
    let server = (took.of(|_| true).cpu_ns + took.own_ns) / ns;
    (took.seen.other_cpus - server - kernel).max(0.0)
}

/// What the processes took, over the whole look.
pub(super) fn processes(
    poll: &PollLoop,
    whole: &Window,
    allowed: Option<&[u32]>,
    quota_cpus: Option<f64>,
    programs: Option<&OtherPrograms>,
) -> Option<ObservedProcesses> {
    let took = whole.machine.as_ref().filter(|took| !took.seen.per_cpu.is_empty())?;
    let ns = whole.ns;
    let classes = ProcessClass::ALL.into_iter().filter_map(|class| {
        let used = took.used.get(&class)?;
        let run_queue = Some(used.run_queue_ns / ns);
        Some(ClassUse { class, cpus: used.cpu_ns / ns, run_queue })
    });
    let threads = poll.sampler.kernel.used_ns.map(|used_ns| used_ns / ns);
    let seen = &took.seen;
    let interrupts = (seen.cpus_busy - seen.other_cpus - seen.self_cpus).max(0.0);
    let allowed = allowed.filter(|cpus| !cpus.is_empty()).map_or(seen.per_cpu.len(), <[u32]>::len);
    Some(ObservedProcesses {
        classes: classes.collect(),
        hot: hot(poll, ns),
        machine_cpus: seen.cpus_busy,
        kernel_cpus: threads.map(|threads| threads + interrupts),
        other_cpus: Some(others(took, ns, threads.unwrap_or(0.0))),
        // The kernel tells processes apart.
        unattributed_cpus: None,
        client_cpus: programs.and_then(|programs| programs.clients_ns).map(|used_ns| used_ns / ns),
        yielding_cpus: programs.map(|programs| programs.yielding_ns / ns),
        other_programs: programs.map_or(Vec::new(), |programs| programs.programs.clone()),
        allowed_cpus: allowed as f64,
        quota_cpus,
        throttled_share: seen.throttled_share,
        drive_read_bytes: poll.sampler.drive_read_bytes(),
    })
}

/// The process that was the busiest one in most windows in a row; of several the one that used most.
fn hot(poll: &PollLoop, ns: f64) -> Option<HotProcess> {
    let windows: Vec<_> =
        poll.edges.iter().skip(1).filter_map(|edge| edge.beside.as_ref()?.busiest).collect();
    let mut runs: Vec<(u32, ProcessClass, usize, u64)> = Vec::new();
    for (pid, class, used_ns) in &windows {
        match runs.last_mut() {
            Some((last, _, windows, sum)) if last == pid => {
                *windows += 1;
                *sum += used_ns;
            }
            _ => runs.push((*pid, *class, 1, *used_ns)),
        }
    }
    let worked = runs.into_iter().filter(|(_, _, _, used_ns)| *used_ns > 0);
    let (pid, class, longest, used_ns) = worked.max_by_key(|(_, _, n, ns)| (*n, *ns))?;
    let all_ns = poll.sampler.ledger.as_ref().and_then(|ledger| ledger.since_beginning_ns(pid));
    Some(HotProcess {
        class,
        cpus: all_ns.unwrap_or(used_ns) as f64 / ns,
        share_of_windows: longest as f64 / windows.len().max(1) as f64,
    })
}
