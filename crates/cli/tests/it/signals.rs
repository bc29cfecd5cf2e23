//! Signals as users, terminals, `nohup` and limits send them, to the command itself.

use std::os::unix::process::CommandExt;
use std::process::Command;

use narrows_model::Run;

use crate::common::machine::shared;
use crate::common::started::{Ended, Started};
use crate::common::{Fixture, Narrows, program, slow_flush};

/// Starts a short run to which `signal` is sent once it measures; `ignored` says whether whoever started it ignored the signal, and
/// the run so goes on to its end.
fn signalled(fixture: &Fixture, signal: i32, ignored: bool) -> Ended {
    let mut command = Command::new(program());
    if ignored {
        // SAFETY: signal(2) is async-signal-safe, and the new disposition is no pointer.
        unsafe {
            command.pre_exec(move || {
                libc::signal(signal, libc::SIG_IGN);
                Ok(())
            })
        };
    }
    // What is to end is in the midst of something long; what goes on is over soon.
    let layer = if ignored { "clock" } else { "memory" };
    let run = Narrows::within(fixture, command).args(["--layers", layer]);
    let mut run = Started::new(run.spawn());
    run.wait_for("total");
    run.wait_for("measure");
    run.signal(signal);
    run.end()
}

#[test]
fn each_signal_that_asks_for_an_end_is_a_stop_and_the_partial_run_is_kept() {
    let _machine = shared();
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU] {
        let fixture = Fixture::new();
        let ended = signalled(&fixture, signal, false);
        assert_eq!(ended.code(), Some(130), "{signal}: {}", ended.stderr);
        assert!(!Run::from_json(&ended.stdout).unwrap().completed, "{signal}");
        assert_eq!(fixture.runs().len(), 1, "{signal}");
        let kept = ended.stderr.find("stopped on request").zip(ended.stderr.find("saved: "));
        assert!(kept.is_some_and(|(stopped, place)| stopped < place), "{}", ended.stderr);
        let spent = ended.stderr.contains("hint: ulimit -t unlimited");
        assert_eq!(spent, signal == libc::SIGXCPU, "{signal}: {}", ended.stderr);
        fixture.assert_nothing_left();
    }
}

/// Stopped again and again until it ends, so that stops fall into the window whenever that is.
#[test]
fn a_program_that_was_stopped_says_that_it_was_a_signal() {
    let _machine = shared();
    let fixture = Fixture::new();
    let job = fixture.home().join("stopped.fio");
    let settings = "rw=randread\nbs=8k\nsize=16m\ntime_based\nruntime=3";
    std::fs::write(&job, format!("[a]\n{settings}\n")).unwrap();
    let mut command = Command::new(program());
    command.args(["block", "run"]).arg(&job).arg("--at").arg(fixture.data());
    command.args(["--load-here", "--format", "json"]).env("XDG_DATA_HOME", fixture.home());
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut run = Started::new(command.spawn().unwrap());
    run.wait_for("total");
    let pause = |ms| std::thread::sleep(std::time::Duration::from_millis(ms));
    while run.is_running() {
        run.signal(libc::SIGSTOP);
        pause(250);
        run.signal(libc::SIGCONT);
        pause(250);
    }
    let ended = run.end();
    let run = Run::from_json(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let still = run.findings.iter().find(|finding| finding.id == "stood-still");
    let still = still.unwrap_or_else(|| panic!("{:?}", run.findings));
    assert!(still.evidence.contains("(SIGCONT): by SIGSTOP, Ctrl-Z"), "{}", still.evidence);
}

#[test]
fn a_signal_that_was_ignored_when_we_were_started_stays_ignored() {
    let _machine = shared();
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        let fixture = Fixture::new();
        let ended = signalled(&fixture, signal, true);
        assert!(matches!(ended.code(), Some(0 | 4)), "{signal}: {:?}", ended);
        assert!(Run::from_json(&ended.stdout).unwrap().completed, "{signal}");
    }
}

#[test]
fn what_does_not_answer_is_said_and_a_further_signal_ends_at_once() {
    let _machine = shared();
    let fixture = Fixture::new();
    // A drive whose flushes take an hour.
    let library = slow_flush(&fixture.home());
    let mut command = Command::new(program());
    command.env("LD_PRELOAD", &library).env("SLOW_FLUSH_US", "3600000000");
    command.env("SLOW_FLUSH_UNDER", fixture.data()).env("SLOW_FLUSH_SAYS", "yes");
    let run = Narrows::within(&fixture, command).args(["--layers", "log"]);
    let mut run = Started::new(run.spawn());
    run.wait_for("a flush takes its time");
    run.signal(libc::SIGINT);
    // The second of an impatient hand changes nothing.
    run.signal(libc::SIGINT);
    let said = run.wait_for("still stopping");
    assert!(said.contains("hint: another Ctrl-C"), "{said}");
    run.signal(libc::SIGTERM);
    let ended = run.end();
    assert_eq!(ended.code(), Some(130), "{ended:?}");
    let next = Narrows::new(&fixture).args(["--layers", "clock"]).output();
    // 3 and 4 are what a busy machine makes of the figures.
    let code = next.status.code();
    assert!(matches!(code, Some(0 | 3 | 4)), "{}", String::from_utf8_lossy(&next.stderr));
    fixture.assert_nothing_left();
}
