//! The table's classes against the figures of the literature, and what users put over them.

use narrows_limits::Direction;
use narrows_limits::table::Table;

/// Equal to as many figures as the source prints.
fn close(ours: f64, printed: f64, half_unit: f64) {
    assert!((ours - printed).abs() <= half_unit * 1.001, "{ours} against {printed}");
}

#[test]
fn a_drive_with_four_fast_lanes_carries_what_its_packets_leave() {
    let class = Table::builtin().class("nvme-gen5-x4").expect("in the table");
    let read = &class.read;
    close(read.raw.as_ref().unwrap().high / 1e9, 16.0, 0.005);
    close(read.encoded.as_ref().unwrap().high / 1e9, 15.75, 0.005);
    close(read.ceiling().unwrap().high / 1e9, 14.40, 0.005);
    close(class.operations_per_s(Direction::Read, 4096).unwrap() / 1e6, 3.45, 0.005);
}

#[test]
fn a_users_figure_takes_the_place_of_the_tables() {
    let text = r#"
[[class]]
id = "nvme-gen5-x4"
source = "our own measurement of four drives"
grade = "measured_by_others"
read = { expected = "13.1 GB/s" }
"#;
    let table = Table::builtin().with_overrides("ours.toml", text).expect("understood");
    let read = &table.class("nvme-gen5-x4").unwrap().read;
    assert_eq!(read.expected.as_ref().unwrap().high, 13.1e9);
    assert!(read.expected.as_ref().unwrap().source.contains("four drives"));
    close(read.ceiling().unwrap().high / 1e9, 14.40, 0.005);
}
