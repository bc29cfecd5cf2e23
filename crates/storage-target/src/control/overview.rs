//! Namespaces with what is in front of them, as they are shown.

use std::sync::atomic::{AtomicU64, Ordering};

use narrows_log_tier::State;
use serde::{Deserialize, Serialize};

use crate::backing::logged::{LogMedium, LoggedDisk, now_ms, power_of_copies, state_word};
use crate::backing::{Backing, CacheFigures, CacheIndex, DeviceCache, MemoryCache, Shards};
use crate::namespace::Namespace;
use crate::output::Report;
use crate::target::Target;

/// Sizes, as multiples of its own, for which a cache is asked what it would miss.
const SIZES: [f64; 3] = [0.5, 1.0, 2.0];
/// Size of a cache's page, bytes.
const PAGE_BYTES: u64 = MemoryCache::PAGE_BYTES as u64;

/// All namespaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Overview {
    pub(super) namespaces: Vec<NamespaceView>,
}

/// A namespace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NamespaceView {
    pub(super) subsystem: String,
    pub(super) nsid: u32,
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) log: Option<LogView>,
    pub(super) cache: Option<CacheView>,
}

/// A log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LogView {
    pub(super) media: Vec<String>,
    /// What each of them is: file, block device, or persistent memory and how it is written.
    pub(super) media_kinds: Vec<String>,
    /// What the platform says of a loss of power, of each that is persistent memory.
    pub(super) media_power: Vec<Option<String>>,
    /// healthy, degraded or failed.
    pub(super) state: String,
    pub(super) capacity_bytes: u64,
    pub(super) used_bytes: u64,
    pub(super) records: u64,
    pub(super) oldest_age_ms: Option<u64>,
    pub(super) appended_bytes: u64,
    pub(super) moved_bytes: u64,
    /// Writes that found it full.
    pub(super) waits_for_room: u64,
    pub(super) backing_errors: u64,
    /// How many peers have each write before it is answered, where it is on peers.
    #[serde(default)]
    pub(super) copies: Option<u8>,
    #[serde(default)]
    pub(super) peers: Vec<PeerView>,
    /// What a loss of power means for it.
    #[serde(default)]
    pub(super) peers_power: Option<String>,
}

/// A peer of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PeerView {
    pub(super) address: String,
    /// ok, behind, lost, absent, or reserved by another host.
    pub(super) state: String,
    /// Why lost or absent.
    pub(super) reason: Option<String>,
    /// Why it was not taken back when it was looked for last.
    #[serde(default)]
    pub(super) stays_out: Option<String>,
    /// Records that were acknowledged and that it lacks.
    pub(super) behind_records: u64,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CacheView {
    pub(super) capacity_bytes: u64,
    pub(super) used_bytes: u64,
    /// Pages of reads.
    pub(super) hits: u64,
    pub(super) misses: u64,
    pub(super) evictions: u64,
    /// The file or device that it is on, where it isn't in memory.
    #[serde(default)]
    pub(super) device: Option<CacheDeviceView>,
    /// What names its pages for the next start, where there is one.
    #[serde(default)]
    pub(super) index: Option<IndexView>,
    /// The pages that no option names, and then what is kept or recycled.
    pub(super) ranges: Vec<RangeView>,
}

/// What a cache is on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CacheDeviceView {
    pub(super) path: String,
    /// file or block device.
    pub(super) kind: String,
    /// on or off.
    pub(super) state: String,
    /// Why off.
    pub(super) reason: Option<String>,
    /// On their way to it.
    pub(super) waiting_pages: u64,
    /// Since the start.
    pub(super) written_bytes: u64,
    /// Pages that stayed out because too many waited.
    pub(super) dropped_pages: u64,
    /// Pages that were not what was written.
    pub(super) wrong_pages: u64,
    /// Reads that asked the namespace's own drive after all, because a page's place was given away meanwhile.
    pub(super) overtaken_reads: u64,
    /// Reads that asked it because their pages lie in too many places.
    pub(super) scattered_reads: u64,
    /// Reads and writes that failed.
    pub(super) errors: u64,
}

