//! A description's text → a checked [`Description`].

use std::collections::BTreeMap;
use std::ops::Range;

use narrows_limits::table::{Dimension, Family, Table};
use toml::Spanned;

use crate::description::{Attachment, Carrier, DataLocation, Database, Description, Switch};
use crate::entry::{DatabaseEntry, Document, SwitchEntry, Text};
use crate::error::{PlanError, Source};
use crate::figures::Reader;
use crate::{budget, generation, machine, price, syntax};

/// The largest description that is read, bytes.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// Most components in one description.
const COMPONENTS_MAX: usize = 1_000;

/// Most databases that share one platform.
const DATABASES_MAX: usize = 64;

/// Reads and checks one description.
///
/// # Errors
/// The first thing that is wrong, with its line and a hint.
pub fn describe(file: &str, text: &str, table: &Table) -> Result<Description, PlanError> {
    let source = Source { file, text };
    if text.len() > TEXT_BYTES_MAX {
        let why = format!("{} bytes are more than a description has", text.len());
        let hint = format!("give a file of at most {TEXT_BYTES_MAX} bytes");
        return Err(source.error(&(0..0), "the file", why, hint));
    }
    let document: Document =
        toml::from_str(text).map_err(|error| syntax::refused(source, &error))?;
    let mut builder =
        Builder { reader: Reader { source, table }, names: BTreeMap::new(), out: empty(&document) };
    builder.out.file = file.to_string();
    builder.fill(&document)?;
    generation::check(source, &document, &builder.out)?;
    budget::check(source, &document, &builder.out)?;
    (builder.out.price, builder.out.unpriced) = price::total(source, &document)?;
    if let Some(currency) = &document.currency {
        builder.out.currency = Some(builder.reader.prose("currency", currency)?);
    }
    Ok(builder.out)
}

fn empty(document: &Document) -> Description {
    Description {
        file: String::new(),
        name: document.name.get_ref().trim().to_string(),
        note: document.note.clone().filter(|note| !note.trim().is_empty()),
        currency: None,
        machines: Vec::new(),
        switches: Vec::new(),
        drives: Vec::new(),
        arrays: Vec::new(),
        adapters: Vec::new(),
        links: Vec::new(),
        databases: Vec::new(),
        price: None,
        unpriced: Vec::new(),
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Machine(usize),
    Switch(usize),
    Drives(usize),
    Array(usize),
    Adapter(usize),
}

impl Named {
    fn kind(self) -> &'static str {
        match self {
            Named::Machine(_) => "a machine",
            Named::Switch(_) => "a switch",
            Named::Drives(_) => "drives",
            Named::Array(_) => "an array",
            Named::Adapter(_) => "an adapter",
        }
    }
}

pub(crate) struct Builder<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) names: BTreeMap<String, Named>,
    pub(crate) out: Description,
}

