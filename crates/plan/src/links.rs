//! Links between machines, and switches of a network.

use narrows_limits::table::{Dimension, Family};
use toml::Spanned;

use crate::description::{End, Link};
use crate::entry::{LinkEntry, Text};
use crate::error::PlanError;
use crate::read::{Builder, Named};

/// What links between machines may be.
const NETWORK: &[Family] = &[
    Family::Ethernet,
    Family::Roce,
    Family::Infiniband,
    Family::FibreChannel,
    Family::Sas,
    Family::Pcie,
];

impl Builder<'_> {
    pub(crate) fn link(&self, entry: &Spanned<LinkEntry>) -> Result<Link, PlanError> {
        let at = entry.span();
        let entry = entry.get_ref();
        let name = match &entry.name {
            Some(name) => self.reader.name("link", name)?,
            None => format!("{} to {}", entry.from.get_ref(), entry.to.get_ref()),
        };
        let what = format!("link {name}");
        if self.names.contains_key(&name) || self.out.links.iter().any(|link| link.name == name) {
            let why = format!("`{name}` is already in use");
            let hint = "give it its own name, or write count = 2 for equal links";
            return Err(self.reader.source.error(&at, what, why, hint));
        }
        let ends = (self.end(&what, &entry.from)?, self.end(&what, &entry.to)?);
        if self.top(ends.0) == self.top(ends.1) {
            let why = "both ends are at the same machine";
            let hint = "a link joins two machines, or a machine and a switch of the network";
            return Err(self.reader.source.error(&at, what, why, hint));
        }
        let figures = (&entry.class, &entry.bandwidth, &entry.source);
        let carrier = self.carrier(&what, &at, figures, NETWORK)?;
        let latency = format!("{what}: latency");
        Ok(Link {
            ends,
            count: self.reader.count(&format!("{what}: count"), &entry.count, 1)?.unwrap_or(1),
            latency_ns: self.reader.figure(
                &latency,
                &entry.latency,
                Dimension::Time,
                &entry.source,
            )?,
            protocol: self.protocol(&what, entry, &carrier)?,
            carrier,
            name,
        })
    }

    fn end(&self, what: &str, name: &Text) -> Result<End, PlanError> {
        let wanted = "an adapter, a machine or a switch of the network";
        match self.named(what, name, wanted)? {
            Named::Adapter(index) => Ok(End::Adapter(index)),
            Named::Machine(index) => Ok(End::Machine(index)),
            Named::Switch(index) if self.out.switches[index].uplink.is_none() => {
                Ok(End::Switch(index))
            }
            other => Err(self.wrong_kind(what, name, other, wanted)),
        }
    }

    fn top(&self, end: End) -> End {
        match end {
            End::Adapter(index) => match self.out.machine_of(self.out.adapters[index].at) {
                Some(machine) => End::Machine(machine),
                None => end,
            },
            other => other,
        }
    }
}
