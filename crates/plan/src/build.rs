//! A platform and a kind of work → the network that the linear programme solves.
//!
//! Memory is one resource for both directions: a drive writes into it what was read, an adapter reads from it what it
//! sends, and a processor that looks at the data reads it once more; each copy reads and writes. A link has a capacity
//! in each direction. Where the pages lie is not described, so they lie evenly over the sockets.

use narrows_limits::Direction;
use narrows_limits::flow::{FlowError, Network, Route, User};
use narrows_limits::table::Family;

use crate::constraints::{Basis, Carry, ComponentGroup, FlowDirection, Load};
use crate::demand::{Demand, RequestDemand};
use crate::description::{Attachment, DataLocation, Database, Description, Drives, End};
use crate::note::Note;
use crate::paths::{Hop, paths};
use crate::work::{SEQUENTIAL_BYTES, Work};

/// Routes of all databases together; a stripe over groups with several ways each multiplies them.
const ROUTES_MAX: usize = 64;

/// A network and what could not be reckoned with.
#[derive(Debug)]
pub(crate) struct Built {
    pub network: Network,
    pub notes: Vec<Note>,
}

/// The network of one kind of work for all databases of a platform.
pub(crate) fn build(
    platform: &Description,
    work: Work,
    block_bytes: u64,
    basis: Basis,
) -> Result<Built, FlowError> {
    let mut builder = Builder::new(platform, work, work.bytes(block_bytes), basis);
    if work == Work::MemoryStream {
        builder.memory_streams();
    } else {
        for database in &platform.databases {
            let routes = builder.routes(database)?;
            builder.user(database, routes);
        }
    }
    Ok(Built { network: builder.carry.network, notes: builder.notes })
}

/// How the log's writes are reckoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flushes {
    /// As many as were counted at that load.
    Counted,
    /// As few as it takes: group commit makes fewer of them as load rises, so only their bytes count.
    Free,
}

/// The network of a measured demand, each database doing the same work; a unit is one of its operations.
/// `core_ratio` is that of machines which don't say their own.
pub(crate) fn build_demand(
    platform: &Description,
    demand: &Demand,
    core_ratio: f64,
    flushes: Flushes,
) -> Result<Built, FlowError> {
    let mut builder = Builder::new(platform, Work::RandomRead, 0, Basis::Ceiling);
    builder.cpu_known = true;
    let asked = asked(platform, demand, flushes);
    for database in &platform.databases {
        let log = Database {
            data: database.wal.unwrap_or(database.data),
            in_flight: None,
            ..database.clone()
        };
        let mut routes = vec![Route::default()];
        for (work, on_the_log, asked) in &asked {
            if asked.per_op.value <= 0.0 || asked.bytes < 1.0 {
                continue;
            }
            (builder.work, builder.block) = (*work, asked.bytes.round() as u64);
            let ways = builder.routes(if *on_the_log { &log } else { database })?;
            routes = routes
                .iter()
                .flat_map(|route| ways.iter().map(|way| joined(route, way, asked.per_op.value)))
                .collect();
            builder.few(database, routes.len())?;
        }
        if let Some(cpu_ns) = demand.cpu_ns {
            let own = platform.machines[database.at].core_ratio.as_ref().map(|(ratio, _)| *ratio);
            let threads = own.unwrap_or(core_ratio) * demand.threads_per_core;
            for route in &mut routes {
                builder.processors_at(route, database.at, cpu_ns.value / 1e9 / threads);
            }
        }
        builder.user(database, routes);
    }
    Ok(Built { network: builder.carry.network, notes: builder.notes })
}

/// What an operation asks of the drives: the kind, whether of those with the log, and how much.
fn asked(
    platform: &Description,
    demand: &Demand,
    flushes: Flushes,
) -> Vec<(Work, bool, RequestDemand)> {
    let reading = if demand.scan { Work::Scan } else { Work::RandomRead };
    let reads = demand.reads.map(|asked| (reading, false, asked));
    let apart = platform.databases.iter().any(|database| database.wal.is_some());
    let writes =
        |asked: Option<RequestDemand>| asked.map(|asked| (Work::RandomWrite, false, asked));
    let mut all: Vec<_> = reads.into_iter().collect();
    match (&demand.log, flushes) {
        (Some(log), Flushes::Free) => {
            let each = SEQUENTIAL_BYTES as f64;
            let bytes = RequestDemand { per_op: log.bytes.times(1.0 / each), bytes: each };
            all.extend(writes(demand.data_writes()));
            // Where flushes weren't counted, the log's writes are still among all.
            if demand.writes.is_none() || log.counted().is_some() {
                all.push((Work::SequentialWrite, true, bytes));
            }
        }
        (Some(log), Flushes::Counted) if apart || demand.writes.is_none() => {
            all.extend(writes(demand.data_writes()));
            all.extend(log.counted().map(|asked| (Work::RandomWrite, true, asked)));
        }
        _ => all.extend(writes(demand.writes)),
    }
    all
}

