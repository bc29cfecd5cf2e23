//! The table of fio's options against what runs: every option that it calls the same or approximated has settings here that
//! are planned to the end, and every part that it calls refused stops with the sentence of the table.

use std::collections::BTreeMap;
use std::path::Path;

use narrows_fio::options::{self, Class, limits};
use narrows_fio::{Loader, Machine, SettingTreatment};

use super::stage;
use super::targets::Targets;

/// Settings that use the option, by its name; what isn't here is written as `name=1`.
const USES: &[(&str, &str)] = &[
    ("filename", "filename=x"),
    ("directory", "directory=sub"),
    ("filename_format", "filename_format=$jobname-$filenum"),
    ("nrfiles", "nrfiles=2\nioengine=io_uring\niodepth=2"),
    ("openfiles", "openfiles=1"),
    ("rw", "rw=randrw"),
    ("rwmixread", "rw=randrw\nrwmixread=70"),
    ("rwmixwrite", "rw=randrw\nrwmixwrite=70"),
    ("percentage_random", "rw=randread\npercentage_random=50,20"),
    ("bs", "bs=8k,16k"),
    ("bsrange", "bsrange=4k-64k"),
    ("bssplit", "bssplit=4k/50:8k/"),
    ("blockalign", "rw=randread\nbs=4k\nblockalign=512"),
    ("size", "size=50%\nfilesize=1m"),
    ("filesize", "filesize=2m"),
    ("io_size", "io_size=64k"),
    ("offset", "offset=8k"),
    ("offset_increment", "offset_increment=64k\nnumjobs=2"),
    ("random_generator", "random_generator=lfsr"),
    ("random_distribution", "rw=randread\nrandom_distribution=zipf:1.1"),
    ("fallocate", "fallocate=none"),
    ("readonly", "readonly"),
    ("sync", "rw=write\noverwrite=1\nsync=dsync"),
    ("fsync", "rw=write\nfsync=8"),
    ("fdatasync", "rw=write\noverwrite=1\nfdatasync=8"),
    ("buffer_compress_percentage", "rw=write\nbuffer_compress_percentage=50"),
    ("dedupe_percentage", "rw=write\ndedupe_percentage=50"),
    ("dedupe_mode", "rw=write\ndedupe_percentage=50\ndedupe_mode=working_set"),
    ("buffer_pattern", "rw=write\nbuffer_pattern=\"abcd\"-120xdeadface"),
    ("name", "name=n"),
    ("description", "description=d"),
    ("runtime", "runtime=1\nsize=1m"),
    ("time_based", "time_based\nruntime=1"),
    ("exit_what", "exitall\nexit_what=all"),
    ("rate", "rw=randrw\nrate=1m,2m"),
    ("rate_iops", "rw=randrw\nrate_iops=100,\ntime_based\nruntime=1"),
    ("rate_process", "rate_iops=10\nrate_process=poisson"),
    ("thinktime", "thinktime=100"),
    ("thinktime_spin", "thinktime=100\nthinktime_spin=50"),
    ("thinktime_blocks", "thinktime=100\nthinktime_blocks=4"),
    ("thinktime_blocks_type", "thinktime=100\nthinktime_blocks_type=issue"),
    ("thinktime_iotime", "thinktime=100\nthinktime_iotime=1"),
    ("ioengine", "ioengine=libaio"),
    ("iodepth", "ioengine=libaio\ndirect=1\niodepth=4"),
    ("io_submit_mode", "io_submit_mode=offload"),
    ("registerfiles", "ioengine=io_uring\nregisterfiles"),
    ("fixedbufs", "ioengine=io_uring\nfixedbufs"),
    ("hipri", "ioengine=io_uring\ndirect=1\nhipri"),
    ("nonvectored", "ioengine=io_uring\nnonvectored=1"),
    ("userspace_reap", "ioengine=libaio\nuserspace_reap"),
    ("mem", "mem=malloc"),
    ("iomem_align", "iomem_align=4k"),
    ("cpus_allowed", "cpus_allowed=0"),
    ("cpus_allowed_policy", "cpus_allowed=0\ncpus_allowed_policy=split"),
    ("clocksource", "clocksource=cpu"),
    ("percentile_list", "percentile_list=50:99"),
    ("unified_rw_reporting", "unified_rw_reporting=both"),
    ("kb_base", "kb_base=1024"),
    ("unit_base", "unit_base=8"),
    ("write_bw_log", "write_bw_log=l"),
    ("write_lat_log", "write_lat_log=l"),
    ("write_iops_log", "write_iops_log=l"),
    ("write_hist_log", "write_hist_log=l"),
    ("write_iolog", "write_iolog=l"),
    ("verify", "rw=write\nverify=md5"),
    ("do_verify", "rw=write\nverify=md5\ndo_verify=0"),
    ("verify_policy", "rw=write\nverify=md5\nverify_policy=completed"),
    ("verify_only", "rw=write\nverify=md5\nverify_only\nioengine=null"),
    ("verify_interval", "rw=write\nverify=md5\nverify_interval=512"),
    ("verify_offset", "rw=write\nverify=md5\nverify_offset=1k"),
    ("verify_pattern", "rw=write\nverify=pattern\nverify_pattern=0xff%o"),
    ("verify_pattern_interval", "rw=write\nverify_pattern=%o\nverify_pattern_interval=512"),
    ("verify_fatal", "rw=write\nverify=md5\nverify_fatal=1"),
    ("verify_dump", "rw=write\nverify=md5\nverify_dump=1"),
    ("verify_async", "rw=write\nverify=md5\nverify_async=2"),
    ("verify_async_cpus", "rw=write\nverify=md5\nverify_async=2\nverify_async_cpus=0"),
    ("verify_backlog", "rw=write\nverify=md5\nverify_backlog=8"),
    ("verify_backlog_batch", "rw=write\nverify=md5\nverify_backlog=8\nverify_backlog_batch=4"),
    ("verify_write_sequence", "rw=write\nverify=md5\nverify_write_sequence=0"),
    ("verify_header_seed", "rw=write\nverify=md5\nverify_header_seed=0"),
    ("flow_id", "flow=2\nflow_id=1"),
    ("flow_sleep", "flow=2\nflow_sleep=100"),
];

