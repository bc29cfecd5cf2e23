//! How a run ends that isn't left alone: Ctrl-C and a kill in every phase, streams that nobody reads, and limits under
//! which it has to work. Nothing may be left: no file, no process, no shared memory.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::machine::{shared, together};
use crate::common::started::Started;
use crate::common::{Fixture, LEAST, Narrows, postgres_folder, program};
use narrows_model::{Layer, Run};

fn no_postgres() -> bool {
    let none = postgres_folder().is_none();
    if none {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
    }
    none
}

/// Shared memory of both kinds that the servers below a fixture's folders use now. Others' servers on this machine come and go.
fn memory_of(fixture: &Fixture) -> BTreeSet<String> {
    let folder = fixture.data();
    let works_there = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&folder))
    };
    let all = narrows_facts::process::all().into_iter().filter(works_there);
    let maps = all.filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/maps")).ok());
    maps.flat_map(|maps| {
        let used = maps.lines().filter_map(|line| {
            // `… inode path`: of a segment the inode is its number.
            let words: Vec<&str> = line.split_whitespace().collect();
            let (inode, path) = (words.get(4)?, words.get(5)?);
            let name = path.strip_prefix("/dev/shm/").filter(|n| n.starts_with("PostgreSQL."));
            let segment = path.starts_with("/SYSV").then(|| format!("segment {inode}"));
            name.map(str::to_string).or(segment)
        });
        used.collect::<Vec<_>>()
    })
    .collect()
}

/// All there is of both kinds.
fn memory_there() -> BTreeSet<String> {
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let segments = segments
        .lines()
        .skip(1)
        .filter_map(|line| Some(format!("segment {}", line.split_whitespace().nth(1)?)));
    let files = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    segments.chain(files.map(|entry| entry.file_name().to_string_lossy().into_owned())).collect()
}

/// Nothing of it is there any more; a server that is just ending may need a moment.
fn assert_no_memory_left(used: &BTreeSet<String>, when: &str) {
    until(&format!("shared memory is left {when}"), || memory_there().is_disjoint(used));
}

