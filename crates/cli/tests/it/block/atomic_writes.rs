//! `atomic=1` from end to end: it runs where the file system stores writes as a whole, and stops with the kernel's reason where it does not.

use narrows_facts::file::atomic_write_units_at;

use super::{job_file, narrows, text};
use crate::common::Fixture;
use crate::common::machine::shared;

#[test]
fn atomic_writes_run_where_the_file_takes_them_and_stop_with_the_reason_where_not() {
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(
        &f,
        "atomic.fio",
        "[w]\nrw=randwrite\nbs=4k\nsize=1m\nnumjobs=3\nfilename=one\nioengine=libaio\ndirect=1\n\
         iodepth=4\natomic=1\nverify=crc64\nverify_write_sequence=0\n",
    );
    let output = narrows(&f, &["run", &job, "--load-here"]);
    let said = text(&output.stderr);
    let units = atomic_write_units_at(job.as_ref()).unwrap();
    let takes = units.is_some_and(|units| (units.min_bytes..=units.max_bytes).contains(&4096));
    if takes {
        assert_ne!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("768 of 768 blocks that were read hold what was written"), "{said}");
    } else {
        assert_eq!(output.status.code(), Some(2), "{said}");
        for part in ["atomic.fio:1 [w]", "/one takes no atomic writes: ", "statx(2)", "hint:"] {
            assert!(said.contains(part), "`{part}` is missing in:\n{said}");
        }
        assert!(f.runs().is_empty());
    }
    f.assert_nothing_left();
}
