//! Links: figures computed from signal rate, lanes, encoding and framing.

use super::class::{Class, Detail, DirectionRates, Link, OPERATION_BYTES, Operations, Times};
use super::encoding::Encoding;
use super::entry::{Cited, ExpectedEntry, FramingName, LinkEntry};
use super::error::TableError;
use super::figure::Figure;
use super::framing::Framing;
use super::quantity::Dimension;
use super::reader::Reader;
use crate::pcie::Direction;

/// Most lanes of a link; a memory channel has 64 data bits.
const LANES_MAX: u32 = 1024;
/// Most widths and most frame sizes of one entry: they multiply.
const SEVERAL_MAX: usize = 16;
/// Frame sizes that a link can have, bytes.
const MTU_BYTES: (u32, u32) = (256, 65_535);

/// The classes of one entry: every width with every frame size.
pub(super) fn classes(reader: Reader<'_>, entry: &LinkEntry) -> Result<Vec<Class>, TableError> {
    let id = reader.pattern(&entry.id)?;
    let framings = framings(reader, id, entry)?;
    let widths = entry.lanes.get_ref();
    let several = widths.len() > 1 && (widths.len() > SEVERAL_MAX || !id.contains("{lanes}"));
    if widths.is_empty() || several {
        return Err(reader.error(
            entry.lanes.span(),
            Some(format!("{id}: lanes")),
            format!("{} widths for one id", widths.len()),
            format!("write lanes = [4], or up to {SEVERAL_MAX} with {{lanes}} in the id"),
        ));
    }
    let mut classes = Vec::new();
    for lanes in widths {
        reader.count(id, "lanes", *lanes, entry.lanes.span(), (1, LANES_MAX))?;
        for (suffix, framing) in &framings {
            let link = Link {
                signal_bits_per_s: reader.exact(id, "signal", &entry.signal, Dimension::Signal)?,
                lanes: *lanes,
                encoding: *entry.encoding.get_ref(),
                framing: *framing,
            };
            let named = |text: &str| text.replace("{lanes}", &lanes.to_string());
            let title = reader.line(id, "title", &entry.title)? + suffix.title.as_str();
            let names = (named(id) + &suffix.id, named(&title));
            classes.push(class(reader, entry, names, link)?);
        }
    }
    Ok(classes)
}

/// What a frame size appends to the names of its class.
#[derive(Debug, Default)]
struct Suffix {
    id: String,
    title: String,
}

fn framings(
    reader: Reader<'_>,
    id: &str,
    entry: &LinkEntry,
) -> Result<Vec<(Suffix, Framing)>, TableError> {
    let name = *entry.framing.get_ref();
    let sized: Option<fn(u32) -> Framing> = match name {
        FramingName::Tcp => Some(Framing::Tcp),
        FramingName::Roce => Some(Framing::Roce),
        FramingName::Infiniband => Some(Framing::Infiniband),
        _ => None,
    };
    let key = Some(format!("{id}: mtu"));
    match (sized, &entry.mtu) {
        (Some(_), Some(sizes)) if sizes.get_ref().len() > SEVERAL_MAX => Err(reader.error(
            sizes.span(),
            key,
            format!("{} frame sizes for one id", sizes.get_ref().len()),
            format!("write up to {SEVERAL_MAX}"),
        )),
        (Some(framing), Some(sizes)) if !sizes.get_ref().is_empty() => {
            let several = sizes.get_ref().len() > 1;
            let mut all = Vec::new();
            for (index, mtu) in sizes.get_ref().iter().enumerate() {
                let mtu = reader.count(id, "mtu", *mtu, sizes.span(), MTU_BYTES)?;
                let suffix = Suffix {
                    id: if index == 0 { String::new() } else { format!("-{mtu}") },
                    title: if several { format!(", MTU {mtu}") } else { String::new() },
                };
                all.push((suffix, framing(mtu)));
            }
            Ok(all)
        }
        (Some(_), _) => Err(reader.error(
            entry.framing.span(),
            key,
            "is missing, and headers can't be reckoned without it".to_string(),
            "write mtu = [1500, 9000]".to_string(),
        )),
        (None, Some(sizes)) => Err(reader.error(
            sizes.span(),
            key,
            "means nothing to this framing".to_string(),
            "leave it out, or write framing = \"tcp\", \"roce\" or \"infiniband\"".to_string(),
        )),
        (None, None) => Ok(vec![(Suffix::default(), plain(name))]),
    }
}