struct One(String);

impl Loader for One {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        Ok((path == "f").then(|| self.0.clone()))
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

/// What is approximated of a job of these settings, by its plan and for this option, or why it stops.
fn planned(at: &Path, option: &str, settings: &str) -> Result<Vec<String>, String> {
    let sized =
        settings.lines().any(|line| line.starts_with("size=") || line.starts_with("filesize="));
    let size = if sized { "" } else { "size=1m\n" };
    let machine = Machine { page_size_bytes: 4096, memory_mib: 1024, cpus: 2 };
    let text = One(format!("[j]\n{size}{settings}\n"));
    let plan = narrows_fio::read(&["f"], &[], &text, &machine).map_err(|all| all.to_string())?;
    let mut said: Vec<String> = plan
        .notes
        .iter()
        .filter(|note| note.taken == SettingTreatment::Approximated && note.option == option)
        .map(|note| format!("approximated: {}", note.sentence))
        .collect();
    let mut targets = Targets::new(at, None);
    stage::stages(&plan.jobs, &mut targets, &mut said).map_err(|error| format!("{error:#}"))?;
    // What is said of every job that writes belongs to `overwrite`.
    said.retain(|line| line.contains("approximated") && !line.contains("as with overwrite=1"));
    Ok(said)
}

#[test]
fn what_the_table_promises_is_planned_and_the_same_is_not_approximated() {
    let folder = tempfile::tempdir().unwrap();
    let uses: BTreeMap<&str, &str> = USES.iter().copied().collect();
    for option in options::all() {
        if matches!(option.class, Class::Refused { .. }) {
            continue;
        }
        let plain = format!("{}=1", option.name);
        let settings = uses.get(option.name).copied().unwrap_or(&plain);
        let said = match planned(folder.path(), option.name, settings) {
            Err(why) if why.contains("not available here") => {
                eprintln!("SKIPPED: {}: {why}", option.name);
                continue;
            }
            Err(why) => panic!("{settings} is promised and stops: {why}"),
            Ok(said) => said,
        };
        if option.class == Class::Same {
            assert!(said.is_empty(), "{settings} is called the same: {said:?}");
        } else if option.name != "overwrite" {
            assert!(!said.is_empty(), "{settings} is called approximated, and nobody is told");
        }
    }
    for name in uses.keys() {
        assert!(options::find(name).is_some(), "{name} is no option");
    }
}

#[test]
fn what_the_table_refuses_of_an_option_stops_with_its_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for limit in limits::ALL {
        let why = planned(folder.path(), limit.option, limit.example).expect_err(limit.example);
        assert!(why.contains(limit.why), "{}: {why}", limit.example);
    }
}

#[test]
fn refused_options_stop_unless_their_value_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for option in options::all() {
        let Class::Refused { why, harmless, .. } = option.class else { continue };
        let engine = option.engines.iter().find(|engine| **engine != "io_uring_cmd");
        let engine = engine.map_or(String::new(), |engine| format!("ioengine={engine}\n"));
        let said = planned(folder.path(), option.name, &format!("{engine}{}=7", option.name));
        let said = said.expect_err(option.name);
        assert!(
            said.contains(why) || option.engines == ["io_uring_cmd"],
            "{}: {said}",
            option.name
        );
        for value in harmless {
            let settings = format!("{engine}{}={value}", option.name);
            assert_eq!(
                planned(folder.path(), option.name, &settings),
                Ok(Vec::new()),
                "{settings}"
            );
        }
    }
}
