//! Simulated block devices, honest ones and liars, and the measurement that a block layer would make of them.
//!
//! A device is a number of channels with one queue, and a behaviour: what a page cache, a hole in the file, a
//! burst allowance or a stall does to time and to the counters. The generator keeps a depth of requests in flight
//! (closed loop) or sends them when they are due (open loop).

use narrows_engine::{Rng, Samples, record_latency};
use narrows_model::{
    BlockDevice, DeviceKind, FileSystem, Layer, Measurement, Metric, Platform, Queue, Role,
    RolePath, Series, Unit, condition, metric,
};
use narrows_stats::Recorder;
use serde_json::json;

use crate::clock::Clock;
use crate::law::{Law, scatter};

/// Bytes of a request.
const BLOCK_BYTES: u32 = 8192;
/// Slices of a window's time series.
const SLICES: usize = 20;
/// Time that memory takes to answer, ns.
const MEMORY_NS: f64 = 2_000.0;

/// What is wrong with a device or with the file on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Behaviour {
    /// Nothing.
    Honest,
    /// This share of the file is holes: reads of them give zeros without asking the drive.
    Sparse(f64),
    /// This share of the file is in the page cache.
    Cached(f64),
    /// Stops every so often: period and length of a stall, ns.
    Stalling(f64, f64),
    /// So many operations at full speed, then slower by that factor.
    Burst(u64, f64),
    /// A generator or driver that lets through only so many requests, whatever was asked for.
    Narrowed(u32),
    /// Somebody else reads as much again.
    Shared,
}

/// A block device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    /// Requests served at the same time.
    pub channels: u32,
    /// Service time.
    pub service: Law,
    /// Its character.
    pub behaviour: Behaviour,
    /// Relative scatter from window to window.
    pub scatter: f64,
}

impl Device {
    /// Eight channels of 100 µs: 80 k reads per second from depth 8 on.
    pub fn new(behaviour: Behaviour) -> Device {
        Device { channels: 8, service: Law::Erlang(8, 100_000.0), behaviour, scatter: 0.01 }
    }

    /// Operations per second at a depth, from one window.
    pub fn rate_at(&self, depth: u32, seed: u64) -> f64 {
        let mut bench = Bench::new(*self, seed);
        bench.closed(depth, 0.1e9).rate_per_s()
    }
}

/// What one window saw.
struct DeviceWindow {
    window_ns: f64,
    latency: Recorder,
    slices: Vec<f64>,
    device_reads: u64,
    busy_ns: f64,
}

impl DeviceWindow {
    fn operations(&self) -> f64 {
        self.latency.count() as f64
    }

    fn rate_per_s(&self) -> f64 {
        self.operations() / self.window_ns * 1e9
    }
}

/// A request on its way: when it was due, and whether the drive serves it.
#[derive(Debug, Clone, Copy)]
struct Request {
    due_ns: f64,
    by_drive: bool,
}

enum Event {
    Arrival,
    Done(Request),
}

/// Device and generator.
struct Bench {
    device: Device,
    rng: Rng,
    clock: Clock<Event>,
    waiting: std::collections::VecDeque<Request>,
    in_service: u32,
    served: u64,
    pace: f64,
}

impl Bench {
    fn new(device: Device, seed: u64) -> Self {
        Bench {
            device,
            rng: Rng::new(seed),
            clock: Clock::new(),
            waiting: Default::default(),
            in_service: 0,
            served: 0,
            pace: 1.0,
        }
    }

    /// A window with `depth` requests in flight, new queue; the device remembers its burst.
    fn closed(&mut self, depth: u32, window_ns: f64) -> DeviceWindow {
        let depth = match self.device.behaviour {
            Behaviour::Narrowed(most) => depth.min(most),
            _ => depth,
        };
        self.run(window_ns, depth, None)
    }

    /// A window of requests that are due by a Poisson process; latency counts from then.
    fn open(&mut self, rate_per_s: f64, window_ns: f64) -> DeviceWindow {
        self.run(window_ns, 0, Some(1e9 / rate_per_s))
    }

