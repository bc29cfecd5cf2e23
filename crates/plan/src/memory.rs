//! What crosses a machine's memory, the links between its sockets, and the lines that its cores wait for.

use narrows_limits::Direction;
use narrows_limits::flow::{Counts, Route, User};

use crate::build::Builder;
use crate::constraints::{Basis, ComponentGroup, FlowDirection, Load};
use crate::description::{Machine, Pages};
use crate::lines::LINE_BYTES;
use crate::note::Note;

impl Builder<'_> {
    /// Every machine on which a database runs reads its own memory, or every machine where none runs.
    pub(crate) fn memory_streams(&mut self) {
        let mut machines: Vec<usize> = self.platform.databases.iter().map(|d| d.at).collect();
        if machines.is_empty() {
            machines = (0..self.platform.machines.len()).collect();
        }
        machines.sort_unstable();
        machines.dedup();
        for index in machines {
            let described = &self.platform.machines[index];
            let name = described.name.clone();
            let spread = described.pages != Pages::Near;
            let mut route = Route::default();
            let bytes = self.block as f64;
            self.modules(&mut route, index, bytes);
            if spread {
                self.between_sockets(&mut route, index, bytes);
            }
            self.lines(&mut route, index, bytes, spread);
            if !route.usage.is_empty() {
                self.carry.network.users.push(User { name, routes: vec![route], wanted: None });
            }
        }
    }

    /// What a device writes into a machine's memory or reads from it.
    pub(crate) fn by_device(&mut self, route: &mut Route, machine: usize, bytes: f64) {
        self.modules(route, machine, bytes);
        // The one node that has all pages may be the device's own.
        if self.platform.machines[machine].pages != Pages::OneNode {
            self.between_sockets(route, machine, bytes);
        }
    }

    /// What processors look at or copy.
    pub(crate) fn by_processors(&mut self, route: &mut Route, machine: usize, bytes: f64) {
        self.modules(route, machine, bytes);
        self.between_sockets(route, machine, bytes);
        self.lines(route, machine, bytes, true);
    }

    fn modules(&mut self, route: &mut Route, machine: usize, bytes: f64) {
        let described: &Machine = &self.platform.machines[machine];
        let Some(memory) = &described.memory else {
            self.note(Note::Memory(described.name.clone()));
            return;
        };
        let all = match (self.carry.basis, &memory.expected) {
            (Basis::Expected, Some(expected)) => expected.middle(),
            _ => memory.ceiling,
        };
        let (capacity, label) = match described.pages {
            Pages::OneNode if described.sockets > 1 => {
                let label = format!("one node of {}: {}", described.sockets, memory.label);
                (all / f64::from(described.sockets), label)
            }
            _ => (all, memory.label.clone()),
        };
        let doubt = memory.doubt.clone();
        let component = format!("memory of {}", described.name);
        let at = self.carry.constraint(&component, Counts::Bytes, &label, capacity);
        route.cross(at, bytes);
        if let Some(doubt) = doubt {
            self.note(Note::Other(doubt));
        }
    }

    /// The part that lies behind another socket.
    fn between_sockets(&mut self, route: &mut Route, machine: usize, bytes: f64) {
        let described: &Machine = &self.platform.machines[machine];
        let sockets = described.sockets;
        let Some((carrier, links)) = described.interconnect.as_ref().filter(|_| sockets > 1) else {
            return;
        };
        // Counted over all sockets' links: never understated, whatever their wiring. Pages of one node leave it by its own.
        let count = match described.pages {
            Pages::OneNode => *links,
            _ => sockets.saturating_mul(*links),
        };
        let component = format!("links between sockets of {}", described.name);
        let elsewhere = f64::from(sockets - 1) / f64::from(sockets);
        let part = ComponentGroup { component: &component, count, way: FlowDirection::Both };
        let load = Load { requests: elsewhere * bytes / self.block as f64, bytes: self.block };
        self.carry.carrier(route, part, carrier, Direction::Read, load);
    }

    /// Lines on their way to all cores, by Little's law.
    fn lines(&mut self, route: &mut Route, machine: usize, bytes: f64, spread: bool) {
        let described: &Machine = &self.platform.machines[machine];
        let (Some(lines), Some(cores)) = (&described.lines, described.cores) else { return };
        let pick = |figure: &narrows_limits::table::Figure| match self.carry.basis {
            Basis::Ceiling => figure.low,
            Basis::Expected => figure.middle(),
        };
        let near_ns = pick(&lines.near_ns);
        let far_share = if spread { far_share(described) } else { 0.0 };
        // Without a figure far memory counts as near: a ceiling is never understated.
        let far_ns = lines.far_ns.as_ref().map_or(near_ns, pick).max(near_ns);
        let ns = near_ns * (1.0 - far_share) + far_ns * far_share;
        let in_flight = f64::from(cores) * f64::from(lines.per_core);
        let component = format!("cache lines on their way to {}", described.name);
        let each = narrows_units::Nanos(ns.round() as u64);
        let label = format!("{cores} cores × {} lines, {each} each", lines.per_core);
        let at = self.carry.constraint(&component, Counts::InFlight, &label, in_flight);
        route.cross(at, ns / 1e9 * bytes / LINE_BYTES);
    }
}

/// How much of pages that lie evenly is at the largest distance, where distances are described; else behind other sockets.
fn far_share(machine: &Machine) -> f64 {
    let Some(matrix) = &machine.distances else {
        return f64::from(machine.sockets - 1) / f64::from(machine.sockets);
    };
    let all = || matrix.iter().flatten();
    let largest = all().copied().max().unwrap_or(0);
    let nodes = matrix.len() as f64;
    match matrix.len() {
        0 | 1 => 0.0,
        _ => all().filter(|distance| **distance == largest).count() as f64 / (nodes * nodes),
    }
}
