//! Classes by hand: new ones, and figures put over one that is there.

use std::collections::BTreeSet;

use super::class::{Class, Detail, DirectionRates, Duplex, Operations, Times, WriteCache};
use super::entry::{Cited, ClassEntry, Quantity, WayEntry};
use super::error::TableError;
use super::figure::Figure;
use super::quantity::Dimension;
use super::reader::Reader;

/// Figures that a file has given so far: a second value for one would silently win.
pub(super) type Given = BTreeSet<(String, &'static str)>;

/// What an entry makes of the class that has its id so far.
pub(super) fn class(
    reader: Reader<'_>,
    entry: &ClassEntry,
    at: std::ops::Range<usize>,
    before: Option<&Class>,
    given: &mut Given,
) -> Result<Class, TableError> {
    let id = reader.id(&entry.id)?.to_string();
    let mut class = match (before, &entry.title, entry.family) {
        (Some(class), _, _) => class.clone(),
        (None, Some(_), Some(family)) => Class {
            id: id.clone(),
            title: String::new(),
            family,
            duplex: Duplex::Full,
            read: DirectionRates::default(),
            write: DirectionRates::default(),
            operations: Operations::default(),
            times: Times::default(),
            write_cache: None,
            detail: Detail::None,
        },
        (None, ..) => {
            return Err(reader.error(
                at,
                Some(id),
                "is a new class without title or family".to_string(),
                "write title = \"…\" and family = \"drive\" (or \"volume\", \"ethernet\", …)"
                    .to_string(),
            ));
        }
    };
    if let Some(title) = &entry.title {
        class.title = reader.line(&id, "title", title)?;
    }
    class.family = entry.family.unwrap_or(class.family);
    class.duplex = entry.duplex.unwrap_or(class.duplex);

    reader.line(&id, "source", &entry.source)?;
    let cited = Cited { source: &entry.source, grade: entry.grade };
    let given_before = given.len();
    let mut put = Put { reader, id: &id, cited, given };
    put.way(
        &mut class.read,
        &entry.read,
        ["read.raw", "read.encoded", "read.protocol", "read.expected"],
    )?;
    put.way(
        &mut class.write,
        &entry.write,
        ["write.raw", "write.encoded", "write.protocol", "write.expected"],
    )?;
    let (operations, times) = (&mut class.operations, &mut class.times);
    let rate = Dimension::Operations;
    put.over(&mut operations.read, "operations.read", entry.operations.read.as_ref(), rate)?;
    put.over(&mut operations.write, "operations.write", entry.operations.write.as_ref(), rate)?;
    let time = Dimension::Time;
    put.over(&mut times.read_ns, "times.read", entry.times.read.as_ref(), time)?;
    let durable = entry.times.durable_write.as_ref();
    put.over(&mut times.durable_write_ns, "times.durable_write", durable, time)?;
    if let Some(cache) = &entry.write_cache {
        let (mut bytes, mut write_after) = (None, None);
        put.over(&mut bytes, "write_cache.bytes", Some(&cache.bytes), Dimension::Size)?;
        let after = Some(&cache.write_after);
        put.over(&mut write_after, "write_cache.write_after", after, Dimension::Bandwidth)?;
        class.write_cache =
            bytes.zip(write_after).map(|(bytes, write_after)| WriteCache { bytes, write_after });
    }
    if before.is_none() && given.len() == given_before {
        return Err(reader.error(
            at,
            Some(id),
            "is a new class without a figure".to_string(),
            "write read = { protocol = \"24 GB/s\" }, operations or times".to_string(),
        ));
    }
    falling(reader, &class, &at)?;
    Ok(class)
}

struct Put<'a> {
    reader: Reader<'a>,
    id: &'a str,
    cited: Cited<'a>,
    given: &'a mut Given,
}

impl Put<'_> {
    fn way(
        &mut self,
        way: &mut DirectionRates,
        entry: &WayEntry,
        keys: [&'static str; 4],
    ) -> Result<(), TableError> {
        let fields = [
            (&mut way.raw, &entry.raw),
            (&mut way.encoded, &entry.encoded),
            (&mut way.protocol, &entry.protocol),
            (&mut way.expected, &entry.expected),
        ];
        for ((field, quantity), key) in fields.into_iter().zip(keys) {
            self.over(field, key, quantity.as_ref(), Dimension::Bandwidth)?;
        }
        Ok(())
    }

    fn over(
        &mut self,
        field: &mut Option<Figure>,
        key: &'static str,
        quantity: Option<&Quantity>,
        dimension: Dimension,
    ) -> Result<(), TableError> {
        let Some(quantity) = quantity else { return Ok(()) };
        if !self.given.insert((self.id.to_string(), key)) {
            return Err(self.reader.error(
                quantity.span(),
                Some(format!("{}: {key}", self.id)),
                "was given before in this file".to_string(),
                "keep one of the two".to_string(),
            ));
        }
        *field = Some(self.reader.figure(self.id, key, quantity, dimension, self.cited)?);
        Ok(())
    }
}

/// Each figure is within the one above it: more payload than signal is a slip.
fn falling(
    reader: Reader<'_>,
    class: &Class,
    at: &std::ops::Range<usize>,
) -> Result<(), TableError> {
    // Shares multiplied out differ in the last bit.
    const ROUNDING: f64 = 1.0 + 1e-9;
    for (name, way) in [("read", &class.read), ("write", &class.write)] {
        let figures = [
            ("raw", &way.raw),
            ("encoded", &way.encoded),
            ("protocol", &way.protocol),
            ("expected", &way.expected),
        ];
        let known: Vec<(&str, &Figure)> = figures
            .into_iter()
            .filter_map(|(name, figure)| Some((name, figure.as_ref()?)))
            .collect();
        for pair in known.windows(2) {
            let ((above, ceiling), (below, figure)) = (pair[0], pair[1]);
            if figure.high > ceiling.high * ROUNDING {
                return Err(reader.error(
                    at.clone(),
                    Some(format!("{}: {name}.{below}", class.id)),
                    format!("is more than {name}.{above}, which is {:.3} GB/s", ceiling.high / 1e9),
                    format!("give {name}.{above} too if that has changed"),
                ));
            }
        }
    }
    Ok(())
}
