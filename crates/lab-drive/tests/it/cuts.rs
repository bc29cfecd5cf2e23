//! Crash tests on the laboratory's drive: a liar is refuted, an honest drive acquitted, whatever survives by chance.

use crate::common::crash;

use crate::common;
use std::path::{Path, PathBuf};

use crate::common::in_lab;
use crash::{Listening, Writing, judged, list_in};
use narrows_crashtest::{
    Acknowledged, End, Layout, Mode, Settings, Sync, Target, check_file, write_files,
};
use narrows_lab_drive::{DriveContents, Lab};
use narrows_model::{CrashTest, CrashTestOutcome};

const RING: Layout =
    Layout { record_bytes: 4096, streams: 2, mode: Mode::Overwrite { slots: 600 } };

struct Case {
    layout: Layout,
    sync: Sync,
    direct: bool,
    lies: bool,
    seed: Option<u64>,
}

const PLAIN: Case =
    Case { layout: RING, sync: Sync::Fdatasync, direct: false, lies: false, seed: None };

fn target(lab: &Lab, kind: DriveContents) -> Target {
    match kind {
        DriveContents::Raw => {
            Target::Device { path: lab.device().to_path_buf(), size_bytes: common::SIZE }
        }
        DriveContents::Ext4 | DriveContents::Xfs => Target::NewFile(lab.files().join("records")),
    }
}

/// Writes, cuts, looks, and says what came out.
fn crash(
    lab: &mut Lab,
    kind: DriveContents,
    beside: &Path,
    case: &Case,
) -> (Acknowledged, CrashTest) {
    let listening = Listening::start(list_in(beside));
    let settings = Settings {
        target: target(lab, kind),
        name: "the laboratory's drive".to_string(),
        layout: case.layout,
        sync: case.sync,
        direct: case.direct,
        collector: listening.address.clone(),
        same_host: true,
        length: None,
    };
    let writing = Writing::start(move |stop| write_files(&settings, stop, &mut |_| {}).unwrap());
    listening.wait_for(100);
    if case.lies {
        lab.drive().lie().unwrap();
    }
    // However late we come: these are written after the drive began to lie.
    listening.wait_for_more(300);
    let written = if case.sync == Sync::None {
        // Nothing tells it that the drive has gone.
        let written = writing.stop();
        lab.cut(case.seed).unwrap();
        written
    } else {
        lab.cut(case.seed).unwrap();
        writing.end()
    };
    let list = listening.end();
    assert!(list.total() <= written.records, "{} of {}", list.total(), written.records);
    assert_eq!(list.gaps(), 0);
    if case.sync != Sync::None {
        assert!(matches!(list.end, Some(End::Failed(_))), "{:?}", list.end);
    }
    lab.mount_afresh().unwrap();
    let path: PathBuf = match kind {
        DriveContents::Raw => lab.device().to_path_buf(),
        DriveContents::Ext4 | DriveContents::Xfs => lab.files().join("records"),
    };
    let counts = check_file(&path, &list_in(beside), &list, false).unwrap();
    assert!(counts.checked > 0);
    let test = judged(&list, counts);
    (list, test)
}

fn outcome(kind: DriveContents, case: Case) -> Option<CrashTest> {
    let mut found = None;
    in_lab(kind, |lab, beside| found = Some(crash(lab, kind, beside, &case).1));
    found
}

fn is_shown(kind: DriveContents, case: Case) {
    if let Some(test) = outcome(kind, case) {
        assert_eq!(test.outcome, CrashTestOutcome::Shown, "{test:?}");
    }
}

fn is_refuted(kind: DriveContents, case: Case) -> Option<CrashTest> {
    let test = outcome(kind, case)?;
    assert_eq!(test.outcome, CrashTestOutcome::Refuted, "{test:?}");
    assert_eq!(test.lost.len() as u64, test.missing + test.torn);
    Some(test)
}

#[test]
fn an_honest_drive_is_acquitted_whatever_survives() {
    is_shown(DriveContents::Ext4, Case { seed: Some(1), ..PLAIN });
    is_shown(DriveContents::Ext4, Case { seed: Some(2), direct: true, sync: Sync::Dsync, ..PLAIN });
}

#[test]
fn an_honest_drive_is_acquitted_where_the_file_grows() {
    let layout = Layout { mode: Mode::Append, ..RING };
    is_shown(DriveContents::Ext4, Case { seed: Some(3), layout, ..PLAIN });
    is_shown(DriveContents::Xfs, Case { seed: Some(4), layout, sync: Sync::Fsync, ..PLAIN });
}

#[test]
fn an_honest_drive_is_acquitted_without_a_file_system() {
    is_shown(
        DriveContents::Raw,
        Case { seed: Some(5), direct: true, sync: Sync::RwfDsync, ..PLAIN },
    );
    is_shown(DriveContents::Raw, PLAIN);
}

#[test]
fn a_liar_is_refuted_through_a_file_system() {
    is_refuted(DriveContents::Ext4, Case { lies: true, ..PLAIN });
}

#[test]
fn a_liar_that_loses_a_part_is_refuted_with_missing_and_torn_records() {
    let case = Case { lies: true, seed: Some(6), direct: true, sync: Sync::Dsync, ..PLAIN };
    let Some(test) = is_refuted(DriveContents::Raw, case) else { return };
    assert!(test.missing > 0 && test.torn > 0, "{} missing, {} torn", test.missing, test.torn);
    assert!(test.missing + test.torn < test.checked, "some survive");
}

#[test]
fn on_an_honest_drive_what_was_not_flushed_is_lost() {
    let test = is_refuted(DriveContents::Ext4, Case { sync: Sync::None, ..PLAIN });
    assert!(test.is_none_or(|test| !test.flushes));
}
