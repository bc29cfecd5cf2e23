//! What a verdict says in full: what it means, which figures show it, what to do, and with what it is confused.

use narrows_model::Bottleneck;

/// One place that can hold a workload back.
pub(super) struct Verdict {
    /// As the run file names it.
    pub(super) id: &'static str,
    /// As screens have it, and had it.
    pub(super) on_screen: &'static [&'static str],
    /// What it means.
    pub(super) title: &'static str,
    /// The figures that show it.
    pub(super) seen_by: &'static str,
    /// What to do.
    pub(super) what_to_do: &'static str,
    /// What it does not say.
    pub(super) not: &'static str,
}

/// Grade, meaning, and what it rests on.
pub const GRADES: [(&str, &str, &str); 3] = [
    (
        "CONFIRMED",
        "the figures explain the rate, and an experiment on this machine confirmed it",
        "the sum of the parts of an operation's time is within 5 % of the measured rate and checked to 10 % or better, and a test \
         (more sessions, one CPU less, synchronous_commit off) changed the rate as the law predicts",
    ),
    (
        "LIKELY",
        "the figures explain the rate; no experiment was made or none was possible",
        "the sum is within 5 % of the measured rate, or within 10 % where an error of that size would not change the name; a server that is \
         only observed is never graded higher",
    ),
    (
        "UNDECIDED",
        "undecided: the figures do not explain the rate, or explain it equally well by two limits",
        "the lines below it say what contradicts a verdict and what would decide it",
    ),
];

