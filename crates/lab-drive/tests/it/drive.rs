//! The drive itself: what a cut loses and keeps, through a loop device and a file system, and that nothing is left behind.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use crate::common::in_lab;
use narrows_lab_drive::{DriveContents, Lab};

fn write_synced(lab: &Lab, name: &str) {
    let mut file = File::create(lab.files().join(name)).unwrap();
    file.write_all(&[7; 10_000]).unwrap();
    file.sync_all().unwrap();
    File::open(lab.files()).unwrap().sync_all().unwrap();
}

/// Length of a file after the cut, and whether it holds what was written.
fn left(lab: &Lab, name: &str) -> Option<(usize, bool)> {
    let bytes = fs::read(lab.files().join(name)).ok()?;
    Some((bytes.len(), bytes.iter().all(|byte| *byte == 7)))
}

#[test]
fn ext4_keeps_what_was_synced_and_loses_what_was_not() {
    in_lab(DriveContents::Ext4, |lab, _| {
        write_synced(lab, "synced");
        fs::write(lab.files().join("unsynced"), [7; 10_000]).unwrap();
        lab.cut(None).unwrap();
        lab.mount_afresh().unwrap();
        assert_eq!(left(lab, "synced"), Some((10_000, true)));
        assert_eq!(left(lab, "unsynced").filter(|(length, _)| *length > 0), None);
    });
}

#[test]
fn xfs_keeps_what_was_synced() {
    in_lab(DriveContents::Xfs, |lab, _| {
        write_synced(lab, "synced");
        lab.cut(Some(5)).unwrap();
        lab.mount_afresh().unwrap();
        assert_eq!(left(lab, "synced"), Some((10_000, true)));
    });
}

#[test]
fn a_slow_drive_takes_its_time_for_each_flush_and_loses_nothing() {
    in_lab(DriveContents::Ext4, |lab, _| {
        let takes = Duration::from_millis(30);
        lab.drive().slow(takes).unwrap();
        let began = Instant::now();
        write_synced(lab, "synced");
        // The file and its folder.
        assert!(began.elapsed() >= 2 * takes, "{:?}", began.elapsed());
        lab.cut(None).unwrap();
        lab.mount_afresh().unwrap();
        assert_eq!(left(lab, "synced"), Some((10_000, true)));
    });
}

#[test]
fn a_liar_loses_what_was_synced() {
    in_lab(DriveContents::Ext4, |lab, _| {
        write_synced(lab, "before");
        lab.sync().unwrap();
        lab.drive().lie().unwrap();
        write_synced(lab, "after");
        lab.cut(None).unwrap();
        lab.mount_afresh().unwrap();
        assert_eq!(left(lab, "before"), Some((10_000, true)));
        assert_eq!(left(lab, "after"), None);
    });
}

#[test]
fn a_flush_of_the_device_reaches_the_drive_and_a_write_alone_does_not() {
    in_lab(DriveContents::Raw, |lab, _| {
        let device = File::options().read(true).write(true).open(lab.device()).unwrap();
        device.write_all_at(&[1; 4096], 0).unwrap();
        device.sync_data().unwrap();
        device.write_all_at(&[2; 4096], 4096).unwrap();
        // To the drive's cache, without a flush.
        write_out(&device);
        drop(device);
        lab.cut(None).unwrap();
        lab.mount_afresh().unwrap();
        let device = File::open(lab.device()).unwrap();
        let mut read = [9; 8192];
        device.read_exact_at(&mut read, 0).unwrap();
        assert_eq!((read[0], read[4095], read[4096], read[8191]), (1, 1, 0, 0));
    });
}

/// Starts write-back of all pages and waits for it; no flush is sent (sync_file_range(2)).
fn write_out(file: &File) {
    use std::os::fd::AsRawFd;
    let flags = libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: no memory is involved, and the descriptor is open.
    assert_eq!(unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, flags) }, 0);
}
