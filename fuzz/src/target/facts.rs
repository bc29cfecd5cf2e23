//! The parsers of the kernel's small formats, each given the same text.

use narrows_facts::cgroup::{parse_periods, parse_throttled};
use narrows_facts::{mount_of, parse_cpu_list, parse_cpu_mask, parse_mounts};
use narrows_model::{IdSet, PcieLink};

use super::text;

/// Reads it as each of them.
pub fn check(data: &[u8]) {
    let text = text(data);
    let list = parse_cpu_list(&text);
    assert!(list.windows(2).all(|two| two[0] < two[1]), "not in order: {list:?}");
    if let Some(mask) = parse_cpu_mask(&text) {
        assert!(mask.windows(2).all(|two| two[0] < two[1]), "not in order: {mask:?}");
    }
    if let Ok(set) = text.parse::<IdSet>() {
        let printed = set.to_string();
        assert_eq!(printed.parse::<IdSet>().ok(), Some(set), "{printed} is another set");
    }
    let mounts = parse_mounts(&text);
    for path in ["/", "/var/lib/postgresql", "", "relative"] {
        let _ = mount_of(&mounts, path);
    }
    let _ = (parse_throttled(&text), parse_periods(&text));
    let _ = (PcieLink::parse_gts(&text), PcieLink::parse_width(&text));
}
