//! What the server's processes take of the CPUs meanwhile, where they run on this machine: what a faster log could gain ends
//! where these do.

use narrows_facts::ProcessTable;
use narrows_model::{LiveCpuWindow, LiveCpus, ProcessClass};
use narrows_observe::Watch;

use crate::monitor::poll_loop::Edge;
use crate::monitor::session::SamplingSession;
use crate::observe::Around;
use crate::observe::figures::{Machine, shared_cpus};
use crate::observe::host::{Ledger, Server, ServerOnHost, others_between};
use crate::observe::machine::{self, KernelThreads};
use crate::observe::sampling::MachineReading;
use crate::observe::window::Took;

/// The shortest interval whose CPUs are known: the kernel counts what others use by ticks of up to 10 ms.
const SHORTEST_NS: u64 = 500_000_000;

/// The account of a server's processes.
pub(super) struct CpuAccount {
    ledger: Ledger,
    watch: Watch,
    quota_cpus: Option<f64>,
    postmaster: u32,
    kernel: KernelThreads,
    programs: ProcessTable,
}

impl CpuAccount {
    /// Of the server at the other end of a session; `None` where it is not on this machine.
    pub(super) fn begin(
        session: &mut SamplingSession,
        server: Option<Server>,
        io_method: Option<&str>,
        around: Around,
    ) -> Option<CpuAccount> {
        let server = server?;
        Some(CpuAccount {
            ledger: Ledger::of(session, server, io_method),
            watch: around.watch,
            quota_cpus: around.quota_cpus,
            postmaster: server.postmaster,
            kernel: KernelThreads::begin(true),
            programs: ProcessTable::read(),
        })
    }

    /// The account at an edge.
    pub(super) fn read(&mut self) -> MachineReading {
        MachineReading::take(&mut self.ledger, &self.watch)
    }

    /// What it comes to; `None` where the kernel's counters can't be read, and of an interval too short for them.
    pub(super) fn end(
        mut self,
        edges: &[Edge<Option<MachineReading>>],
        by_windows: bool,
        sessions: Option<f64>,
    ) -> Option<LiveCpus> {
        self.kernel.end();
        let allowed = machine::allowed(self.postmaster);
        let whole_ns = (edges.last()?.at_ns - edges.first()?.at_ns) as f64;
        let beside = ServerOnHost { server: self.postmaster, allowed: &allowed, clients: None };
        let others = others_between(&self.programs, &ProcessTable::read(), &beside, whole_ns);
        let around = Machine {
            allowed: Some(&allowed),
            quota_cpus: self.quota_cpus,
            kernel_threads: self.kernel.used_ns.unwrap_or(0.0) / whole_ns,
            yielding: others.yielding_ns / whole_ns,
        };
        let whole = window(edges.first()?, edges.last()?, &around)?;
        // A stop cuts the last one short.
        let long = |two: &&[Edge<_>]| two[1].at_ns - two[0].at_ns >= SHORTEST_NS;
        let pairs = edges.windows(2).filter(long).map(|two| window(&two[0], &two[1], &around));
        let windows: Option<Vec<LiveCpuWindow>> = by_windows.then(|| pairs.collect()).flatten();
        Some(LiveCpus {
            available: whole.available,
            used: whole.used,
            run_queue: whole.run_queue,
            sessions,
            windows: windows.unwrap_or_default(),
        })
    }
}

fn window(
    from: &Edge<Option<MachineReading>>,
    to: &Edge<Option<MachineReading>>,
    around: &Machine,
) -> Option<LiveCpuWindow> {
    let took = Took::between(from.beside.as_ref()?, to.beside.as_ref()?);
    let whole_ns = to.at_ns - from.at_ns;
    let ns = whole_ns as f64;
    let used = took.of(|_| true).cpu_ns / ns;
    (!took.seen.per_cpu.is_empty() && whole_ns >= SHORTEST_NS).then(|| LiveCpuWindow {
        // Its own time is by the scheduler's clock, that of others by ticks.
        available: shared_cpus(&took, ns, around).available.max(used),
        used,
        run_queue: took.of(|class| class == ProcessClass::Session).run_queue_ns / ns,
    })
}

/// Sessions that are there and did something in the last `ns`, or are in a statement, as a role sees it that sees all of them; `None`
/// where the server does not answer any more.
pub(super) fn sessions_that_took_part(session: &mut SamplingSession, ns: f64) -> Option<f64> {
    let sql = format!(
        "SELECT count(*) FROM pg_catalog.pg_stat_get_activity(NULL) WHERE backend_type = 'client backend' \
         AND pid <> pg_catalog.pg_backend_pid() AND (state IN ('active', 'fastpath function call') \
         OR state_change > pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => {:.3}))",
        ns / 1e9
    );
    session.one(&sql).ok().flatten()?.parse().ok()
}
