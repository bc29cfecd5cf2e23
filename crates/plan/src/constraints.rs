//! Constraints as they are needed: each limit of a component once, whoever crosses it.

use std::collections::BTreeMap;

use narrows_limits::Direction;
use narrows_limits::flow::{Constraint, Counts, Network, Route};
use narrows_limits::table::{Class, Detail, Duplex, Figure};

use crate::description::{Carrier, Media};

/// Which figures are reckoned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// What can't be passed.
    Ceiling,
    /// What good systems reach, where a source says; else what can't be passed.
    Expected,
}

impl Basis {
    pub(crate) fn of(self, figure: &Figure) -> f64 {
        match self {
            Basis::Ceiling => figure.high,
            Basis::Expected => figure.middle(),
        }
    }
}

/// What a unit of work sends over a link, in one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Requests per unit of work.
    pub requests: f64,
    /// Bytes of each.
    pub bytes: u64,
}

impl Load {
    fn total_bytes(self) -> f64 {
        self.requests * self.bytes as f64
    }
}

/// Tells the directions of a link apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowDirection {
    /// Towards the processor, or towards a link's `from` end.
    In,
    /// Away from it, or towards a link's `to` end.
    Out,
    /// Evenly both.
    Both,
}

impl FlowDirection {
    /// Out or in.
    pub fn out(out: bool) -> FlowDirection {
        if out { FlowDirection::Out } else { FlowDirection::In }
    }

    fn words(self) -> &'static str {
        match self {
            FlowDirection::In => ", in",
            FlowDirection::Out => ", out",
            FlowDirection::Both => "",
        }
    }
}

/// A component and how many equal ones it stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComponentGroup<'a> {
    pub component: &'a str,
    pub count: u32,
    pub way: FlowDirection,
}

/// A network under construction.
#[derive(Debug)]
pub(crate) struct Carry {
    pub network: Network,
    pub basis: Basis,
    known: BTreeMap<String, usize>,
}

impl Carry {
    pub fn new(basis: Basis) -> Self {
        Carry { network: Network::default(), basis, known: BTreeMap::new() }
    }

    /// The index of a constraint, made where it isn't there yet. Component and label together are its name.
    pub fn constraint(
        &mut self,
        component: &str,
        counts: Counts,
        label: &str,
        capacity: f64,
    ) -> usize {
        let key = format!("{component}\n{label}\n{counts:?}");
        self.keyed(key, component, counts, label, capacity)
    }

    /// The same where a component has one constraint of the kind, whatever its label says; the first label stays.
    pub fn shared(&mut self, component: &str, counts: Counts, label: &str, capacity: f64) -> usize {
        self.keyed(format!("{component}\n{counts:?}"), component, counts, label, capacity)
    }

    fn keyed(
        &mut self,
        key: String,
        component: &str,
        counts: Counts,
        label: &str,
        capacity: f64,
    ) -> usize {
        if let Some(index) = self.known.get(&key) {
            return *index;
        }
        let components = &mut self.network.components;
        let of = components.iter().position(|known| known == component).unwrap_or_else(|| {
            components.push(component.to_string());
            components.len() - 1
        });
        self.network.constraints.push(Constraint {
            component: of,
            counts,
            label: label.to_string(),
            capacity,
        });
        self.known.insert(key, self.network.constraints.len() - 1);
        self.network.constraints.len() - 1
    }

    /// Crosses what carries bytes.
    pub fn carrier(
        &mut self,
        route: &mut Route,
        part: ComponentGroup<'_>,
        carrier: &Carrier,
        direction: Direction,
        load: Load,
    ) {
        match carrier {
            Carrier::Class(class) => self.class(route, part, class, direction, load),
            Carrier::Given(figure) => {
                let label =
                    format!("{}{}", times(part.count, "bandwidth by hand"), part.way.words());
                let capacity = self.basis.of(figure) * f64::from(part.count);
                let at = self.constraint(part.component, Counts::Bytes, &label, capacity);
                route.cross(at, load.total_bytes());
            }
        }
    }

    /// Crosses a part of a class: bytes on its wires where it is a link, else bytes and operations as given.
    pub fn class(
        &mut self,
        route: &mut Route,
        part: ComponentGroup<'_>,
        class: &Class,
        direction: Direction,
        load: Load,
    ) {
        let way_of = class.way(direction);
        let duplex = if class.duplex == Duplex::Full { part.way.words() } else { "" };
        let label = format!("{}{duplex}", times(part.count, &class.id));
        let count = f64::from(part.count);
        if let (Detail::Link(link), Some(encoded)) = (&class.detail, &way_of.encoded) {
            let share = link.framing.share(direction);
            let wire = link.framing.wire_bytes(direction, load.bytes);
            let wire = wire.unwrap_or(load.bytes as f64 / share);
            let reached = match (self.basis, &way_of.expected) {
                (Basis::Expected, Some(expected)) => expected.middle() / (encoded.high * share),
                _ => 1.0,
            };
            let capacity = encoded.high * reached.min(1.0) * count;
            let at = self.constraint(part.component, Counts::Wire, &label, capacity);
            route.cross(at, load.requests * wire);
        } else if let Some(bytes) = self.bytes_of(class, direction) {
            let at = self.constraint(part.component, Counts::Bytes, &label, bytes * count);
            route.cross(at, load.total_bytes());
        }
        let operations = match direction {
            Direction::Read => &class.operations.read,
            Direction::Write => &class.operations.write,
        };
        // A link's operations follow from its packets already.
        if let (Some(figure), false) = (operations, matches!(class.detail, Detail::Link(_))) {
            let capacity = self.basis.of(figure) * count;
            let at = self.constraint(part.component, Counts::Operations, &label, capacity);
            route.cross(at, load.requests);
        }
    }

    /// What the media of drives do, given for one drive.
    pub fn media(
        &mut self,
        route: &mut Route,
        part: ComponentGroup<'_>,
        media: &Media,
        direction: Direction,
        load: Load,
    ) {
        let each = [
            (&media.read_bytes, &media.write_bytes, Counts::Bytes, load.total_bytes()),
            (&media.reads, &media.writes, Counts::Operations, load.requests),
        ];
        for (reading, writing, counts, usage) in each {
            let (own, doing) = match direction {
                Direction::Read => (reading, "reading"),
                Direction::Write => (writing, "writing"),
            };
            let Some(own) = own.as_ref().map(|figure| self.basis.of(figure)) else { continue };
            let other = reading.as_ref().filter(|_| media.shared && writing.is_some());
            let label = media.class.as_deref().unwrap_or("drive by hand");
            // One arm: what a write takes of it is told in reads.
            let (capacity, usage, doing) = match other.map(|figure| self.basis.of(figure)) {
                Some(reads) => (reads, usage * reads / own, "one arm for reads and writes"),
                None => (own, usage, doing),
            };
            let capacity = capacity * f64::from(part.count);
            let label = times(part.count, &format!("{label}, {doing}"));
            let at = self.constraint(part.component, counts, &label, capacity);
            route.cross(at, usage);
        }
    }

    fn bytes_of(&self, class: &Class, direction: Direction) -> Option<f64> {
        let way = class.way(direction);
        match (self.basis, &way.expected) {
            (Basis::Expected, Some(expected)) => Some(expected.middle()),
            _ => way.ceiling().or(way.expected.as_ref()).map(|figure| figure.high),
        }
    }
}

/// `8 × nvme-gen5-x4`.
pub(crate) fn times(count: u32, what: &str) -> String {
    if count == 1 { what.to_string() } else { format!("{count} × {what}") }
}
