//! What the server's processes used between two moments: processor time and time in the run queue, from the
//! scheduler's own accounting (`/proc/PID/schedstat`, ns; kernel documentation, "Scheduler statistics").
//!
//! Parallel workers come and go inside a window. What a child used before it ended appears in its parent's
//! reaped time, at the granularity of a clock tick (10 ms), which is fine for scans of seconds.

use std::collections::BTreeMap;

use narrows_facts::process;

/// One reading.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    processes: BTreeMap<u32, (u64, u64)>,
    /// Times each gave up its processor, and times it was taken from it.
    switches: BTreeMap<u32, (u64, u64)>,
    watching_ns: u64,
    reaped_ns: u64,
}

/// What was used between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Used {
    /// Processor time of all server processes but those that serve our looking, ended ones included, ns.
    pub total_cpu_ns: u64,
    /// Processor time of those that serve our looking, ns.
    pub watching_cpu_ns: u64,
    /// Processor time of the sessions' processes, ns.
    pub backend_cpu_ns: u64,
    /// Time the sessions' processes were runnable and not running, ns.
    pub backend_run_delay_ns: u64,
    /// Times the sessions' processes gave up their processor to wait, and times it was taken from them.
    pub backend_switches: (u64, u64),
    /// The busiest process that lived through: process id and processor time, ns.
    pub busiest: Option<(u32, u64)>,
    /// The server's own processes that lived through and used any: what they call themselves, and processor time, ns.
    pub own: Vec<(String, u64)>,
}

impl Used {
    /// The same with a session and its workers as one: all that was used less what the server's other processes used. Workers that ended
    /// meanwhile are in what was reaped and have no name any more. Who reads for all sessions (I/O workers of PostgreSQL 18) is no part
    /// of it, as little as who writes for all: it stays a party of its own in [`Used::by_class`].
    pub fn together(mut self, is_worker: impl Fn(&str) -> bool) -> Used {
        self.own.retain(|(name, _)| !is_worker(name));
        let others: u64 = self.own.iter().map(|(_, ns)| ns).sum();
        self.backend_cpu_ns = self.total_cpu_ns.saturating_sub(others);
        self
    }

    /// CPUs in use over a window of that length by sessions, by what ended meanwhile or has no name (`rest`), by our looking, and by
    /// each of the server's own processes.
    pub fn by_class(&self, window_ns: f64) -> Vec<(String, f64)> {
        let own: u64 = self.own.iter().map(|(_, ns)| ns).sum();
        let rest = self.total_cpu_ns.saturating_sub(self.backend_cpu_ns + own);
        let ends = [
            ("sessions".to_string(), self.backend_cpu_ns),
            ("rest".to_string(), rest),
            ("our looking".to_string(), self.watching_cpu_ns),
        ];
        let all = ends.into_iter().chain(self.own.iter().cloned());
        all.map(|(class, ns)| (class, ns as f64 / window_ns)).collect()
    }
}

/// How the processes or threads of a kind of server are read.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    /// All of them, from the main process.
    pub list: fn(u32) -> Vec<u32>,
    /// What one has used and waited for a processor until now, ns.
    pub usage: fn(u32) -> Option<(u64, u64)>,
    /// What one calls itself.
    pub name: fn(u32) -> String,
    /// Whether one of that name works for a session, on its statement: a parallel worker.
    pub is_worker: fn(&str) -> bool,
}

/// Of a server that has a process for every session.
pub const PROCESSES: Reads = Reads {
    list: process::tree,
    usage: |pid| Some((process::cpu_ns(pid)?, process::run_delay_ns(pid).unwrap_or(0))),
    name: |pid| process::name(pid).unwrap_or_else(|| format!("process {pid}")),
    is_worker: |_| false,
};

/// Of a server that has a thread for every session: threads in the place of processes.
pub const THREADS: Reads = Reads {
    list: |pid| {
        let folder = std::fs::read_dir(format!("/proc/{pid}/task"));
        let names = folder.into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter_map(|name| name.to_str()?.parse().ok()).collect()
    },
    usage: process::main_thread_ns,
    name: |tid| process::name(tid).unwrap_or_else(|| format!("thread {tid}")),
    is_worker: |_| false,
};

