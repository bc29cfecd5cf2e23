//! A delay of known length at a known place is found in that part of the split, and in no other.
//!
//! The delay is long beside what a busy machine adds to an operation, and the typical operation is of the middle half of all.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use narrows_engine::{Context, Stop};
use narrows_initiator::{Address, Association, stamps};
use narrows_lab_drive::{DriveContents, Lab, missing};
use narrows_layer_fabric::{SplitOperation, SplitPlan, echo, split};
use narrows_model::{Measurement, Metric, Platform, metric};
use narrows_observe::Watch;

use crate::cutter::long_way;
use crate::fabric_split::{READ, context};
use crate::program::{NQN, Program, log_command};

const DELAY: Duration = Duration::from_millis(20);
/// Of the first blocks; what is slow is not filled.
const REGION_BYTES: u64 = 64 << 10;

/// One round: each window has some ninety operations at least.
fn divided(address: &Address, operation: SplitOperation, echo: Option<String>) -> Measurement {
    let association = Arc::new(Association::connect(address, 1).unwrap());
    let plan = SplitPlan {
        operations: vec![operation],
        region_bytes: REGION_BYTES,
        fills: false,
        echo,
        stamps: stamps::begin().is_ok(),
        window: Duration::from_millis(20),
        same_machine: true,
        device_run: None,
        device: Vec::new(),
    };
    let stop = Stop::new();
    let ctx = Context { repeats: 1, ..context(&stop) };
    let watch = Watch::new(&Platform::default(), &[]);
    split(&ctx, &association, &plan, &watch).unwrap().measurements.swap_remove(0)
}

/// The delay is in the latency once, in that part, and all others together are shorter than it.
fn is_in(measurement: &Measurement, part: Metric, others: &[Metric]) {
    let ns = |metric| measurement.value(metric).map_or(0.0, |ns: f64| ns.max(0.0));
    let delay = DELAY.as_nanos() as f64;
    assert!(ns(metric::SPLIT_LATENCY) >= delay, "{measurement:?}");
    assert!(ns(part) >= delay, "{part} is {} ns: {measurement:?}", ns(part));
    let others: f64 = others.iter().map(|other| ns(*other)).sum();
    assert!(others < delay, "{others} ns besides {part}: {measurement:?}");
    if stamps::begin().is_err() {
        eprintln!("SKIPPED: parts of the host and the network: this kernel stamps no packets");
    }
}

/// All parts but the storage, where no echo tells the wire from the wake-up.
const NOT_STORAGE: [Metric; 6] = [
    metric::SPLIT_SEND,
    metric::SPLIT_NETWORK,
    metric::SPLIT_TARGET,
    metric::SPLIT_RECEIVE,
    metric::SPLIT_HOST_WAKE_UP,
    metric::SPLIT_UNEXPLAINED,
];

#[test]
fn a_drive_whose_reads_take_longer_is_in_the_storage() {
    let lab_drive =
        Path::new(env!("CARGO_BIN_EXE_narrows-target")).with_file_name("narrows-lab-drive");
    let program = lab_drive.exists().then_some(lab_drive).ok_or("narrows-lab-drive isn't built");
    let program = program.map_err(str::to_string);
    let program = match program.and_then(|path| missing(DriveContents::Raw).map_or(Ok(path), Err)) {
        Ok(program) => program,
        Err(why) => return eprintln!("SKIPPED: a drive whose reads take longer: {why}"),
    };
    let folder = tempfile::Builder::new().prefix("narrows-lab-").tempdir_in("/var/tmp").unwrap();
    // The drive's mounts are those of this test's thread.
    let mut lab = Lab::of_file(&program, folder.path(), 1 << 20).unwrap();
    let target = Program::serving(&[lab.file().to_str().unwrap()], &[]);
    lab.drive().slow_reads(DELAY).unwrap();
    let measurement = divided(&target.address(""), READ, None);
    is_in(&measurement, metric::SPLIT_STORAGE, &NOT_STORAGE);
    lab.drive().slow_reads(Duration::ZERO).unwrap();
    target.stop();
}

#[test]
fn a_log_on_peers_far_away_is_in_the_storage() {
    let peer = || Program::serving(&["ram:6MiB"], &[]);
    let peers = [peer(), peer()];
    let addresses = peers.each_ref().map(|peer| {
        let port = long_way(peer.port, DELAY / 2);
        format!("nvme-tcp://127.0.0.1:{port}/{NQN}?ns=1&io-timeout=10")
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; REGION_BYTES as usize]).unwrap();
    let file = file.display().to_string();
    let mut make = vec!["make", "--copies", "2", "--separate-power", "--for", &file];
    make.extend(addresses.iter().flat_map(|address| ["--log", address]));
    let (said, code) = log_command(&make);
    assert_eq!(code, Some(0), "{said}");
    let log: String = addresses.iter().map(|address| format!(",log={address}")).collect();
    let target = Program::serving(&[&format!("{file}{log}")], &[]);
    let write = SplitOperation { writes: true, bytes: 8192 };
    let measurement = divided(&target.address(""), write, None);
    is_in(&measurement, metric::SPLIT_STORAGE, &NOT_STORAGE);
    target.stop();
}

#[test]
fn a_long_way_between_host_and_target_is_in_the_wire() {
    let target = Program::serving(&["ram:1MiB"], &[]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    // The same way to both: they are on one machine.
    let [to_target, to_echo] =
        [target.port, listener.local_addr().unwrap().port()].map(|port| long_way(port, DELAY / 2));
    let stop = Stop::new();
    let address = format!("nvme-tcp://127.0.0.1:{to_target}/{NQN}").parse().unwrap();
    let measurement = std::thread::scope(|threads| {
        threads.spawn(|| echo::serve(&listener, &stop, &|_| {}));
        let _stops = Stops(&stop);
        divided(&address, READ, Some(format!("127.0.0.1:{to_echo}")))
    });
    let beyond = [
        metric::SPLIT_SEND,
        metric::SPLIT_TARGET_WAKE_UP,
        metric::SPLIT_TARGET,
        metric::SPLIT_STORAGE,
        metric::SPLIT_RECEIVE,
        metric::SPLIT_HOST_WAKE_UP,
        metric::SPLIT_UNEXPLAINED,
    ];
    if stamps::begin().is_ok() {
        is_in(&measurement, metric::SPLIT_NETWORK, &beyond);
        is_in(&measurement, metric::SPLIT_WIRE, &beyond);
    } else {
        is_in(&measurement, metric::FABRIC_ADDED, &beyond);
    }
    target.stop();
}

/// Stops the echo, also where the test ends early.
struct Stops<'a>(&'a Stop);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}
