use std::path::Path;

use super::*;
use crate::block::jobs::{stage, written_jobs};

/// The streams of a job file's one stage, in a folder that has `there`, a file of 100 KiB.
fn streams(settings: &str) -> Result<Vec<JobStream>, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("there"), vec![0; 100 << 10]).unwrap();
    of(folder.path(), settings)
}

fn of(at: &Path, settings: &str) -> Result<Vec<JobStream>, String> {
    let plan = written_jobs::plan(&format!("[j]\n{settings}\n"))?;
    let mut targets = Targets::new(at, None);
    let stages = stage::stages(&plan.jobs, &mut targets, &mut Vec::new());
    Ok(stages.map_err(|error| format!("{error:#}"))?.remove(0).streams)
}

fn operations(settings: &str) -> u64 {
    let streams = streams(settings).unwrap_or_else(|why| panic!("{settings}: {why}"));
    streams.iter().filter_map(|stream| stream.limit).map(|limit| limit.operations).sum()
}

// Trims and writes that fio 3.33 counted, with the engine null.
#[test]
fn pairs_are_as_many_as_in_fio() {
    let pairs =
        |more: &str| operations(&format!("ioengine=null\nfilesize=64k\nrw=trimwrite\n{more}"));
    assert_eq!(pairs(""), 2 * 16);
    assert_eq!(pairs("rw=randtrimwrite"), 2 * 16);
    assert_eq!(pairs("io_size=32k"), 2 * 8);
    assert_eq!(pairs("io_size=30k"), 2 * 8);
    assert_eq!(pairs("io_size=128k"), 2 * 16, "trims and writes both count");
    assert_eq!(pairs("io_size=130k"), 2 * 16, "less than a block is missing");
    assert_eq!(pairs("io_size=192k"), 2 * 32, "in whole passes");
    assert_eq!(pairs("io_size=300k"), 2 * 48);
    assert_eq!(pairs("number_ios=7"), 2 * 7);
    assert_eq!(pairs("loops=2"), 2 * 32);
    assert_eq!(pairs("rw=trimwrite:8k"), 2 * 6, "with gaps");
}

#[test]
fn a_length_that_no_operation_has_gets_no_priority() {
    let shares = |split: &str| {
        let settings = format!(
            "ioengine=libaio\ndirect=1\nfilesize=1m\nrw=randread\ncmdprio_class=2\ncmdprio=7\ncmdprio_bssplit={split}"
        );
        let streams = streams(&settings).unwrap();
        streams[0].priorities.as_ref().map_or(0, |priorities| priorities.shares.len())
    };
    assert_eq!(shares("4k/100"), 1);
    assert_eq!(shares("4g/100"), 0);
}

#[test]
fn sizes_of_pairs_are_those_of_trims() {
    let found = streams("ioengine=null\nfilesize=64k\nrw=randtrimwrite\nbs=4k,4k,8k").unwrap();
    assert_eq!(found[0].sizes.single(&found[0].mix), Some(8192));
    assert_eq!(operations("ioengine=null\nfilesize=64k\nrw=randtrimwrite\nbs=4k,4k,8k"), 2 * 8);
}

// Operations that fio 3.33 did of a file of 100 KiB.
#[test]
fn zones_end_where_they_do_in_fio() {
    let zones = |more: &str| {
        operations(&format!(
            "filename=there\nrw=read\nzonemode=strided\nzonesize=16k\nzoneskip=16k\n{more}"
        ))
    };
    assert_eq!(zones(""), 13, "the last zone is cut");
    assert_eq!(zones("loops=2"), 26);
    assert_eq!(zones("io_size=200k"), 50, "all of them are done, from the beginning again");
    assert_eq!(zones("rw=randread"), 12);
    assert_eq!(zones("zoneskip=0"), 25);
    assert_eq!(zones("zoneskip=0\nzonerange=32k"), 13);
    assert_eq!(zones("zoneskip=0\nzonerange=48k"), 9);
    assert_eq!(zones("size=40k"), 10, "zones go on behind size");
    assert_eq!(zones("numjobs=2\nthread"), 26);
}