/// The processes of one server, or its threads.
#[derive(Debug, Clone, Copy)]
pub struct ServerProcesses {
    main: u32,
    reads: Reads,
    /// Those that serve our own looking, which is no part of the load.
    watching: [u32; 2],
}

impl ServerProcesses {
    /// Of the server with that main process.
    pub fn new(main: u32, reads: Reads) -> Self {
        ServerProcesses { main, reads, watching: [0; 2] }
    }

    /// The same, with the processes that serve our own looking told apart.
    #[must_use]
    pub fn watched_by(self, watching: [u32; 2]) -> Self {
        ServerProcesses { watching, ..self }
    }

    /// The main process.
    pub fn main(&self) -> u32 {
        self.main
    }

    /// All of them.
    pub fn pids(&self) -> Vec<u32> {
        (self.reads.list)(self.main)
    }

    /// What one calls itself.
    pub fn name_of(&self, pid: u32) -> String {
        (self.reads.name)(pid)
    }

    /// What was used by a statement that its session and the workers of that do together.
    pub fn together(&self, used: Used) -> Used {
        used.together(self.reads.is_worker)
    }

    /// Reads all processes now.
    pub fn read(&self) -> Reading {
        let (watching, others): (Vec<u32>, Vec<u32>) =
            self.pids().into_iter().partition(|pid| self.watching.contains(pid));
        let usage = self.reads.usage;
        let switches = others.iter().filter_map(|pid| Some((*pid, process::switches(*pid)?)));
        let switches = switches.collect();
        let processes = others.into_iter().filter_map(|pid| Some((pid, usage(pid)?))).collect();
        let watching_ns = watching.into_iter().filter_map(usage).map(|(cpu, _)| cpu).sum();
        let reaped_ns = process::reaped_children_cpu_ns(self.main).unwrap_or(0);
        Reading { processes, switches, watching_ns, reaped_ns }
    }

    /// What was used between two readings, with the sessions' processes named.
    pub fn used(&self, earlier: &Reading, later: &Reading, backends: &[u32]) -> Used {
        later.since_named(earlier, backends, self.reads.name)
    }
}

