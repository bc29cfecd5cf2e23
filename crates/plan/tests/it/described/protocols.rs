//! Storage over TCP takes processor time at both ends, by published rates of a core and of a queue.

use super::*;

/// Fast drives behind 100 GbE, with so many cores at each end; `more` belongs to the link.
fn over(class: &str, target: &str, host: &str, more: &str) -> String {
    format!(
        r#"
name = "over"
[[machine]]
name = "target"
{target}
[[machine]]
name = "host"
{host}
[[drives]]
name = "disks"
at = "target"
reads = "10 M/s"
writes = "10 M/s"
read = "100 GB/s"
write = "100 GB/s"
source = "test"
[[link]]
name = "wire"
from = "target"
to = "host"
class = "{class}"
{more}
[[database]]
name = "db"
at = "host"
data = "disks"
"#
    )
}

fn rate(plan: &Plan, work: Work) -> f64 {
    plan.work(work).unwrap().ceiling_per_s
}

#[test]
fn the_end_with_fewer_cores_binds_small_requests() {
    let few = over("eth-100", "cores = 2", "cores = 32", "protocol = \"nvme-tcp\"");
    let plan = planned(&few);
    // Two cores of at most 248 k/s reads and 200 k/s writes; what good systems reach is the middle of 62 and 248.
    assert!(close(rate(&plan, Work::RandomRead), 496e3), "{}", rate(&plan, Work::RandomRead));
    assert!(close(rate(&plan, Work::RandomWrite), 400e3));
    assert_eq!(binds(&plan, Work::RandomRead), ["CPUs of target"]);
    let expected = plan.work(Work::RandomRead).unwrap().expected_per_s.unwrap();
    assert!(close(expected, 2.0 * 155e3), "{expected}");
    let turned = over("eth-100", "cores = 32", "cores = 1", "protocol = \"nvme-tcp\"");
    assert_eq!(binds(&planned(&turned), Work::RandomRead), ["CPUs of host"]);
    // Enough of them, and the wire binds, as without a word about the protocol.
    let many = over("eth-100", "cores = 64", "cores = 64", "protocol = \"nvme-tcp\"");
    let without = over("eth-100", "cores = 2", "cores = 2", "");
    assert_eq!(binds(&planned(&many), Work::RandomRead), ["wire"]);
    let wire = rate(&planned(&without), Work::RandomRead);
    assert!(close(rate(&planned(&many), Work::RandomRead), wire), "{wire}");
}

#[test]
fn requests_of_a_mebibyte_are_held_by_the_wire_all_the_same() {
    let plan = planned(&over("eth-100", "cores = 2", "cores = 2", "protocol = \"nvme-tcp\""));
    let without = planned(&over("eth-100", "cores = 2", "cores = 2", ""));
    for work in [Work::SequentialRead, Work::SequentialWrite, Work::Scan] {
        assert!(close(rate(&plan, work), rate(&without, work)), "{work:?}");
        assert_eq!(binds(&plan, work), ["wire"]);
    }
}

#[test]
fn queues_bind_where_their_number_is_given() {
    let queues = "protocol = \"nvme-tcp\"\nqueues = 2";
    let plan = planned(&over("eth-100", "cores = 16", "cores = 16", queues));
    assert!(close(rate(&plan, Work::RandomRead), 496e3));
    assert_eq!(binds(&plan, Work::RandomRead), ["queues of wire"]);
    let expected = plan.work(Work::RandomRead).unwrap().expected_per_s.unwrap();
    assert!(close(expected, 2.0 * 193e3), "{expected}");
    assert!(close(rate(&plan, Work::RandomWrite), 400e3));
}

#[test]
fn iscsi_takes_more_of_a_core() {
    let plan = planned(&over("eth-100", "cores = 4", "cores = 16", "protocol = \"iscsi\""));
    assert!(close(rate(&plan, Work::RandomRead), 280e3));
    assert!(plan.work(Work::RandomRead).unwrap().expected_per_s.is_none(), "one figure");
}

#[test]
fn the_doubt_is_told_and_so_are_cores_that_are_not_given() {
    let told = |text: &str| planned(text).notes.join("\n");
    let text = told(&over("eth-100", "cores = 2", "", "protocol = \"nvme-tcp\""));
    assert!(
        text.contains("NVMe/TCP takes 4.0 to 16.1 us of a core per read by published measurements (nvme-tcp-core), the ceiling is reckoned with the least: target, host"),
        "{text}"
    );
    assert!(text.contains("cores are not given, so CPUs limit nothing: host"), "{text}");
    assert!(!told(&over("eth-100", "cores = 2", "", "")).contains("of a core per read"));
    let iscsi = told(&over("eth-100", "cores = 2", "cores = 2", "protocol = \"iscsi\""));
    assert!(iscsi.contains("iSCSI takes 14.3 us of a core per read"), "{iscsi}");
}

#[test]
fn a_protocol_that_fits_nothing_is_refused() {
    let cores = "cores = 2";
    let rdma = refused(&over("hdr-200", cores, cores, "protocol = \"nvme-tcp\""));
    assert!(rdma.why.contains("NVMe/TCP runs over TCP, and hdr-200 carries none"), "{rdma}");
    let other = refused(&over("eth-100", cores, cores, "protocol = \"nbd\""));
    assert!(other.why.contains("`nbd`") && other.hint.contains("iscsi"), "{other}");
    let alone = refused(&over("eth-100", cores, cores, "queues = 4"));
    assert!(alone.why.contains("which protocol"), "{alone}");
    let iscsi = refused(&over("eth-100", cores, cores, "protocol = \"iscsi\"\nqueues = 4"));
    assert!(iscsi.why.contains("one queue of iscsi"), "{iscsi}");
    let none = refused(&over("eth-100", cores, cores, "protocol = \"nvme-tcp\"\nqueues = 0"));
    assert!(none.why.contains("not within 1"), "{none}");
}
