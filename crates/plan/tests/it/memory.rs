//! Where pages lie and how many lines cores wait for, by pencil.

use narrows_limits::table::Table;
use narrows_plan::{PlanError, Question, Work, describe, plan};

const QUESTION: Question = Question { block_bytes: 8192, table_bytes: 1_000_000_000_000 };

fn machine(more: &str) -> String {
    format!(
        "name = \"box\"\n[[machine]]\nname = \"server\"\nsockets = 2\ncores = 10\nmemory_bandwidth = \"100 GB/s\"\n\
         source = \"test\"\n{more}"
    )
}

/// What streams from memory give, bytes per nanosecond, and what binds.
fn stream(text: &str) -> (f64, String) {
    let platform = describe("test.toml", text, Table::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let plan = plan(&platform, QUESTION).unwrap();
    let answer = plan.work(Work::MemoryStream).unwrap();
    (answer.ceiling_bytes_per_s / 1e9, answer.binding[0].component.clone())
}

fn refused(more: &str) -> PlanError {
    describe("test.toml", &machine(more), Table::builtin()).expect_err("it must be refused")
}

#[track_caller]
fn gives(more: &str, gigabytes: f64, binds: &str) {
    let (found, component) = stream(&machine(more));
    assert!((found - gigabytes).abs() < 1e-4 * gigabytes, "{more}: {found}");
    assert_eq!(component, binds, "{more}");
}

#[test]
fn pages_that_lie_elsewhere_cross_the_links_between_sockets() {
    let links = "interconnect = \"qpi-8.0\"\ninterconnect_links = 1\n";
    gives(links, 100.0, "memory of server");
    gives(&format!("{links}pages = \"near\""), 100.0, "memory of server");
    // Half crosses, and two sockets' links of 16 GB/s carry it.
    gives(&format!("{links}pages = \"spread\""), 64.0, "links between sockets of server");
    // Half crosses, and one socket's link carries it; without links that socket's modules bind.
    gives(&format!("{links}pages = \"one-node\""), 32.0, "links between sockets of server");
    gives("pages = \"one-node\"", 50.0, "memory of server");
}

#[test]
fn cores_get_the_lines_they_wait_for_over_the_time_of_one() {
    let waits = "lines_per_core = 10\nmemory_latency = \"100 ns\"\n";
    let lines = "cache lines on their way to server";
    gives(waits, 64.0, lines);
    let far = format!("{waits}far_memory_latency = \"200 to 400 ns\"\n");
    gives(&far, 64.0, lines);
    // Half of the lines take 200 ns; a ceiling takes the shorter time.
    gives(&format!("{far}pages = \"spread\""), 64.0 / 1.5, lines);
    // Two of four nodes are at the largest distance from each, the one between counts as near.
    let distances =
        "distances = [[10, 15, 30, 30], [15, 10, 30, 30], [30, 30, 10, 15], [30, 30, 15, 10]]\n";
    gives(&format!("{far}{distances}pages = \"spread\""), 64.0 / 1.5, lines);
    let one_far =
        "distances = [[10, 15, 15, 30], [15, 10, 30, 15], [15, 30, 10, 15], [30, 15, 15, 10]]\n";
    gives(&format!("{far}{one_far}pages = \"spread\""), 64.0 / 1.25, lines);
    // Far memory that takes less than near memory is a slip, and understates nothing.
    let slip = format!("{waits}far_memory_latency = \"50 ns\"\npages = \"spread\"");
    gives(&slip, 64.0, lines);
}

#[test]
fn what_says_nothing_alone_is_refused_with_what_is_missing() {
    for (more, why, hint) in [
        ("pages = \"everywhere\"", "`everywhere` is no place for pages", "one-node"),
        ("lines_per_core = 10", "says nothing alone", "memory_latency"),
        ("memory_latency = \"90 ns\"", "says nothing alone", "add lines_per_core = 10"),
        ("far_memory_latency = \"90 ns\"", "says nothing alone", "lines_per_core"),
        ("lines_per_core = 0\nmemory_latency = \"90 ns\"", "0 is not within", "count"),
    ] {
        let error = refused(more);
        assert!(error.why.contains(why) && error.hint.contains(hint), "{more}: {error}");
    }
}
