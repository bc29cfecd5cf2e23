//! Latencies over NVMe/TCP, divided, against the real target and a real echo.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use narrows_engine::{Context, Phase, Progress, Silent, Stop};
use narrows_initiator::{Address, Association, stamps};
use narrows_layer_fabric::{Divided, FabricError, SplitOperation, SplitPlan, echo, split};
use narrows_model::{Layer, Measurement, Platform, condition, metric};
use narrows_observe::Watch;

use crate::program::Program;
use crate::tls::TlsFiles;

pub(crate) const READ: SplitOperation = SplitOperation { writes: false, bytes: 8192 };

pub(crate) fn context(stop: &Stop) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 1,
        repeats: 2,
        quick: true,
        window: Duration::from_millis(20),
    }
}

fn divided(
    program: &Program,
    operations: Option<Vec<SplitOperation>>,
    echo: Option<String>,
) -> Result<Vec<Measurement>, FabricError> {
    divided_at(&program.address(""), operations, echo)
}

fn divided_at(
    address: &Address,
    operations: Option<Vec<SplitOperation>>,
    echo: Option<String>,
) -> Result<Vec<Measurement>, FabricError> {
    let association = Arc::new(Association::connect(address, 4)?);
    let fills = operations.is_none();
    let operations =
        operations.unwrap_or_else(|| SplitOperation::for_namespace(association.reached(), true));
    let plan = SplitPlan {
        operations,
        region_bytes: 1 << 20,
        fills,
        echo,
        stamps: stamps::begin().is_ok(),
        window: Duration::from_millis(20),
        same_machine: association.is_on_this_machine(),
        device_run: None,
        device: Vec::new(),
    };
    let stop = Stop::new();
    let watch = Watch::new(&Platform::default(), &[]);
    split(&context(&stop), &association, &plan, &watch).map(|divided| divided.measurements)
}

#[test]
fn parts_are_of_the_operation_and_what_is_known_of_the_target_is_told() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let stop = Stop::new();
    let measurements = std::thread::scope(|threads| {
        threads.spawn(|| echo::serve(&listener, &stop, &|_| {}));
        let measurements = divided(&program, None, Some(address));
        stop.set();
        measurements
    });
    let measurements = measurements.unwrap();
    let ids: Vec<&str> = measurements.iter().map(|m| &*m.id).collect();
    assert_eq!(
        ids,
        [
            "fabric.split.read.8k",
            "fabric.split.read.16k",
            "fabric.split.write.8k",
            "fabric.split.write.16k",
            "fabric.split.write.20k",
            "fabric.target",
            "fabric.throughput.read.128k",
        ]
    );
    let beyond = &measurements[4];
    assert_eq!(beyond.get(condition::IN_CAPSULE), Some(false));
    // An R2T is no exchange of two messages: the echo has nothing to say of it.
    assert_eq!(beyond.value(metric::SPLIT_WIRE), None);
    for m in &measurements[..5] {
        assert_eq!(m.get(condition::SAME_MACHINE), Some(true));
        assert_eq!(m.text(condition::TARGET_WAIT), Some("sleeps"));
        let samples = |metric| m.metric(metric).map_or(&[][..], |found| &found.samples);
        let [whole, target, storage] =
            [metric::SPLIT_LATENCY, metric::SPLIT_TARGET, metric::SPLIT_STORAGE].map(samples);
        assert_eq!((whole.len(), target.len(), storage.len()), (2, 2, 2), "{}", m.id);
        assert!(m.value(metric::OPERATIONS).unwrap() >= 16.0, "{}", m.id);
        if stamps::begin().is_err() {
            continue;
        }
        for metric in [metric::SPLIT_RECEIVE, metric::SPLIT_HOST_WAKE_UP, metric::SPLIT_UNEXPLAINED]
        {
            assert_eq!(samples(metric).len(), 2, "{} of {}", metric, m.id);
        }
        let sent = m.value(metric::SPLIT_SEND);
        assert!(sent.is_none_or(|ns| ns > 0.0 && ns < m.value(metric::SPLIT_LATENCY).unwrap()));
    }
    if stamps::begin().is_ok() {
        assert!(measurements[0].value(metric::SPLIT_WIRE).unwrap() > 0.0);
        assert!(measurements[0].value(metric::SPLIT_TARGET_WAKE_UP).is_some());
    }
    assert!(measurements[5].value(metric::OPERATIONS).unwrap() > 0.0);
    assert!(measurements[6].value(metric::BANDWIDTH).unwrap() > 0.0);
    program.stop();
}