/// The index of a cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct IndexView {
    pub(super) path: String,
    /// cold, warming, warm or stopped.
    pub(super) state: String,
    /// Why cold or stopped.
    pub(super) reason: Option<String>,
    /// Pages that it named at the start.
    pub(super) named_pages: u64,
    /// Of these, there again so far: read again into memory, or found on the device.
    pub(super) warmed_pages: u64,
}

/// A range of a cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RangeView {
    /// `rest`, `keep=OFFSET+SIZE` or `recycle=OFFSET+SIZE`.
    pub(super) range: String,
    pub(super) used_bytes: u64,
    pub(super) hits: u64,
    pub(super) misses: u64,
    pub(super) evictions: u64,
    /// What caches of other sizes, for this range alone, would have missed.
    pub(super) would_miss: Vec<WouldMiss>,
}

/// What a cache so many times as large would have missed of the pages that were read, in the order of last use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WouldMiss {
    pub(super) times: f64,
    pub(super) share: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// All of a target's.
pub(super) fn overview(target: &Target) -> Overview {
    let mut namespaces = Vec::new();
    for subsystem in target.subsystems.values() {
        for namespace in subsystem.namespaces.values() {
            namespaces.push(namespace_view(subsystem.nqn.as_str(), namespace));
        }
    }
    Overview { namespaces }
}

fn namespace_view(subsystem: &str, namespace: &Namespace) -> NamespaceView {
    let file = namespace.backing.file();
    let log = match &namespace.backing {
        Backing::Logged(disk) => Some(log_view(disk)),
        _ => None,
    };
    NamespaceView {
        subsystem: subsystem.to_string(),
        nsid: namespace.number,
        path: file.map_or_else(
            || namespace.backing.word().to_string(),
            |disk| disk.path().display().to_string(),
        ),
        bytes: namespace.blocks() * u64::from(namespace.block_bytes()),
        log,
        cache: namespace.cache_shards().map(|shards| CacheView {
            device: namespace.device_cache.as_deref().map(cache_device_view),
            index: namespace.cache_index.as_ref().map(index_view),
            ..cache_view(shards)
        }),
    }
}

fn log_view(disk: &LoggedDisk) -> LogView {
    let status = disk.status();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    LogView {
        media: disk.media().values().map(LogMedium::name).collect(),
        media_kinds: disk.media().values().map(LogMedium::word).collect(),
        media_power: disk.media().values().map(LogMedium::power).collect(),
        state: state_word(status.state).to_string(),
        capacity_bytes: disk.geometry().capacity,
        used_bytes: status.used_bytes,
        records: status.records as u64,
        oldest_age_ms: status.oldest_ms.map(|oldest| now_ms().saturating_sub(oldest)),
        appended_bytes: count(&disk.counters.appended_bytes),
        moved_bytes: count(&disk.counters.moved_bytes),
        waits_for_room: count(&disk.counters.waits_for_room),
        backing_errors: count(&disk.counters.backing_errors),
        copies: disk.copies().map(|(copies, _)| copies),
        peers: peer_views(disk),
        peers_power: disk.copies().map(|(copies, media)| power_of_copies(copies, media)),
    }
}

fn peer_views(disk: &LoggedDisk) -> Vec<PeerView> {
    let peers = disk.media().iter().filter_map(|(number, medium)| {
        let peer = medium.peer()?;
        let (takes, behind) = disk.medium_state(*number);
        let trouble = peer.trouble();
        let stays_out = trouble.as_ref().and_then(|_| peer.why_out());
        let state = match &trouble {
            Some(trouble) => trouble.state,
            None if !takes => "lost",
            None if behind > 0 => "behind",
            None => "ok",
        };
        Some(PeerView {
            address: medium.name(),
            state: state.to_string(),
            reason: trouble.map(|trouble| trouble.reason),
            stays_out,
            behind_records: behind as u64,
        })
    });
    peers.collect()
}

