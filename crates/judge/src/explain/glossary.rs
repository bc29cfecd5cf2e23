//! The terms of screens, messages and book: what each is, its unit, and what manuals of PostgreSQL, Oracle, fio and the kernel call it. The
//! book's glossary is made from it.

/// A term.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// As screens have it.
    pub name: &'static str,
    /// Other spellings, and neighbours that the same entry explains.
    pub also: &'static [&'static str],
    /// What it is, in a sentence without its full stop.
    pub what: &'static str,
    /// The unit of its figures; empty where it has none.
    pub unit: &'static str,
    /// What it is called elsewhere.
    pub elsewhere: Elsewhere,
    /// Where the book has more.
    pub page: Page,
}

/// The terms of other manuals; empty where they have none.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere {
    /// PostgreSQL and pgbench.
    pub postgresql: &'static str,
    /// Oracle.
    pub oracle: &'static str,
    /// fio.
    pub fio: &'static str,
    /// Linux and its tools.
    pub kernel: &'static str,
}

impl Elsewhere {
    /// Whose terms they are, and the terms, in the order of the columns.
    pub fn columns(self) -> [(&'static str, &'static str); 4] {
        [
            ("PostgreSQL", self.postgresql),
            ("Oracle", self.oracle),
            ("fio", self.fio),
            ("kernel", self.kernel),
        ]
    }
}

/// A page of the book.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Its part.
    pub part: &'static str,
    /// Its title in the list of contents.
    pub title: &'static str,
    /// Its path from the book's folder.
    pub path: &'static str,
}

const fn page(part: &'static str, title: &'static str, path: &'static str) -> Page {
    Page { part, title, path }
}

const SCREEN: Page = page("Guide", "Reading the screen", "guide/reading-the-screen.md");
const BLOCK_GUIDE: Page = page("Guide", "Storage alone", "guide/block.md");
const DURABILITY: Page = page("Guide", "Durability", "guide/durability.md");
const PLATFORM: Page = page("Guide", "What this machine is", "guide/platform.md");
const SERVER: Page = page("Guide", "The database server", "guide/database-server.md");
const WAL_GUIDE: Page = page("Guide", "WAL and commits", "guide/log.md");
const BLOCK: Page = page("Methods", "Block", "methods/block.md");
const CALIBRATE: Page = page("Methods", "Calibrate", "methods/calibrate.md");
const COMPARE: Page = page("Methods", "Runs beside each other", "methods/compare.md");
const DATABASE: Page = page("Methods", "Database", "methods/database.md");
const LIMITS: Page = page("Methods", "Limits", "methods/limits.md");
const LOG: Page = page("Methods", "Log", "methods/log.md");
const MEMORY: Page = page("Methods", "Memory", "methods/memory.md");
const OBSERVE: Page = page("Methods", "An observed server", "methods/observe.md");
const STATISTICS: Page = page("Methods", "Statistics", "methods/statistics.md");
const STEADY: Page = page("Methods", "Steady state", "methods/steady-state.md");
const VALIDITY: Page = page("Methods", "Validity", "methods/validity.md");
const VERDICT: Page = page("Methods", "Verdict", "methods/verdict.md");
const RUN_FILE: Page = page("Reference", "The run file", "reference/run-file.md");

/// For terms that other manuals don't have.
const NOWHERE: Elsewhere = Elsewhere { postgresql: "", oracle: "", fio: "", kernel: "" };

/// A term without a unit that only narrows has.
const fn own(name: &'static str, what: &'static str, page: Page) -> Term {
    Term { name, also: &[], what, unit: "", elsewhere: NOWHERE, page }
}

