//! One session's operations against a server that says what the test says.

use std::io;
use std::os::fd::RawFd;
use std::sync::mpsc::{Receiver, Sender, channel};

use narrows_engine::Window;

use super::LoadError;
use super::program::{AfterAnswer, Operation, Program, Recovery, Verdict};
use super::result::{LoadResult, Tally};
use super::slot::{Ending, Slot};
use crate::kind::{KindError, Session};
use crate::session::{Answer, Encode, Format, Refusal, Request, Value};

/// Reads a number (0), changes it by one (1), commits (2).
struct Increment {
    step: usize,
    after: Recovery,
}

impl Program for Increment {
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        self.step = 0;
        request.run(0, &[]);
        Operation::now(1)
    }

    fn answered(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> AfterAnswer {
        self.step += 1;
        match self.step {
            1 => {
                let Some(found) = answer.row(0).and_then(|row| row.int(0)) else {
                    return AfterAnswer::Done(Verdict::Wrong("no number".into()));
                };
                request.run(1, &[Value::Int8(found + 1)]);
                AfterAnswer::Send
            }
            2 if answer.affected() == 1 => {
                request.run(2, &[]);
                AfterAnswer::Send
            }
            2 => AfterAnswer::Done(Verdict::RolledBack),
            _ => AfterAnswer::Done(Verdict::Right),
        }
    }

    fn refused(&mut self, _refusal: &Refusal, request: &mut Request<'_>) -> Recovery {
        if self.after == Recovery::Again {
            self.step = 0;
            request.run(0, &[]);
        }
        self.after
    }
}

/// What the server answers: rows with a number each, how many it changed, or an error; and whether a transaction is open after it.
#[derive(Default)]
struct Reply {
    rows: Vec<u8>,
    changed: u8,
    refusal: Option<Refusal>,
    open: bool,
}

/// A session whose answers the test gives.
struct Scripted {
    step: Step,
    sent: Sender<String>,
    replies: Receiver<Reply>,
    /// How many were changed, and the rows.
    answer: Vec<u8>,
    heard: Reply,
}

/// What a step was written as.
#[derive(Default)]
struct Step(Vec<String>);

impl Encode for Step {
    fn run(&mut self, statement: usize, values: &[Value<'_>]) {
        let mut text = format!("n{statement}");
        for value in values {
            let Value::Int8(number) = value else { panic!("{value:?}") };
            text.push_str(&format!(" {number}"));
        }
        self.0.push(text);
    }
}

impl Session for Scripted {
    fn pid(&self) -> u32 {
        0
    }

    fn descriptor(&self) -> RawFd {
        -1
    }

    fn begin(&mut self) -> &mut dyn Encode {
        self.step.0.clear();
        &mut self.step
    }

    fn has_step(&self) -> bool {
        !self.step.0.is_empty()
    }

    fn send(&mut self) -> io::Result<()> {
        self.sent.send(self.step.0.join("; ")).map_err(io::Error::other)
    }

    fn receive(&mut self) -> Result<bool, KindError> {
        self.heard = self.replies.try_recv()?;
        self.answer = [vec![self.heard.changed], self.heard.rows.clone()].concat();
        Ok(true)
    }

    fn heard(&mut self) -> (Result<Answer<'_>, &Refusal>, &mut dyn Encode) {
        self.step.0.clear();
        let heard = match &self.heard.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(Answer::new(&self.answer, self.heard.rows.len() as u32, &Numbers)),
        };
        (heard, &mut self.step)
    }

    fn in_transaction(&self) -> bool {
        self.heard.open
    }

    fn send_rollback(&mut self) -> io::Result<()> {
        self.sent.send("ROLLBACK".into()).map_err(io::Error::other)
    }
}

/// A byte that says how many were changed, then rows of a byte.
struct Numbers;

impl Format for Numbers {
    fn affected(&self, answer: &[u8]) -> u64 {
        answer[0].into()
    }

    fn statement<'a>(&self, answer: &'a [u8], number: usize) -> Option<(&'a [u8], u32)> {
        (number == 0).then_some((answer, answer.len() as u32 - 1))
    }

    fn next_row<'a>(&self, answer: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        Some((answer.get(1..2)?, &answer[1..]))
    }

    fn column<'a>(&self, row: &'a [u8], column: usize) -> Option<&'a [u8]> {
        row.get(column..=column)
    }

    fn int(&self, value: &[u8]) -> Option<i64> {
        value.first().map(|byte| i64::from(*byte))
    }

    fn float8(&self, _value: &[u8]) -> Option<f64> {
        None
    }
}

struct Bench {
    slot: Slot<'static>,
    sent: Receiver<String>,
    replies: Sender<Reply>,
    tally: Tally,
    over: bool,
}

fn slot(program: impl Program + 'static) -> (Slot<'static>, Receiver<String>, Sender<Reply>) {
    let ((sent, seen), (say, replies)) = (channel(), channel());
    let (step, heard) = (Step::default(), Reply::default());
    let session = Scripted { step, sent, replies, answer: Vec::new(), heard };
    (Slot::of(Box::new(session), Box::new(program)), seen, say)
}

impl Bench {
    /// With the first step sent.
    fn new(after: Recovery) -> Bench {
        let (mut slot, sent, replies) = slot(Increment { step: 0, after });
        let window = Window { start_ns: 0, end_ns: 1000 };
        let tally = Tally::new(window, &["other".into(), "increment".into()], None);
        assert!(slot.draw().is_zero());
        slot.send(0).unwrap();
        Bench { slot, sent, replies, tally, over: false }
    }

