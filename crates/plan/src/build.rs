//! A platform and a kind of work → the network that the linear programme solves.
//!
//! Memory is one resource for both directions: a drive writes into it what was read, an adapter reads from it what it
//! sends, and a processor that looks at the data reads it once more; each copy reads and writes. A link has a capacity
//! in each direction. Where the pages lie is not described, so they lie evenly over the sockets.

use narrows_limits::Direction;
use narrows_limits::flow::{FlowError, Network, Route, User};

use crate::carry::{Basis, Carry, Load, Part, Way};
use crate::demand::Demand;
use crate::description::{Data, Database, Description, End, Place};
use crate::note::Note;
use crate::paths::{Hop, paths};
use crate::work::Work;

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
    let mut builder = Builder {
        platform,
        work,
        block: work.bytes(block_bytes),
        cpu_known: false,
        carry: Carry::new(basis),
        notes: Vec::new(),
    };
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

/// The network of a measured demand, each database doing the same work; a unit is one of its operations.
pub(crate) fn build_demand(platform: &Description, demand: &Demand) -> Result<Built, FlowError> {
    let mut builder = Builder {
        platform,
        work: Work::RandomRead,
        block: 0,
        cpu_known: true,
        carry: Carry::new(Basis::Ceiling),
        notes: Vec::new(),
    };
    let parts = [(Work::RandomRead, &demand.reads), (Work::RandomWrite, &demand.writes)];
    for database in &platform.databases {
        let mut routes = vec![Route::default()];
        for (work, asked) in parts {
            let Some(asked) = asked.filter(|asked| asked.per_op > 0.0 && asked.bytes >= 1.0) else {
                continue;
            };
            (builder.work, builder.block) = (work, asked.bytes.round() as u64);
            let ways = builder.routes(database)?;
            routes = routes
                .iter()
                .flat_map(|route| ways.iter().map(|way| joined(route, way, asked.per_op)))
                .collect();
            builder.few(database, routes.len())?;
        }
        if let Some(cpu_ns) = demand.cpu_ns {
            for route in &mut routes {
                builder.processors_at(route, database.at, cpu_ns / 1e9);
            }
        }
        builder.user(database, routes);
    }
    Ok(Built { network: builder.carry.network, notes: builder.notes })
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
    share: f64,
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
        let mut latencies = Vec::new();
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
            let fastest = ways.iter().map(|way| self.latency_s(on, way)).reduce(|a, b| {
                // One that isn't known could be any.
                a.zip(b).map(|(a, b)| a.min(b))
            });
            latencies.push((on.share, fastest.flatten()));
            self.few(database, next.len())?;
            routes = next;
        }
        for route in &mut routes {
            self.at_the_database(route, database, &latencies);
        }
        Ok(routes)
    }

    /// What one unit of work is on each group of drives, the array's multiplication included.
    fn on_drives(&self, database: &Database) -> Vec<OnDrives> {
        let members = self.platform.members(database.data);
        let drives = |group: &usize| self.platform.drives[*group].count;
        let all: u32 = members.iter().map(drives).sum();
        let (reads, writes) = match (self.work.writes(), database.data) {
            (false, _) => (1.0, 0.0),
            (true, Data::Drives(_)) => (0.0, 1.0),
            (true, Data::Array(index)) => {
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
        let part = Part { component: &drives.name, count: drives.count, way: Way::out(!inwards) };
        if let Some(class) = &drives.class {
            self.carry.class(route, part, class, direction, load);
        }
        let media = if inwards {
            (&drives.media.read_bytes, &drives.media.reads)
        } else {
            (&drives.media.write_bytes, &drives.media.writes)
        };
        let label = drives.media.class.as_deref().unwrap_or("drive by hand");
        self.carry.media(route, part, label, media, direction, load);
        self.upwards(route, drives.at, direction, load);
    }

    /// Through the PCIe switches above a place.
    fn upwards(&mut self, route: &mut Route, place: Place, direction: Direction, load: Load) {
        let mut place = place;
        for _ in 0..=self.platform.switches.len() {
            let Place::Switch(index) = place else { return };
            let switch = &self.platform.switches[index];
            let Some((above, carrier)) = &switch.uplink else { return };
            let forward = direction == Direction::Write;
            let part = Part { component: &switch.name, count: 1, way: Way::out(forward) };
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
        let part = Part { component: &link.name, count: link.count, way: Way::out(forward) };
        self.carry.carrier(route, part, &link.carrier, direction, load);
        let (sends, takes) = if forward { link.ends } else { (link.ends.1, link.ends.0) };
        // A device that sends fetches from memory first: that is the direction of writes on its slot.
        self.adapter(route, sends, Direction::Write, load);
        self.adapter(route, takes, Direction::Read, load);
    }

    fn adapter(&mut self, route: &mut Route, end: End, direction: Direction, load: Load) {
        let End::Adapter(index) = end else { return };
        let adapter = &self.platform.adapters[index];
        let forward = direction == Direction::Write;
        let part = Part { component: &adapter.name, count: 1, way: Way::out(forward) };
        self.carry.class(route, part, &adapter.slot, direction, load);
        self.upwards(route, adapter.at, direction, load);
    }
}
