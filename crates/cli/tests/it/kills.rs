//! A few random signals at random moments in commands that write: how they end, whether the run they keep can be read, what the next
//! start leaves. `cargo xtask kills` does it by the hundred, in every command, as root and not, on other file systems, with shared memory.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use narrows_engine::Rng;
use narrows_model::Run;

use crate::common::machine::{shared, together};
use crate::common::{Fixture, LEAST, Narrows, postgres_folder, program};

#[path = "../../../../tools/src/kills/leftovers.rs"]
#[allow(dead_code)] // The harness uses the rest.
mod leftovers;
#[path = "../../../../tools/src/kills/strike.rs"]
#[allow(dead_code)] // The harness uses the rest.
mod strike;

use strike::Strike;

/// Whatever it draws, the promise is the same.
const SEED: u64 = 17;

/// A command with about how long it lasts, s, and whether it takes a PostgreSQL.
const CASES: [(&str, f64, bool); 12] = [
    ("run --quick --layers clock,block,log --load-here --data DATA", 8.0, false),
    ("run --quick --layers block --load-here --data DATA", 4.0, false),
    ("log commits --load-here --wal DATA", 5.0, false),
    ("log streams --streams 2 --load-here --wal DATA", 5.0, false),
    ("block steady --file-size 64m --round 1s --budget 256m --load-here --at DATA", 5.0, false),
    ("block writers --load-here --at DATA", 5.0, false),
    ("block --file-size 64m --minutes 1 --load-here --at DATA", 5.0, false),
    ("memory --quick --load-here", 3.0, false),
    ("report RUN --format html -o OUT", 0.1, false),
    ("gather --force -o OUT", 0.2, false),
    ("run --quick --layers database --workloads update --load-here --data DATA", 6.0, true),
    ("db update --quick --table 4m --pool 16m --load-here --data DATA", 6.0, true),
];

#[test]
fn whatever_is_struck_leaves_a_readable_run_and_after_the_next_start_nothing() {
    let _machine = shared();
    let mut rng = Rng::new(SEED);
    let strikes = CASES.map(|case| (case, Strike::draw(&mut rng)));
    together(4, &strikes, |&((line, lasts_s, takes_postgres), strike)| {
        if takes_postgres && postgres_folder().is_none() {
            return eprintln!("SKIPPED: `{line}` needs a PostgreSQL");
        }
        let fixture = Fixture::new();
        let out = fixture.public("out");
        let run = fixture.public("runs").join("stored.narrows.json");
        if line.contains("RUN") {
            let clock = Narrows::new(&fixture).args(["--layers", "clock"]).run();
            fs::write(&run, clock.to_json()).unwrap();
        }
        let struck = Struck { fixture: &fixture, line, out: out.join("asked"), run };
        let status = struck.struck(strike, Duration::from_secs_f64(lasts_s));
        let about = format!("seed {SEED}, `{line}`, {strike:?}, {status}");
        if let Some(code) = status.code() {
            assert!(matches!(code, 0 | 3 | 4 | 130), "{about}");
        } else {
            let signals = strike.blow.signals();
            assert!(status.signal().is_some_and(|by| signals.contains(&by)), "{about}");
        }
        for path in fixture.runs() {
            let kept = fs::read_to_string(&path).unwrap();
            Run::from_json(&kept).unwrap_or_else(|error| panic!("{about}: {error}"));
        }
        // Servers and helpers that were killed with it need a moment.
        let end = Instant::now() + Duration::from_secs(60);
        while !leftovers::running_in(&fixture.data()).is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        let next = if line.contains("OUT") {
            struck.command().output().unwrap()
        } else {
            Narrows::new(&fixture).args(["--layers", "clock"]).output()
        };
        let said = String::from_utf8_lossy(&next.stderr);
        assert!(matches!(next.status.code(), Some(0 | 3 | 4)), "{about}: {said}");
        fixture.assert_nothing_left();
        let asked = struck.out.display().to_string();
        let more: Vec<String> =
            leftovers::files(&[out]).into_iter().filter(|file| *file != asked).collect();
        assert!(more.is_empty(), "{about}: {more:?}");
    });
}

/// What is struck, and its places.
struct Struck<'a> {
    fixture: &'a Fixture,
    line: &'a str,
    out: PathBuf,
    run: PathBuf,
}

impl Struck<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(program());
        for word in self.line.split(' ') {
            match word {
                "DATA" => command.arg(self.fixture.data()),
                "OUT" => command.arg(&self.out),
                "RUN" => command.arg(&self.run),
                word => command.arg(word),
            };
        }
        command.env("XDG_DATA_HOME", self.fixture.home()).stdin(Stdio::null());
        command.env(LEAST.0, LEAST.1);
        command
    }

    /// How it ended, by the strike or before it.
    fn struck(&self, strike: Strike, lasts: Duration) -> ExitStatus {
        let mut command = self.command();
        let said = File::create(self.fixture.home().join("said")).unwrap();
        let mut child =
            command.process_group(0).stdout(Stdio::null()).stderr(said).spawn().unwrap();
        let moment = Instant::now() + strike.moment(lasts);
        while child.try_wait().unwrap().is_none() && Instant::now() < moment {
            std::thread::sleep(Duration::from_millis(1));
        }
        for signal in strike.blow.signals() {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            // It may have ended just now.
            let _ = strike.send(child.id(), *signal);
            std::thread::sleep(strike.gap.min(Duration::from_millis(100)));
        }
        child.wait().unwrap()
    }
}