/// Waits for what ends a moment after its parent.
fn until(what: &str, done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn database(fixture: &Fixture, workload: &str) -> Started {
    let run = Narrows::new(fixture).args(["--layers", "database", "--workloads", workload]);
    Started::new(run.spawn())
}

#[test]
fn ctrl_c_in_every_phase_of_the_database_leaves_nothing() {
    let _machine = shared();
    if no_postgres() {
        return;
    }
    let cases = [
        ("scan", "database prepare"),
        ("scan", "database fill"),
        ("scan", "its index"),
        ("scan", "database settle"),
        ("scan", "database.scan_1"),
        ("update", "database warm up"),
        ("update", "database.update, repeat 1"),
        ("lookup_cached", "database clean up"),
    ];
    together(4, &cases, |&(workload, said)| {
        let fixture = Fixture::new();
        let mut run = database(&fixture, workload);
        // Without a terminal a repeated phase is told only once in a while.
        run.wait_for(if said == "its index" { "database fill" } else { said });
        if said == "its index" {
            std::thread::sleep(Duration::from_millis(500));
        }
        let used = memory_of(&fixture);
        run.signal(libc::SIGINT);
        let asked = Instant::now();
        let ended = run.end();
        assert!(asked.elapsed() < Duration::from_secs(60), "{said}: {:?}", asked.elapsed());
        assert_no_memory_left(&used, "after Ctrl-C");
        // While its table is filled a server is there for certain.
        assert!(said != "database fill" || !used.is_empty(), "no memory of a server was seen");
        // Between the last look at the request and the end a run may still complete, and a small table's is short.
        let may_be_late = ["database clean up", "its index"].contains(&said);
        let late = may_be_late && matches!(ended.code(), Some(0 | 3 | 4));
        assert!(ended.code() == Some(130) || late, "{said}: {}", ended.stderr);
        let run = Run::from_json(&ended.stdout).unwrap();
        assert_eq!(run.completed, late, "{said}");
        fixture.assert_nothing_left();
    });
}

#[test]
fn a_killed_run_takes_its_server_along_and_the_next_one_takes_the_rest() {
    let _machine = shared();
    if no_postgres() {
        return;
    }
    together(2, &["database fill", "database measure"], |phase| {
        let fixture = Fixture::new();
        let mut run = database(&fixture, "lookup_cached");
        run.wait_for(phase);
        let used = memory_of(&fixture);
        assert!(!used.is_empty(), "no memory of a server was seen");
        run.signal(libc::SIGKILL);
        run.end();
        let data = fixture.data().display().to_string();
        until("the server outlived the run", || {
            !narrows_facts::process::all().into_iter().any(|pid| {
                fs::read(format!("/proc/{pid}/cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&data))
            })
        });
        assert!(fs::read_dir(fixture.data()).unwrap().next().is_some(), "nothing was left at all");
        let next = Narrows::new(&fixture).args(["--layers", "clock"]).output();
        let said = String::from_utf8_lossy(&next.stderr);
        assert!(matches!(next.status.code(), Some(0 | 3 | 4)), "{said}");
        assert!(said.contains("left by an interrupted run"), "{said}");
        fixture.assert_nothing_left();
        assert_no_memory_left(&used, "after a kill");
    });
}

#[test]
fn output_that_nobody_takes() {
    let _machine = shared();
    let fixture = Fixture::new();
    let shell = |redirection: &str| {
        let line = format!(
            "{} run --quick --load-here --layers clock --data {} {redirection}",
            program().display(),
            fixture.data().display()
        );
        let mut command = Command::new("sh");
        command.args(["-c", &line]).env("XDG_DATA_HOME", fixture.home()).output().unwrap()
    };
    // A closed pipe or stream is the reader's choice; a full drive loses what was asked for.
    for (redirection, lost) in
        [("| true", false), (">&-", false), (">&- 2>&-", false), (">/dev/full", true)]
    {
        let output = shell(redirection);
        let said = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        // 3 and 4 are what a busy machine makes of the figures.
        let fine = if lost { code == Some(2) } else { matches!(code, Some(0 | 3 | 4)) };
        assert!(fine, "{redirection}, {code:?}: {said}");
        assert!(!said.contains("panicked"), "{redirection}: {said}");
        assert_eq!(said.contains("cannot write to standard output"), lost, "{redirection}: {said}");
    }
    assert_eq!(fixture.runs().len(), 4, "the run file is kept whatever becomes of the output");
}

#[test]
fn a_reader_of_standard_error_that_goes_away_ends_nothing() {
    let _machine = shared();
    let fixture = Fixture::new();
    let data = fixture.data();
    let run = ["run", "--quick", "--load-here", "--layers", "clock,memory", "--data"];
    let cases: [(&[&str], &[i32]); 4] = [
        // 3 and 4 are what a busy machine makes of the figures.
        (&run, &[0, 3, 4]),
        (&["run", "--layers", "clock", "--load-here", "--dry-run", "--data"], &[0]),
        (&["block", "--percentile", "100", "--at"], &[2]),
        (&["report", "nosuchrun", "-o"], &[2]),
    ];
    for (args, codes) in cases {
        // Nobody reads the pipe's other end any more.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(program());
        command.args(args).arg(&data).env("XDG_DATA_HOME", fixture.home()).env(LEAST.0, LEAST.1);
        let status = command.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap();
        assert!(status.code().is_some_and(|code| codes.contains(&code)), "{args:?}: {status}");
    }
    assert_eq!(fixture.runs().len(), 1, "the run is saved");
    fixture.assert_nothing_left();
}

#[test]
fn odd_terminals_and_languages_change_nothing() {
    let show = |settings: &[(&str, &str)]| {
        let mut command = Command::new(program());
        command.args(["platform", "--data", "/"]).env_remove("LC_ALL").env_remove("LANG");
        let output = command.envs(settings.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{settings:?}");
        String::from_utf8(output.stdout)
            .expect("it is always UTF-8")
            .lines()
            .next()
            .map(str::to_owned)
    };
    let plain = show(&[]);
    for settings in [
        [("TERM", "dumb"), ("LC_ALL", "C")],
        [("TERM", ""), ("LC_ALL", "tr_TR.UTF-8")],
        [("TERM", "nonsense"), ("LC_ALL", "ja_JP.eucJP")],
        [("COLUMNS", "1"), ("LC_ALL", "de_DE")],
    ] {
        assert_eq!(show(&settings), plain, "{settings:?}");
    }
}

/// Starts a run with `prepare` done in the new process before narrows.
fn prepared(
    fixture: &Fixture,
    arguments: &[&str],
    prepare: impl Fn() -> std::io::Result<()> + Send + Sync + 'static,
) -> Run {
    let mut command = Command::new(program());
    // SAFETY: `prepare` only makes system calls on values it owns and allocates nothing.
    unsafe { command.pre_exec(prepare) };
    let run = Narrows::within(fixture, command).args(arguments.iter().copied());
    let ended = Started::new(run.spawn()).end();
    // What a busy machine makes of the figures is no matter here.
    assert!(matches!(ended.code(), Some(0 | 3 | 4)), "{:?}: {}", ended.code(), ended.stderr);
    fixture.assert_nothing_left();
    Run::from_json(&ended.stdout).unwrap()
}

fn done(result: i32) -> std::io::Result<()> {
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[test]
fn without_io_uring_the_drive_is_measured_by_another_way() {
    let _machine = shared();
    // Loads the number of the call; io_uring_setup fails as on a kernel without it, all else is allowed (seccomp(2)).
    const FAIL: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let step = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    let filter = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, libc::SYS_io_uring_setup as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, FAIL),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let fixture = Fixture::new();
    let run = prepared(&fixture, &["--layers", "block"], move || {
        let program =
            libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
        // SAFETY: the program points to a filter that lives through the call, which only reads it.
        unsafe {
            done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            done(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program))
        }
    });
    let best = run.measurements.iter().filter(|m| m.id.starts_with("block.read.random.8k."));
    let methods: Vec<_> =
        best.map(|m| m.conditions[narrows_model::condition::METHOD].as_str().unwrap()).collect();
    assert!(methods.iter().any(|method| matches!(*method, "aio" | "threads")), "{methods:?}");
    assert!(!methods.contains(&"io_uring"), "{methods:?}");
}

#[test]
fn without_huge_pages_memory_says_so() {
    let _machine = shared();
    let fixture = Fixture::new();
    let run = prepared(&fixture, &["--layers", "memory"], || {
        // SAFETY: no memory is involved.
        done(unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) })
    });
    assert!(run.measurements.iter().any(|m| m.layer == Layer::Memory), "{:#?}", run.findings);
    let text = serde_json::to_string(&run.measurements).unwrap();
    assert!(!text.contains("2 MiB pages"), "{text}");
}

#[test]
fn on_one_processor_client_and_server_share_it_and_that_is_said() {
    let _machine = shared();
    if no_postgres() {
        return;
    }
    let fixture = Fixture::new();
    let cpu = *narrows_facts::affinity::current().first().expect("we run somewhere");
    let arguments = ["--layers", "database", "--workloads", "lookup_cached"];
    let run = prepared(&fixture, &arguments, move || {
        // SAFETY: an all-zero set is a valid one; the call reads it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu as usize, &mut set);
            done(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set))
        }
    });
    let lookup = run.measurements.iter().find(|m| m.id == "database.lookup_cached").unwrap();
    assert_eq!(lookup.conditions[narrows_model::condition::CPUS_SHARED], true);
}

