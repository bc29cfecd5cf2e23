//! Threads of the load have nothing in common that one of them could hold while another goes on: what lets them be as many as the client's CPUs.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::program::{AfterAnswer, Operation, Program, Programs};
use super::{LoadError, LoadPlan, run};
use crate::kind::{KindError, Session, Sessions};
use crate::session::{Answer, Encode, Format, Refusal, Request, Value};

const THREADS: usize = 64;
/// Operations that each of the others has to get done while one stands still.
const EACH: u64 = 20;
/// Nothing of it takes that long.
const FOREVER: Duration = Duration::from_secs(60);

/// Answers by itself, at once.
struct Echo {
    ours: UnixStream,
    theirs: UnixStream,
    step: Step,
}

struct Echoes;

impl Sessions for Echoes {
    fn open(&self, _: &[String], _: &[String], _: &[&Stop]) -> Result<Box<dyn Session>, KindError> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok(Box::new(Echo { ours, theirs, step: Step(false) }))
    }
}

struct Step(bool);

impl Encode for Step {
    fn run(&mut self, _: usize, _: &[Value<'_>]) {
        self.0 = true;
    }
}

impl Session for Echo {
    fn pid(&self) -> u32 {
        0
    }

    fn descriptor(&self) -> RawFd {
        self.ours.as_raw_fd()
    }

    fn begin(&mut self) -> &mut dyn Encode {
        self.step.0 = false;
        &mut self.step
    }

    fn has_step(&self) -> bool {
        self.step.0
    }

    fn send(&mut self) -> io::Result<()> {
        self.theirs.write_all(&[1])
    }

    fn receive(&mut self) -> Result<bool, KindError> {
        self.ours.read_exact(&mut [0])?;
        Ok(true)
    }

    fn heard(&mut self) -> (Result<Answer<'_>, &Refusal>, &mut dyn Encode) {
        self.step.0 = false;
        (Ok(Answer::new(&[], 0, &Nothing)), &mut self.step)
    }

    fn in_transaction(&self) -> bool {
        false
    }

    fn send_rollback(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Nothing;

impl Format for Nothing {
    fn affected(&self, _: &[u8]) -> u64 {
        0
    }
}

/// What each session has begun; the first one waits in the middle of an operation until all others have done theirs.
struct OneStands {
    begun: Vec<AtomicU64>,
    others_went_on: AtomicBool,
}

impl OneStands {
    fn others_are_done(&self) -> bool {
        self.begun.iter().skip(1).all(|begun| begun.load(Ordering::Relaxed) > EACH)
    }
}

impl Programs for OneStands {
    fn classes(&self) -> Vec<String> {
        vec!["echo".into()]
    }

    fn statements(&self, _: u32) -> Vec<String> {
        Vec::new()
    }

    fn program(&self, session: u32, _: u64) -> Box<dyn Program + '_> {
        Box::new(StandingProgram { all: self, session: session as usize })
    }
}

struct StandingProgram<'a> {
    all: &'a OneStands,
    session: usize,
}

impl Program for StandingProgram<'_> {
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        let begun = self.all.begun[self.session].fetch_add(1, Ordering::Relaxed);
        request.run(0, &[]);
        if self.session == 0 && begun == 3 {
            let end = Instant::now() + FOREVER;
            while !self.all.others_are_done() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.all.others_went_on.store(self.all.others_are_done(), Ordering::Relaxed);
        }
        Operation::now(0)
    }

    fn answered(&mut self, _: &Answer<'_>, _: &mut Request<'_>) -> AfterAnswer {
        AfterAnswer::done_if(true, "")
    }
}

#[test]
fn sixty_three_threads_go_on_while_one_stands_still_in_its_operation() {
    let here = narrows_facts::affinity::current();
    let cpus: Vec<u32> = here.iter().copied().cycle().take(THREADS).collect();
    let programs = OneStands {
        begun: (0..THREADS).map(|_| AtomicU64::new(0)).collect(),
        others_went_on: AtomicBool::new(false),
    };
    let plan = LoadPlan {
        server: &Echoes,
        settings: &[],
        programs: &programs,
        sessions: THREADS as u32,
        cpus: &cpus,
        open_rate_per_s: None,
        warm_up: Duration::ZERO,
        window: FOREVER,
        seed: 1,
    };
    // Whoever watches ends the load once it knows.
    let end = Instant::now() + FOREVER;
    let ended = run(&plan, &Stop::new(), |_, _| -> Result<(), LoadError> {
        while !programs.others_went_on.load(Ordering::Relaxed) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(LoadError::Silent(Duration::ZERO))
    });
    assert!(matches!(ended, Err(LoadError::Silent(_))));
    assert!(programs.others_went_on.load(Ordering::Relaxed));
}