pub(super) const VERDICTS: [Verdict; 16] = [
    Verdict {
        id: "cpu",
        on_screen: &[Bottleneck::Cpu.words()],
        title: "the server's CPUs are busy with the workload",
        seen_by: "CPU time of all server processes per operation, times the rate, is the CPUs that the server may use",
        what_to_do: "more CPUs, or less CPU time per operation: cheaper plans, prepared statements, fewer connections",
        not: "a load average: sessions that wait for a disk count there too",
    },
    Verdict {
        id: "cpu_quota",
        on_screen: &[Bottleneck::CpuQuota.words()],
        title: "the control group's CPU quota is used up",
        seen_by: "cpu.max (cpu.cfs_quota_us) is reached, and nr_throttled rises",
        what_to_do: "raise the quota (Kubernetes: limits.cpu), or remove it",
        not: "a lack of CPUs in the machine",
    },
    Verdict {
        id: "cpu_taken",
        on_screen: &[Bottleneck::CpuTaken.words()],
        title: "other programs use the server's CPUs, or the hypervisor gives them to other guests (steal)",
        seen_by: "CPU time of other processes in /proc/stat and steal, while server processes wait in the run queue behind them",
        what_to_do: "move the other load off these CPUs; with steal, ask the hypervisor's owner",
        not: "a program of low priority that uses only idle time",
    },
    Verdict {
        id: "cpu_per_session",
        on_screen: &[Bottleneck::CpuPerSession.words()],
        title: "each session is busy on a CPU all the time, and there are fewer sessions than CPUs",
        seen_by: "CPU time is the largest part of an operation's time, and CPUs are idle",
        what_to_do: "more sessions, or less CPU time per operation",
        not: "full CPUs",
    },
    Verdict {
        id: "read_latency",
        on_screen: &[Bottleneck::ReadLatency.words()],
        title: "sessions wait for single reads; the drives have capacity left",
        seen_by: "waits for DataFileRead are the largest part of an operation's time, and the drives do fewer reads than they can",
        what_to_do: "more memory for shared_buffers, shorter reads (another drive), or more sessions",
        not: "a drive at its limit: more IOPS alone do not help",
    },
    Verdict {
        id: "read_rate",
        on_screen: &[Bottleneck::ReadRate.words()],
        title: "the drives complete as many reads per second as they can",
        seen_by: "reads per operation times the rate is the most IOPS that was measured on these drives",
        what_to_do: "more memory for shared_buffers, or drives with more IOPS",
        not: "slow reads of a drive with capacity left",
    },
    Verdict {
        id: "read_bandwidth",
        on_screen: &[Bottleneck::ReadBandwidth.words()],
        title: "the drives or their link move as many bytes per second as they can",
        seen_by: "bytes read per operation times the rate is the sequential bandwidth that was measured",
        what_to_do: "more drives or a wider link, or fewer bytes: indexes, partitions, compression",
        not: "a lack of IOPS",
    },
    Verdict {
        id: "io_limit",
        on_screen: &[Bottleneck::IoLimit.words(), "I/O limit"],
        title: "the control group's I/O limit is reached",
        seen_by: "io.max (blkio.throttle.*) against the requests and bytes of the server in the window",
        what_to_do: "raise the limit",
        not: "a slow drive",
    },
    Verdict {
        id: "commit_wait",
        on_screen: &[Bottleneck::CommitWait.words()],
        title: "sessions wait for their commit to be flushed (WAL)",
        seen_by: "waits for WALSync and WALWrite are the largest part of an operation's time, and the server's flush takes what the same \
                  flush takes outside it",
        what_to_do: "a WAL drive with a shorter flush, more commits per flush (more sessions), or larger transactions; look at commit_delay \
                     first",
        not: "a lack of bandwidth: flushes are small",
    },
    Verdict {
        id: "commit_inside_server",
        on_screen: &[Bottleneck::CommitInsideServer.words(), "flush inside the server"],
        title: "a flush takes longer in the server than the same flush outside it",
        seen_by: "the server's flush time against the ladder's flush of as many committers and bytes, before and after the workload",
        what_to_do: "check what shares the WAL's drive and file system with the server: data files, a journal, full-page images after a checkpoint",
        not: "the drive alone",
    },
    Verdict {
        id: "write_rate",
        on_screen: &[Bottleneck::WriteRate.words()],
        title: "the drives complete as many writes per second as they can",
        seen_by: "writes per operation times the rate is the most writes per second that was measured on these drives",
        what_to_do: "drives with more writes per second, or fewer writes: a longer checkpoint_timeout, a larger max_wal_size",
        not: "long flushes of the WAL",
    },
    Verdict {
        id: "lock",
        on_screen: &[Bottleneck::Lock.words(), "locks"],
        title: "sessions wait for locks or latches inside the server",
        seen_by: "waits of the types Lock and LWLock are the largest part of an operation's time",
        what_to_do: "find who holds the lock (pg_blocking_pids), hold it for a shorter time, or spread what it protects",
        not: "proof that hardware does not help: a lock that is held through a flush ends sooner with a shorter flush",
    },
    Verdict {
        id: "hot_thread",
        on_screen: &[Bottleneck::HotThread.words()],
        title: "one server process is busy on a CPU all the time",
        seen_by: "one process uses 95 % of a CPU or more, and 1.2 times what a session uses in the mean",
        what_to_do: "reduce the work of that process (walwriter, checkpointer, replay on a standby), or use a faster CPU",
        not: "a lack of CPUs",
    },
    Verdict {
        id: "workers",
        on_screen: &[Bottleneck::Workers.words()],
        title: "a scan's parallel workers are busy all the time",
        seen_by: "the leader and its workers use a CPU each, and CPUs are idle",
        what_to_do: "more parallel workers (max_parallel_workers_per_gather)",
        not: "slow drives",
    },
    Verdict {
        id: "client",
        on_screen: &[Bottleneck::Client.words()],
        title: "the server waits for its clients: the load generator, the network, or applications that pause",
        seen_by: "sessions are idle between statements (ClientRead) for most of the time, or the load generator's CPUs are full",
        what_to_do: "check the application or the network; in a benchmark give the load generator more CPUs or its own machine",
        not: "the limit of the server: it can do more than this",
    },
    Verdict {
        id: "unknown",
        on_screen: &[Bottleneck::Unknown.words()],
        title: "nothing that was measured explains the rate",
        seen_by: "the parts of an operation's time do not add up to the measured rate, or a capacity is unknown",
        what_to_do: "see what the verdict's lines name: a missing right, a longer observation, an idle machine",
        not: "an idle server",
    },
];