impl Reading {
    fn since_named(
        &self,
        earlier: &Reading,
        backends: &[u32],
        name_of: impl Fn(u32) -> String,
    ) -> Used {
        let watching_cpu_ns = self.watching_ns.saturating_sub(earlier.watching_ns);
        let mut used = Used { watching_cpu_ns, ..Used::default() };
        let mut before_of_ended = 0;
        for (pid, &(cpu_before, _)) in &earlier.processes {
            if !self.processes.contains_key(pid) {
                before_of_ended += cpu_before;
            }
        }
        for (pid, &(cpu, delay)) in &self.processes {
            let (cpu_before, delay_before) = earlier.processes.get(pid).copied().unwrap_or((0, 0));
            let cpu_used = cpu.saturating_sub(cpu_before);
            used.total_cpu_ns += cpu_used;
            if backends.contains(pid) {
                used.backend_cpu_ns += cpu_used;
                used.backend_run_delay_ns += delay.saturating_sub(delay_before);
                let switches = |of: &Reading| of.switches.get(pid).copied().unwrap_or((0, 0));
                let (after, before) = (switches(self), switches(earlier));
                used.backend_switches.0 += after.0.saturating_sub(before.0);
                used.backend_switches.1 += after.1.saturating_sub(before.1);
            } else if cpu_used > 0 {
                used.own.push((name_of(*pid), cpu_used));
            }
            if used.busiest.is_none_or(|(_, most)| cpu_used > most) {
                used.busiest = Some((*pid, cpu_used));
            }
        }
        // Reaped time holds whole lives; what an ended process had used before the window is not the window's.
        let reaped = self.reaped_ns.saturating_sub(earlier.reaped_ns);
        used.total_cpu_ns += reaped.saturating_sub(before_of_ended);
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(processes: &[(u32, u64, u64)], reaped_ns: u64) -> Reading {
        let processes: BTreeMap<u32, (u64, u64)> =
            processes.iter().map(|&(pid, cpu, delay)| (pid, (cpu, delay))).collect();
        let switches = processes.iter().map(|(pid, (cpu, _))| (*pid, (cpu / 10, 1))).collect();
        Reading { processes, switches, watching_ns: 0, reaped_ns }
    }

    fn since(after: &Reading, before: &Reading, backends: &[u32]) -> Used {
        after.since_named(before, backends, |pid| format!("process {pid}"))
    }

    #[test]
    fn a_server_of_threads_has_those_of_its_process() {
        let own = ServerProcesses::new(std::process::id(), THREADS);
        assert!(own.pids().contains(&std::process::id()));
        let (before, spent) = (own.read(), std::time::Instant::now());
        while spent.elapsed().as_millis() < 5 {}
        assert!(own.used(&before, &own.read(), &[]).total_cpu_ns > 0);
    }

    #[test]
    fn sessions_and_others_are_told_apart() {
        let before = reading(&[(1, 100, 0), (2, 50, 5), (3, 10, 1)], 0);
        let after = reading(&[(1, 110, 0), (2, 90, 25), (3, 15, 1)], 0);
        let used = since(&after, &before, &[2]);
        assert_eq!((used.total_cpu_ns, used.backend_cpu_ns), (55, 40));
        assert_eq!(used.backend_run_delay_ns, 20);
        assert_eq!(used.backend_switches, (4, 0), "of the session alone");
        assert_eq!(used.busiest, Some((2, 40)));
    }

    #[test]
    fn the_servers_own_processes_have_their_names() {
        let before = reading(&[(1, 100, 0), (2, 50, 5), (3, 10, 1), (4, 7, 0)], 0);
        let mut after = reading(&[(1, 110, 0), (2, 90, 25), (3, 15, 1), (4, 7, 0)], 20);
        after.watching_ns = 30;
        let used = after.since_named(&before, &[2], |pid| format!("process {pid}"));
        let expected = [
            ("sessions", 0.4),
            ("rest", 0.2),
            ("our looking", 0.3),
            ("process 1", 0.1),
            ("process 3", 0.05),
        ];
        let expected = expected.map(|(name, cpus)| (name.to_string(), cpus));
        assert_eq!(used.by_class(100.0), expected);
    }

    #[test]
    fn a_scan_is_its_session_and_its_workers() {
        let own =
            [("parallel worker", 300), ("io worker", 450), ("io worker", 250), ("walwriter", 5)];
        let used = Used {
            // The session had 350, and workers that ended meanwhile 100.
            total_cpu_ns: 350 + 100 + 300 + 450 + 250 + 5,
            backend_cpu_ns: 350,
            own: own.map(|(name, ns)| (name.to_string(), ns)).into(),
            ..Used::default()
        };
        let scan = used.together(|name| name == "parallel worker");
        assert_eq!(scan.backend_cpu_ns, 350 + 100 + 300);
        assert_eq!(scan.total_cpu_ns, 1455, "the server's demand has all of it");
        let classes = scan.by_class(1000.0);
        let io: f64 = classes.iter().filter(|(name, _)| name == "io worker").map(|(_, n)| n).sum();
        assert_eq!(io, 0.7, "{classes:?}");
        let all: f64 = classes.iter().map(|(_, cpus)| cpus).sum();
        assert!((all - 1.455).abs() < 1e-9, "each once: {classes:?}");
    }

    #[test]
    fn a_worker_that_ended_counts_without_its_past() {
        let before = reading(&[(1, 100, 0), (9, 300, 0)], 1000);
        let after = reading(&[(1, 100, 0)], 1000 + 700);
        assert_eq!(since(&after, &before, &[]).total_cpu_ns, 400);
    }

    #[test]
    fn a_worker_born_and_ended_inside_counts_whole() {
        let before = reading(&[(1, 100, 0)], 0);
        let after = reading(&[(1, 100, 0)], 500);
        assert_eq!(since(&after, &before, &[]).total_cpu_ns, 500);
    }
}
