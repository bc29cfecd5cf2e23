//! A described platform, checked: names resolved to indices, every figure positive and with its source.

use narrows_limits::table::{Class, Cpu, Figure, Raid};

/// Where something is plugged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// A machine, by index.
    Machine(usize),
    /// A switch, by index.
    Switch(usize),
}

/// What carries bytes: a class of the table, or a figure given by hand for each direction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Carrier {
    Class(Box<Class>),
    Given(Figure),
}

/// One checked platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The file it stands in.
    pub file: String,
    /// What its writer calls it.
    pub name: String,
    /// What its writer says of it.
    pub note: Option<String>,
    /// Of the prices; absent where no prices stand.
    pub currency: Option<String>,
    pub(crate) machines: Vec<Machine>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) drives: Vec<Drives>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) adapters: Vec<Adapter>,
    pub(crate) links: Vec<Link>,
    pub(crate) databases: Vec<Database>,
    /// All prices together; `None` where none is given.
    pub(crate) price: Option<f64>,
    /// Parts without a price, where others have one.
    pub(crate) unpriced: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Machine {
    pub name: String,
    pub sockets: u32,
    pub cores: Option<u32>,
    pub cpu: Option<Cpu>,
    /// Work of one core over that of a core where a demand was measured, and where that comes from.
    pub core_ratio: Option<(f64, String)>,
    pub lanes: Option<u32>,
    /// All sockets' channels together, bytes per second, and how that was computed.
    pub memory: Option<Memory>,
    /// Between the sockets: one socket's links together.
    pub interconnect: Option<(Carrier, u32)>,
    /// The firmware's distances between nodes.
    pub distances: Option<Vec<Vec<i64>>>,
    /// Where the pages lie that its processors read.
    pub pages: Pages,
    /// What its cores can wait for at once.
    pub lines: Option<Lines>,
}

/// Where pages lie on a machine with several nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Each core streams from its own node; what devices move lies evenly.
    Near,
    /// Evenly over all nodes for all cores.
    Spread,
    /// All on one node.
    OneNode,
}