impl Builder<'_> {
    fn fill(&mut self, document: &Document) -> Result<(), PlanError> {
        self.reader.prose("name", &document.name)?;
        self.register(document)?;
        for entry in &document.machine {
            let machine = machine::read(self.reader, entry.get_ref())?;
            self.out.machines.push(machine);
        }
        for entry in &document.switch {
            let switch = self.switch(entry)?;
            self.out.switches.push(switch);
        }
        self.refuse_cycles(document)?;
        for entry in &document.drives {
            let drives = self.drives(entry)?;
            self.out.drives.push(drives);
        }
        for entry in &document.array {
            let array = self.array(entry.get_ref())?;
            self.out.arrays.push(array);
        }
        for entry in &document.adapter {
            let entry = entry.get_ref();
            let what = format!("adapter {}", entry.name.get_ref());
            let at = self.place(&what, &entry.at)?;
            let slot = self.reader.class(&format!("{what}: slot"), &entry.slot, &[Family::Pcie])?;
            let name = entry.name.get_ref().clone();
            self.out.adapters.push(crate::description::Adapter { name, at, slot });
        }
        for entry in &document.link {
            let link = self.link(entry)?;
            self.out.links.push(link);
        }
        for entry in &document.database {
            let database = self.database(entry.get_ref())?;
            self.out.databases.push(database);
        }
        self.need_something(document)
    }

    /// Every name once, before anything refers to one.
    fn register(&mut self, document: &Document) -> Result<(), PlanError> {
        let mut all: Vec<(&str, &Text, Named)> = Vec::new();
        let list = &mut all;
        list.extend(numbered(&document.machine, Named::Machine, |e| &e.name, "machine"));
        list.extend(numbered(&document.switch, Named::Switch, |e| &e.name, "switch"));
        list.extend(numbered(&document.drives, Named::Drives, |e| &e.name, "drives"));
        list.extend(numbered(&document.array, Named::Array, |e| &e.name, "array"));
        list.extend(numbered(&document.adapter, Named::Adapter, |e| &e.name, "adapter"));
        if document.database.len() > DATABASES_MAX {
            let why = format!("{} databases", document.database.len());
            let hint = format!("at most {DATABASES_MAX} share one platform here");
            return Err(self.reader.source.error(&(0..0), "the file", why, hint));
        }
        let count = all.len() + document.link.len() + document.database.len();
        if count > COMPONENTS_MAX {
            let why = format!("{count} components are more than are reckoned with");
            let hint = format!("at most {COMPONENTS_MAX}; `count = …` stands for equal ones");
            return Err(self.reader.source.error(&(0..0), "the file", why, hint));
        }
        for (of, name, named) in all {
            let text = self.reader.name(of, name)?;
            if let Some(other) = self.names.insert(text.clone(), named) {
                let why = format!("`{text}` is already the name of {}", other.kind());
                let hint = "give each component its own name";
                return Err(self.reader.source.error(&name.span(), of, why, hint));
            }
        }
        Ok(())
    }

    pub(crate) fn named(&self, what: &str, name: &Text, wanted: &str) -> Result<Named, PlanError> {
        if let Some(named) = self.names.get(name.get_ref()) {
            return Ok(*named);
        }
        let why = format!("nothing here is called `{}`", name.get_ref());
        let known = self.names.keys().map(String::as_str);
        let hint = match narrows_limits::table::nearest(name.get_ref(), known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("name {wanted} of this file"),
        };
        Err(self.reader.source.error(&name.span(), what, why, hint))
    }

    pub(crate) fn wrong_kind(
        &self,
        what: &str,
        name: &Text,
        named: Named,
        wanted: &str,
    ) -> PlanError {
        let why = format!("`{}` is {}", name.get_ref(), named.kind());
        self.reader.source.error(&name.span(), what, why, format!("name {wanted} of this file"))
    }

    pub(crate) fn place(&self, what: &str, at: &Text) -> Result<Attachment, PlanError> {
        let (what, wanted) = (format!("{what}: at"), "a machine or a switch");
        match self.named(&what, at, wanted)? {
            Named::Machine(index) => Ok(Attachment::Machine(index)),
            Named::Switch(index) => Ok(Attachment::Switch(index)),
            other => Err(self.wrong_kind(&what, at, other, wanted)),
        }
    }

    fn switch(&self, entry: &Spanned<SwitchEntry>) -> Result<Switch, PlanError> {
        let at = entry.span();
        let entry = entry.get_ref();
        let name = entry.name.get_ref().clone();
        let what = format!("switch {name}");
        let uplink = match &entry.at {
            None if entry.class.is_some() || entry.bandwidth.is_some() => {
                let why = "has the class of a link upwards, and nothing above it";
                let hint = "add at = \"MACHINE\", or leave the class out for a network's switch";
                return Err(self.reader.source.error(&at, what, why, hint));
            }
            None => None,
            Some(above) => {
                let place = self.place(&what, above)?;
                let figures = (&entry.class, &entry.bandwidth, &entry.source);
                Some((place, self.carrier(&what, &at, figures, &[Family::Pcie, Family::Sas])?))
            }
        };
        Ok(Switch { name, uplink })
    }

    /// By class or by hand; one of them is needed, and not both.
    pub(crate) fn carrier(
        &self,
        what: &str,
        at: &Range<usize>,
        (class, bandwidth, source): (&Option<Text>, &Option<Text>, &Option<Text>),
        families: &[Family],
    ) -> Result<Carrier, PlanError> {
        let by_hand = self.reader.figure(
            &format!("{what}: bandwidth"),
            bandwidth,
            Dimension::Bandwidth,
            source,
        )?;
        match (class, by_hand) {
            (Some(class), None) => {
                let class = self.reader.class(&format!("{what}: class"), class, families)?;
                Ok(Carrier::Class(Box::new(class)))
            }
            (None, Some(figure)) => Ok(Carrier::Given(figure)),
            (both, _) => {
                let why = match both {
                    Some(_) => "has a class and a bandwidth",
                    None => "has neither class nor bandwidth",
                };
                let hint = "give class = \"…\" of the table, or bandwidth = \"… GB/s\" with source";
                Err(self.reader.source.error(at, what, why, hint))
            }
        }
    }

    fn refuse_cycles(&self, document: &Document) -> Result<(), PlanError> {
        for (index, switch) in self.out.switches.iter().enumerate() {
            let mut above = switch.uplink.as_ref().map(|(place, _)| *place);
            let mut steps = 0;
            while let Some(Attachment::Switch(next)) = above {
                steps += 1;
                if next == index || steps > self.out.switches.len() {
                    let at = document.switch[index].get_ref().at.as_ref();
                    let at = at.map_or(0..0, Spanned::span);
                    let why = "is connected below itself: the switches above it form a ring";
                    let hint = "one of them has to be at a machine";
                    let what = format!("switch {}: at", switch.name);
                    return Err(self.reader.source.error(&at, what, why, hint));
                }
                above = self.out.switches[next].uplink.as_ref().map(|(place, _)| *place);
            }
        }
        Ok(())
    }

    fn database(&self, entry: &DatabaseEntry) -> Result<Database, PlanError> {
        let name = match &entry.name {
            Some(name) => self.reader.name("database", name)?,
            None => format!("database at {}", entry.at.get_ref()),
        };
        let what = format!("database {name}");
        if self.out.databases.iter().any(|database| database.name == name) {
            let why = "another database has that name";
            let hint = "give each its own name = \"…\"";
            return Err(self.reader.source.error(&entry.at.span(), what, why, hint));
        }
        let Attachment::Machine(at) = self.place(&what, &entry.at)? else {
            return Err(self.reader.source.error(
                &entry.at.span(),
                format!("{what}: at"),
                "a database runs on a machine, not on a switch",
                "name a machine of this file",
            ));
        };
        let wanted = "drives or an array";
        let place =
            |key: &str, name: &Text| match self.named(&format!("{what}: {key}"), name, wanted)? {
                Named::Drives(index) => Ok(DataLocation::Drives(index)),
                Named::Array(index) => Ok(DataLocation::Array(index)),
                other => Err(self.wrong_kind(&what, name, other, wanted)),
            };
        let data = place("data", &entry.data)?;
        let wal = entry.wal.as_ref().map(|name| place("wal", name)).transpose()?;
        let count =
            |key: &str, number, least| self.reader.count(&format!("{what}: {key}"), number, least);
        let figure = |key: &str, text: &Option<Text>, dimension| {
            let figure =
                self.reader.figure(&format!("{what}: {key}"), text, dimension, &entry.source)?;
            self.reader.value(&format!("{what}: {key}"), text, dimension)?;
            Ok::<_, PlanError>(figure.map(|figure| figure.middle()))
        };
        Ok(Database {
            at,
            data,
            wal,
            in_flight: count("in_flight", &entry.in_flight, 1)?,
            workers: count("workers", &entry.workers, 1)?,
            copies: count("copies", &entry.copies, 0)?.unwrap_or(0),
            cpu_per_read_ns: figure("cpu_per_read", &entry.cpu_per_read, Dimension::Time)?,
            cpu_per_write_ns: figure("cpu_per_write", &entry.cpu_per_write, Dimension::Time)?,
            scan_per_core: figure("scan_per_core", &entry.scan_per_core, Dimension::Bandwidth)?,
            source: entry.source.as_ref().map(|source| source.get_ref().trim().to_string()),
            name,
        })
    }

    fn need_something(&self, document: &Document) -> Result<(), PlanError> {
        let lacks = if document.machine.is_empty() {
            Some(("no [[machine]]", "describe at least the machine on which the database runs"))
        } else if document.database.is_empty() && !document.drives.is_empty() {
            Some(("no [[database]]", "say where it runs and where its data are: at, data"))
        } else {
            None
        };
        match lacks {
            Some((why, hint)) => Err(self.reader.source.error(&(0..0), "the file", why, hint)),
            None => Ok(()),
        }
    }
}

/// Entries of one kind with their names and indices.
fn numbered<'a, E>(
    entries: &'a [Spanned<E>],
    named: fn(usize) -> Named,
    name: fn(&E) -> &Text,
    of: &'static str,
) -> impl Iterator<Item = (&'a str, &'a Text, Named)> {
    entries.iter().enumerate().map(move |(index, e)| (of, name(e.get_ref()), named(index)))
}