#[test]
fn parts_are_had_over_tls_too_and_the_run_says_that_it_was_on() {
    let files = TlsFiles::new();
    let key = files.path("key");
    let program = Program::serving(&["ram:1MiB"], &["--tls-key-file", &key]);
    let address = program.address(&format!("tls-key-file={key}&digest=data"));
    let measurements = divided_at(&address, Some(vec![READ]), None).unwrap();
    let said = Some("TLS 1.3 AES_128_GCM_SHA256, pre-shared key");
    let split = &measurements[0];
    assert_eq!(
        (split.text(condition::ENCRYPTION), split.text(condition::DIGESTS)),
        (said, Some("data"))
    );
    for part in [metric::SPLIT_LATENCY, metric::SPLIT_TARGET, metric::SPLIT_STORAGE] {
        assert!(split.value(part).unwrap() >= 0.0, "{part}");
    }
    let throughput = measurements.last().unwrap();
    assert!(throughput.value(metric::BANDWIDTH).unwrap() > 0.0);
    assert_eq!(throughput.text(condition::ENCRYPTION), said);
    program.stop();
    let plain = Program::serving(&["ram:1MiB"], &[]);
    let measurements = divided(&plain, Some(vec![READ]), None).unwrap();
    assert_eq!(measurements[0].text(condition::ENCRYPTION), Some("none"));
    plain.stop();
}

#[test]
fn what_answers_reads_at_the_target_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, vec![0; 1 << 20]).unwrap();
        path.display().to_string()
    };
    let cached = format!("{},cache=ram:256KiB", file("cached"));
    let program = Program::serving(&["ram:1MiB", "null:1MiB", &file("plain"), &cached], &[]);
    let told = |number: u32| {
        let association = Association::connect(&program.address(&format!("ns={number}")), 1);
        association.unwrap().target_activity().unwrap().storage.unwrap().word()
    };
    assert_eq!((told(1), told(2), told(4)), ("memory", "memory", "cache in front"));
    // The target's line says which of the two it is here.
    assert!(["page cache", "direct"].contains(&told(3)), "{}", told(3));
    let measurements = divided(&program, Some(vec![READ]), None).unwrap();
    assert_eq!(measurements[0].text(condition::TARGET_STORAGE), Some("memory"));
    program.stop();
}

#[test]
fn a_target_that_polls_says_so_and_has_no_wake_up() {
    let program = Program::serving(&["ram:1MiB"], &["--wait", "50us"]);
    let measurements = divided(&program, Some(vec![READ]), None).unwrap();
    assert_eq!(
        measurements[0].text(condition::TARGET_WAIT),
        Some("polls for 50.0 µs, then sleeps")
    );
    assert_eq!(measurements[0].value(metric::SPLIT_WIRE), None);
    program.stop();
}

#[test]
fn an_echo_that_is_none_is_told_with_what_to_run() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    // A port that nobody listens at: it was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let none = echo::check_echo(&free).unwrap_err().to_string();
    assert!(none.contains("narrows fabric echo --listen ADDRESS:PORT"), "{none}");
    // The target itself is no echo.
    let target = format!("127.0.0.1:{}", program.port);
    let error = echo::check_echo(&target).unwrap_err().to_string();
    assert!(error.contains(&format!("the echo at {target}")), "{error}");
    // One that goes away costs what it would have told, and not the rest.
    let measurements = divided(&program, Some(vec![READ]), Some(free)).unwrap();
    assert_eq!(measurements[0].value(metric::SPLIT_WIRE), None);
    assert!(measurements[0].value(metric::SPLIT_LATENCY).is_some());
    program.stop();
}