    /// What was sent: the number of a statement with its value, or that the transaction is to end.
    fn sent(&mut self) -> String {
        self.sent.try_recv().unwrap()
    }

    /// The server answers; how the operation ended, if it did.
    fn answer(&mut self, reply: Reply) -> Option<Ending> {
        self.replies.send(reply).unwrap();
        let over = self.over;
        self.slot.receive(&mut self.tally, || over).unwrap()
    }

    fn number(&mut self, number: u8) -> Option<Ending> {
        self.answer(Reply { rows: vec![number], changed: 1, open: true, refusal: None })
    }

    fn changed(&mut self, changed: u8) -> Option<Ending> {
        self.answer(Reply { changed, open: true, ..Reply::default() })
    }

    fn refuse(&mut self, (code, message): (&str, &str), open: bool) -> Option<Ending> {
        let (severity, code, message) = ("ERROR".into(), code.into(), message.into());
        let refusal = Some(Refusal { severity, code, message });
        self.answer(Reply { refusal, open, ..Reply::default() })
    }

    fn rolled_back(&mut self) -> Option<Ending> {
        assert_eq!(self.sent(), "ROLLBACK");
        self.answer(Reply::default())
    }

    fn seen(mut self, ending: Ending) -> LoadResult {
        assert!(!self.slot.busy);
        self.tally.ended(500, self.slot.class, ending);
        self.tally.finish()
    }
}

const CONFLICT: (&str, &str) = ("40001", "could not serialize");
const DEADLOCK: (&str, &str) = ("40P01", "deadlock detected");
const REFUSED: (&str, &str) = ("23505", "duplicate key");

#[test]
fn an_answers_value_feeds_the_next_step() {
    let mut bench = Bench::new(Recovery::GiveUp);
    assert_eq!(bench.sent(), "n0");
    assert_eq!(bench.number(41), None);
    assert_eq!(bench.sent(), "n1 42");
    assert_eq!(bench.changed(1), None);
    assert_eq!(bench.sent(), "n2");
    let ending = bench.answer(Reply::default()).unwrap();
    let seen = bench.seen(ending);
    assert_eq!((seen.operations, seen.classes[1].operations, seen.errors), (1, 1, 0));
}

#[test]
fn after_a_conflict_the_transaction_is_rolled_back_and_done_again() {
    let mut bench = Bench::new(Recovery::Again);
    for refusal in [CONFLICT, DEADLOCK] {
        assert_eq!(bench.sent(), "n0");
        assert_eq!(bench.number(1), None);
        assert_eq!(bench.sent(), "n1 2");
        assert_eq!(bench.refuse(refusal, true), None);
        assert_eq!(bench.rolled_back(), None);
    }
    // In the end it gives up, because the window is over.
    assert_eq!(bench.sent(), "n0");
    bench.over = true;
    let ending = bench.refuse(CONFLICT, false).unwrap();
    let seen = bench.seen(ending);
    let class = &seen.classes[1];
    assert_eq!((class.serialization_failures, class.deadlocks, class.retries), (2, 1, 2));
    assert_eq!((seen.operations, seen.conflicts, seen.errors), (0, 1, 0));
    assert_eq!(seen.refusals, [("40001".into(), 2), ("40P01".into(), 1)].into());
    assert_eq!(seen.first_error, None);
}

#[test]
fn an_error_ends_the_operation_and_its_transaction() {
    let mut bench = Bench::new(Recovery::GiveUp);
    bench.sent();
    assert_eq!(bench.number(1), None);
    bench.sent();
    assert_eq!(bench.refuse(REFUSED, true), None);
    let ending = bench.rolled_back().unwrap();
    let seen = bench.seen(ending);
    assert_eq!((seen.operations, seen.errors, seen.conflicts), (0, 1, 0));
    assert_eq!(seen.first_error.as_deref(), Some("ERROR 23505: duplicate key"));
}

#[test]
fn what_was_meant_to_be_rolled_back_is_no_error() {
    let mut bench = Bench::new(Recovery::Planned);
    bench.sent();
    let ending = bench.refuse(REFUSED, false).unwrap();
    let seen = bench.seen(ending);
    let class = &seen.classes[1];
    assert_eq!((class.operations, class.rolled_back, seen.errors), (1, 1, 0));
    assert_eq!(seen.first_error, None);
    // By the program's own decision, with the transaction left to the engine.
    let mut bench = Bench::new(Recovery::GiveUp);
    bench.sent();
    assert_eq!(bench.number(1), None);
    bench.sent();
    assert_eq!(bench.changed(0), None);
    assert_eq!(bench.rolled_back(), Some(Ending::RolledBack));
}

#[test]
fn a_wrong_answer_counts_and_is_told() {
    let mut bench = Bench::new(Recovery::GiveUp);
    bench.sent();
    let ending = bench.answer(Reply::default()).unwrap();
    let seen = bench.seen(ending);
    assert_eq!((seen.operations, seen.wrong, seen.classes[1].wrong), (1, 1, 1));
    assert_eq!(seen.first_error.as_deref(), Some("no number"));
}

#[test]
fn a_step_without_a_statement_ends_the_load() {
    struct Silent;
    impl Program for Silent {
        fn begin(&mut self, _request: &mut Request<'_>) -> Operation {
            Operation::now(0)
        }
        fn answered(&mut self, _answer: &Answer<'_>, _request: &mut Request<'_>) -> AfterAnswer {
            AfterAnswer::Send
        }
    }
    let (mut slot, _sent, _replies) = slot(Silent);
    slot.draw();
    assert!(matches!(slot.send(0), Err(LoadError::NothingToSend)));
}
