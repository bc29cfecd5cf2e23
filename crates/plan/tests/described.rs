//! What a description allows, by pencil; what is refused, with line, reason and hint; hostile text.

use narrows_limits::table::Table;
use narrows_plan::{Plan, PlanError, Question, Work, describe, plan};
use proptest::prelude::*;

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
reads = "100 k/s"
writes = "50 k/s"
read_latency = "100 us"
source = "test"
"#;

fn database(more: &str) -> String {
    format!("{BOX}\n[[database]]\nname = \"db\"\nat = \"server\"\ndata = \"disks\"\n{more}")
}

#[test]
fn a_box_is_as_fast_as_its_drives_say() {
    let plan = planned(&database(""));
    assert!(close(gigabytes(&plan, Work::SequentialRead), 16.0));
    assert!(close(plan.work(Work::RandomRead).unwrap().ceiling_per_s, 800e3));
    assert!(close(plan.work(Work::RandomWrite).unwrap().ceiling_per_s, 400e3));
    assert!(close(gigabytes(&plan, Work::MemoryStream), 40.0));
    // A scan of 1 TB at 16 GB/s.
    assert!(close(plan.scan_s().unwrap(), 62.5));
    assert_eq!(binds(&plan, Work::Scan), ["disks"]);
}

#[test]
fn a_scan_crosses_memory_once_more_and_a_page_cache_twice_more() {
    // Written by the drives, read by a processor, and copied: read and written. 4 × 16 GB/s is more than 40.
    let plan = planned(&database("copies = 1\n"));
    assert!(close(gigabytes(&plan, Work::Scan), 10.0));
    assert_eq!(binds(&plan, Work::Scan), ["memory of server"]);
    let widen = &plan.work(Work::Scan).unwrap().widen[0];
    assert!(close(widen.by_a_tenth, 0.1) && close(widen.lifted.unwrap(), 0.6), "{widen:?}");
    let next = &plan.work(Work::Scan).unwrap().next;
    assert_eq!(next[0].component, "disks");
    // Reads without a look at the data: written once, copied.
    assert!(close(gigabytes(&plan, Work::SequentialRead), 40.0 / 3.0));
}

#[test]
fn requests_in_flight_bind_by_littles_law() {
    let plan = planned(&database("in_flight = 16\n"));
    let reads = plan.work(Work::RandomRead).unwrap();
    assert!(close(reads.ceiling_per_s, 160e3), "{}", reads.ceiling_per_s);
    assert_eq!(binds(&plan, Work::RandomRead), ["requests in flight of db"]);
    // Jobs times depth are more than anybody plugs in.
    planned(&database("in_flight = 16384\n"));
    let error = refused(&database("in_flight = 0\n"));
    assert!(error.hint.contains("jobs times their depth"), "{error}");
    // No time of a write is given: that is said, and nothing is invented.
    assert!(close(plan.work(Work::RandomWrite).unwrap().ceiling_per_s, 400e3));
    assert!(plan.notes.iter().any(|note| note.contains("write_latency")), "{:?}", plan.notes);
}

#[test]
fn processors_and_workers_bind_a_scan() {
    let scan = "scan_per_core = \"1 GB/s\"\nsource = \"test\"\n";
    let plan = planned(&database(scan));
    assert!(close(gigabytes(&plan, Work::Scan), 10.0));
    assert_eq!(binds(&plan, Work::Scan), ["processors of server"]);
    let plan = planned(&database(&format!("workers = 3\n{scan}")));
    assert!(close(gigabytes(&plan, Work::Scan), 3.0));
    assert_eq!(binds(&plan, Work::Scan), ["workers of db"]);
}