    fn run(&mut self, window_ns: f64, depth: u32, gap_ns: Option<f64>) -> DeviceWindow {
        self.clock = Clock::new();
        self.waiting.clear();
        self.in_service = 0;
        self.pace = scatter(&mut self.rng, self.device.scatter);
        let mut seen = DeviceWindow {
            window_ns,
            latency: Recorder::new(),
            slices: vec![0.0; SLICES],
            device_reads: 0,
            busy_ns: 0.0,
        };
        for _ in 0..depth {
            self.send();
        }
        if gap_ns.is_some() {
            self.clock.after(0.0, Event::Arrival);
        }
        let mut last_ns = 0.0;
        while self.clock.next_ns().is_some_and(|at_ns| at_ns < window_ns) {
            let was_busy = self.in_service > 0;
            let Some(event) = self.clock.advance() else { break };
            let now_ns = self.clock.now_ns();
            seen.busy_ns += if was_busy { now_ns - last_ns } else { 0.0 };
            last_ns = now_ns;
            match event {
                Event::Arrival => {
                    self.send();
                    let gap = gap_ns.map_or(f64::INFINITY, |mean| self.rng.exponential(mean));
                    self.clock.after(gap, Event::Arrival);
                }
                Event::Done(request) => {
                    seen.latency.record((now_ns - request.due_ns) as u64);
                    let slice = (now_ns / window_ns * SLICES as f64) as usize;
                    seen.slices[slice.min(SLICES - 1)] += 1.0;
                    if request.by_drive {
                        seen.device_reads += 1;
                        self.in_service -= 1;
                        if let Some(next) = self.waiting.pop_front() {
                            self.serve(next);
                        }
                    }
                    if gap_ns.is_none() {
                        self.send();
                    }
                }
            }
        }
        seen
    }

    fn send(&mut self) {
        let from_memory = match self.device.behaviour {
            Behaviour::Sparse(share) | Behaviour::Cached(share) => self.rng.unit_f64() <= share,
            _ => false,
        };
        let request = Request { due_ns: self.clock.now_ns(), by_drive: !from_memory };
        if from_memory {
            self.clock.after(MEMORY_NS, Event::Done(request));
        } else if self.in_service < self.device.channels {
            self.serve(request);
        } else {
            self.waiting.push_back(request);
        }
    }

    fn serve(&mut self, request: Request) {
        self.in_service += 1;
        self.served += 1;
        let mut ns = self.device.service.draw_ns(&mut self.rng) * self.pace;
        match self.device.behaviour {
            Behaviour::Burst(allowance, slower) if self.served > allowance => ns *= slower,
            Behaviour::Stalling(period_ns, stall_ns) => {
                let into = self.clock.now_ns() % period_ns;
                if into < stall_ns {
                    ns += stall_ns - into;
                }
            }
            _ => {}
        }
        self.clock.after(ns, Event::Done(request));
    }
}

/// Random 8 KiB reads at a depth, as the block layer measures them by its best path.
pub fn measure(device: &Device, id: &str, depth: u32, repeats: u32, seed: u64) -> Measurement {
    let mut bench = Bench::new(*device, seed);
    let windows: Vec<DeviceWindow> = (0..repeats).map(|_| bench.closed(depth, 0.25e9)).collect();
    let mut m = filled(device, id, &windows, |seen| {
        // The layer knows what it keeps in flight by Little's law, like everybody else.
        let in_flight = seen.rate_per_s() * seen.latency.mean().unwrap_or(0.0) / 1e9;
        vec![(metric::IN_FLIGHT, in_flight), (metric::DEPTH, f64::from(depth))]
    });
    m.workload.insert(condition::LOOP, json!("closed"));
    m.workload.insert(condition::DEPTH, json!(depth));
    m
}