#[test]
fn a_limit_on_file_sizes_is_an_error_with_a_way_out() {
    let _machine = shared();
    let fixture = Fixture::new();
    let mut command = Command::new(program());
    // SAFETY: the limit is a value of our own, which the call reads.
    unsafe {
        command.pre_exec(|| {
            let bytes = libc::rlimit { rlim_cur: 8 << 20, rlim_max: 8 << 20 };
            done(libc::setrlimit(libc::RLIMIT_FSIZE, &bytes))
        })
    };
    let run = Narrows::within(&fixture, command).args(["--layers", "clock,block,log"]);
    let ended = Started::new(run.spawn()).end();
    assert_eq!(ended.code(), Some(4), "{ended:?}");
    let run = Run::from_json(&ended.stdout).unwrap();
    for id in ["absent-block", "absent-log"] {
        let finding = run.findings.iter().find(|f| f.id == id).expect(id);
        assert!(finding.advice.contains("ulimit -f unlimited"), "{finding:?}");
    }
    fixture.assert_nothing_left();
}

/// `block run` of so many jobs under a limit of addresses.
fn jobs_within(fixture: &Fixture, jobs: u32, limit_bytes: u64) -> (Option<i32>, String) {
    let file = fixture.home().join(format!("{jobs}.fio"));
    let job = "ioengine=psync\nrw=randread\nbs=8k\nsize=1m\nnumber_ios=10";
    fs::write(&file, format!("[a]\n{job}\nnumjobs={jobs}\n")).unwrap();
    let mut command = Command::new(program());
    command.args(["block", "run"]).arg(&file).arg("--at").arg(fixture.data());
    command.arg("--load-here").env("XDG_DATA_HOME", fixture.home());
    // SAFETY: the limit is a value of our own, which the call reads.
    unsafe {
        command.pre_exec(move || {
            let bytes = libc::rlimit { rlim_cur: limit_bytes, rlim_max: limit_bytes };
            done(libc::setrlimit(libc::RLIMIT_AS, &bytes))
        })
    };
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_limit_of_addresses_is_an_error_with_its_numbers_and_no_abort() {
    const LIMIT: u64 = 400 << 20;
    let _machine = shared();
    let fixture = Fixture::new();
    // Stacks alone would take 1 GiB.
    let (code, said) = jobs_within(&fixture, 512, LIMIT);
    assert_eq!(code, Some(2), "{said}");
    for part in
        ["cannot start 512 threads", "419 MB", "RLIMIT_AS", "hint: raise the limit (ulimit -v"]
    {
        assert!(said.contains(part), "`{part}` is missing:\n{said}");
    }
    fixture.assert_nothing_left();
    let (code, said) = jobs_within(&fixture, 8, LIMIT);
    assert!(matches!(code, Some(0 | 3 | 4)), "{code:?}: {said}");
    assert!(!said.contains("RLIMIT_AS"), "{said}");
    fixture.assert_nothing_left();
}