#[test]
fn mirrors_and_parity_multiply_writes_and_leave_reads_alone() {
    let with = |level: &str| {
        let text =
            format!("{BOX}\n[[array]]\nname = \"a\"\nlevel = \"{level}\"\ndrives = [\"disks\"]\n");
        planned(&format!("{text}[[database]]\nat = \"server\"\ndata = \"a\"\n"))
    };
    let of = |plan: &Plan, work: Work| plan.work(work).unwrap().ceiling_per_s;
    for (level, small, stripe_gb) in [
        ("raid0", 400e3, 16.0),
        ("raid10", 200e3, 8.0),
        // Two reads and two writes for each: 800 k/2 and 400 k/2, the fewer counts.
        ("raid5", 200e3, 14.0),
        // Three of each.
        ("raid6", 400e3 / 3.0, 12.0),
    ] {
        let plan = with(level);
        assert!(close(of(&plan, Work::RandomRead), 800e3), "{level}");
        assert!(close(of(&plan, Work::RandomWrite), small), "{level}");
        assert!(close(gigabytes(&plan, Work::SequentialWrite), stripe_gb), "{level}");
    }
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

#[test]
fn a_targets_memory_is_crossed_twice() {
    let plan = planned(&pair(&link("wide", 25.0)));
    assert!(close(gigabytes(&plan, Work::SequentialRead), 10.0));
    assert_eq!(binds(&plan, Work::SequentialRead), ["memory of target"]);
    assert!(close(gigabytes(&plan, Work::SequentialWrite), 10.0));
}

#[test]
fn two_links_between_two_machines_are_both_used() {
    let plan = planned(&pair(&(link("one", 3.0) + &link("two", 4.0))));
    assert!(close(gigabytes(&plan, Work::SequentialRead), 7.0));
    let mut both = binds(&plan, Work::SequentialRead);
    both.sort();
    assert_eq!(both, ["one", "two"]);
}

#[test]
fn nothing_passes_through_a_machine_that_only_stands_on_the_way() {
    let text = pair(&link("one", 3.0).replace("to = \"host\"", "to = \"between\""))
        + "[[machine]]\nname = \"between\"\n"
        + &link("two", 3.0).replace("from = \"target\"", "from = \"between\"");
    let platform = describe("test.toml", &text, Table::builtin()).unwrap();
    let error = plan(&platform, QUESTION).unwrap_err().to_string();
    assert!(error.contains("no route") && error.contains("db"), "{error}");
}

#[test]
fn half_of_what_a_device_moves_lies_behind_the_other_socket() {
    let text = r#"
name = "two sockets"
[[machine]]
name = "server"
sockets = 2
memory = "ddr5-4800"
channels = 8
interconnect = "upi-16"
interconnect_links = 1
[[drives]]
name = "disks"
at = "server"
read = "1 TB/s"
write = "1 TB/s"
source = "test"
[[database]]
at = "server"
data = "disks"
"#;
    let plan = planned(text);
    // 16 channels of 38.4 GB/s.
    assert!(close(gigabytes(&plan, Work::MemoryStream), 614.4));
    let link = Table::builtin().class("upi-16").unwrap().read.ceiling().unwrap().high;
    // Both sockets' links, and half of the bytes cross.
    assert!(close(gigabytes(&plan, Work::SequentialRead), 2.0 * 2.0 * link / 1e9));
    assert_eq!(binds(&plan, Work::SequentialRead), ["links between sockets of server"]);
}

#[test]
fn a_pcie_switch_holds_what_hangs_below_it() {
    let text = r#"
name = "switched"
[[machine]]
name = "server"
lanes = 16
[[switch]]
name = "fan"
at = "server"
class = "pcie-gen4-x16"
[[drives]]
name = "disks"
at = "fan"
class = "nvme-gen4-x4"
count = 24
[[database]]
at = "server"
data = "disks"
"#;
    let plan = planned(text);
    // 16 lanes × 16 GT/s × 128/130 / 8, packets of 256 B with 24 B of headers.
    assert!(
        close(gigabytes(&plan, Work::SequentialRead), 31.508 * 256.0 / 280.0),
        "{}",
        gigabytes(&plan, Work::SequentialRead)
    );
    assert_eq!(binds(&plan, Work::SequentialRead), ["fan"]);
}

#[test]
fn more_lanes_than_there_are_is_refused_with_the_sum() {
    let text = r#"
name = "too much"
[[machine]]
name = "server"
cpu = "xeon-sapphire-rapids"
[[drives]]
name = "disks"
at = "server"
class = "nvme-gen5-x4"
count = 24
[[adapter]]
name = "hca1"
at = "server"
slot = "pcie-gen5-x16"
[[adapter]]
name = "hca2"
at = "server"
slot = "pcie-gen5-x16"
[[database]]
at = "server"
data = "disks"
"#;
    let error = refused(text);
    assert_eq!(error.line, 4);
    assert_eq!(error.what, "machine server: lanes");
    assert_eq!(error.why, "24 × x4 + 2 × x16 = 128 lanes, and there are 80");
    assert!(error.hint.contains("[[switch]]"));
    // The same on a processor with 128 lanes is built.
    planned(&text.replace("xeon-sapphire-rapids", "epyc-9004"));
}

#[test]
fn what_cannot_be_is_refused_in_its_line_with_a_hint() {
    for (replace, by, line, what, why) in [
        ("count = 8", "count = 0", 11, "drives disks: count", "0 is not within 1"),
        ("count = 8", "count = -3", 11, "drives disks: count", "-3 is not within"),
        ("count = 8", "count = 99999999999", 11, "drives disks: count", "is not within"),
        ("count = 8", "colour = 8", 11, "the file", "unknown field `colour`"),
        ("\"2 GB/s\"\nwrite", "\"2 GB\"\nwrite", 12, "drives disks: read", "`GB` is not a unit"),
        (
            "\"2 GB/s\"\nwrite",
            "\"0 GB/s\"\nwrite",
            12,
            "drives disks: read",
            "not a positive number",
        ),
        ("\"2 GB/s\"\nwrite", "\"NaN GB/s\"\nwrite", 12, "drives disks: read", "NaN"),
        ("\"2 GB/s\"\nwrite", "\"-2 GB/s\"\nwrite", 12, "drives disks: read", "-2"),
        (
            "at = \"server\"\ncount",
            "at = \"sever\"\ncount",
            10,
            "drives disks: at",
            "nothing here is called",
        ),
        (
            "read_latency = \"100 us\"\nsource = \"test\"",
            "read_latency = \"100 us\"",
            12,
            "drives disks: read",
            "needs its source",
        ),
        ("name = \"disks\"", "name = \"server\"", 9, "drives", "already the name of a machine"),
        ("name = \"disks\"", "name = \"a b\"", 9, "drives: name", "is no name"),
    ] {
        let text = database("").replacen(replace, by, 1);
        assert_ne!(text, database(""), "{replace}");
        let error = refused(&text);
        assert_eq!((error.line, error.what.as_str()), (line, what), "{error}");
        assert!(error.why.contains(why) && !error.hint.is_empty(), "{error}");
    }
    let error =
        refused("name = \"x\"\n[[machine]]\nname = \"m\"\nmemory = \"ddr5-480\"\nchannels = 2\n");
    assert_eq!(error.hint, "did you mean `ddr5-4800`?");
    let error =
        refused("name = \"x\"\n[[machine]]\nname = \"m\"\nmemory = \"hdr-200\"\nchannels = 2\n");
    assert!(error.why.contains("infiniband"), "{error}");
    assert_eq!(error.hint, "`narrows limits dram` lists what belongs here");
}

/// A machine of one processor class with memory, one slot and one drive.
fn machine(cpu: &str, memory: &str, slot: &str, drive: &str) -> String {
    format!(
        "name = \"m\"\n[[machine]]\nname = \"m\"\ncpu = \"{cpu}\"\nmemory = \"{memory}\"\nchannels = 4\n\
         [[adapter]]\nname = \"a\"\nat = \"m\"\nslot = \"{slot}\"\n\
         [[drives]]\nname = \"d\"\nat = \"m\"\nclass = \"{drive}\"\n\
         [[database]]\nat = \"m\"\ndata = \"d\"\n"
    )
}

#[test]
fn what_does_not_fit_the_processor_is_refused() {
    let of = |cpu, memory, slot, drive| {
        let error = refused(&machine(cpu, memory, slot, drive));
        (error.line, error.what, error.hint)
    };
    let (line, what, hint) = of("epyc-7002", "ddr4-3200", "pcie-gen5-x16", "nvme-gen4-x4");
    assert_eq!((line, what.as_str()), (10, "adapter a: slot `pcie-gen5-x16`"));
    assert!(hint.contains("`pcie-gen4-x16`"), "{hint}");
    let (line, what, hint) = of("xeon-e5-v2", "ddr3-1866", "pcie-gen3-x16", "nvme-gen4-x4");
    assert_eq!((line, what.as_str()), (14, "drives d: class `nvme-gen4-x4`"));
    assert!(hint.contains("`nvme-gen3-x4`"), "{hint}");
    let (line, what, hint) = of("epyc-9004", "ddr4-3200", "pcie-gen5-x16", "nvme-gen5-x4");
    assert_eq!((line, what.as_str()), (5, "machine m: memory `ddr4-3200`"));
    assert!(hint.contains("ddr5"), "{hint}");
    // What is as new or older is built, and behind a switch only the switch's link counts.
    planned(&machine("epyc-9004", "ddr5-4800", "pcie-gen3-x8", "nvme-gen5-x4"));
    let switch = "[[switch]]\nname = \"s\"\nat = \"m\"\nclass = \"pcie-gen4-x16\"\n";
    let text = machine("epyc-7002", "ddr4-3200", "pcie-gen4-x16", "nvme-gen5-x4") + switch;
    let behind = text.replace("\"d\"\nat = \"m\"", "\"d\"\nat = \"s\"");
    planned(&behind);
    let error = refused(&behind.replace("class = \"pcie-gen4-x16\"", "class = \"pcie-gen5-x16\""));
    assert_eq!(error.what, "switch s: class `pcie-gen5-x16`");
}

#[test]
fn modules_faster_than_the_processor_runs_them_are_told() {
    let told = |memory| {
        let plan = planned(&machine("epyc-9004", memory, "pcie-gen5-x16", "nvme-gen5-x4"));
        plan.notes.iter().filter(|note| note.contains("told to run ddr5-4800")).count()
    };
    assert_eq!((told("ddr5-6400"), told("ddr5-4800"), told("ddr5-4400")), (1, 0, 0));
}

#[test]
fn a_links_operations_stand_in_for_no_drives_own() {
    let notes = |drive| planned(&machine("epyc-9004", "ddr5-4800", "pcie-gen5-x16", drive)).notes;
    let lacking = notes("nvme-gen5-x4");
    let said =
        |key: &str| lacking.iter().any(|note| note.contains("don't say") && note.contains(key));
    assert!(said("reads") && said("writes"), "{lacking:?}");
    let volume = Table::builtin().classes().find(|class| class.id.starts_with("ebs-io2"));
    let volume = volume.expect("a cloud volume with operations").id.clone();
    let rented = notes(&volume);
    assert!(!rented.iter().any(|note| note.contains("reads")), "{rented:?}");
}

#[test]
fn values_of_the_wrong_kind_are_told_by_their_key() {
    let base = "name = \"x\"\n[[machine]]\nname = \"m\"\n";
    for (more, line, what, why, hint) in [
        ("cores = \"64\"", 4, "cores", "\"64\" stands where a whole number", "cores = 8"),
        ("cores = 1.5", 4, "cores", "`1.5` stands where a whole number", "cores = 8"),
        ("memory = 3200", 4, "memory", "`3200` stands where text in quotes", "unit"),
        ("cores = 1\ncores = 2", 5, "cores", "twice", "keep one"),
        (
            "[[array]]\nname = \"a\"\nlevel = \"raid1\"\ndrives = \"d\"",
            7,
            "drives",
            "a list",
            "[…]",
        ),
        ("[[drives]]\nname = \"d\"", 4, "[[drives]]", "has no `at`", "add at"),
        ("[machine]\nname = \"n\"", 4, "machine", "twice", "[[machine]]"),
        ("[switch]\nname = \"n\"", 4, "[switch]", "a list", "[[switch]]"),
    ] {
        let error = refused(&format!("{base}{more}\n"));
        assert_eq!((error.line, error.what.as_str()), (line, what), "{error}");
        assert!(error.why.contains(why) && error.hint.contains(hint), "{error}");
        assert!(!error.why.contains("expected"), "{error}");
    }
    let error = refused("");
    assert!(error.why.contains("has no `name`") && error.hint.contains("add name"), "{error}");
}

#[test]
fn rings_and_loose_ends_are_refused() {
    let ring = r#"
name = "ring"
[[machine]]
name = "m"
[[switch]]
name = "a"
at = "b"
class = "pcie-gen4-x16"
[[switch]]
name = "b"
at = "a"
class = "pcie-gen4-x16"
"#;
    assert!(refused(ring).why.contains("ring"));
    let network = "name = \"x\"\n[[machine]]\nname = \"m\"\n[[switch]]\nname = \"s\"\n[[drives]]\nname = \"d\"\nat = \"s\"\nclass = \"nvme-gen4-x4\"\n";
    assert!(refused(network).why.contains("switch of the network"));
    assert!(refused("name = \"x\"\n").why.contains("[[machine]]"));
    assert!(refused(BOX).why.contains("[[database]]"));
    let mirror = format!("{BOX}\n[[array]]\nname = \"a\"\nlevel = \"raid6\"\ndrives = []\n");
    assert!(refused(&mirror).why.contains("raid6 needs 4"));
    let both = pair(&link("one", 3.0).replace("source", "class = \"eth-25\"\nsource"));
    assert!(refused(&both).why.contains("a class and a bandwidth"));
}

#[test]
fn two_links_or_databases_of_one_name_are_refused() {
    let unnamed = link("one", 3.0).replace("name = \"one\"\n", "");
    let error = refused(&pair(&unnamed.repeat(2)));
    assert!(error.what == "link target to host" && error.hint.contains("count = 2"), "{error}");
    let twice = link("disks", 3.0);
    assert!(refused(&pair(&twice)).why.contains("`disks` stands for something else"));
    let again = "[[database]]\nname = \"db\"\nat = \"host\"\ndata = \"disks\"\n";
    assert!(refused(&(pair(&link("one", 3.0)) + again)).why.contains("another database"));
}

/// So many databases at one host, behind links of 32 GB/s.
fn many(databases: usize, links: &[&str]) -> String {
    let links: String = links.iter().map(|name| link(name, 32.0)).collect();
    let wide = ["20 GB/s", "100 GB/s", "30 GB/s"];
    let mut text = wide.iter().fold(pair(&links), |text, narrow| text.replace(narrow, "1 TB/s"));
    for index in 1..databases {
        text += &format!("[[database]]\nname = \"db{index}\"\nat = \"host\"\ndata = \"disks\"\n");
    }
    text
}

#[test]
fn many_databases_share_evenly_and_too_many_ways_are_refused() {
    let reads = |text: &str| gigabytes(&planned(text), Work::SequentialRead);
    assert!(close(reads(&many(64, &["one"])), 32.0));
    assert!(close(reads(&many(20, &["one", "two", "three"])), 96.0));
    // Leaving routes out would understate what is possible.
    let platform = describe("t", &many(64, &["one", "two"]), Table::builtin()).unwrap();
    let error = plan(&platform, QUESTION).unwrap_err().to_string();
    assert!(error.contains("more than 1 routes for db"), "{error}");
    assert!(refused(&many(65, &["one"])).why.contains("65 databases"));
}

#[test]
fn distances_have_to_be_a_matrix() {
    let with = |matrix: &str| {
        format!(
            "name = \"x\"\n[[machine]]\nname = \"m\"\nmemory = \"ddr3-1333\"\nchannels = 4\ndistances = {matrix}\n"
        )
    };
    let notes = planned(&with("[[10, 20], [20, 10]]")).notes;
    assert!(
        notes.iter().any(|note| note.contains("1 access in 2") && note.contains("15.0")),
        "{notes:?}"
    );
    for (matrix, why) in [
        ("[[10, 20]]", "2 columns of 1"),
        ("[[10, 20], [20, 11]]", "11 from itself"),
        ("[[10, 5], [20, 10]]", "5 is not within"),
        ("[]", "0 rows"),
    ] {
        assert!(refused(&with(matrix)).why.contains(why), "{matrix}");
    }
}

#[test]
fn prices_are_summed_and_divided() {
    let priced = database("")
        .replace("cores = 10", "cores = 10\nprice = 9200")
        .replace("count = 8", "count = 8\nprice = 100");
    let plan = planned(&format!("currency = \"EUR\"\n{priced}"));
    assert_eq!(plan.price.as_ref().unwrap().total, 10_000.0);
    let text = narrows_plan::text(&[plan], 100);
    // 10,000 EUR over 800 k reads, and over 16 GB/s.
    assert!(text.contains("12.5 EUR") && text.contains("625 EUR"), "{text}");
    assert!(refused(&priced.replace("9200", "-1")).why.contains("no price"));
    assert!(refused(&priced.replace("9200", "nan")).why.contains("no price"));
}

#[test]
fn every_output_names_what_binds_and_fits_its_width() {
    let plans = [planned(&database("in_flight = 16\n")), planned(&pair(&link("wide", 25.0)))];
    let text = narrows_plan::text(&plans, 100);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    for out in [
        text,
        narrows_plan::markdown(&plans),
        narrows_plan::csv(&plans),
        narrows_plan::json(&plans),
    ] {
        assert!(
            out.contains("requests in flight of db") && out.contains("memory of target"),
            "{out}"
        );
    }
    let json: serde_json::Value = serde_json::from_str(&narrows_plan::json(&plans)).unwrap();
    assert_eq!(json[1]["works"][0]["work"], "random_read");
    assert_eq!(narrows_plan::csv(&plans).lines().count(), 1 + 6 + 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn hostile_text_gives_an_error_or_a_plan_and_never_a_panic(
        text in "(name = \"x\"\n)?((\\[\\[(machine|drives|link|switch|array|database)\\]\\]|[a-z_]+ = (\"[^\"\n]{0,8}\"|-?[0-9]{1,20}|nan|inf|\\[\\]))\n){0,12}",
    ) {
        if let Ok(platform) = describe("t", &text, Table::builtin()) {
            let _ = plan(&platform, QUESTION);
        }
    }

    #[test]
    fn a_cut_or_spoiled_description_never_panics(cut in 0usize..2000, at in 0usize..2000, byte in 0u8..128) {
        let whole = pair(&(link("one", 3.0) + &link("two", 4.0)));
        let mut bytes = whole.as_bytes()[..cut.min(whole.len())].to_vec();
        if let Some(spoiled) = bytes.get_mut(at) {
            *spoiled = byte;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match describe("t", &text, Table::builtin()) {
            Ok(platform) => { let _ = plan(&platform, QUESTION); }
            Err(error) => prop_assert!(!error.hint.is_empty() && error.line >= 1),
        }
    }
}

#[test]
fn copies_on_several_machines_are_refused_and_stripes_are_not() {
    let own = "[[drives]]\nname = \"own\"\nat = \"host\"\nread = \"30 GB/s\"\nsource = \"test\"\n";
    let array = |level: &str| {
        let array = format!(
            "{own}[[array]]\nname = \"a\"\nlevel = \"{level}\"\ndrives = [\"disks\", \"own\"]\n"
        );
        pair(&(link("wide", 25.0) + &array)).replace("data = \"disks\"", "data = \"a\"")
    };
    let error = refused(&array("raid1"));
    assert!(error.why.contains("on 2 machines"), "{error}");
    planned(&array("raid0"));
}

#[test]
fn requests_in_flight_take_the_fastest_way_in_whatever_order_it_stands() {
    let slow = link("slow", 25.0).replace("source", "latency = \"900 us\"\nsource");
    let fast = link("fast", 25.0).replace("source", "latency = \"100 us\"\nsource");
    let rate = |links: String| {
        let text = pair(&links)
            .replace("write = \"30 GB/s\"", "write = \"30 GB/s\"\nread_latency = \"100 us\"")
            + "in_flight = 2\n";
        planned(&text).work(Work::RandomRead).unwrap().ceiling_per_s
    };
    // Two in flight, each 100 us on the drive and 100 us on the way.
    assert!(close(rate(format!("{slow}{fast}")), 10_000.0));
    assert!(close(rate(format!("{fast}{slow}")), 10_000.0));
}
