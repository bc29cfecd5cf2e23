//! Drives and arrays of a description.

use std::collections::BTreeSet;

use narrows_limits::table::{Class, Dimension, Duplex, Family};
use toml::Spanned;

use crate::description::{Array, Drives, Media};
use crate::entry::{ArrayEntry, DrivesEntry, Text};
use crate::error::PlanError;
use crate::read::{Builder, Named};

/// What drives may be.
const DRIVES: &[Family] = &[Family::Nvme, Family::Sas, Family::Sata, Family::Drive, Family::Volume];

/// What says something of media.
const MEDIA: &[Family] = &[Family::Drive, Family::Volume];

impl Builder<'_> {
    pub(crate) fn drives(&self, entry: &Spanned<DrivesEntry>) -> Result<Drives, PlanError> {
        let span = entry.span();
        let entry = entry.get_ref();
        let name = entry.name.get_ref().clone();
        let what = format!("drives {name}");
        let at = self.place(&what, &entry.at)?;
        if self.out.machine_of(at).is_none() {
            let why = "are behind a switch of the network, which has no memory behind it";
            let hint = "put them at a machine: the array's controller is one";
            return Err(self.reader.source.error(&entry.at.span(), what, why, hint));
        }
        let named = match &entry.class {
            Some(id) => Some(self.reader.class(&format!("{what}: class"), id, DRIVES)?),
            None => None,
        };
        // A drive's or a volume's class says what its media do, and nothing of its link.
        let of_media = named.as_ref().is_some_and(|class| MEDIA.contains(&class.family));
        let (media, class) = if of_media { (named, None) } else { (None, named) };
        let media = self.media(&what, entry, media)?;
        let says_nothing = Media { shared: false, ..media.clone() } == Media::default();
        if class.is_none() && says_nothing {
            let why = "have neither class nor figures";
            let hint = "give class = \"nvme-gen4-x4\", or read = \"… GB/s\" and so on with source";
            return Err(self.reader.source.error(&span, what, why, hint));
        }
        let count = self.reader.count(&format!("{what}: count"), &entry.count, 1)?.unwrap_or(1);
        Ok(Drives { name, at, count, class, media })
    }

    fn media(
        &self,
        what: &str,
        entry: &DrivesEntry,
        whole: Option<Class>,
    ) -> Result<Media, PlanError> {
        let class = match &entry.media {
            Some(id) => Some(self.reader.class(&format!("{what}: media"), id, MEDIA)?),
            None => whole,
        };
        let figure = |key: &str, text: &Option<Text>, dimension| {
            self.reader.figure(&format!("{what}: {key}"), text, dimension, &entry.source)
        };
        let known = class.as_ref();
        let way = |read: bool| {
            let way = known.map(|class| if read { &class.read } else { &class.write })?;
            way.ceiling().or(way.expected.as_ref()).cloned()
        };
        let operations = known.map(|class| class.operations.clone()).unwrap_or_default();
        let times = known.map(|class| class.times.clone()).unwrap_or_default();
        Ok(Media {
            class: class.as_ref().map(|class| class.id.clone()),
            read_bytes: figure("read", &entry.read, Dimension::Bandwidth)?.or_else(|| way(true)),
            write_bytes: figure("write", &entry.write, Dimension::Bandwidth)?
                .or_else(|| way(false)),
            reads: figure("reads", &entry.reads, Dimension::Operations)?.or(operations.read),
            writes: figure("writes", &entry.writes, Dimension::Operations)?.or(operations.write),
            read_ns: figure("read_latency", &entry.read_latency, Dimension::Time)?
                .or(times.read_ns),
            write_ns: figure("write_latency", &entry.write_latency, Dimension::Time)?
                .or(times.durable_write_ns),
            shared: entry
                .spinning
                .unwrap_or_else(|| known.is_some_and(|c| c.duplex == Duplex::Half)),
        })
    }

    pub(crate) fn array(&self, entry: &ArrayEntry) -> Result<Array, PlanError> {
        let name = entry.name.get_ref().clone();
        let what = format!("array {name}");
        let level = self.reader.class(&format!("{what}: level"), &entry.level, &[Family::Raid])?;
        let mut members = Vec::new();
        for drives in entry.drives.get_ref() {
            match self.named(&format!("{what}: drives"), drives, "drives")? {
                Named::Drives(index) if !members.contains(&index) => members.push(index),
                Named::Drives(_) => {
                    let why = format!("`{}` stands twice", drives.get_ref());
                    let hint = "name each group of drives once";
                    return Err(self.reader.source.error(&drives.span(), what, why, hint));
                }
                other => {
                    return Err(self.wrong_kind(&what, drives, other, "drives"));
                }
            }
        }
        let count: u32 = members.iter().map(|index| self.out.drives[*index].count).sum();
        let Some(raid) = level.raid().filter(|raid| raid.usable_share(count).is_some()) else {
            let least = level.raid().map_or(1, |raid| raid.members_min);
            let why = format!("{count} drives, and {} needs {least}", level.id);
            let hint = "add drives, or choose another level";
            return Err(self.reader.source.error(&entry.drives.span(), what, why, hint));
        };
        let homes: BTreeSet<_> =
            members.iter().map(|index| self.out.machine_of(self.out.drives[*index].at)).collect();
        if homes.len() > 1 && raid.full_stripe_write(count).is_some_and(|times| times > 1.0) {
            let why = format!(
                "its members are on {} machines, and which copy crosses which link is not modelled",
                homes.len()
            );
            let hint = "describe an array on each machine, or take raid0";
            return Err(self.reader.source.error(&entry.drives.span(), what, why, hint));
        }
        Ok(Array { name, level: level.id.clone(), raid: raid.clone(), members, degraded: false })
    }
}
