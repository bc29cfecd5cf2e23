//! Memory modules, where the expected tree lists them.

use narrows_model::Platform;

pub fn check(name: &str, xml: Option<&str>, platform: &Platform) {
    let mark = "name=\"DeviceLocation\" value=\"";
    let text = xml.unwrap_or_default();
    let values = text.match_indices(mark).map(|(start, _)| &text[start + mark.len()..]);
    let mut wanted: Vec<&str> =
        values.filter_map(|rest| rest.split('"').next()).map(str::trim).collect();
    if wanted.is_empty() {
        return;
    }
    let dimms = platform.memory.dimms.as_ref().expect("modules");
    let filled = dimms.iter().filter(|dimm| dimm.size_bytes.is_some());
    let mut found: Vec<&str> = filled.filter_map(|dimm| dimm.locator.as_deref()).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, wanted, "{name}");
    let total: u64 = dimms.iter().filter_map(|dimm| dimm.size_bytes).sum();
    // The kernel keeps some for itself before it counts.
    let counted = platform.memory.total_bytes;
    assert!(counted <= total && counted > total / 10 * 9, "{counted} of {total} bytes");
}
