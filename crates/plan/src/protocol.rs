//! What carrying requests over TCP takes of the processors at both ends of a link, and what one queue does.
//!
//! The figures are published rates of one core and of one queue for 4 KiB. Larger requests take more of a core, so a ceiling by these is
//! never too low for that; newer processors than those of the publications may do more. The interval goes into the answer: the ceiling
//! is reckoned with its upper end, what good systems reach with its middle.

use narrows_limits::Direction;
use narrows_limits::flow::{Counts, Route};
use narrows_limits::table::{Class, Family, Figure};
use toml::Spanned;

use crate::build;
use crate::constraints::{Load, times};
use crate::description::{Carrier, Description, End, Link, Protocol};
use crate::entry::LinkEntry;
use crate::error::PlanError;
use crate::note::Note;
use crate::read::Builder;

/// As a description says it, as people write it, the class of a core, the class of a queue.
const PROTOCOLS: [(&str, &str, &str, Option<&str>); 2] = [
    ("nvme-tcp", "NVMe/TCP", "nvme-tcp-core", Some("nvme-tcp-queue")),
    ("iscsi", "iSCSI", "iscsi-core", None),
];

impl Builder<'_> {
    /// What carries requests over a link.
    pub(crate) fn protocol(
        &self,
        what: &str,
        entry: &LinkEntry,
        carrier: &Carrier,
    ) -> Result<Option<Protocol>, PlanError> {
        let refuse = |at: &std::ops::Range<usize>, key: &str, why: String, hint: &str| {
            Err(self.reader.source.error(at, format!("{what}: {key}"), why, hint))
        };
        let Some(name) = &entry.protocol else {
            if let Some(queues) = &entry.queues {
                let why = "queues of which protocol isn't said".to_string();
                return refuse(&queues.span(), "queues", why, "add protocol = \"nvme-tcp\"");
            }
            return Ok(None);
        };
        let known = PROTOCOLS.iter().find(|(id, ..)| id == name.get_ref());
        let Some((id, title, core, queue)) = known else {
            let why = format!("`{}` is no protocol that figures are known of", name.get_ref());
            return refuse(&name.span(), "protocol", why, "nvme-tcp or iscsi");
        };
        if let Carrier::Class(class) = carrier
            && class.family != Family::Ethernet
        {
            let why = format!("{title} runs over TCP, and {} carries none", class.id);
            return refuse(&name.span(), "protocol", why, "name a class of Ethernet, as eth-100");
        }
        let class = |id: &str| {
            let text = Spanned::new(name.span(), id.to_string());
            self.reader.class(&format!("{what}: protocol"), &text, &[Family::Protocol])
        };
        let count = self.reader.count(&format!("{what}: queues"), &entry.queues, 1)?;
        let queues = match (count, queue) {
            (None, _) => None,
            (Some(count), Some(queue)) => Some((class(queue)?, count)),
            (Some(_), None) => {
                let at = entry.queues.as_ref().map_or(0..0, Spanned::span);
                let why = format!("no figure is known of one queue of {id}");
                return refuse(&at, "queues", why, "leave it out");
            }
        };
        Ok(Some(Protocol { title, core: class(core)?, queues }))
    }
}

impl build::Builder<'_> {
    /// Processor time at both ends, and the queues.
    pub(crate) fn protocol(
        &mut self,
        route: &mut Route,
        link: &Link,
        protocol: &Protocol,
        direction: Direction,
        load: Load,
    ) {
        if let Some((class, count)) = &protocol.queues
            && let Some(figure) = of(class, direction)
        {
            let component = format!("queues of {}", link.name);
            let capacity = self.carry.basis.of(figure) * f64::from(*count);
            let label = times(*count, &class.id);
            let at = self.carry.constraint(&component, Counts::Operations, &label, capacity);
            route.cross(at, load.requests);
        }
        let Some(figure) = of(&protocol.core, direction) else { return };
        let mut charged = Vec::new();
        for end in [link.ends.0, link.ends.1] {
            let Some(machine) = machine_at(self.platform, end) else { continue };
            // What a measured demand takes of its own machine's processors holds this already.
            let is_counted = self.cpu_known
                && self.platform.databases.iter().any(|database| database.at == machine);
            if !is_counted {
                charged.push(self.platform.machines[machine].name.clone());
                self.processors_at(route, machine, load.requests / self.carry.basis.of(figure));
            }
        }
        if !charged.is_empty() {
            let text = told(protocol, figure, direction, &charged);
            self.note(Note::Other(text));
        }
    }
}

fn of(class: &Class, direction: Direction) -> Option<&Figure> {
    match direction {
        Direction::Read => class.operations.read.as_ref(),
        Direction::Write => class.operations.write.as_ref(),
    }
}

fn machine_at(platform: &Description, end: End) -> Option<usize> {
    match end {
        End::Machine(machine) => Some(machine),
        End::Adapter(adapter) => platform.machine_of(platform.adapters[adapter].at),
        // A switch of the network forwards packets and ends no connection.
        End::Switch(_) => None,
    }
}

/// What is reckoned with, and its doubt.
fn told(protocol: &Protocol, figure: &Figure, direction: Direction, of: &[String]) -> String {
    let us = |rate: f64| format!("{:.1}", 1e6 / rate);
    let (least, most) = (us(figure.high), us(figure.low));
    let span = if least == most { least } else { format!("{least} to {most}") };
    let request = if direction == Direction::Read { "read" } else { "write" };
    format!(
        "{} takes {span} us of a core per {request} by published measurements ({}), the ceiling is reckoned with the least: {}",
        protocol.title,
        protocol.core.id,
        of.join(", ")
    )
}