#[test]
fn who_asks_an_echo_for_nothing_is_let_go_and_others_are_served() {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stop = Stop::new();
    std::thread::scope(|threads| {
        threads.spawn(|| echo::serve(&listener, &stop, &|_| {}));
        let mut stranger = std::net::TcpStream::connect(address).unwrap();
        stranger.write_all(&[7; 24]).unwrap();
        let mut rest = Vec::new();
        assert_eq!(stranger.read_to_end(&mut rest).unwrap_or(0), 0);
        // More than it takes at once: the last is closed, the first go on.
        let mut all: Vec<_> =
            (0..5).map(|_| std::net::TcpStream::connect(address).unwrap()).collect();
        assert_eq!(all[4].read(&mut [0; 1]).unwrap_or(0), 0);
        let mut hello = *b"nrwecho1\x03\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0";
        hello[16] = 0;
        all[0].write_all(&hello).unwrap();
        all[0].write_all(b"abc").unwrap();
        let mut answer = [9; 6];
        all[0].read_exact(&mut answer).unwrap();
        assert_eq!(answer, [1, 0, 0, 0, 0, 0]);
        stop.set();
    });
}

/// Acts when so many rounds have begun.
struct AtRound<F> {
    begun: Mutex<u32>,
    number: u32,
    act: F,
}

impl<F: Fn() + Send + Sync> Progress for AtRound<F> {
    fn phase(&self, _: Layer, phase: Phase, detail: &str) {
        if phase != Phase::Measure || !detail.contains("one operation in flight") {
            return;
        }
        let mut begun = self.begun.lock().unwrap();
        *begun += 1;
        if *begun == self.number {
            (self.act)();
        }
    }
}

/// Eight rounds, in one of which something happens.
fn eight_rounds(
    program: &Program,
    number: u32,
    stop: &Stop,
    act: impl Fn() + Send + Sync,
) -> Result<Divided, FabricError> {
    let association = Arc::new(Association::connect(&program.address(""), 1)?);
    let plan = SplitPlan {
        operations: vec![READ],
        region_bytes: 1 << 20,
        fills: false,
        echo: None,
        stamps: false,
        window: Duration::from_millis(5),
        same_machine: true,
        device_run: None,
        device: Vec::new(),
    };
    let progress = AtRound { begun: Mutex::new(0), number, act };
    let window = Duration::from_millis(5);
    let ctx = Context { progress: &progress, repeats: 8, window, ..context(stop) };
    split(&ctx, &association, &plan, &Watch::new(&Platform::default(), &[]))
}

#[test]
fn six_rounds_that_ended_are_kept_after_a_stop_or_a_lost_connection_and_five_are_not() {
    for lost in [false, true] {
        for (at, kept) in [(7, Some(6)), (8, Some(7)), (6, None)] {
            let program = Program::serving(&["ram:1MiB"], &[]);
            let stop = Stop::new();
            let signal = program.signaller();
            let divided = eight_rounds(&program, at, &stop, || match lost {
                true => signal(libc::SIGKILL),
                false => stop.set(),
            });
            let told = match (divided, kept) {
                (Ok(divided), Some(rounds)) => {
                    let read = &divided.measurements[0];
                    assert_eq!((&*read.id, read.repeats), ("fabric.split.read.8k", rounds));
                    let whole = read.metric(metric::SPLIT_LATENCY).unwrap();
                    assert!(whole.interval_95.is_some() && whole.samples.len() == rounds as usize);
                    let share = read.value(metric::SPLIT_ROUNDS_DONE);
                    assert_eq!(share, Some(f64::from(rounds) / 8.0));
                    // Reads with many in flight come after the rounds.
                    assert!(divided.measurements.iter().all(|m| !m.id.contains("throughput")));
                    divided.cut_short.expect("it was cut short")
                }
                (Err(error), None) => error,
                (divided, _) => panic!("round {at}, lost: {lost}: {divided:?}"),
            };
            assert_eq!(matches!(told, FabricError::Stopped(_)), !lost, "{told}");
        }
    }
}
