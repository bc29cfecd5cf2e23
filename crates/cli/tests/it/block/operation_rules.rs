//! Job files with rules about single operations: pairs of a trim and a write, zones, lists of blocks, priorities, and waiting for overlaps.
//! What each has to do follows from its settings; the counts are those of fio 3.33.

use std::fs;

use narrows_model::{condition, metric};
use serde_json::Value;

use super::job_run::JobRun;
use super::{job_file, narrows, text};
use crate::common::Fixture;
use crate::common::machine::shared;

const RULES: &str = "\
[global]
bs=4k
stonewall

[pairs]
ioengine=null
rw=randtrimwrite
filesize=1m
bsrange=512-4k
norandommap

[holes]
ioengine=psync
rw=trimwrite
size=1m

[strides]
ioengine=psync
rw=read
size=100k
zonemode=strided
zonesize=16k
zoneskip=16k

[scattered]
ioengine=psync
rw=randread
size=128k
zonemode=strided
zonesize=32k
zonerange=16k
zoneskip=16k

[list]
ioengine=null
rw=randread
size=48k
io_size=24k
random_distribution=sequence:2,0,1
random_sequence_stride=1

[alone]
ioengine=null
thread=1
filename=one
size=4k
io_submit_mode=offload
serialize_overlap=1
numjobs=8
loops=50
group_reporting

[checked]
ioengine=libaio
iodepth=8
rw=randwrite
size=256k
serialize_overlap=1
verify=crc32c
";

#[test]
fn rules_about_single_operations_are_kept() {
    let _machine = shared();
    let f = Fixture::new();
    let ran = JobRun::of(&f, RULES);
    let (run, said) = (&ran.run, &ran.said);
    f.assert_nothing_left();
    let moved = |name: &str, kind: &str| {
        let kind = &ran.fio_job(name)[kind];
        (kind["total_ios"].as_u64().unwrap(), kind["io_bytes"].as_u64().unwrap())
    };
    assert_eq!(moved("pairs", "trim"), moved("pairs", "write"), "{said}");
    assert!(moved("pairs", "trim").0 > 256);
    assert_eq!(moved("holes", "trim"), (256, 1 << 20));
    assert_eq!(moved("holes", "write"), (256, 1 << 20));
    assert_eq!(moved("strides", "read"), (13, 13 << 12), "the end of the file cuts the last zone");
    assert_eq!(moved("scattered", "read"), (32, 32 << 12));
    assert_eq!(moved("list", "read"), (6, 6 << 12));
    assert_eq!(moved("alone", "read"), (400, 400 << 12));
    assert!(said.contains("64 of 64 blocks"), "what is read back waits for nothing: {said}");
    let place = |name: &str| {
        let measurement = run.measurement(&format!("block.job.{name}")).unwrap();
        assert!(measurement.value(metric::OPERATIONS).is_some());
        measurement.text(condition::PLACE).unwrap_or_default().to_string()
    };
    assert_eq!(place("holes"), "a write behind each trim, parts");
    assert!(place("strides").starts_with("zones of 16384 bytes"), "{}", place("strides"));
    assert_eq!(place("list"), "blocks 2 0 1, then as many blocks further");
}

/// Whether this process may use the real-time class decides what becomes of it: either way nobody is kept in the dark.
const PRIORITIES: &str = "\
[mixed]
ioengine=libaio
rw=randrw
bs=4k
size=4m
direct=1
iodepth=4
cmdprio_percentage=30,0
cmdprio_class=2
cmdprio=7
prioclass=2
prio=1
";

#[test]
fn latencies_are_told_by_priority() {
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(&f, "priorities.fio", PRIORITIES);
    let json = f.home().join("priorities.json");
    let args = ["run", &job, "--load-here", "--fio-json", json.to_str().unwrap()];
    let output = narrows(&f, &args);
    let said = text(&output.stderr) + &text(&output.stdout);
    if said.contains("not available here") || said.contains("direct I/O") {
        eprintln!("SKIPPED: {said}");
        return;
    }
    let document: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let job = &document["jobs"][0];
    let parts = job["read"]["prios"].as_array().unwrap_or_else(|| panic!("{said}: {job}"));
    let of = |key: &str| parts.iter().map(|part| part[key].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((of("prioclass"), of("prio")), (vec![2, 2], vec![1, 7]));
    let counts: Vec<u64> =
        parts.iter().map(|part| part["clat_ns"]["N"].as_u64().unwrap()).collect();
    assert_eq!(counts.iter().sum::<u64>(), job["read"]["total_ios"].as_u64().unwrap());
    assert!(counts[1] > counts[0] / 5 && counts[1] < counts[0], "{counts:?}");
    assert!(job["write"].get("prios").is_none(), "all writes have one");
    assert!(said.contains("reads of priority best effort 7"), "{said}");
}
