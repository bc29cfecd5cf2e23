//! Limits as data: what every part of a class can carry, each figure with its source.
//!
//! The data are the TOML files in `crates/limits/data`; users put their own over them. A link stands there by its
//! parts (signal rate, lanes, encoding, framing), and what is left for payload is computed here, so that anybody can
//! check it with a pencil. Beside them stand processors as a budget of lanes and channels, ways to join drives, and
//! published measurements that answer "is this normal?".
//!
//! Not here: which classes a machine has (discovery, or a description), and what flows through them.

mod class;
mod cpu;
mod encoding;
mod entry;
mod error;
mod figure;
mod framing;
mod given;
mod links;
mod nearest;
mod normal;
mod parts;
mod population;
mod quantity;
mod raid;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use toml::Spanned;

pub use class::{
    Class, Detail, DirectionRates, Duplex, Family, Link, OPERATION_BYTES, Operations, Times,
    WriteCache,
};
pub use cpu::{Cpu, Identity, LaneUse, Overdrawn, lanes_left};
pub use encoding::Encoding;
pub use error::{TEXT_BYTES_MAX, TableError};
pub use figure::{Figure, Grade};
pub use framing::Framing;
pub use nearest::nearest;
pub use normal::{Measured, Normal};
pub use population::Memory;
pub use quantity::{Dimension, parse as parse_quantity};
pub use raid::{Layout, Multiplied, Raid};

use reader::Reader;

/// The files of the built-in table: name and text.
const BUILTIN: &[(&str, &str)] = &[
    ("memory.toml", include_str!("../../data/memory.toml")),
    ("pcie.toml", include_str!("../../data/pcie.toml")),
    ("network.toml", include_str!("../../data/network.toml")),
    ("storage-links.toml", include_str!("../../data/storage-links.toml")),
    ("storage-protocols.toml", include_str!("../../data/storage-protocols.toml")),
    ("sockets.toml", include_str!("../../data/sockets.toml")),
    ("raid.toml", include_str!("../../data/raid.toml")),
    ("drives.toml", include_str!("../../data/drives.toml")),
    ("processors.toml", include_str!("../../data/processors.toml")),
    ("normal.toml", include_str!("../../data/normal.toml")),
];

/// Most classes that one table may come to.
const CLASSES_MAX: usize = 10_000;

/// Classes by id, and what was measured on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    classes: BTreeMap<String, Class>,
    normals: Vec<Normal>,
    unbalanced_loss: Option<Figure>,
    /// Ids in the order of the data, which is that of people: by family, then by size.
    order: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for (file, text) in BUILTIN {
        // Part of the program and read by its tests: it can't fail at a user's.
        table.read(file, text).unwrap_or_else(|error| panic!("built-in table: {error}"));
    }
    table
});