/// Framings without a size.
fn plain(name: FramingName) -> Framing {
    match name {
        FramingName::Pcie => Framing::Pcie,
        FramingName::Nvme => Framing::Nvme,
        FramingName::PcieFlit => Framing::PcieFlit,
        FramingName::NvmeFlit => Framing::NvmeFlit,
        FramingName::Cxl => Framing::Cxl,
        FramingName::FibreChannel => Framing::FibreChannel,
        FramingName::Ssp => Framing::Ssp,
        FramingName::Fis => Framing::Fis,
        FramingName::None | FramingName::Tcp | FramingName::Roce | FramingName::Infiniband => {
            Framing::None
        }
    }
}

fn class(
    reader: Reader<'_>,
    entry: &LinkEntry,
    (id, title): (String, String),
    link: Link,
) -> Result<Class, TableError> {
    let cited = Cited { source: &entry.source, grade: entry.grade };
    let expected = entry.expected.as_ref().map(|e| e.get_ref());
    let way = |direction| way(reader, &id, cited, &link, direction, expected);
    let (read, write) = (way(Direction::Read)?, way(Direction::Write)?);
    let operations = |direction, way: &DirectionRates| {
        let wire = link.framing.wire_bytes(direction, OPERATION_BYTES)?;
        let encoded = way.encoded.as_ref()?;
        let source = format!("{}; {wire:.0} B on the wire per 4 KiB", encoded.source);
        Some(Figure::exact(encoded.high / wire, source, encoded.grade))
    };
    let operations = Operations {
        read: operations(Direction::Read, &read),
        write: operations(Direction::Write, &write),
    };
    Ok(Class {
        id,
        title,
        family: entry.family,
        duplex: entry.duplex,
        read,
        write,
        operations,
        times: Times::default(),
        write_cache: None,
        detail: Detail::Link(link),
    })
}

/// One direction's figures, from the signal to what is expected.
fn way(
    reader: Reader<'_>,
    id: &str,
    cited: Cited<'_>,
    link: &Link,
    direction: Direction,
    expected: Option<&ExpectedEntry>,
) -> Result<DirectionRates, TableError> {
    let source = reader.line(id, "source", cited.source)?;
    let raw = link.signal_bits_per_s * f64::from(link.lanes) / 8.0;
    let encoded = link.encoding.share().map(|share| raw * share);
    let protocol = encoded.map(|encoded| encoded * link.framing.share(direction));
    let coded_source = match link.encoding {
        Encoding::None => source.clone(),
        encoding => format!("{source}; {}", encoding.name()),
    };
    let framed_source = match link.framing {
        Framing::None => coded_source.clone(),
        framing => format!("{coded_source}; {}", framing.describe()),
    };
    let share = expected.and_then(|e| match direction {
        Direction::Read => e.read.as_ref().map(|q| (q, "expected.read", e)),
        Direction::Write => e.write.as_ref().map(|q| (q, "expected.write", e)),
    });
    let expected = share
        .map(|(quantity, key, entry)| {
            let cited = Cited { source: &entry.source, grade: entry.grade };
            let share = reader.figure(id, key, quantity, Dimension::Share, cited)?;
            Ok(share.times(protocol.unwrap_or(raw)))
        })
        .transpose()?;
    Ok(DirectionRates {
        raw: Some(Figure::exact(raw, source, cited.grade)),
        encoded: encoded.map(|value| Figure::exact(value, coded_source, cited.grade)),
        protocol: protocol.map(|value| Figure::exact(value, framed_source, cited.grade)),
        expected,
    })
}
