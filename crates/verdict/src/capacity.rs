//! Capacities: what each resource gave on the path and at the mix that the workload uses, as bounds on its rate.
//!
//! A capacity measured apart is a floor. One that comes from a suspect or invalid measurement is not used; it is
//! listed as unknown, with the reason. The log has no capacity (see `log`), only its ladder.

use narrows_model::{
    Bottleneck, Measurement, Provenance, Role, Run, Validity, condition, family, metric,
};

use crate::bound::{BoundLaw, Candidate};
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::log;
use crate::observed::{self, Observed};
use crate::processors;
use crate::threshold::{
    HOT, HOT_OVER_MEAN, IDLE_CLIENT, MUCH_LARGER, NO_DEMAND_PER_OP, OVER_LIMIT, SAME_LIMIT,
    SATURATED,
};

/// Size of a block of the server, bytes.
const SERVER_BLOCK_BYTES: f64 = 8192.0;
/// Size of the sequential reads that a scan is compared with, bytes.
const SEQUENTIAL_BYTES: f64 = 1024.0 * 1024.0;

/// The bounds that capacities give, and what could not be known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capacities {
    pub candidates: Vec<Candidate>,
    /// Resources with a demand and without a usable capacity.
    pub unknown: Vec<(Bottleneck, String)>,
    /// Why, in sentences.
    pub reasons: Vec<String>,
    /// Resources known to be unused: their label.
    pub unused: Vec<(Bottleneck, String)>,
}

/// Everything but the session bound.
pub(crate) fn capacities(run: &Run, demand: &Demand) -> Capacities {
    let mut found = Capacities::default();
    found.cpu(run, demand);
    if demand.workload.is_scan() {
        found.scan_reads(run, demand);
    } else {
        found.reads(run, demand);
    }
    found.writes(run, demand);
    found.mix(run, demand);
    if demand.observed.is_some() {
        observed::ceilings(&mut found, demand);
    }
    // Where somebody's server was seen with its processes the run has the groups that it is in, and else those of ours.
    // A report knows no groups.
    let has_groups =
        |observed: &Observed| observed.processes().is_some() && observed.report().is_none();
    if demand.observed.as_ref().is_none_or(has_groups) {
        found.limits(run, demand);
    }
    found.log(run, demand);
    found.thread(demand);
    found.client(demand);
    found.drop_what_is_seen_twice();
    found
}

impl Capacities {
    fn cpu(&mut self, run: &Run, demand: &Demand) {
        let (Some(available), Some(server_ns)) = (demand.cpu.available, demand.cpu.server_ns)
        else {
            self.unknown.push((Bottleneck::Cpu, "CPU".to_string()));
            let missing = if demand.cpu.available.is_none() { "available to" } else { "used by" };
            self.reasons.push(format!("the CPU time {missing} the server is unknown"));
            return;
        };
        let narrow = processors::narrow(run, demand, available.value);
        let label = match narrow {
            Bottleneck::CpuQuota => {
                format!("the CPU quota of {}", processors::words(available.value))
            }
            Bottleneck::CpuTaken => {
                format!("the {} that other programs leave", processors::words(available.value))
            }
            _ => format!("the server's {}", processors::words(available.value)),
        };
        self.candidates.extend(Candidate::new(
            BoundLaw::Cpu,
            narrow,
            label,
            (available, "cpus"),
            server_ns.times(1e-9),
            Provenance::Counted,
        ));
    }

    fn reads(&mut self, run: &Run, demand: &Demand) {
        let observed = demand.observed.is_some();
        // What somebody's server reads may come from the system's page cache: only the drives' own count tells.
        let missed = demand.io.block_reads.filter(|_| !observed);
        let by_device = demand.io.device_reads.or(missed);
        let (Some(blocks), Some(device)) = (missed.or(by_device), by_device) else {
            self.unknown.push((Bottleneck::ReadRate, "drives".to_string()));
            return;
        };
        if blocks.value < NO_DEMAND_PER_OP {
            self.unused.push((Bottleneck::ReadRate, "drives".to_string()));
            return;
        }
        if is_large(demand, device, demand.io.device_read_bytes) {
            self.bytes(
                run,
                demand.io.device_read_bytes,
                "block.read.sequential.1m.knee",
                (BoundLaw::ReadBytes, Bottleneck::ReadBandwidth, "the drives"),
            );
            return;
        }
        let path = server_path(run, demand);
        let usable_rate = |id: &str| {
            run.measurement(id).filter(|m| m.usable()).and_then(|m| m.value(metric::THROUGHPUT))
        };
        let knee = usable_rate("block.read.random.8k.knee");
        let known = [
            self.add(run, "block.read.random.8k.knee", |_, rate| {
                Candidate::new(
                    BoundLaw::Drives,
                    Bottleneck::ReadRate,
                    "the drives",
                    (rate, "reads_per_s"),
                    device,
                    Provenance::Measured,
                )
            }),
            path.as_deref().is_some_and(|id| {
                let in_flight = id.contains(".direct_d");
                self.add(run, id, |_, rate| {
                    // So many in flight that the drives are at their knee: that is a rate again.
                    let in_flight =
                        in_flight && knee.is_none_or(|knee| rate.value * SAME_LIMIT < knee);
                    let (place, narrow, label) = if in_flight {
                        let label = format!("reads at QD{}", demand.sessions);
                        (BoundLaw::ReadsInFlight, Bottleneck::ReadLatency, label)
                    } else {
                        let label = "the server's read path".to_string();
                        (BoundLaw::ReadPath, Bottleneck::ReadRate, label)
                    };
                    let capacity = (rate, "reads_per_s");
                    Candidate::new(place, narrow, label, capacity, blocks, Provenance::Measured)
                })
            }),
        ];
        if !known.contains(&true) {
            self.unknown.push((Bottleneck::ReadRate, "drives".to_string()));
        }
    }