/// One route and so many times another.
fn joined(route: &Route, more: &Route, times: f64) -> Route {
    let more = more.usage.iter().map(|(constraint, per_unit)| (*constraint, per_unit * times));
    Route { usage: route.usage.iter().copied().chain(more).collect() }
}

pub(crate) struct Builder<'a> {
    pub(crate) platform: &'a Description,
    pub(crate) work: Work,
    /// Bytes of one unit of work.
    pub(crate) block: u64,
    /// What the processors do is measured as a whole and reckoned with elsewhere.
    pub(crate) cpu_known: bool,
    pub(crate) carry: Carry,
    notes: Vec<Note>,
}

/// Requests on the drives of one group for one unit of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnDrives {
    pub(crate) group: usize,
    reads: f64,
    writes: f64,
    /// What of the unit's data comes from or goes to this group, for what lies above the drives.
    pub(crate) share: f64,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        platform: &'a Description,
        work: Work,
        block: u64,
        basis: Basis,
    ) -> Builder<'a> {
        let carry = Carry::new(basis);
        Builder { platform, work, block, cpu_known: false, carry, notes: Vec::new() }
    }
}

impl Builder<'_> {
    /// Refuses more routes than the programme is made for: some left out would understate the ceiling.
    fn few(&self, database: &Database, routes: usize) -> Result<(), FlowError> {
        let most = (ROUTES_MAX / self.platform.databases.len().max(1)).max(1);
        if routes <= most {
            return Ok(());
        }
        Err(FlowError::TooManyRoutes { user: database.name.clone(), most })
    }

    pub(crate) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn user(&mut self, database: &Database, routes: Vec<Route>) {
        let name = database.name.clone();
        self.carry.network.users.push(User { name, routes, wanted: None });
    }

    /// Every way of one unit of the work.
    fn routes(&mut self, database: &Database) -> Result<Vec<Route>, FlowError> {
        let mut routes = vec![Route::default()];
        for on in self.on_drives(database) {
            let drives = &self.platform.drives[on.group];
            let Some(home) = self.platform.machine_of(drives.at) else { continue };
            let mut ways = Vec::new();
            if home == database.at {
                ways.push(Vec::new());
            } else {
                ways = paths(self.platform, home, database.at);
                self.few(database, ways.len())?;
            }
            let mut next = Vec::new();
            for route in &routes {
                for way in &ways {
                    let mut route = route.clone();
                    self.on_the_way(&mut route, on, home, way, database);
                    next.push(route);
                }
            }
            self.few(database, next.len())?;
            routes = next;
        }
        for route in &mut routes {
            self.at_the_database(route, database);
        }
        Ok(routes)
    }

    /// What one unit of work is on each group of drives, the array's multiplication included.
    pub(crate) fn on_drives(&self, database: &Database) -> Vec<OnDrives> {
        let members = self.platform.members(database.data);
        let drives = |group: &usize| self.platform.drives[*group].count;
        let all: u32 = members.iter().map(drives).sum();
        let (reads, writes) = match (self.work.writes(), database.data) {
            (false, DataLocation::Array(index)) if self.platform.arrays[index].degraded => {
                (self.platform.arrays[index].raid.degraded_read(all).unwrap_or(1.0), 0.0)
            }
            (false, _) => (1.0, 0.0),
            (true, DataLocation::Drives(_)) => (0.0, 1.0),
            (true, DataLocation::Array(index))
                if self.platform.arrays[index].degraded && self.work.is_random() =>
            {
                let raid = &self.platform.arrays[index].raid;
                raid.degraded_small_write(all).map_or((0.0, 1.0), |m| (m.reads, m.writes))
            }
            (true, DataLocation::Array(index)) => {
                let raid = &self.platform.arrays[index].raid;
                if self.work.is_random() {
                    raid.small_write(all).map_or((0.0, 1.0), |m| (m.reads, m.writes))
                } else {
                    (0.0, raid.full_stripe_write(all).unwrap_or(1.0))
                }
            }
        };
        members
            .into_iter()
            .map(|group| {
                let share = f64::from(drives(&group)) / f64::from(all);
                OnDrives { group, reads: reads * share, writes: writes * share, share }
            })
            .collect()
    }

    /// From the drives to the database's memory, or back.
    fn on_the_way(
        &mut self,
        route: &mut Route,
        on: OnDrives,
        home: usize,
        way: &[Hop],
        database: &Database,
    ) {
        for (requests, direction) in [(on.reads, Direction::Read), (on.writes, Direction::Write)] {
            if requests > 0.0 {
                self.drives(route, on.group, requests, direction);
                self.by_device(route, home, requests * self.block as f64);
            }
        }
        if way.is_empty() {
            return;
        }
        // The target's memory once more, and what is sent.
        let bytes = on.share * self.block as f64;
        self.by_device(route, home, bytes);
        let load = Load { requests: on.share, bytes: self.block };
        for hop in way {
            self.hop(route, *hop, load);
        }
        self.by_device(route, database.at, bytes);
    }

    fn drives(&mut self, route: &mut Route, group: usize, requests: f64, direction: Direction) {
        let drives = &self.platform.drives[group];
        let load = Load { requests, bytes: self.block };
        let inwards = direction == Direction::Read;
        let part = ComponentGroup {
            component: &drives.name,
            count: drives.count,
            way: FlowDirection::out(!inwards),
        };
        if let Some(class) = &drives.class {
            self.carry.class(route, part, class, direction, load);
        }
        self.carry.media(route, part, &drives.media, direction, load);
        self.lacking(group, direction);
        self.upwards(route, drives.at, direction, load);
    }

    /// Says which figure of the media would limit this work and isn't known.
    fn lacking(&mut self, group: usize, direction: Direction) {
        let Drives { name, media, class, .. } = &self.platform.drives[group];
        // What a link's packets allow is no figure of the media; what a volume is rented with is.
        let volume = class.as_ref().filter(|class| class.family == Family::Volume);
        let operations = volume.map(|class| &class.operations);
        let (bytes, requests, of_class, keys) = match direction {
            Direction::Read => {
                let of_class = operations.and_then(|of| of.read.as_ref());
                (&media.read_bytes, &media.reads, of_class, ["read", "reads"])
            }
            Direction::Write => {
                let of_class = operations.and_then(|of| of.write.as_ref());
                (&media.write_bytes, &media.writes, of_class, ["write", "writes"])
            }
        };
        let name = name.clone();
        if self.work.is_random() {
            if requests.is_none() && of_class.is_none() {
                self.note(Note::Figure(name, keys[1]));
            }
        } else if bytes.is_none() {
            self.note(Note::Figure(name, keys[0]));
        }
    }

    /// Through the PCIe switches above a place.
    fn upwards(&mut self, route: &mut Route, place: Attachment, direction: Direction, load: Load) {
        let mut place = place;
        for _ in 0..=self.platform.switches.len() {
            let Attachment::Switch(index) = place else { return };
            let switch = &self.platform.switches[index];
            let Some((above, carrier)) = &switch.uplink else { return };
            let forward = direction == Direction::Write;
            let part = ComponentGroup {
                component: &switch.name,
                count: 1,
                way: FlowDirection::out(forward),
            };
            self.carry.carrier(route, part, carrier, direction, load);
            place = *above;
        }
    }

    /// One link and the adapters at its ends. What was read travels from the drives to the database, what is
    /// written the other way.
    fn hop(&mut self, route: &mut Route, hop: Hop, load: Load) {
        let link = &self.platform.links[hop.link];
        let direction = if self.work.writes() { Direction::Write } else { Direction::Read };
        let forward = hop.forward != self.work.writes();
        let part = ComponentGroup {
            component: &link.name,
            count: link.count,
            way: FlowDirection::out(forward),
        };
        self.carry.carrier(route, part, &link.carrier, direction, load);
        if let Some(protocol) = &link.protocol {
            self.protocol(route, link, protocol, direction, load);
        }
        let (sends, takes) = if forward { link.ends } else { (link.ends.1, link.ends.0) };
        // A device that sends fetches from memory first: that is the direction of writes on its slot.
        self.adapter(route, sends, Direction::Write, load);
        self.adapter(route, takes, Direction::Read, load);
    }

    fn adapter(&mut self, route: &mut Route, end: End, direction: Direction, load: Load) {
        let End::Adapter(index) = end else { return };
        let adapter = &self.platform.adapters[index];
        let forward = direction == Direction::Write;
        let part =
            ComponentGroup { component: &adapter.name, count: 1, way: FlowDirection::out(forward) };
        self.carry.class(route, part, &adapter.slot, direction, load);
        self.upwards(route, adapter.at, direction, load);
    }
}
