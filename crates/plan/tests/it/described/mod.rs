//! What a description allows, by pencil; what is refused, with line, reason and hint; hostile text.

use narrows_limits::table::Table;
use narrows_plan::{Plan, PlanError, Question, Work, describe, plan};

mod printed;
mod protocols;
mod rates;
mod refused;

const QUESTION: Question = Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };

fn planned(text: &str) -> Plan {
    let platform =
        describe("test.toml", text, Table::builtin()).unwrap_or_else(|error| panic!("{error}"));
    plan(&platform, QUESTION).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> PlanError {
    describe("test.toml", text, Table::builtin()).expect_err("it must be refused")
}

fn gigabytes(plan: &Plan, work: Work) -> f64 {
    plan.work(work).expect("it is limited").ceiling_bytes_per_s / 1e9
}

fn binds(plan: &Plan, work: Work) -> Vec<String> {
    plan.work(work).unwrap().binding.iter().map(|bound| bound.component.clone()).collect()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 2e-5 * expected.abs()
}

/// A machine with eight drives of 2 GB/s by hand, 100 k reads and 50 k writes a second each, and 40 GB/s of memory.
const BOX: &str = r#"
name = "box"
[[machine]]
name = "server"
cores = 10
memory_bandwidth = "40 GB/s"
source = "test"
[[drives]]
name = "disks"
at = "server"
count = 8
read = "2 GB/s"
write = "2 GB/s"
reads = "100k/s"
writes = "50k/s"
read_latency = "100 us"
source = "test"
"#;

fn database(more: &str) -> String {
    format!("{BOX}\n[[database]]\nname = \"db\"\nat = \"server\"\ndata = \"disks\"\n{more}")
}

/// Drives behind a target with little memory, and two links to the database's machine.
fn pair(links: &str) -> String {
    format!(
        r#"
name = "pair"
[[machine]]
name = "target"
memory_bandwidth = "20 GB/s"
source = "test"
[[machine]]
name = "host"
memory_bandwidth = "100 GB/s"
source = "test"
[[drives]]
name = "disks"
at = "target"
read = "30 GB/s"
write = "30 GB/s"
source = "test"
{links}
[[database]]
name = "db"
at = "host"
data = "disks"
"#
    )
}

fn link(name: &str, gb: f64) -> String {
    format!(
        "[[link]]\nname = \"{name}\"\nfrom = \"target\"\nto = \"host\"\nbandwidth = \"{gb} GB/s\"\nsource = \"test\"\n"
    )
}
