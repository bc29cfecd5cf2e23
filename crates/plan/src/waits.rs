//! What is not a flow of bytes: processors, workers, and requests that wait for their answer.

use narrows_limits::Direction;
use narrows_limits::flow::{Counts, Route};
use narrows_limits::table::Figure;

use crate::build::{Builder, OnDrives};
use crate::constraints::{Basis, times};
use crate::description::Database;
use crate::note::Note;
use crate::paths::{Hop, paths};
use crate::work::Work;

/// Size of the requests whose time drives are told with, bytes.
const SMALL_BYTES: u64 = 4096;

impl Builder<'_> {
    /// Processors, workers and requests in flight.
    pub(crate) fn at_the_database(&mut self, route: &mut Route, database: &Database) {
        let bytes = self.block as f64;
        let scan = self.work == Work::Scan;
        let looked_at = if scan { 1.0 } else { 0.0 } + 2.0 * f64::from(database.copies);
        if looked_at > 0.0 {
            self.by_processors(route, database.at, looked_at * bytes);
        }
        let cpu_s = match self.work {
            Work::RandomRead => database.cpu_per_read_ns.map(|ns| ns / 1e9),
            Work::RandomWrite => database.cpu_per_write_ns.map(|ns| ns / 1e9),
            Work::Scan => database.scan_per_core.map(|rate| bytes / rate),
            _ => Some(0.0),
        };
        if !self.cpu_known {
            self.processors(route, database, cpu_s);
        }
        let Some(in_flight) = database.in_flight else {
            // A measured demand brings its own waits.
            if !self.cpu_known {
                self.note(Note::InFlight(database.name.clone()));
            }
            return;
        };
        let latency = self.request_s(database);
        if let Some(latency) = latency {
            let component = format!("requests in flight of {}", database.name);
            let label = format!(
                "{in_flight} in flight, {} each",
                narrows_units::Nanos((latency * 1e9) as u64)
            );
            // Reads and writes are in flight together, whatever each takes.
            let at = self.carry.shared(&component, Counts::InFlight, &label, f64::from(in_flight));
            route.cross(at, latency);
        } else {
            let what = if self.work.writes() { "write_latency" } else { "read_latency" };
            self.note(Note::Latency(database.name.clone(), what));
        }
    }

    fn processors(&mut self, route: &mut Route, database: &Database, cpu_s: Option<f64>) {
        let Some(cpu_s) = cpu_s else {
            let key = match self.work {
                Work::RandomRead => "cpu_per_read",
                Work::RandomWrite => "cpu_per_write",
                _ => "scan_per_core",
            };
            self.note(Note::Cost(database.name.clone(), key));
            return;
        };
        if cpu_s <= 0.0 {
            return;
        }
        self.processors_at(route, database.at, cpu_s);
        if let (Some(workers), Work::Scan) = (database.workers, self.work) {
            let component = format!("workers of {}", database.name);
            let label = times(workers, "worker");
            let at = self.carry.constraint(&component, Counts::Cpu, &label, f64::from(workers));
            route.cross(at, cpu_s);
        }
    }

    /// Processor time on a machine's cores.
    pub(crate) fn processors_at(&mut self, route: &mut Route, machine: usize, cpu_s: f64) {
        let machine = &self.platform.machines[machine];
        let Some(cores) = machine.cores else {
            self.note(Note::Cores(machine.name.clone()));
            return;
        };
        if cpu_s > 0.0 {
            let component = format!("CPUs of {}", machine.name);
            let label = times(cores, "core");
            let at = self.carry.constraint(&component, Counts::Cpu, &label, f64::from(cores));
            route.cross(at, cpu_s);
        }
    }

    /// Seconds that one request takes when nothing else is there, over all drives with the database's data; `None` where
    /// the part of one of them isn't known. A block is on one drive: by Little's law its time is that of each group by
    /// its share. A unit in order is striped over the groups, and waits for the slowest.
    pub(crate) fn request_s(&self, database: &Database) -> Option<f64> {
        let mut times = Vec::new();
        for on in self.on_drives(database) {
            let drives = &self.platform.drives[on.group];
            let home = self.platform.machine_of(drives.at)?;
            let ways = match home == database.at {
                true => vec![Vec::new()],
                false => paths(self.platform, home, database.at),
            };
            // A way that isn't known could be the fastest.
            let each: Option<Vec<f64>> = ways.iter().map(|way| self.latency_s(on, way)).collect();
            times.push((on.share, each?.into_iter().reduce(f64::min)?));
        }
        if times.is_empty() {
            return None;
        }
        Some(match self.work.is_random() {
            true => times.iter().map(|(share, latency)| share * latency).sum(),
            false => times.iter().map(|(_, latency)| *latency).fold(0.0, f64::max),
        })
    }

    /// Seconds that one request takes when nothing else is there: the drive, the links on the way, and what is more
    /// to transfer over one drive's link than in a small request. `None` where the drive's part isn't known.
    fn latency_s(&self, on: OnDrives, way: &[Hop]) -> Option<f64> {
        let drives = &self.platform.drives[on.group];
        let direction = if self.work.writes() { Direction::Write } else { Direction::Read };
        let media = &drives.media;
        let own = if self.work.writes() { &media.write_ns } else { &media.read_ns };
        // Shorter times allow more, and a ceiling is never understated.
        let shortest = |figure: &Figure| match self.carry.basis {
            Basis::Ceiling => figure.low,
            Basis::Expected => figure.middle(),
        };
        let own_ns = shortest(own.as_ref()?);
        let links = way
            .iter()
            .filter_map(|hop| self.platform.links[hop.link].latency_ns.as_ref().map(shortest));
        let transfer_s = |bytes| {
            let rate = drives.class.as_ref()?.operations_per_s(direction, bytes)?;
            Some(1.0 / rate)
        };
        // What a small request takes includes its own transfer; a larger one takes what is more.
        let more = transfer_s(self.block).zip(transfer_s(SMALL_BYTES));
        let more_s = more.map_or(0.0, |(own, small)| (own - small).max(0.0));
        Some((own_ns + links.sum::<f64>()) / 1e9 + more_s)
    }
}
