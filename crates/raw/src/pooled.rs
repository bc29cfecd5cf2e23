//! Does a device take its space from a pool that others use too, or is it half of a pair? Overwriting all of a thin volume fills its
//! pool, and the other volumes in it then fail or go read-only; overwriting an origin fills its snapshots, which are then lost;
//! writes to a cached device go where the cache decides, and so does what is measured (`lvmthin(7)`, `lvmcache(7)`, Linux
//! `Documentation/admin-guide/device-mapper`).

use narrows_facts::Source;

use crate::family::folder;

/// Stretches of device-mapper devices, with what they are called.
const TARGETS: [(&str, &str); 8] = [
    ("thin", "a thin volume"),
    ("thin-pool", "a thin pool"),
    ("snapshot", "a snapshot"),
    ("snapshot-origin", "the origin of a snapshot"),
    ("vdo", "a VDO volume"),
    ("cache", "a cached volume"),
    ("writecache", "a volume with a write cache"),
    ("era", "a volume whose changes are tracked"),
];
/// LVM's marks in uuids of the parts of such volumes, for where the kernel's tables can't be asked.
const MARKS: [(&str, &str); 10] = [
    ("tpool", "a thin pool"),
    ("tdata", "a thin pool"),
    ("tmeta", "a thin pool"),
    ("vpool", "a VDO pool"),
    ("vdata", "a VDO pool"),
    ("cow", "a snapshot"),
    ("real", "the origin of a snapshot"),
    ("cdata", "a cache"),
    ("cmeta", "a cache"),
    ("cvol", "a cache"),
];

/// The first of these devices that is one of those, in a sentence: `dm-3 is a thin pool`.
pub(crate) fn pooled<'a>(
    source: &dyn Source,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    names.into_iter().find_map(|name| Some(format!("{name} is {}", kind(source, name)?)))
}

fn kind(source: &dyn Source, name: &str) -> Option<&'static str> {
    let numbered = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    if numbered("bcache") {
        return Some("a cached device (bcache)");
    }
    let uuid = source.text(&format!("{}/dm/uuid", folder(name)))?;
    let mark = uuid.strip_prefix("LVM-").and_then(|ids| ids.split_once('-'));
    if let Some((_, mark)) = mark
        && let Some((_, words)) = MARKS.iter().find(|(known, _)| *known == mark)
    {
        return Some(words);
    }
    if uuid.starts_with("VDO-") {
        return Some("a VDO volume");
    }
    let number = source.text(&format!("{}/dev", folder(name)))?;
    let targets = source.mapper_targets(&number)?;
    let kinds = targets.split("; ").filter_map(|target| target.split(' ').next());
    kinds.filter_map(|kind| TARGETS.iter().find(|(known, _)| *known == kind)).map(|t| t.1).next()
}