/// All terms, in the order of the alphabet: the first is found by its digits.
pub const TERMS: &[Term] = &[
    Term {
        also: &["±95 %", "95%", "95 %", "interval", "confidence interval"],
        unit: "half the width of the interval, in percent of the value",
        ..own(
            "±95%",
            "the 95 % interval of a figure over its repeats: with 35 % the true value may be a third lower or higher. With fewer than six \
             repeats it is their range",
            STATISTICS,
        )
    },
    Term {
        also: &["active sessions", "active", "session", "sessions"],
        unit: "sessions, mean of the samples",
        elsewhere: Elsewhere {
            postgresql: "client connection with `state = active`",
            oracle: "active session",
            ..NOWHERE
        },
        ..own(
            "active session",
            "a session (client connection) that is in a statement: on a CPU, in the run queue, or waiting for something other than its client",
            OBSERVE,
        )
    },
    Term {
        also: &["backends", "server process"],
        elsewhere: Elsewhere { postgresql: "backend", oracle: "server process", ..NOWHERE },
        ..own("backend", "the server process of one session", SERVER)
    },
    Term {
        also: &["bottlenecks", "BOTTLENECK OF A COMMIT"],
        elsewhere: Elsewhere { oracle: "ADDM finding", ..NOWHERE },
        ..own(
            "bottleneck",
            "the resource or wait that sets the rate of a workload: only a change there changes the rate",
            VERDICT,
        )
    },
    Term {
        also: &["buffer hits", "hit ratio", "blocks hit", "cache hit"],
        unit: "blocks; the hit ratio is hits over hits and reads",
        elsewhere: Elsewhere { postgresql: "`blks_hit`", oracle: "buffer cache hit", ..NOWHERE },
        ..own("buffer hit", "a block that was found in shared_buffers", OBSERVE)
    },
    Term {
        also: &["burst rate", "burst credits"],
        unit: "IOPS or bytes per second",
        ..own(
            "burst",
            "a write rate that was measured before the drive was in steady state: its cache, its spare area or credits may carry it for minutes. \
             Opposite: sustained",
            STEADY,
        )
    },
    Term {
        unit: "operations or bytes per second, or CPUs",
        ..own(
            "capacity",
            "the rate at which a resource served requests when it was measured on the path that the workload uses",
            VERDICT,
        )
    },
    Term {
        unit: "operations per second",
        ..own(
            "ceiling",
            "the highest rate of a closed loop: what the device or the WAL does when latency does not matter",
            CALIBRATE,
        )
    },
    Term {
        also: &["check", "off by", "known to", "resolution"],
        ..own(
            "CHECKS",
            "how well the parts of an operation's time explain the measured rate. model: the rate from the parts. off by: its distance from the \
             measured rate. resolution: an error of the model below this would not show. test: what a change did to the rate. next limit: what is the bottleneck \
             after this one",
            SCREEN,
        )
    },
    Term {
        also: &["closed"],
        elsewhere: Elsewhere {
            postgresql: "pgbench without `--rate`",
            fio: "without `rate_iops`",
            ..NOWHERE
        },
        ..own(
            "closed loop",
            "each session sends its next operation when the last one has returned: it measures throughput, and hides waiting from latency",
            DATABASE,
        )
    },
    Term {
        also: &["commit", "commits", "A COMMIT", "commit latency", "log file sync"],
        unit: "time",
        elsewhere: Elsewhere {
            postgresql: "`IO:WALSync` (`IO:WalSync` since 17) and `LWLock:WALWrite` of a session that commits, `IPC:SyncRep`",
            oracle: "log file sync",
            ..NOWHERE
        },
        ..own("commit wait", "the time that a session waits until its commit is durable", LOG)
    },
    own(
        "conditions",
        "what could explain a difference between two figures: what was obtained, settings, load of other programs",
        RUN_FILE,
    ),
    Term {
        also: &["grade", "grades"],
        ..own("confidence", "how sure a verdict is: CONFIRMED, LIKELY or UNDECIDED", VERDICT)
    },
    Term {
        also: &["cores"],
        unit: "a count",
        elsewhere: Elsewhere { kernel: "`Core(s) per socket` of lscpu", ..NOWHERE },
        ..own("core", "the physical unit of a CPU chip; with SMT it has two CPUs or more", PLATFORM)
    },
    Term {
        also: &["CPUs", "processor", "hardware thread", "vCPU"],
        unit: "a count; of use, CPUs: seconds of CPU time per second",
        elsewhere: Elsewhere { oracle: "`CPU_COUNT`", kernel: "`CPU(s)` of lscpu", ..NOWHERE },
        ..own(
            "CPU",
            "the unit on which the kernel schedules; with SMT a core has two or more",
            PLATFORM,
        )
    },
    Term {
        also: &["quota", "throttled", "cpu.max"],
        unit: "CPUs",
        elsewhere: Elsewhere {
            oracle: "Resource Manager, instance caging",
            kernel: "`cpu.max`, `cpu.cfs_quota_us`, `nr_throttled`",
            ..NOWHERE
        },
        ..own(
            "CPU quota",
            "the CPU time that a control group may use in each period; a process that used it up waits for the next period",
            PLATFORM,
        )
    },
    Term {
        also: &["other programs", "CPU taken"],
        unit: "share of the CPUs",
        elsewhere: Elsewhere {
            kernel: "`user`, `nice` and `system` of /proc/stat, less the server's and narrows' own",
            ..NOWHERE
        },
        ..own(
            "CPU used by other programs",
            "CPU time of processes that are neither the server nor narrows; it is missing from the server's capacity",
            OBSERVE,
        )
    },
    Term {
        also: &["crashtest"],
        ..own(
            "crash test",
            "numbered records, each reported to a second host after its flush returned, and looked for after a power cut",
            DURABILITY,
        )
    },
    Term {
        unit: "operations per second offered and completed, with their latency",
        ..own("CURVE", "latency by offered rate, in an open loop", CALIBRATE)
    },
    Term {
        unit: "CPU seconds, reads, writes, WAL bytes, flushes and waits per operation",
        ..own("demand", "what one operation uses of each resource", VERDICT)
    },
    Term {
        also: &["direct", "O_DIRECT", "page cache", "buffered"],
        elsewhere: Elsewhere {
            postgresql: "`debug_io_direct`",
            oracle: "`filesystemio_options=directio`",
            fio: "`direct=1`",
            kernel: "O_DIRECT",
        },
        ..own(
            "direct I/O",
            "reads and writes between drive and program without the kernel's page cache; buffered I/O uses it",
            BLOCK,
        )
    },
    Term {
        also: &["durable", "not proven", "not shown", "shown", "refuted"],
        elsewhere: Elsewhere {
            postgresql: "`fsync`, `synchronous_commit`",
            oracle: "`COMMIT_WAIT`",
            kernel: "flush, FUA, `queue/write_cache`",
            ..NOWHERE
        },
        ..own(
            "durability",
            "whether what was flushed survives a power cut: shown, not proven or refuted. Only a power cut shows or refutes it",
            DURABILITY,
        )
    },
    Term {
        also: &["findings", "note", "notes"],
        ..own(
            "finding",
            "a statement on whether a figure can be trusted, or on why it is low. invalid: the figure is wrong. suspect: it may not mean what it \
             seems to. note: it is valid, and this limits what it may be compared with",
            VALIDITY,
        )
    },
    Term {
        also: &["full-page images", "full page", "FPI", "whole page", "full_page_writes"],
        unit: "a count; of WAL, a share of its bytes",
        elsewhere: Elsewhere { postgresql: "`full_page_writes`, `wal_fpi`", ..NOWHERE },
        ..own(
            "full-page image",
            "the copy of a whole page in WAL at the first change of the page after a checkpoint",
            OBSERVE,
        )
    },
    Term {
        also: &["commits per flush", "per write", "per flush"],
        unit: "commits per flush",
        elsewhere: Elsewhere {
            postgresql: "`commit_delay`, `commit_siblings`",
            oracle: "user commits / redo writes",
            ..NOWHERE
        },
        ..own(
            "group commit",
            "one WAL flush that makes the commits of several sessions durable: those that came while the last flush was running",
            LOG,
        )
    },
    own(
        "HARDWARE",
        "what memory, drives and WAL did without a database, each with its interval, and the known limit beside it",
        SCREEN,
    ),
    own(
        "invalid",
        "a measurement that a finding shows to be wrong: its figure is used nowhere, and no verdict rests on it",
        VALIDITY,
    ),
    Term {
        also: &["I/Os per second", "I/O rate"],
        unit: "reads and writes per second; 17.5k IOPS is 17500",
        elsewhere: Elsewhere {
            postgresql: "`reads` and `writes` of pg_stat_io per second",
            oracle: "physical read (write) IO requests per second",
            fio: "`iops`",
            kernel: "`r/s` + `w/s` of iostat",
        },
        ..own(
            "IOPS",
            "I/O operations that a drive completes per second, of the size that is named with it",
            BLOCK_GUIDE,
        )
    },
    Term {
        unit: "the rate or queue depth at which it is",
        ..own(
            "knee",
            "the point of a curve beyond which latency or queue depth grows faster than throughput: more load adds waiting and little work",
            CALIBRATE,
        )
    },
    Term {
        also: &["step", "rung", "rungs", "steps"],
        unit: "time of each step, and what it adds to the step below it",
        ..own(
            "LADDER",
            "the steps from the device's flush to the database's commit, each measured alone and beside other load: what adds the time of a \
             commit",
            LOG,
        )
    },
    Term {
        also: &["response time", "duration", "from the scheduled start"],
        unit: "time: ns in run files; ns, µs, ms or s on the screen",
        elsewhere: Elsewhere {
            postgresql: "`latency average` of pgbench",
            oracle: "average wait, response time",
            fio: "`lat`, `clat`",
            kernel: "`r_await`, `w_await` of iostat",
        },
        ..own(
            "latency",
            "the time from an operation's start to its completion; in an open loop from its scheduled start, so that waiting for a slow one \
             counts",
            DATABASE,
        )
    },
    Term {
        also: &["layers"],
        ..own(
            "layer",
            "what is measured by itself: clock, memory, block (storage), log (WAL), fabric (network storage), database",
            RUN_FILE,
        )
    },
    Term {
        also: &["limits", "known limit", "no physical limit known", "no limit known", "next limit"],
        unit: "that of the figure beside it",
        ..own(
            "limit",
            "the most that physics, a specification or an administrator permits: a PCIe link, memory channels, a CPU quota, an I/O limit",
            LIMITS,
        )
    },
    Term {
        also: &["client", "generator"],
        elsewhere: Elsewhere { postgresql: "pgbench", fio: "fio itself", ..NOWHERE },
        ..own(
            "load generator",
            "the part of narrows that is the client of the server or sends I/O; its CPU time is counted apart",
            DATABASE,
        )
    },
    Term {
        also: &["lock", "latch", "latches", "LWLock"],
        unit: "time per operation",
        elsewhere: Elsewhere {
            postgresql: "wait events `Lock`, `LWLock`",
            oracle: "enqueue, latch waits",
            kernel: "futex",
            ..NOWHERE
        },
        ..own(
            "locks",
            "waits for another session: for a row, a table, or a structure in the server's memory",
            OBSERVE,
        )
    },
    Term {
        also: &["measurements"],
        ..own(
            "measurement",
            "one workload on one layer: figures with intervals, a histogram per repeat, CPU time per operation, time series, conditions",
            RUN_FILE,
        )
    },
    Term {
        also: &["sum"],
        ..own(
            "model",
            "the rate of a workload from its parts: sessions over the time of one operation, or the utilisation of the resource that is full",
            VERDICT,
        )
    },
    own(
        "NOT KNOWN",
        "what could not be determined on this machine or with these rights; an unknown figure is not zero",
        PLATFORM,
    ),
    Term {
        also: &["observe", "observation", "looked at"],
        ..own(
            "observed",
            "of a running server: counters and samples over an interval, without any load from narrows",
            OBSERVE,
        )
    },
    Term {
        also: &["open", "random arrivals", "Poisson", "offered", "scheduled start", "arrivals"],
        unit: "operations per second offered",
        elsewhere: Elsewhere {
            postgresql: "pgbench with `--rate`",
            fio: "`rate_iops` with `rate_process=poisson`",
            ..NOWHERE
        },
        ..own(
            "open loop",
            "operations start at scheduled times, whether earlier ones have returned or not, as independent users send them; latency counts from \
             the schedule",
            DATABASE,
        )
    },
    Term {
        also: &[
            "p50",
            "p95",
            "p99.9",
            "p999",
            "percentile",
            "percentiles",
            "median",
            "the tail",
            "tail latency",
        ],
        unit: "time",
        elsewhere: Elsewhere { fio: "`99.00th` of clat percentiles", ..NOWHERE },
        ..own(
            "p99",
            "the latency that 99 % of the operations do not exceed; p50 is the median. On the screen of workloads it is that at 70 % of the \
             throughput, in an open loop",
            STATISTICS,
        )
    },
    own(
        "platform",
        "the inventory of a machine: CPUs, memory, and the whole path under data and WAL",
        PLATFORM,
    ),
    Term {
        also: &["power cut", "PLP", "protected cache", "volatile write cache", "write cache"],
        elsewhere: Elsewhere {
            kernel: "`write through` in queue/write_cache; NVMe: VWC 0",
            ..NOWHERE
        },
        ..own(
            "power-loss protection",
            "capacitors or a battery that let a drive write its cache to the medium after a power cut",
            DURABILITY,
        )
    },
    own(
        "private instance",
        "a database server that narrows starts for a run and removes afterwards",
        SERVER,
    ),
    Term {
        also: &[
            "QD",
            "QD1",
            "QD4",
            "QD16",
            "QD32",
            "QD64",
            "QD128",
            "QD256",
            "depth",
            "in flight",
            "iodepth",
        ],
        unit: "operations in flight: QD1 is one at a time",
        elsewhere: Elsewhere {
            postgresql: "`effective_io_concurrency`",
            fio: "`iodepth` × `numjobs`",
            kernel: "`aqu-sz` of iostat, `nr_requests`",
            ..NOWHERE
        },
        ..own(
            "queue depth",
            "how many I/Os are in flight at once. At QD1 the rate is one over the latency; more depth adds throughput up to the knee",
            BLOCK,
        )
    },
    Term {
        also: &["quick run", "sketch"],
        ..own(
            "quick",
            "a run with --quick: three repeats, no tests of the verdict, and no confidence above LIKELY",
            SCREEN,
        )
    },
    Term {
        also: &["reads", "blocks read"],
        unit: "time",
        elsewhere: Elsewhere {
            postgresql: "`IO:DataFileRead`",
            oracle: "db file sequential read",
            fio: "`clat` of reads",
            kernel: "`r_await` of iostat",
        },
        ..own("read latency", "the time of one read from page cache or drive", BLOCK)
    },
    Term {
        also: &["repeats"],
        elsewhere: Elsewhere { fio: "`loops`", ..NOWHERE },
        ..own(
            "repeat",
            "one window of a measurement that is made several times, in random order with the others; intervals come from the repeats",
            STATISTICS,
        )
    },
    own("RESULT", "the bottleneck of each workload in a sentence, with its confidence", SCREEN),
    Term {
        also: &["data", "roles"],
        ..own("role", "the kind of data that a database keeps in a folder: data or WAL", PLATFORM)
    },
    Term {
        also: &["runs"],
        ..own("run", "the whole result of one command, in one file", RUN_FILE)
    },
    Term {
        also: &["runqueue", "runnable", "waiting to run"],
        unit: "time per operation, or processes",
        elsewhere: Elsewhere {
            postgresql: "none: such a session has no wait event",
            kernel: "/proc/PID/schedstat, `r` of vmstat",
            ..NOWHERE
        },
        ..own("run queue", "the time in which a process could run and had no CPU", OBSERVE)
    },
    Term {
        also: &["samples", "SAMPLING", "wait event", "wait events"],
        unit: "a count",
        elsewhere: Elsewhere {
            postgresql: "a query of pg_stat_activity",
            oracle: "ASH sample",
            ..NOWHERE
        },
        ..own(
            "sample",
            "one query for the state of all sessions. SAMPLING: how many were made, and what they cost",
            OBSERVE,
        )
    },
    own(
        "sentinel",
        "a fixed calculation; its time before and after a measurement shows whether the CPUs changed speed or were disturbed",
        VALIDITY,
    ),
    Term {
        also: &["buffer pool", "pool", "buffer cache"],
        unit: "bytes",
        elsewhere: Elsewhere { postgresql: "shared_buffers", oracle: "buffer cache", ..NOWHERE },
        ..own(
            "shared_buffers",
            "the server's own cache of table and index blocks (pool in options)",
            SERVER,
        )
    },
    Term {
        also: &["sharing"],
        unit: "a factor; 1: no growth",
        ..own(
            "sharing factor",
            "the factor by which CPU time per operation grows under load, without the part that SMT explains: caches, memory and locks are shared",
            VERDICT,
        )
    },
    Term {
        also: &["SMT", "hyper-threading"],
        unit: "a factor: 1 (nothing gained) to the number of CPUs of a core",
        elsewhere: Elsewhere { kernel: "/sys/devices/system/cpu/smt", ..NOWHERE },
        ..own(
            "SMT yield",
            "the work of all CPUs of a core together, divided by the work of one of them alone",
            MEMORY,
        )
    },
    Term {
        also: &["stolen time", "st"],
        unit: "share of CPU time",
        elsewhere: Elsewhere { kernel: "`steal` of /proc/stat, `st` of top and vmstat", ..NOWHERE },
        ..own(
            "steal",
            "CPU time that the hypervisor gave to other guests while this machine could have run",
            OBSERVE,
        )
    },
    Term {
        also: &["?"],
        ..own(
            "suspect",
            "a measurement that something disturbed or contradicts; the screen marks it with ? and keeps it out of verdicts",
            VALIDITY,
        )
    },
    Term {
        also: &["steady", "steady state", "preconditioning"],
        ..own(
            "sustained",
            "a write rate that no longer changes, on a drive whose capacity was written before. Else it is a burst rate, or unknown",
            STEADY,
        )
    },
    Term {
        also: &["tests"],
        ..own(
            "test",
            "a change that was made to see whether the rate follows: more sessions, one CPU less, synchronous_commit off",
            VERDICT,
        )
    },
    Term {
        also: &["threads"],
        ..own("thread", "of a program; never of a core, whose units are CPUs", PLATFORM)
    },
    Term {
        also: &["rate", "bandwidth"],
        unit: "tps, IOPS, operations or bytes per second",
        elsewhere: Elsewhere {
            postgresql: "tps",
            oracle: "transactions per second (AWR, Load Profile)",
            fio: "`bw`, `iops`",
            kernel: "`rkB/s`, `wkB/s` of iostat",
        },
        ..own("throughput", "operations or bytes that are completed per second", DATABASE)
    },
    Term {
        also: &["transactions per second", "transactions"],
        unit: "transactions per second; 17.5k tps is 17500",
        elsewhere: Elsewhere {
            postgresql: "`tps` of pgbench; `xact_commit` + `xact_rollback` per second",
            oracle: "user commits + user rollbacks per second",
            ..NOWHERE
        },
        ..own("tps", "transactions per second", DATABASE)
    },
    Term {
        also: &["better", "worse", "equivalent"],
        ..own(
            "unresolved",
            "of two runs (narrows compare): the repeats show neither a difference nor that it is smaller than the margin. better, worse: a \
             difference is shown. equivalent: it is shown to be smaller than the margin",
            COMPARE,
        )
    },
    own("valid", "a measurement that no finding makes suspect or invalid", VALIDITY),
    Term {
        also: &["verdicts"],
        ..own(
            "verdict",
            "for one workload at one number of sessions: bottleneck, model, test, what comes next, confidence",
            VERDICT,
        )
    },
    Term {
        also: &["log", "redo", "pg_wal", "redo log", "commit log"],
        unit: "bytes",
        elsewhere: Elsewhere { postgresql: "WAL, `pg_wal`", oracle: "redo log", ..NOWHERE },
        ..own(
            "WAL",
            "the write-ahead log: changes are durable when they are flushed there (layer log in run files)",
            LOG,
        )
    },
    Term {
        also: &["flush", "flushes", "fsync", "fdatasync", "sync", "log file parallel write"],
        unit: "time of one, or flushes per second",
        elsewhere: Elsewhere {
            postgresql: "`IO:WALSync` (`IO:WalSync` since 17), `wal_sync`",
            oracle: "log file parallel write",
            fio: "`fdatasync=1`, sync percentiles",
            kernel: "fsync(2), fdatasync(2)",
        },
        ..own(
            "WAL flush",
            "the request that makes written WAL durable; a commit returns after it. Alone: nothing else uses the drive. Beside writes: as after \
             a checkpoint",
            LOG,
        )
    },
    Term {
        also: &["WAL streams", "streams"],
        ..own("WAL stream", "the WAL of one server among several on one device", WAL_GUIDE)
    },
    Term {
        also: &["expected gain", "how to check"],
        ..own(
            "WHAT TO DO",
            "one line for each bottleneck: the change, the gain that the model expects of it, and how to check it",
            SCREEN,
        )
    },
    Term {
        also: &["WHERE A TRANSACTION'S TIME GOES"],
        unit: "time per operation",
        ..own(
            "WHERE THE TIME GOES",
            "the parts of one operation's time: CPU, run queue, reads, WAL, locks, client. They add up to the total",
            SCREEN,
        )
    },
    own(
        "WHY UNDECIDED",
        "what contradicts a verdict, or what would decide it; --explain prints all reasons",
        SCREEN,
    ),
    Term {
        also: &["windows", "snapshot interval"],
        unit: "time",
        elsewhere: Elsewhere { oracle: "snapshot interval", fio: "`runtime`", ..NOWHERE },
        ..own(
            "window",
            "the interval over which one repeat is measured, the same for all its threads and counters",
            STATISTICS,
        )
    },
    Term {
        also: &["workloads", "load"],
        ..own(
            "workload",
            "the operations that a measurement makes: lookups, updates, scans, or I/O of one size and pattern",
            DATABASE,
        )
    },
];
