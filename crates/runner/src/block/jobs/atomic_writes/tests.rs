use std::sync::Arc;

use narrows_fio::{Loader, Machine, Plan};
use narrows_layer_block::BlockFormat;

use super::*;
use crate::block::jobs::stage::{self, Stage};
use crate::block::jobs::targets::Targets;

/// Two clones on one file, whose blocks have to be whole.
const SHARED: &str = "rw=randwrite\nbs=4k\nsize=1m\nnumjobs=2\nfilename=x\nioengine=libaio\ndirect=1\niodepth=16\natomic=1\nverify=crc64\nverify_write_sequence=0\n";

struct One(String);

impl Loader for One {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        Ok((path == "f").then(|| self.0.clone()))
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

fn read(settings: &str) -> Result<Plan, String> {
    let machine = Machine { page_size_bytes: 4096, memory_mib: 1024, cpus: 2 };
    narrows_fio::read(&["f"], &[], &One(format!("[j]\n{settings}")), &machine)
        .map_err(|all| all.to_string())
}

/// The stages, and what is said of them.
fn planned(settings: &str) -> Result<(Vec<Stage>, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let plan = read(settings)?;
    let mut said = Vec::new();
    let mut targets = Targets::new(folder.path(), None);
    let stages = stage::stages(&plan.jobs, &mut targets, &mut said);
    stages.map(|stages| (stages, said)).map_err(|error| format!("{error:#}"))
}

fn job(bs: &str) -> Job {
    let settings = format!("rw=write\nbs={bs}\nsize=1m\nioengine=io_uring\ndirect=1\natomic=1\n");
    read(&settings).unwrap().jobs.remove(0)
}

#[test]
fn what_the_kernel_says_of_a_file_decides() {
    let path = Path::new("/dev/it");
    let units = |min_bytes, max_bytes| Ok(Some(AtomicWriteUnits { min_bytes, max_bytes }));
    for bs in ["4k", "8k", "16k"] {
        assert!(judge(&job(bs), path, units(4096, 16384)).is_ok(), "{bs}");
    }
    for bs in ["2k", "32k"] {
        let why = judge(&job(bs), path, units(4096, 16384)).unwrap_err().to_string();
        assert!(why.contains("/dev/it takes atomic writes of 4096 to 16384 bytes"), "{why}");
    }
    let none = judge(&job("4k"), path, units(0, 0)).unwrap_err().to_string();
    assert!(none.contains("/dev/it takes no atomic writes: its drive or file system"), "{none}");
    let silent = judge(&job("4k"), path, Ok(None)).unwrap_err().to_string();
    assert!(silent.contains("they came with 6.11"), "{silent}");
    let before = judge(&job("4k"), path, Err(std::io::ErrorKind::Unsupported.into()));
    assert!(before.unwrap_err().to_string().contains("since Linux 6.11"));
}

#[test]
fn settings_that_no_atomic_write_can_have_stop() {
    let with = |settings: &str| {
        let base = "rw=write\nsize=1m\nioengine=libaio\ndirect=1\natomic=1\n";
        planned(&format!("{base}{settings}\n")).map(|_| ())
    };
    assert_eq!(with("bs=64k"), Ok(()));
    for (settings, why) in [
        ("direct=0", "past the page cache alone"),
        ("bs=12k", "a power of two of bytes"),
        ("bssplit=4k/50:8k/50", "several sizes"),
        ("ioengine=psync", "other engines than io_uring and libaio"),
        ("filename=/dev/null", "/dev/null takes no atomic writes"),
    ] {
        let told = with(settings).expect_err(settings);
        assert!(told.contains(why), "{settings}: {told}");
    }
    let reads = read("size=1m\natomic=1\n").unwrap();
    assert!(!reads.jobs[0].atomic_writes, "as in fio, reads are as without it");
}

#[test]
fn the_flag_goes_with_the_way_of_streams_that_ask_for_it() {
    let (stages, _) = planned(SHARED).unwrap();
    assert!(stages[0].streams.iter().all(|stream| stream.access.options().atomic_writes));
    let (stages, _) = planned("rw=write\nsize=1m\nioengine=libaio\ndirect=1\n").unwrap();
    assert!(!stages[0].streams[0].access.options().atomic_writes);
}

#[test]
fn clones_that_write_one_place_are_verified_where_each_block_has_to_be_whole() {
    let (stages, said) = planned(SHARED).unwrap();
    assert_eq!(stages[0].streams.len(), 2);
    let told = said.iter().filter(|line| line.contains("read back when all of them have written"));
    assert_eq!(told.count(), 1, "{said:?}");
    for (settings, why) in [
        ("atomic=0", "writes may be torn"),
        ("verify_write_sequence=1", "the last one is unknown"),
        ("verify_header_seed=1", "the seed is another's"),
        ("verify_interval=512", "halves of two would be whole units"),
        ("verify_pattern=0xff", "all write the same"),
        ("verify=meta", "there is no sum"),
        ("verify_state_save=1", "a state has numbers"),
        ("[k]\natomic=0\nverify=crc64\nrw=randwrite\nsize=1m\nfilename=x", "another may tear it"),
        ("[k]\nrw=randwrite\nsize=1m\nfilename=x", "another writes what has no sum"),
    ] {
        let told = planned(&format!("{SHARED}{settings}\n")).map(|_| ()).expect_err(why);
        assert!(
            told.contains("that several jobs or clones write at the same time"),
            "{why}: {told}"
        );
    }
}

#[test]
fn a_torn_block_is_found_and_a_whole_one_of_another_clone_passes() {
    let (stages, _) = planned(SHARED).unwrap();
    let formats: Vec<Arc<dyn BlockFormat>> = stages[0]
        .streams
        .iter()
        .map(|stream| Arc::clone(&stream.verify.as_ref().unwrap().format))
        .collect();
    let (mut one, mut other) = (vec![0; 4096], vec![0; 4096]);
    formats[0].make(&mut one, 8192, 3);
    formats[1].make(&mut other, 8192, 5);
    let mut torn = [&one[..2048], &other[2048..]].concat();
    let wrong = formats[0].check(&mut torn, 8192, Some(3)).unwrap_err();
    assert_eq!(wrong.what, "crc64");
    assert_eq!(formats[0].check(&mut other, 8192, Some(3)), Ok(()));
    assert_eq!(formats[0].check(&mut one, 8192, Some(3)), Ok(()));
}