/// Cache lines on their way from memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lines {
    /// That one core waits for at most.
    pub per_core: u32,
    /// What a line of the core's own node takes, ns.
    pub near_ns: Figure,
    /// What a line of a node at the largest distance takes, ns.
    pub far_ns: Option<Figure>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Memory {
    pub ceiling: f64,
    /// What good systems reach, all reads.
    pub expected: Option<Figure>,
    pub label: String,
    /// Why it may be slower than it is reckoned.
    pub doubt: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Switch {
    pub name: String,
    /// What is above it and by which link; `None` for a switch of the network.
    pub uplink: Option<(Attachment, Carrier)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drives {
    pub name: String,
    pub at: Attachment,
    pub count: u32,
    /// The link of each; `None` where only figures by hand are known.
    pub class: Option<Class>,
    /// What the media do; figures by hand over those of the class.
    pub media: Media,
}

/// What each drive does whatever its link, per second and drive.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Media {
    /// Their class, where the figures aren't by hand.
    pub class: Option<String>,
    pub read_bytes: Option<Figure>,
    pub write_bytes: Option<Figure>,
    pub reads: Option<Figure>,
    pub writes: Option<Figure>,
    pub read_ns: Option<Figure>,
    pub write_ns: Option<Figure>,
    /// One arm does both: reads and writes share what there is.
    pub shared: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub name: String,
    pub level: String,
    pub raid: Raid,
    pub members: Vec<usize>,
    /// One of its members is gone.
    pub degraded: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adapter {
    pub name: String,
    pub at: Attachment,
    pub slot: Class,
}

/// An end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Adapter(usize),
    Machine(usize),
    Switch(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Link {
    pub name: String,
    pub ends: (End, End),
    pub carrier: Carrier,
    pub count: u32,
    /// What one request more takes over it, there and back, ns.
    pub latency_ns: Option<Figure>,
    /// What carries requests over it, where the processors at its ends do.
    pub protocol: Option<Protocol>,
}

/// A protocol for storage over TCP.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Protocol {
    /// As people write it.
    pub title: &'static str,
    /// Operations of one core.
    pub core: Class,
    /// Operations of one queue, and how many there are.
    pub queues: Option<(Class, u32)>,
}

/// Where the data are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataLocation {
    Drives(usize),
    Array(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Database {
    pub name: String,
    pub at: usize,
    pub data: DataLocation,
    /// Where the log is; with the data where nothing is said.
    pub wal: Option<DataLocation>,
    pub in_flight: Option<u32>,
    pub workers: Option<u32>,
    /// Copies of each byte that processors make on its way to the buffer: 1 through a page cache.
    pub copies: u32,
    pub cpu_per_read_ns: Option<f64>,
    pub cpu_per_write_ns: Option<f64>,
    /// Bytes per second that one core or worker scans.
    pub scan_per_core: Option<f64>,
    /// Where the three figures above come from.
    pub source: Option<String>,
}

/// What of a platform runs its databases: all of its machines where none has one.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerParts {
    /// The machines' names.
    pub machines: Vec<String>,
    /// Cores of all of them; `None` where one doesn't say.
    pub cores: Option<u32>,
    /// Sockets of all of them.
    pub sockets: u32,
    /// Drives of the whole platform.
    pub drives: u32,
    /// Work of one core over that of a core where a demand was measured, and its source, where the machines say the same.
    pub core_ratio: Option<(f64, String)>,
}

impl Description {
    /// What its databases run on.
    pub fn server_parts(&self) -> ServerParts {
        let runs = |at: usize| self.databases.iter().any(|database| database.at == at);
        let all = self.databases.is_empty();
        let machines = self.machines.iter().enumerate();
        let servers: Vec<&Machine> =
            machines.filter(|(at, _)| all || runs(*at)).map(|(_, machine)| machine).collect();
        ServerParts {
            machines: servers.iter().map(|machine| machine.name.clone()).collect(),
            cores: servers.iter().map(|machine| machine.cores).sum(),
            sockets: servers.iter().map(|machine| machine.sockets).sum(),
            drives: self.drives.iter().map(|drives| drives.count).sum(),
            core_ratio: match servers.split_first() {
                Some((first, others))
                    if others.iter().all(|m| m.core_ratio == first.core_ratio) =>
                {
                    first.core_ratio.clone()
                }
                _ => None,
            },
        }
    }

    /// The same with no more than so many cores at each machine that runs a database: what a product uses of it.
    #[must_use]
    pub fn with_cores_at_most(mut self, cores: u32) -> Self {
        for database in &self.databases {
            let machine = &mut self.machines[database.at];
            machine.cores = machine.cores.map(|all| all.min(cores));
        }
        self
    }

    /// The sum of its parts' prices, and the parts that have none beside parts that have one; `None` where no part has a price.
    pub fn price(&self) -> Option<(f64, &[String])> {
        self.price.map(|price| (price, self.unpriced.as_slice()))
    }

    /// The same platform with another number of requests in flight at every database.
    pub fn with_in_flight(mut self, in_flight: u32) -> Self {
        for database in &mut self.databases {
            database.in_flight = Some(in_flight);
        }
        self
    }

    /// Drives behind a database, by group.
    pub(crate) fn members(&self, data: DataLocation) -> Vec<usize> {
        match data {
            DataLocation::Drives(index) => vec![index],
            DataLocation::Array(index) => self.arrays[index].members.clone(),
        }
    }

    /// The machine at the top of a place.
    pub(crate) fn machine_of(&self, place: Attachment) -> Option<usize> {
        let mut place = place;
        // Cycles were refused; the count is a belt beside the braces.
        for _ in 0..=self.switches.len() {
            match place {
                Attachment::Machine(machine) => return Some(machine),
                Attachment::Switch(switch) => place = self.switches[switch].uplink.as_ref()?.0,
            }
        }
        None
    }
}
