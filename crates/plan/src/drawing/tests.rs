use narrows_limits::table::Table;

use super::*;
use crate::answer::{Binding, Question, plan};
use crate::describe;

fn described(text: &str) -> Description {
    describe("test.toml", text, Table::builtin()).unwrap_or_else(|error| panic!("{error}"))
}

fn lines(text: &str) -> Vec<String> {
    let question = Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };
    plan(&described(text), question).unwrap().drawing.lines()
}

const PAIR: &str = r#"
name = "pair"
[[machine]]
name = "target"
cpu = "epyc-9004"
memory = "ddr5-4800"
channels = 4
[[machine]]
name = "host"
cores = 16
[[switch]]
name = "shelf"
at = "target"
class = "pcie-gen4-x8"
[[drives]]
name = "nvme"
at = "shelf"
class = "nvme-gen4-x4"
count = 8
[[adapter]]
name = "hca"
at = "target"
slot = "pcie-gen3-x8"
[[switch]]
name = "core"
[[link]]
name = "up"
from = "hca"
to = "core"
class = "hdr-200"
[[link]]
name = "down"
from = "core"
to = "host"
class = "hdr-200"
latency = "10 us"
source = "test"
[[database]]
name = "db"
at = "host"
data = "nvme"
in_flight = 64
"#;

#[test]
fn machines_with_what_is_in_them_then_the_network() {
    let lines = lines(PAIR);
    let depths: Vec<(usize, &str)> = lines
        .iter()
        .map(|line| {
            let text = line.trim_start();
            (line.len() - text.len(), text.split([':', ',']).next().unwrap())
        })
        .collect();
    assert_eq!(
        depths,
        [
            (0, "machine target"),
            (2, "CPUs"),
            (2, "memory"),
            (2, "switch shelf"),
            (4, "← NARROWER"),
            (4, "drives nvme"),
            (2, "adapter hca"),
            (4, "← NARROWER"),
            (4, "← BINDS random read"),
            (4, "← BINDS random write"),
            (0, "machine host"),
            (2, "CPUs"),
            (2, "database db"),
            (0, "network switch core"),
            (0, "link up"),
            (0, "link down"),
        ],
        "{lines:#?}"
    );
    // By pencil: 8 × 4 lanes of 16 GT/s below 8 lanes of the same; 200 Gb/s on 8 lanes of 8 GT/s.
    assert!(lines[4].contains("NARROWER: its link upwards carries"), "{}", lines[4]);
    assert!(lines[7].contains("NARROWER: its slot carries"), "{}", lines[7]);
    assert!(lines[8].ends_with(", scan: pcie-gen3-x8, out"), "{}", lines[8]);
    assert!(lines[12].contains("data on nvme, 64 requests in flight"), "{}", lines[12]);
    assert!(lines[15].contains("core to host, hdr-200"), "{}", lines[15]);
    assert!(lines[15].ends_with("10.0 µs there and back"), "{}", lines[15]);
}

#[test]
fn wires_join_machines_and_switches_of_the_network() {
    let drawn = draw(&described(PAIR), Marks::default());
    let ends: Vec<(usize, usize)> = drawn.wires.iter().map(|wire| wire.ends).collect();
    assert_eq!(ends, [(0, 2), (2, 1)]);
    assert_eq!(drawn.parts.len(), 3);
}

#[test]
fn a_limit_in_between_is_told_from_one_that_is_full_and_none_is_lost() {
    let bound = |component: &str, limit: &str, slack| Binding {
        component: component.into(),
        limit: limit.into(),
        counts: "bytes_per_s",
        used: 1.0,
        capacity: 1.0,
        slack,
    };
    let first = [bound("nvme", "in", 0.0), bound("odd thing", "what", 0.0)];
    let second = [
        bound("nvme", "in", 0.03),
        bound("requests in flight of db", "64 in flight", 0.0),
        bound("something of host", "its limit", 0.0),
    ];
    let third = [bound("nvme", "in", 0.0)];
    let asked = [("reads", &first[..]), ("writes", &second[..]), ("scan", &third[..])];
    let lines = draw(&described(PAIR), Marks::of(asked)).lines();
    let has = |text: &str| lines.iter().filter(|line| line.trim_start() == text).count();
    assert_eq!(has("← BINDS reads, scan: in"), 1, "{lines:#?}");
    assert_eq!(has("← NEARLY BINDS writes: in, 3.0 % left"), 1, "{lines:#?}");
    assert_eq!(has("← BINDS writes: requests in flight, 64 in flight"), 1, "{lines:#?}");
    assert_eq!((has("something"), has("← BINDS writes: its limit")), (1, 1), "{lines:#?}");
    assert_eq!((has("odd thing"), has("← BINDS reads: what")), (1, 1), "{lines:#?}");
}

/// A ring of four in each of two boxes: within a box 16 and 19, between boxes 50.
fn boxes(rows: usize) -> Vec<Vec<i64>> {
    let distance = |a: usize, b: usize| match (a == b, a / 4 == b / 4, (a + 2) % 4 == b % 4) {
        (true, ..) => 10,
        (_, false, _) => 50,
        (_, _, true) => 19,
        _ => 16,
    };
    (0..rows).map(|a| (0..rows).map(|b| distance(a, b)).collect()).collect()
}

fn sockets_of(matrix: &[Vec<i64>]) -> Vec<String> {
    let sockets = matrix.len();
    let text = format!(
        "name = \"m\"\n[[machine]]\nname = \"m\"\nsockets = {sockets}\ncores = {}\ndistances = {matrix:?}\n",
        15 * sockets
    );
    let platform = described(&text);
    let drawn = draw(&platform, Marks::default());
    drawn.lines()
}

#[test]
fn sockets_lie_in_groups_by_their_distances() {
    assert_eq!(
        sockets_of(&boxes(32)),
        [
            "machine m",
            "  480 cores in 32 sockets",
            "    8 × group, distances 16 and 19 within it, distance 50 between them",
            "      4 × socket of 15 cores",
        ]
    );
    let ring = boxes(4);
    assert_eq!(
        sockets_of(&ring)[2..],
        ["    4 × socket of 15 cores, distances 16 and 19 between them"]
    );
    let mut uneven = boxes(6);
    uneven[0][1] = 50;
    let lines = sockets_of(&uneven);
    assert!(lines.iter().any(|line| line.contains("socket of 15 cores")), "{lines:#?}");
}
