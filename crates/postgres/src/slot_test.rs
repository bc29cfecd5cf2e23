//! One session's operations against a server that says what the test says.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use narrows_engine::Window;

use super::LoadError;
use super::program::{Next, Operation, Program, Recovery, Verdict};
use super::result::{LoadResult, Tally};
use super::slot::{Ending, Slot};
use crate::session::{Answer, PostgresSession, Refusal, Request, Value};
use crate::wire::Stream;

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

    fn answered(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Next {
        self.step += 1;
        match self.step {
            1 => {
                let Some(found) = answer.row(0).and_then(|row| row.int(0)) else {
                    return Next::Done(Verdict::Wrong("no number".into()));
                };
                request.run(1, &[Value::Int8(found + 1)]);
                Next::Send
            }
            2 if answer.affected() == 1 => {
                request.run(2, &[]);
                Next::Send
            }
            2 => Next::Done(Verdict::RolledBack),
            _ => Next::Done(Verdict::Right),
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

struct Bench {
    slot: Slot<'static, PostgresSession>,
    server: UnixStream,
    tally: Tally,
    over: bool,
}

impl Bench {
    /// With the first step sent.
    fn new(after: Recovery) -> Bench {
        let (ours, server) = UnixStream::pair().unwrap();
        let session = PostgresSession::over(Stream::Unix(ours), 0, 3, Vec::new());
        let mut slot = Slot::of(session, Box::new(Increment { step: 0, after }));
        let window = Window { start_ns: 0, end_ns: 1000 };
        let tally = Tally::new(window, &["other".into(), "increment".into()], None);
        assert!(slot.draw().is_zero());
        slot.send(0).unwrap();
        Bench { slot, server, tally, over: false }
    }

    /// What was sent: the number of a statement with its value, or a query.
    fn sent(&mut self) -> String {
        let mut bytes = [0; 256];
        let n = self.server.read(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
        if text.starts_with('Q') {
            return text[5..].trim_end_matches('\0').into();
        }
        assert!(text.ends_with("S\0\0\0\u{4}"), "{text:?}");
        // Bind: tag, length, unnamed portal, name; formats, count of values, length and value.
        let name = &text[6..8];
        match bytes[8..17] {
            [0, 0, 1, 0, 1, 0, 1, 0, 0] => format!("{name} {}", bytes[26]),
            _ => name.into(),
        }
    }

    /// The server answers; how the operation ended, if it did.
    fn answer(&mut self, messages: &[(u8, &[u8])], status: u8) -> Option<Ending> {
        let mut bytes = Vec::new();
        for (tag, body) in messages.iter().chain(&[(b'Z', &[status][..])]) {
            bytes.push(*tag);
            bytes.extend((body.len() as u32 + 4).to_be_bytes());
            bytes.extend_from_slice(body);
        }
        self.server.write_all(&bytes).unwrap();
        let over = self.over;
        self.slot.receive(&mut self.tally, || over).unwrap()
    }

    fn number(&mut self, number: u8) -> Option<Ending> {
        self.answer(&[(b'D', &[0, 1, 0, 0, 0, 2, 0, number]), (b'C', b"SELECT 1\0")], b'T')
    }

    fn changed(&mut self, tag: &[u8]) -> Option<Ending> {
        self.answer(&[(b'C', tag)], b'T')
    }

    fn rolled_back(&mut self) -> Option<Ending> {
        assert_eq!(self.sent(), "ROLLBACK");
        self.answer(&[(b'C', b"ROLLBACK\0")], b'I')
    }

    fn seen(mut self, ending: Ending) -> LoadResult {
        assert!(!self.slot.busy);
        self.tally.ended(500, self.slot.class, ending);
        self.tally.finish()
    }
}

const CONFLICT: (u8, &[u8]) = (b'E', b"SERROR\0C40001\0Mcould not serialize\0\0");
const DEADLOCK: (u8, &[u8]) = (b'E', b"SERROR\0C40P01\0Mdeadlock detected\0\0");
const REFUSED: (u8, &[u8]) = (b'E', b"SERROR\0C23505\0Mduplicate key\0\0");

#[test]
fn an_answers_value_feeds_the_next_step() {
    let mut bench = Bench::new(Recovery::GiveUp);
    assert_eq!(bench.sent(), "n0");
    assert_eq!(bench.number(41), None);
    assert_eq!(bench.sent(), "n1 42");
    assert_eq!(bench.changed(b"UPDATE 1\0"), None);
    assert_eq!(bench.sent(), "n2");
    let ending = bench.answer(&[(b'C', b"COMMIT\0")], b'I').unwrap();
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
        assert_eq!(bench.answer(&[refusal], b'E'), None);
        assert_eq!(bench.rolled_back(), None);
    }
    // In the end it gives up, because the window is over.
    assert_eq!(bench.sent(), "n0");
    bench.over = true;
    let ending = bench.answer(&[CONFLICT], b'I').unwrap();
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
    assert_eq!(bench.answer(&[REFUSED], b'E'), None);
    let ending = bench.rolled_back().unwrap();
    let seen = bench.seen(ending);
    assert_eq!((seen.operations, seen.errors, seen.conflicts), (0, 1, 0));
    assert_eq!(seen.first_error.as_deref(), Some("ERROR 23505: duplicate key"));
}

#[test]
fn what_was_meant_to_be_rolled_back_is_no_error() {
    let mut bench = Bench::new(Recovery::Planned);
    bench.sent();
    let ending = bench.answer(&[REFUSED], b'I').unwrap();
    let seen = bench.seen(ending);
    let class = &seen.classes[1];
    assert_eq!((class.operations, class.rolled_back, seen.errors), (1, 1, 0));
    assert_eq!(seen.first_error, None);
    // By the program's own decision, with the transaction left to the engine.
    let mut bench = Bench::new(Recovery::GiveUp);
    bench.sent();
    assert_eq!(bench.number(1), None);
    bench.sent();
    assert_eq!(bench.changed(b"UPDATE 0\0"), None);
    assert_eq!(bench.rolled_back(), Some(Ending::RolledBack));
}

#[test]
fn a_wrong_answer_counts_and_is_told() {
    let mut bench = Bench::new(Recovery::GiveUp);
    bench.sent();
    let ending = bench.answer(&[(b'C', b"SELECT 0\0")], b'I').unwrap();
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
        fn answered(&mut self, _answer: &Answer<'_>, _request: &mut Request<'_>) -> Next {
            Next::Send
        }
    }
    let (ours, _server) = UnixStream::pair().unwrap();
    let mut slot =
        Slot::of(PostgresSession::over(Stream::Unix(ours), 0, 1, Vec::new()), Box::new(Silent));
    slot.draw();
    assert!(matches!(slot.send(0), Err(LoadError::NothingToSend)));
}