    /// Requests so large that bytes per second bound them and not their number.
    fn bytes(
        &mut self,
        run: &Run,
        bytes: Option<Estimate>,
        id: &str,
        (place, narrow, label): (BoundLaw, Bottleneck, &'static str),
    ) {
        let Some(bytes) = bytes else { return };
        let known = self.add(run, id, |m, rate| {
            let bandwidth = m.metric(metric::BANDWIDTH).and_then(Estimate::of);
            let bandwidth = bandwidth.unwrap_or(rate.times(SEQUENTIAL_BYTES));
            let capacity = (bandwidth, "bytes_per_s");
            Candidate::new(place, narrow, label, capacity, bytes, Provenance::Measured)
        });
        if !known {
            self.unknown.push((narrow, label.to_string()));
        }
    }

    fn scan_reads(&mut self, run: &Run, demand: &Demand) {
        let bytes = demand
            .io
            .device_read_bytes
            .or(demand.io.block_reads.map(|blocks| blocks.times(SERVER_BLOCK_BYTES)));
        let Some(bytes) = bytes else {
            self.unknown.push((Bottleneck::ReadBandwidth, "drives".to_string()));
            return;
        };
        if bytes.value < SERVER_BLOCK_BYTES {
            self.unused.push((Bottleneck::ReadBandwidth, "drives".to_string()));
            return;
        }
        let known = self.add(run, "block.read.sequential.1m.knee", |m, rate| {
            let bandwidth = m.metric(metric::BANDWIDTH).and_then(Estimate::of);
            Candidate::new(
                BoundLaw::ReadBytes,
                Bottleneck::ReadBandwidth,
                "the drives",
                (bandwidth.unwrap_or(rate.times(SEQUENTIAL_BYTES)), "bytes_per_s"),
                bytes,
                Provenance::Measured,
            )
        });
        if !known {
            self.unknown.push((Bottleneck::ReadBandwidth, "drives".to_string()));
        }
    }

    /// Checkpoints and the log write together; the device's own count of requests is compared with what it
    /// did in random 8 KiB writes.
    fn writes(&mut self, run: &Run, demand: &Demand) {
        let Some(writes) = demand.io.device_writes.filter(|w| w.value >= NO_DEMAND_PER_OP) else {
            return;
        };
        if demand.commits_per_op().is_none() && demand.observed.is_none() {
            return;
        }
        if is_large(demand, writes, demand.io.device_write_bytes) {
            self.bytes(
                run,
                demand.io.device_write_bytes,
                "block.write.sequential.1m.knee",
                (BoundLaw::Writes, Bottleneck::WriteRate, "the drives' writes"),
            );
            return;
        }
        let known = self.add(run, "block.write.random.8k.knee", |_, rate| {
            Candidate::new(
                BoundLaw::Writes,
                Bottleneck::WriteRate,
                "the drives' writes",
                (rate, "writes_per_s"),
                writes,
                Provenance::Measured,
            )
        });
        if !known {
            self.unknown.push((Bottleneck::WriteRate, "the drives' writes".to_string()));
        }
    }

    /// Reads and writes at once, where they were measured so after this workload.
    fn mix(&mut self, run: &Run, demand: &Demand) {
        let Some(word) = family::DATABASE.rest(&demand.measurement.id) else { return };
        let (Some(reads), Some(writes)) = (demand.io.device_reads, demand.io.device_writes) else {
            return;
        };
        let narrow =
            if reads.value >= writes.value { Bottleneck::ReadRate } else { Bottleneck::WriteRate };
        self.add(run, &family::BLOCK_AFTER.id(word), |_, rate| {
            Candidate::new(
                BoundLaw::Mix,
                narrow,
                "the drives at this mix of reads and writes",
                (rate, "requests_per_s"),
                Estimate::sum([reads, writes].into_iter()),
                Provenance::Measured,
            )
        });
    }

    fn limits(&mut self, run: &Run, demand: &Demand) {
        let Some(platform) = run.platform() else { return };
        let on_role = |device: &str, role: Role| {
            let path = platform.roles.iter().find(|path| path.role == role);
            path.is_none_or(|path| path.devices.iter().any(|d| d.number == device))
        };
        let reads = demand.io.device_reads.or(demand.io.block_reads);
        let read_bytes = demand
            .io
            .device_read_bytes
            .or(demand.io.block_reads.map(|blocks| blocks.times(SERVER_BLOCK_BYTES)));
        let first = self.candidates.len();
        for limit in &platform.cgroup.io_limits {
            let (place, demand_per_op, unit, role) = match limit.kind.as_str() {
                "riops" => (BoundLaw::ReadLimit, reads, "reads_per_s", Role::Data),
                "rbps" => (BoundLaw::ReadLimit, read_bytes, "bytes_per_s", Role::Data),
                "wiops" => {
                    (BoundLaw::WriteLimit, demand.io.device_writes, "writes_per_s", Role::Wal)
                }
                "wbps" => {
                    (BoundLaw::WriteLimit, demand.io.device_write_bytes, "bytes_per_s", Role::Wal)
                }
                _ => continue,
            };
            let Some(demand_per_op) = demand_per_op.filter(|d| d.value >= NO_DEMAND_PER_OP) else {
                continue;
            };
            let also_data = place == BoundLaw::WriteLimit && on_role(&limit.device, Role::Data);
            if on_role(&limit.device, role) || also_data {
                self.candidates.extend(Candidate::new(
                    place,
                    Bottleneck::IoLimit,
                    format!("the control group's {} limit", limit.kind),
                    (Estimate::exact(limit.value as f64), unit),
                    demand_per_op,
                    Provenance::Configured,
                ));
            }
        }
        self.used_up(demand, first);
    }

    /// What drives did over what the closest limit allows, by their counters: in the warm-up, which is in the counters too, an operation
    /// may have needed less than in the window, as more of it was in a cache. A limit that was used up is used up in the window.
    fn used_up(&mut self, demand: &Demand, first: usize) {
        let rate = demand.rate();
        let counted = demand.measurement.value(metric::IO_LIMIT_SHARE);
        let Some(share) = counted.filter(|share| (SATURATED..=OVER_LIMIT).contains(share)) else {
            return;
        };
        let used = |candidate: &&mut Candidate| candidate.utilisation(rate);
        let closest = self.candidates[first..]
            .iter_mut()
            .max_by(|a, b| used(a).total_cmp(&used(b)))
            .filter(|closest| used(closest) < share && demand.observed.is_none());
        let Some(closest) = closest else { return };
        let per_op = Estimate::exact(closest.capacity.value * share / rate);
        if let Some(changed) = closest.changed(closest.capacity, per_op) {
            *closest = changed;
        }
    }

    fn log(&mut self, run: &Run, demand: &Demand) {
        let Some(commits) = demand.commits_per_op() else { return };
        match log::bound(run, demand.servers) {
            Some(bound) => {
                if let Some((own, ladder)) = demand.io.flush_bytes.zip(bound.flush_bytes)
                    && own > ladder * MUCH_LARGER
                {
                    self.reasons.push(format!(
                        "the WAL ladder was measured with {ladder:.0} B per flush, the server writes {own:.0} B"
                    ));
                }
                self.candidates.extend(
                    Candidate::new(
                        BoundLaw::Log,
                        Bottleneck::CommitWait,
                        format!(
                            "{} with {} committers",
                            log_word(demand),
                            demand.sessions_in_words()
                        ),
                        (bound.rate, "commits_per_s"),
                        Estimate::exact(commits),
                        Provenance::Measured,
                    )
                    .map(|candidate| candidate.resting_on(bound.measurement)),
                );
            }
            None => self.unknown.push((Bottleneck::CommitWait, log_word(demand).to_string())),
        }
    }

    fn thread(&mut self, demand: &Demand) {
        let Some((busy, name)) = &demand.hot_thread else { return };
        if demand.workload.is_scan() || demand.sessions == 1 || *busy < HOT {
            return;
        }
        let on_cpu = demand.time.cpu.map_or(0.0, |cpu| cpu.value * 1e-9 * demand.rate());
        let holds_up = match &demand.observed {
            Some(observed) => observed.waits_for_hottest(*busy, on_cpu),
            None => *busy >= on_cpu / demand.servers * HOT_OVER_MEAN,
        };
        if !holds_up {
            return;
        }
        self.candidates.extend(Candidate::new(
            BoundLaw::Thread,
            Bottleneck::HotThread,
            format!("one server process ({name})"),
            (Estimate::exact(1.0), "cpus"),
            Estimate::exact(busy / demand.rate()),
            Provenance::Counted,
        ));
    }

    fn client(&mut self, demand: &Demand) {
        // Where the client hardly works, its processor time is start-up and noise, and a bound from it a fantasy.
        let Some(busy) = demand.client_busy.filter(|busy| *busy > IDLE_CLIENT) else { return };
        let per_op = match demand.client_cpu_ns {
            Some(ns) => ns.times(1e-9),
            None => Estimate { value: busy / demand.rate(), half: None },
        };
        let cpus = per_op.value * demand.rate() / busy;
        self.candidates.extend(Candidate::new(
            BoundLaw::Client,
            Bottleneck::Client,
            "the client's CPU",
            (Estimate::exact(cpus), "cpus"),
            per_op,
            Provenance::Counted,
        ));
    }

    /// Adds what `make` makes of a usable measurement's throughput; says whether it could.
    fn add(
        &mut self,
        run: &Run,
        id: &str,
        make: impl FnOnce(&Measurement, Estimate) -> Option<Candidate>,
    ) -> bool {
        let Some(m) = run.measurement(id) else { return false };
        if !m.usable() {
            let word = if m.validity == Validity::Invalid { "invalid" } else { "suspect" };
            self.reasons.push(format!("{id}: {word}, so its capacity is unknown"));
            return false;
        }
        let Some(rate) = m.metric(metric::THROUGHPUT).and_then(Estimate::of) else { return false };
        match make(m, rate) {
            Some(candidate) => {
                self.candidates.push(candidate.resting_on(id));
                true
            }
            None => false,
        }
    }

    /// A measurement made under a control group's limit shows that limit; the setting is the better name.
    fn drop_what_is_seen_twice(&mut self) {
        let limits: Vec<(BoundLaw, f64)> = self
            .candidates
            .iter()
            .filter(|c| c.narrow == Bottleneck::IoLimit)
            .map(|c| (c.place, c.rate.value))
            .collect();
        self.candidates.retain(|c| {
            let of_reads =
                matches!(c.place, BoundLaw::Drives | BoundLaw::ReadPath | BoundLaw::ReadBytes);
            !limits.iter().any(|(place, limit)| {
                let same_direction = (*place == BoundLaw::ReadLimit && of_reads)
                    || (*place == BoundLaw::WriteLimit && c.place == BoundLaw::Writes);
                same_direction && (1.0 / SAME_LIMIT..=SAME_LIMIT).contains(&(c.rate.value / limit))
            })
        });
    }
}

/// Whether the requests of a server's own report are larger on average than those that the drives' IOPS were measured with: of a server
/// that is looked at they are counted while it is loaded, and the drives' own limits stand beside them.
fn is_large(demand: &Demand, requests: Estimate, bytes: Option<Estimate>) -> bool {
    let by_report = demand.observed.as_ref().is_some_and(|o| o.report().is_some());
    let mean = bytes.filter(|_| requests.value > 0.0).map(|bytes| bytes.value / requests.value);
    by_report && mean.is_some_and(|mean| mean > 2.0 * SERVER_BLOCK_BYTES)
}

/// What the server's manuals call its log.
fn log_word(demand: &Demand) -> &'static str {
    if demand.observed.as_ref().is_some_and(|o| o.report().is_some()) { "redo log" } else { "WAL" }
}

/// The block measurement of the path that the workload's reads took: direct reads by as many threads as there
/// are sessions, or buffered reads at that path's own knee.
pub(crate) fn server_path(run: &Run, demand: &Demand) -> Option<String> {
    // How somebody else's kind of server reads is unknown; the drives count what reaches them.
    if demand.observed.as_ref().is_some_and(|observed| observed.report().is_some()) {
        return None;
    }
    let m = demand.measurement;
    let direct = m.text(condition::UNCACHED_BY) == Some("debug_io_direct")
        || m.text(condition::METHOD) == Some("direct");
    if !direct {
        return Some("block.read.random.8k.server_knee".to_string());
    }
    let prefix = "block.read.random.8k.direct_d";
    run.measurements
        .iter()
        .find(|m| {
            m.id.strip_prefix(prefix).is_some_and(|depth| {
                let depth = depth.parse::<f64>().ok().or_else(|| {
                    m.number(condition::THREADS).or_else(|| m.number(condition::DEPTH))
                });
                depth == Some(f64::from(demand.sessions))
            })
        })
        .map(|m| m.id.to_string())
}
