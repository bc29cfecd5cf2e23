//! The table of fio's options against what runs: every option that it calls the same or approximated has settings here that
//! are planned to the end, and every part that it calls refused stops with the sentence of the table.

use std::collections::BTreeMap;
use std::path::Path;

use narrows_fio::SettingTreatment;
use narrows_fio::options::{self, Class, limits};

use super::targets::Targets;
use super::{stage, written_jobs};

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
    (
        "random_sequence_stride",
        "rw=randread\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride=1",
    ),
    ("zonemode", "zonemode=strided\nzonesize=64k"),
    ("zonesize", "zonemode=strided\nzonesize=64k"),
    ("zonerange", "zonemode=strided\nzonesize=64k\nzonerange=128k"),
    ("zoneskip", "zonemode=strided\nzonesize=64k\nzoneskip=64k"),
    ("atomic", "rw=write\noverwrite=1\nioengine=libaio\ndirect=1\natomic=1"),
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
    ("serialize_overlap", "serialize_overlap=1\nio_submit_mode=offload"),
    ("cmdprio_percentage", "ioengine=libaio\ndirect=1\ncmdprio_percentage=20\ncmdprio_class=2"),
    ("cmdprio_class", "ioengine=libaio\ndirect=1\ncmdprio_bssplit=4k/20\ncmdprio_class=2"),
    ("cmdprio", "ioengine=libaio\ndirect=1\ncmdprio_bssplit=4k/20\ncmdprio=2"),
    ("cmdprio_hint", "ioengine=libaio\ndirect=1\ncmdprio_bssplit=4k/20\ncmdprio_hint=1"),
    ("cmdprio_bssplit", "ioengine=libaio\ndirect=1\ncmdprio_bssplit=4k/20/2/1"),
    ("registerfiles", "ioengine=io_uring\nregisterfiles"),
    ("fixedbufs", "ioengine=io_uring\nfixedbufs"),
    ("hipri", "ioengine=io_uring\ndirect=1\nhipri"),
    ("nonvectored", "ioengine=io_uring\nnonvectored=1"),
    ("stat_type", "ioengine=filestat\nfilesize=4k\nstat_type=statx"),
    ("userspace_reap", "ioengine=libaio\nuserspace_reap"),
    ("mem", "mem=malloc"),
    ("iomem_align", "iomem_align=4k"),
    ("cpus_allowed", "cpus_allowed=0"),
    ("cpus_allowed_policy", "cpus_allowed=0\ncpus_allowed_policy=split"),
    ("numa_cpu_nodes", "numa_cpu_nodes=all"),
    ("numa_mem_policy", "numa_mem_policy=local"),
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
    ("verify_state_save", "rw=write\nverify=md5\nverify_state_save=1"),
    ("verify_state_load", "verify=md5\nverify_state_load=1\nname=loads\nfilename=written"),
    ("read_iolog", "read_iolog=ops.log\nfilename=x"),
    ("read_iolog_chunked", "read_iolog=ops.log\nfilename=x\nread_iolog_chunked=1"),
    ("replay_no_stall", "read_iolog=ops.log\nfilename=x\nreplay_no_stall=1"),
    ("replay_redirect", "read_iolog=ops.log\nreplay_redirect=y"),
    ("replay_scale", "read_iolog=ops.log\nfilename=x\nreplay_scale=2"),
    ("replay_align", "read_iolog=ops.log\nfilename=x\nreplay_align=4k"),
    ("replay_time_scale", "read_iolog=ops.log\nfilename=x\nreplay_time_scale=200"),
    ("replay_skip", "read_iolog=ops.log\nfilename=x\nreplay_skip=write"),
    ("latency_target", "latency_target=1ms\nioengine=io_uring\niodepth=32"),
    ("latency_window", "latency_target=1ms\nlatency_window=100ms"),
    ("latency_percentile", "latency_target=1ms\nlatency_percentile=99.9"),
    ("latency_run", "latency_target=1ms\nlatency_run=1"),
    ("rate_min", "rate_min=1m"),
    ("rate_iops_min", "rate_iops_min=10,"),
    ("rate_cycle", "rate_iops_min=10\nrate_cycle=500"),
    ("steadystate", "steadystate=bw:5%\nss_dur=10\ntime_based\nruntime=60"),
    ("steadystate_duration", "ss=lat_slope:5%\nss_dur=10\ntime_based\nruntime=60"),
    ("steadystate_ramp_time", "ss=iops:5%\nss_dur=10\nss_ramp=2"),
    ("steadystate_check_interval", "ss=bw_slope:2m\nss_dur=10\nss_interval=2"),
    ("wait_for", "size=1m\nname=a\n[b]\nsize=1m\n[c]\nsize=1m\nwait_for=a"),
    ("fill_device", "rw=write\nfill_device=1\nfilesize=1m"),
    ("cpuload", "ioengine=cpuio\ncpuload=50\nruntime=1"),
    ("cpuchunks", "ioengine=cpuio\ncpuload=50\nruntime=1\ncpuchunks=1000"),
    ("cpumode", "ioengine=cpuio\ncpuload=50\nruntime=1\ncpumode=qsort"),
    ("exit_on_io_done", "ioengine=cpuio\ncpuload=50\nexit_on_io_done=1\n[b]\nsize=1m"),
    ("sqthread_poll", "ioengine=io_uring\nsqthread_poll"),
    ("sqthread_poll_cpu", "ioengine=io_uring\nsqthread_poll\nsqthread_poll_cpu=0"),
    ("cmd_type", "ioengine=io_uring_cmd\ncmd_type=nvme"),
    ("flow_id", "flow=2\nflow_id=1"),
    ("flow_sleep", "flow=2\nflow_sleep=100"),
];

/// What is approximated of a job of these settings, by its plan and for this option, or why it stops.
fn planned(at: &Path, option: &str, settings: &str) -> Result<Vec<String>, String> {
    let sized =
        settings.lines().any(|line| line.starts_with("size=") || line.starts_with("filesize="));
    let size = if sized { "" } else { "size=1m\n" };
    let plan = written_jobs::plan(&format!("[j]\n{size}{settings}\n"))?;
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

/// With the files that settings here need.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("written", &[0; 1 << 20]);
    let state = "narrows verify state 1\nmethod md5\nunit 4096\nfile 0 written\n0 4096 0 1\nend\n";
    write("local-loads-0-verify.state", state.as_bytes());
    write("ops.log", b"fio version 3 iolog\n1 x add\n2 x read 0 4096\n9 x write 8192 4096\n");
    write("waits.log", b"fio version 2 iolog\nx add\nx read 0 4096\nx wait 10 0\n");
    folder
}

#[test]
fn what_the_table_promises_is_planned_and_the_same_is_not_approximated() {
    let folder = folder();
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
    let folder = folder();
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