/// The same in an open loop at a rate; latency counts from the intended time.
pub fn measure_open(
    device: &Device,
    id: &str,
    rate_per_s: f64,
    repeats: u32,
    seed: u64,
) -> Measurement {
    let mut bench = Bench::new(*device, seed);
    let windows: Vec<DeviceWindow> = (0..repeats).map(|_| bench.open(rate_per_s, 1e9)).collect();
    let mut m = filled(device, id, &windows, |_| Vec::new());
    m.workload.insert(condition::LOOP, json!("open"));
    m
}

type MetricEntry = (Metric, f64);

fn filled(
    device: &Device,
    id: &str,
    windows: &[DeviceWindow],
    more: impl Fn(&DeviceWindow) -> Vec<MetricEntry>,
) -> Measurement {
    let mut m = Measurement::new(id, Layer::Block);
    let mut samples = Samples::new();
    let bytes = f64::from(BLOCK_BYTES);
    for (repeat, seen) in windows.iter().enumerate() {
        let (operations, rate) = (seen.operations(), seen.rate_per_s());
        let shared = if device.behaviour == Behaviour::Shared { 2.0 } else { 1.0 };
        let device_reads = seen.device_reads as f64 * shared;
        let zeros = match device.behaviour {
            Behaviour::Sparse(share) => share,
            _ => 0.0,
        };
        samples.extend([
            (metric::THROUGHPUT, rate),
            (metric::BANDWIDTH, rate * bytes),
            (metric::WINDOW, seen.window_ns),
            (metric::OPERATIONS, operations),
            (metric::ERRORS, 0.0),
            (metric::SHORT_IOS, 0.0),
            (metric::ISSUED_READ_BYTES, operations * bytes),
            (metric::DEVICE_READ_BYTES, device_reads * bytes),
            (metric::DEVICE_READS, device_reads),
            (metric::DEVICE_BUSY, seen.busy_ns / seen.window_ns),
            (metric::ZERO_BLOCKS, zeros),
            (metric::UNWRITTEN, zeros),
        ]);
        if let Behaviour::Cached(share) = device.behaviour {
            samples.add(metric::RESIDENT_BEFORE, share);
        }
        samples.extend(more(seen));
        record_latency(&mut samples, &seen.latency);
        let slice_s = seen.window_ns / SLICES as f64 / 1e9;
        m.series.push(Series {
            name: metric::THROUGHPUT.into(),
            unit: Unit::OpsPerS,
            repeat: repeat as u32,
            t0_ns: 0,
            interval_ns: (slice_s * 1e9) as u64,
            x: Vec::new(),
            values: seen.slices.iter().map(|n| n / slice_s).collect(),
        });
    }
    m.metrics = samples.into_metrics();
    m.repeats = windows.len() as u32;
    m.workload.insert(condition::BLOCK_BYTES, json!(BLOCK_BYTES));
    m.workload.insert(condition::PATTERN, "random");
    m.workload.insert(condition::DIRECTION, "read");
    m.workload.insert(condition::ROLE, "data");
    let method =
        if matches!(device.behaviour, Behaviour::Cached(_)) { "buffered" } else { "io_uring" };
    m.conditions.insert(condition::METHOD, json!(method));
    m
}

/// A platform whose data role is on one drive, so that rules about the device have a path to look at.
pub fn platform() -> Platform {
    let drive = BlockDevice {
        name: "sim0".into(),
        number: "259:0".into(),
        kind: DeviceKind::Disk,
        level: None,
        model: None,
        transport: Some("nvme (pcie)".into()),
        size_bytes: Some(1 << 40),
        slaves: Vec::new(),
        queue: Some(Queue { iostats: Some(true), ..Queue::default() }),
        numa_node: None,
        pcie: Vec::new(),
    };
    Platform {
        roles: vec![RolePath {
            role: Role::Data,
            path: "/data".into(),
            file_system: FileSystem {
                kind: "xfs".into(),
                mount_point: "/data".into(),
                source: "/dev/sim0".into(),
                ..FileSystem::default()
            },
            devices: vec![drive],
        }],
        ..Platform::default()
    }
}