fn cache_view(cache: &Shards) -> CacheView {
    let CacheFigures { asked, used_pages, .. } = cache.total();
    let ranges = cache.figures().into_iter().enumerate();
    CacheView {
        capacity_bytes: cache.pages() * PAGE_BYTES,
        used_bytes: used_pages * PAGE_BYTES,
        hits: asked.hits,
        misses: asked.misses,
        evictions: asked.evictions,
        device: None,
        index: None,
        ranges: ranges.map(|(number, of)| range_view(cache, number, of)).collect(),
    }
}

fn cache_device_view(cache: &DeviceCache) -> CacheDeviceView {
    let (counters, off) = (&cache.counters, cache.off());
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let kind = if cache.disk().is_device() { "block device" } else { "file" };
    CacheDeviceView {
        path: cache.disk().path().display().to_string(),
        kind: kind.to_string(),
        state: if off.is_some() { "off" } else { "on" }.to_string(),
        reason: off.map(|why| why.to_string()),
        waiting_pages: cache.waiting_pages() as u64,
        written_bytes: count(&counters.written_bytes),
        dropped_pages: count(&counters.dropped_pages),
        wrong_pages: count(&counters.wrong_pages),
        overtaken_reads: count(&counters.overtaken_reads),
        scattered_reads: count(&counters.scattered_reads),
        errors: count(&counters.errors),
    }
}

fn index_view(index: &CacheIndex) -> IndexView {
    let (named_pages, warmed_pages) = index.counts();
    let warm_up = index.warm_up();
    let (state, reason) = warm_up.words();
    IndexView {
        path: index.path().display().to_string(),
        state: state.to_string(),
        reason: reason.map(str::to_string),
        named_pages,
        warmed_pages,
    }
}

fn range_view(cache: &Shards, number: usize, of: CacheFigures) -> RangeView {
    let would_miss = SIZES.iter().filter_map(|times| {
        let ratio = cache.would_miss(number, *times)?;
        Some(WouldMiss { times: *times, share: ratio.median, low: ratio.low, high: ratio.high })
    });
    RangeView {
        used_bytes: of.used_pages * PAGE_BYTES,
        hits: of.asked.hits,
        misses: of.asked.misses,
        evictions: of.asked.evictions,
        would_miss: would_miss.collect(),
        range: of.range,
    }
}

impl Report for Overview {
    fn text(&self) -> String {
        let mut text = String::new();
        for namespace in &self.namespaces {
            let NamespaceView { subsystem, nsid, path, bytes, .. } = namespace;
            text += &format!("{subsystem} namespace {nsid}: {path}, {}\n", size(*bytes));
            if let Some(log) = &namespace.log {
                text += &log.text();
            }
            if let Some(cache) = &namespace.cache {
                text += &cache.text();
            }
            if namespace.log.is_none() && namespace.cache.is_none() {
                text += "  nothing in front of it\n";
            }
        }
        text.trim_end().to_string()
    }
}

impl LogView {
    fn text(&self) -> String {
        let age = match self.oldest_age_ms {
            Some(ms) => format!(", the oldest {:.1} s old", ms as f64 / 1e3),
            None => String::new(),
        };
        let mut text = format!(
            "  log    {} on {}; {} of {} used by {} records{age}\n",
            self.state,
            self.media.join(" and "),
            size(self.used_bytes),
            size(self.capacity_bytes),
            self.records,
        );
        text += &format!(
            "         {} appended, {} moved; {} writes found it full, {} batches failed\n",
            size(self.appended_bytes),
            size(self.moved_bytes),
            self.waits_for_room,
            self.backing_errors
        );
        if self.peers.is_empty() {
            text += &format!("         on {}\n", self.media_kinds.join(" and "));
        }
        for peer in &self.peers {
            text += &peer.text();
        }
        if let Some(power) = &self.peers_power {
            text += &format!("         {power}\n");
        }
        if self.state == state_word(State::Failed) {
            text += "         it takes no writes any more; once its media are there again, restart this target: it begins anew with them\n";
        }
        for power in self.media_power.iter().flatten() {
            text += &format!("         {power}\n");
        }
        text
    }
}