impl Table {
    /// What comes with the program.
    pub fn builtin() -> &'static Table {
        &TABLE
    }

    /// This table with a user's file put over it; `file` is what errors call it.
    pub fn with_overrides(&self, file: &str, text: &str) -> Result<Table, TableError> {
        let mut table = self.clone();
        table.read(file, text)?;
        Ok(table)
    }

    /// One class.
    pub fn class(&self, id: &str) -> Option<&Class> {
        self.classes.get(id)
    }

    /// The id that was probably meant where [`Table::class`] knows none.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        nearest(id, self.order.iter().map(String::as_str))
    }

    /// All classes, by family and in the order of the data.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        Family::ALL.into_iter().flat_map(move |family| {
            let all = self.order.iter().filter_map(|id| self.classes.get(id));
            all.filter(move |class| class.family == family)
        })
    }

    /// What was measured on a class.
    pub fn normals<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Normal> {
        self.normals.iter().filter(move |normal| normal.of == id)
    }

    /// What a socket's memory carries with so many modules on each of its channels, empty ones included; `None` where
    /// the class is no memory channel or nothing is populated.
    ///
    /// Empty channels carry nothing. Where populated ones hold different numbers of modules, accesses can't be spread
    /// evenly, and what is expected falls by the published loss; ceilings don't.
    pub fn memory(&self, id: &str, modules: &[u32]) -> Option<Memory> {
        population::memory(self.class(id)?, modules, self.unbalanced_loss.as_ref())
    }

    /// The share of bandwidth that an uneven population loses.
    pub fn unbalanced_loss(&self) -> Option<&Figure> {
        self.unbalanced_loss.as_ref()
    }

    /// The processor generation that names itself so; vendor, family, model, stepping and name as in `/proc/cpuinfo`.
    pub fn processor(
        &self,
        vendor: &str,
        family: u32,
        model: u32,
        stepping: u32,
        name: &str,
    ) -> Option<&Class> {
        self.classes().find(|class| {
            let identities = class.cpu().map_or(&[][..], |cpu| &cpu.identities);
            identities.iter().any(|identity| identity.is(vendor, family, model, stepping, name))
        })
    }

    fn read(&mut self, file: &str, text: &str) -> Result<(), TableError> {
        let reader = Reader { file, text };
        let document = reader.document()?;
        if let Some(entry) = &document.unbalanced {
            let cited = entry::Cited { source: &entry.source, grade: entry.grade };
            let share = Dimension::Share;
            let loss = reader.figure("unbalanced", "loss", &entry.loss, share, cited)?;
            self.unbalanced_loss = Some(loss);
        }
        let mut new: BTreeSet<String> = BTreeSet::new();
        for entry in &document.link {
            for class in links::classes(reader, entry.get_ref())? {
                self.put(reader, entry.span(), class, &mut new)?;
            }
        }
        for entry in &document.raid {
            let class = parts::raid(reader, entry.get_ref())?;
            self.put(reader, entry.span(), class, &mut new)?;
        }
        for entry in &document.cpu {
            let class = parts::cpu(reader, entry.get_ref())?;
            self.put(reader, entry.span(), class, &mut new)?;
        }
        let mut given = given::Given::new();
        for entry in &document.class {
            let before = self.classes.get(entry.get_ref().id.get_ref());
            let class = given::class(reader, entry.get_ref(), entry.span(), before, &mut given)?;
            self.fits(reader, entry.span(), &class)?;
            self.insert(class);
        }
        for entry in &document.cpu {
            self.check_names(reader, entry.get_ref())?;
        }
        self.read_normals(reader, &document.normal)
    }

    /// A class in place of the one before; twice in one file is a slip.
    fn put(
        &mut self,
        reader: Reader<'_>,
        at: std::ops::Range<usize>,
        class: Class,
        new: &mut BTreeSet<String>,
    ) -> Result<(), TableError> {
        if !new.insert(class.id.clone()) {
            let reason = "stands twice in this file".to_string();
            return Err(reader.error(
                at,
                Some(class.id),
                reason,
                "keep one of the two".to_string(),
            ));
        }
        self.fits(reader, at, &class)?;
        self.insert(class);
        Ok(())
    }

    /// Whether there is room for one class more.
    fn fits(
        &self,
        reader: Reader<'_>,
        at: std::ops::Range<usize>,
        class: &Class,
    ) -> Result<(), TableError> {
        if self.classes.len() < CLASSES_MAX || self.classes.contains_key(&class.id) {
            return Ok(());
        }
        let reason = format!("is more than the {CLASSES_MAX} classes that a table may have");
        let hint = "leave out what isn't needed".to_string();
        Err(reader.error(at, Some(class.id.clone()), reason, hint))
    }

    fn insert(&mut self, class: Class) {
        let id = class.id.clone();
        if self.classes.insert(id.clone(), class).is_none() {
            self.order.push(id);
        }
    }

    /// A file's measurements take the place of those of the same class and kind that were there before.
    fn read_normals(
        &mut self,
        reader: Reader<'_>,
        entries: &[Spanned<entry::NormalEntry>],
    ) -> Result<(), TableError> {
        let mut new = Vec::new();
        for entry in entries {
            self.known(reader, "normal", "of", &entry.get_ref().of)?;
            new.push(parts::normal(reader, entry.get_ref())?);
        }
        let replaced = |old: &Normal| new.iter().any(|n| n.of == old.of && n.what == old.what);
        self.normals.retain(|old| !replaced(old));
        self.normals.extend(new);
        Ok(())
    }

    fn check_names(&self, reader: Reader<'_>, entry: &entry::CpuEntry) -> Result<(), TableError> {
        let id = entry.id.get_ref();
        self.known(reader, id, "memory", &entry.memory)?;
        let others = [
            ("memory_two_modules", &entry.memory_two_modules),
            ("socket_link", &entry.socket_link),
        ];
        for (key, name) in others {
            if let Some(name) = name {
                self.known(reader, id, key, name)?;
            }
        }
        Ok(())
    }

    fn known(
        &self,
        reader: Reader<'_>,
        id: &str,
        key: &str,
        name: &Spanned<String>,
    ) -> Result<(), TableError> {
        let typed = name.get_ref();
        if self.classes.contains_key(typed) {
            return Ok(());
        }
        let hint = match self.nearest(typed) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`narrows limits` lists every class".to_string(),
        };
        let reason = format!("no class is called `{typed}`");
        Err(reader.error(name.span(), Some(format!("{id}: {key}")), reason, hint))
    }
}
