//! Rates by pencil.

use super::*;

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
    assert_eq!(binds(&plan, Work::Scan), ["CPUs of server"]);
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