impl PeerView {
    fn text(&self) -> String {
        let PeerView { address, state, reason, stays_out, behind_records } = self;
        let reason =
            reason.as_ref().map_or_else(String::new, |reason| format!(", because {reason}"));
        let behind = match behind_records {
            0 => String::new(),
            records => format!("; {records} acknowledged records are not on it"),
        };
        // Where it does not answer, the same stands there already.
        let stays_out = stays_out.as_ref().filter(|why| Some(*why) != self.reason.as_ref());
        let stays_out =
            stays_out.map_or_else(String::new, |why| format!("; not taken back: {why}"));
        format!("         peer {address}: {state}{reason}{stays_out}{behind}\n")
    }
}

impl CacheView {
    fn text(&self) -> String {
        let mut text = format!(
            "  cache  {} of {} used; {}\n",
            size(self.used_bytes),
            size(self.capacity_bytes),
            asked_for(self.hits, self.misses, self.evictions)
        );
        let capacity = self.capacity_bytes;
        let device = self.device.as_ref().map(|device| device.text(capacity));
        text += &device.unwrap_or_default();
        text += &self.index.as_ref().map(IndexView::text).unwrap_or_default();
        for range in &self.ranges {
            if self.ranges.len() > 1 {
                text += &format!(
                    "         {}: {} used; {}\n",
                    range.range,
                    size(range.used_bytes),
                    asked_for(range.hits, range.misses, range.evictions)
                );
            }
            text += &range.text();
        }
        text
    }
}

impl CacheDeviceView {
    fn text(&self, capacity: u64) -> String {
        let CacheDeviceView { path, kind, state, reason, .. } = self;
        let reason = reason.as_ref().map_or_else(String::new, |reason| format!(", {reason}"));
        let times = self.written_bytes as f64 / capacity.max(1) as f64;
        format!(
            "         on {kind} {path}: {state}{reason}\n         {} written to it, {times:.1} times its size; {} pages stayed out, {} were wrong; {} operations failed\n",
            size(self.written_bytes),
            self.dropped_pages,
            self.wrong_pages,
            self.errors
        )
    }
}

impl IndexView {
    fn text(&self) -> String {
        let IndexView { path, state, reason, named_pages, warmed_pages } = self;
        let reason =
            reason.as_ref().map_or_else(String::new, |reason| format!(", because {reason}"));
        let pages = match named_pages {
            0 => String::new(),
            named => format!("; {warmed_pages} of {named} pages are there again"),
        };
        format!("         index {path}: {state}{reason}{pages}\n")
    }
}

fn asked_for(hits: u64, misses: u64, evictions: u64) -> String {
    match hits + misses {
        0 => "no reads yet".to_string(),
        asked => format!(
            "{asked} pages were asked for, {:.1} % of them hits; {evictions} evicted",
            100.0 * hits as f64 / asked as f64
        ),
    }
}

impl RangeView {
    fn text(&self) -> String {
        let mut text = String::new();
        let others = self.would_miss.iter().filter(|other| other.times != 1.0);
        let others: Vec<String> = others
            .map(|other| {
                let (low, high) = (100.0 * other.low, 100.0 * other.high);
                format!("{} times its size {low:.1} to {high:.1} %", other.times)
            })
            .collect();
        if !others.is_empty() {
            text += &format!("         would have missed, by LRU: {}\n", others.join(", "));
        }
        text
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}