#[test]
fn zones_reach_to_the_end_of_the_file_and_size_says_how_much_is_moved() {
    let found =
        streams("filename=there\nrw=read\noffset=8k\nsize=16k\nzonemode=strided\nzonesize=8k")
            .unwrap();
    assert_eq!((found[0].offset_bytes, found[0].bytes), (8 << 10, 92 << 10));
    assert_eq!(found[0].limit.unwrap().operations, 4);
    let random = "filename=there\nrw=randread\nzonemode=strided\nzonesize=128k";
    assert!(streams(random).unwrap_err().contains("longer than what its file has"));
}

#[test]
fn lists_that_move_on_end_with_their_region() {
    let list = |more: &str| {
        let base =
            "ioengine=null\nrw=randread\nbs=4k\nsize=48k\nrandom_distribution=sequence:2,0,1";
        streams(&format!("{base}\n{more}"))
    };
    let operations = |more: &str| list(more).unwrap()[0].limit.map(|limit| limit.operations);
    assert_eq!(operations("io_size=24k"), Some(6));
    assert_eq!(operations("random_sequence_stride=1"), Some(12));
    assert_eq!(operations("random_sequence_stride=1\nsize=40k"), Some(9), "block 11 is none");
    assert_eq!(operations("random_sequence_stride=1\ntime_based\nruntime=1"), Some(12));
    assert_eq!(operations("time_based\nruntime=1"), None);
    assert!(list("size=8k").unwrap_err().contains("block 2 of its sequence"));
    let mixed = list("rw=randrw\nrandom_sequence_stride=1\nio_size=1m").unwrap_err();
    assert!(mixed.contains("a mix along a list"), "{mixed}");
    assert_eq!(list("numjobs=3\ngroup_reporting").unwrap().len(), 3, "each has its own list");
}

#[test]
fn waiting_for_overlaps_reaches_as_far_as_in_fio() {
    let base =
        "ioengine=null\nfilename=x\nsize=4k\nnumjobs=2\nserialize_overlap=1\ngroup_reporting";
    let own = streams(base).unwrap();
    assert!(matches!(own[0].serialize, Some(Serialize::ByThread)), "clones in one stream");
    let second = base.replace("filename=x", "filename=y");
    let both = format!("{base}\nio_submit_mode=offload\n[k]\n{second}\nio_submit_mode=offload");
    let all = streams(&both).unwrap();
    let ranges: Vec<_> = all
        .iter()
        .filter_map(|stream| match &stream.serialize {
            Some(Serialize::Among(ranges)) => Some(ranges),
            _ => None,
        })
        .collect();
    assert_eq!(ranges.len(), all.len());
    assert!(
        ranges.iter().all(|other| Arc::ptr_eq(ranges[0], other)),
        "one list, whatever the files"
    );
    let apart = streams(
        "ioengine=null\nrw=randread\nsize=1m\nnumjobs=2\nserialize_overlap=1\nioengine=null",
    )
    .unwrap();
    let [Some(Serialize::Among(one)), Some(Serialize::Among(other))] =
        [&apart[0].serialize, &apart[1].serialize]
    else {
        panic!("{apart:?}")
    };
    assert!(!Arc::ptr_eq(one, other), "clones don't wait for one another");
}

#[test]
fn priorities_are_those_of_the_job_file() {
    let base = "ioengine=libaio\ndirect=1\nfilename=there\nrw=randread\nbs=4k\niodepth=2";
    let shares = |more: &str| {
        let found = streams(&format!("{base}\n{more}"))?;
        Ok::<_, String>(found[0].priorities.clone().map(|all| all.shares))
    };
    let share = |bytes, percent, priority| PriorityShare { op: Op::Read, bytes, percent, priority };
    assert_eq!(shares("").unwrap(), None);
    assert_eq!(
        shares("cmdprio_percentage=20,30").unwrap(),
        Some(vec![share(None, 20, 1 << 13)]),
        "without a class it is the highest, and writes are none"
    );
    assert_eq!(
        shares("cmdprio_bssplit=4k/25/2/1:4k/75:8k/0\ncmdprio_class=3").unwrap(),
        Some(vec![share(Some(4096), 25, 2 << 13 | 1), share(Some(4096), 75, 3 << 13)])
    );
    assert!(shares("cmdprio_bssplit=4k/50\ncmdprio_percentage=2").unwrap_err().contains("exclude"));
}
