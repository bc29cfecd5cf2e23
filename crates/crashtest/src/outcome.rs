//! From counts, and what is known of the cut, to the outcome. Pure.

use narrows_model::{CrashTest, CrashTestOutcome, LostRecord};

use crate::{Cut, End, Terms};

/// Fewer acknowledged records looked for than this show nothing by being there.
pub const LEAST_RECORDS: u64 = 1000;

/// If no record came for so long before the voice ended, none was under way when the power went, ms.
const LONGEST_IDLE_MS: u64 = 3000;

/// What the checker found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records that the list has.
    pub acknowledged: u64,
    /// Those that could be looked for.
    pub checked: u64,
    /// Of those, nothing there, or something older.
    pub missing: u64,
    /// Of those, a part there.
    pub torn: u64,
    /// The missing and torn ones, up to 10,000.
    pub lost: Vec<LostRecord>,
    /// Why what was read of a file may come from the memory of the kernel that reads, if so.
    pub cached: Option<String>,
    /// Why rows may come from a memory that the cut spared, if so.
    pub server_memory: Option<String>,
    /// The writer left its mark: it outlived its connection.
    pub outlived: bool,
}

/// The outcome, with its sentences. `least` acknowledged records must have been looked for to show anything.
pub fn conclude(terms: &Terms, counts: Counts, cut: &Cut, least: u64) -> CrashTest {
    let seen = cut.seen();
    let lost = counts.missing + counts.torn;
    let mut sentences = Vec::new();
    let outcome = if lost > 0 {
        sentences.push(format!(
            "of {} acknowledged records looked for, {} {} missing and {} torn",
            counts.checked,
            counts.missing,
            if counts.missing == 1 { "is" } else { "are" },
            counts.torn
        ));
        convict(&seen, terms, &mut sentences)
    } else {
        sentences.push(format!(
            "all {} acknowledged records that could be looked for are there, whole",
            counts.checked
        ));
        acquit(&seen, cut, terms, &counts, least, &mut sentences)
    };
    CrashTest {
        id: terms.run.to_string(),
        target: terms.target.clone(),
        method: terms.method.clone(),
        flushes: terms.flushes,
        outcome,
        sentences,
        acknowledged: counts.acknowledged,
        checked: counts.checked,
        missing: counts.missing,
        torn: counts.torn,
        lost: counts.lost,
        cut: seen.ok(),
        told: cut.told.clone().filter(|_| !cut.by_itself()),
        host: Some(terms.writer.host.clone()),
        machine: terms.writer.machine.clone(),
        boot_id: cut.boot_id.clone(),
        mount_point: terms.mount_point.clone(),
    }
}

fn convict(
    seen: &Result<String, String>,
    terms: &Terms,
    sentences: &mut Vec<String>,
) -> CrashTestOutcome {
    match seen {
        Ok(cut) => sentences.push(cut.clone()),
        Err(reason) => {
            sentences.push(format!("no cut of the power was seen: {reason}"));
            sentences.push(
                "records don't vanish without one: is this the very file, and not a copy or a snapshot of it?"
                    .to_string(),
            );
            return CrashTestOutcome::Inconclusive;
        }
    }
    sentences.push(if terms.flushes {
        "something between the writer and the medium acknowledged what it had not kept".to_string()
    } else {
        "as it must be where nothing was flushed: this cut does reach what is volatile".to_string()
    });
    CrashTestOutcome::Refuted
}

fn acquit(
    seen: &Result<String, String>,
    cut: &Cut,
    terms: &Terms,
    counts: &Counts,
    least: u64,
    sentences: &mut Vec<String>,
) -> CrashTestOutcome {
    match seen {
        Ok(cut) => sentences.push(cut.clone()),
        Err(reason) => sentences.push(format!("no cut of the power was seen: {reason}")),
    }
    let mut shown = seen.is_ok();
    let mut said = Vec::new();
    let mut doubt = |text: String| {
        sentences.push(text);
        shown = false;
    };
    if counts.checked < least {
        doubt(format!("only {} records could be looked for, fewer than {least}", counts.checked));
    }
    if let Some(why) = cut.kept_power() {
        doubt(why);
    }
    // Another kernel has none of the memory of the one that wrote.
    if let Some(why) = counts.cached.as_ref().filter(|_| cut.same_kernel != Some(false)) {
        if cut.remounted {
            said.push("the user says that the file system was mounted again since".to_string());
        } else {
            doubt(format!(
                "the kernel that wrote may still run, and what was read may be its memory ({why}): unmount, mount again, \
                 and say so with --remounted"
            ));
        }
    }
    if let Some(why) = &counts.server_memory {
        doubt(why.clone());
    }
    // Whoever said how it ends has told it.
    if counts.outlived && matches!(cut.end, Some(End::Silence | End::Closed) | None) {
        doubt("the writer outlived its connection: nothing was under way at a cut".to_string());
    }
    if let Some(why) = cut.calm().filter(|_| seen.is_ok()) {
        doubt(why.to_string());
    }
    // A drive that is cut alone stalls its writer before it fails. Where the writer's machine lost its power, nobody's word
    // says that it wrote until then.
    let stalled = cut.told.is_some() && !cut.by_boot();
    let idle = cut.idle_ms.filter(|idle| !stalled && *idle > LONGEST_IDLE_MS);
    if let Some(idle) = idle {
        doubt(format!(
            "no record was written in the last {:.1} s before the end",
            idle as f64 / 1e3
        ));
    }
    if !terms.flushes {
        doubt(
            "nothing was flushed, so nothing had to be there: the cut did not reach what is volatile, or all of it \
             is protected"
                .to_string(),
        );
    }
    sentences.extend(said);
    if shown {
        sentences.push(
            "one cut tests what was under way at that moment: repeat it, under load, before relying on it".to_string(),
        );
        CrashTestOutcome::Shown
    } else {
        CrashTestOutcome::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DrivesPower, Layout, Machine, Mode, RecordLocation, RunId};
    use CrashTestOutcome::{Inconclusive, Refuted, Shown};

    fn terms(flushes: bool) -> Terms {
        let layout = Layout { record_bytes: 4096, streams: 2, mode: Mode::Append };
        Terms {
            run: RunId(7),
            writer: Machine { host: "db".into(), boot_id: "a".into(), machine: Some("m".into()) },
            target: "/data/file".into(),
            method: "write and fdatasync".into(),
            flushes,
            place: RecordLocation::File(layout),
            local_medium: true,
            elsewhere: None,
            server: None,
            mount_point: None,
            power: Vec::new(),
            drives: 0,
            same_host: false,
        }
    }

    fn counts(acknowledged: u64, missing: u64, torn: u64) -> Counts {
        Counts { acknowledged, checked: acknowledged, missing, torn, ..Counts::default() }
    }

    fn real_cut() -> Cut {
        Cut {
            end: Some(End::Silence),
            booted: Some(true),
            elsewhere: None,
            told: None,
            power: DrivesPower::Lost("nvme0n1 counts 41 power cycles, 40 before".into()),
            remounted: false,
            same_kernel: Some(false),
            boot_id: Some("b".into()),
            idle_ms: Some(12),
        }
    }

    fn outcome(counts: Counts, cut: &Cut, flushes: bool) -> (CrashTestOutcome, String) {
        let test = conclude(&terms(flushes), counts, cut, LEAST_RECORDS);
        (test.outcome, test.sentences.join("; "))
    }

    #[test]
    fn table_of_ends() {
        let failed = Some(End::Failed("EIO".into()));
        for (end, booted, told, intact, damaged) in [
            (Some(End::Silence), Some(true), false, Shown, Refuted),
            (Some(End::Silence), Some(false), false, Inconclusive, Inconclusive),
            (Some(End::Silence), None, false, Inconclusive, Inconclusive),
            (Some(End::Closed), Some(false), false, Inconclusive, Inconclusive),
            (Some(End::Closed), Some(true), false, Inconclusive, Inconclusive),
            (Some(End::Orderly), Some(true), false, Inconclusive, Inconclusive),
            (Some(End::Stopped), Some(true), false, Inconclusive, Inconclusive),
            (None, Some(true), false, Inconclusive, Inconclusive),
            (failed.clone(), Some(false), false, Inconclusive, Inconclusive),
            (failed, Some(false), true, Shown, Refuted),
            // Whoever had ended wrote nothing at the cut; what was lost was lost all the same.
            (Some(End::Closed), None, true, Inconclusive, Refuted),
            (Some(End::Closed), Some(false), true, Inconclusive, Refuted),
            (Some(End::Silence), Some(false), true, Inconclusive, Refuted),
            (None, Some(false), true, Inconclusive, Refuted),
            (Some(End::Silence), None, true, Shown, Refuted),
            (Some(End::Orderly), Some(false), true, Inconclusive, Refuted),
            (Some(End::Stopped), Some(true), true, Inconclusive, Refuted),
        ] {
            let told = told.then(|| "the shelf's plug".to_string());
            let cut = Cut { end, booted, told, idle_ms: Some(0), ..real_cut() };
            let (seen, text) = outcome(counts(5000, 0, 0), &cut, true);
            assert_eq!(seen, intact, "{cut:?}: {text}");
            let (seen, text) = outcome(counts(5000, 1, 0), &cut, true);
            assert_eq!(seen, damaged, "{cut:?}: {text}");
            assert_eq!(outcome(counts(5000, 0, 1), &cut, true).0, damaged);
        }
    }

    #[test]
    fn too_little_shows_nothing_and_still_convicts() {
        let cut = real_cut();
        let (seen, text) = outcome(counts(999, 0, 0), &cut, true);
        assert_eq!(seen, Inconclusive);
        assert!(text.contains("only 999"), "{text}");
        assert_eq!(outcome(counts(10, 1, 0), &cut, true).0, Refuted);
        // A small ring keeps few of many.
        let ring = Counts { checked: 257, ..counts(1_000_000, 0, 0) };
        let (seen, text) = outcome(ring, &cut, true);
        assert_eq!(seen, Inconclusive);
        assert!(text.contains("only 257"), "{text}");
        let idle = Cut { idle_ms: Some(4000), ..cut };
        let (seen, text) = outcome(counts(5000, 0, 0), &idle, true);
        assert_eq!(seen, Inconclusive);
        assert!(text.contains("4.0 s"), "{text}");
    }

    #[test]
    fn a_boot_is_no_cut_of_what_is_elsewhere() {
        let why = Some("sda is attached by iscsi: its own power has to be cut".to_string());
        let elsewhere = Cut { elsewhere: why, ..real_cut() };
        for lost in [0, 1] {
            let (seen, text) = outcome(counts(5000, lost, 0), &elsewhere, true);
            assert_eq!(seen, Inconclusive);
            assert!(text.contains("not in the machine that booted (sda is attached"), "{text}");
        }
        let told = Cut { told: Some("the filer".into()), ..elsewhere };
        let (seen, text) = outcome(counts(5000, 0, 0), &told, true);
        assert_eq!(seen, Shown);
        assert!(text.contains("the filer; nothing but that word shows it: sda"), "{text}");
        assert_eq!(outcome(counts(5000, 1, 0), &told, true).0, Refuted);
    }

    /// `echo b > /proc/sysrq-trigger`, a panic, a watchdog, the reset button: silence and a boot, and the drives had power throughout.
    #[test]
    fn a_reset_is_no_cut_of_the_power() {
        let kept = DrivesPower::Kept("nvme0n1 kept its power: 40 power cycles".into());
        let unknown = DrivesPower::unread();
        let word = Some("db's plug".to_string());
        for (power, told, intact, part) in [
            (&kept, None, Inconclusive, "a reset is no cut of the power: nvme0n1 kept"),
            (&kept, word.clone(), Inconclusive, "contradicts"),
            (&unknown, None, Inconclusive, "a reset or a panic looks the same"),
            (&unknown, word, Shown, "db's plug"),
        ] {
            let cut = Cut { power: power.clone(), told, ..real_cut() };
            let test = conclude(&terms(true), counts(5000, 0, 0), &cut, LEAST_RECORDS);
            let text = test.sentences.join("; ");
            assert_eq!(test.outcome, intact, "{cut:?}: {text}");
            assert!(text.contains(part), "{text}");
            // What rests on a word says so.
            assert_eq!(test.told, cut.told);
            // Records that are gone after a reset are gone all the same.
            assert_eq!(outcome(counts(5000, 1, 0), &cut, true).0, Refuted);
        }
        // A shelf with a supply of its own.
        let living = Cut {
            end: Some(End::Failed("EIO".into())),
            booted: Some(false),
            told: Some("shelf 2".into()),
            power: kept,
            ..real_cut()
        };
        assert_eq!(outcome(counts(5000, 0, 0), &living, true).0, Inconclusive);
        assert_eq!(outcome(counts(5000, 0, 0), &Cut { power: unknown, ..living }, true).0, Shown);
    }

    #[test]
    fn what_rests_on_the_users_word_says_so() {
        let failed = Some(End::Failed("EIO".into()));
        let told = Some("shelf 2".to_string());
        let living = Cut { end: failed, booted: Some(false), told, ..real_cut() };
        let test = conclude(&terms(true), counts(5000, 0, 0), &living, LEAST_RECORDS);
        assert_eq!((test.outcome, test.told.as_deref()), (Shown, Some("shelf 2")));
        assert!(test.cut.unwrap().contains("still in the same boot"));
        // What a boot shows needs nobody's word.
        let both = Cut { told: Some("db's plug".into()), ..real_cut() };
        let test = conclude(&terms(true), counts(5000, 0, 0), &both, LEAST_RECORDS);
        assert_eq!((test.outcome, test.told), (Shown, None));
        let said = test.cut.unwrap();
        assert!(said.contains("booted since; nvme0n1 counts 41 power cycles, 40 before"), "{said}");
        assert!(said.ends_with("; the user says that it was db's plug"), "{said}");
        // Nor does anybody's word outweigh that nothing was written before it.
        let idle = Cut { idle_ms: Some(4000), ..both };
        let (seen, text) = outcome(counts(5000, 0, 0), &idle, true);
        assert_eq!(seen, Inconclusive);
        assert!(text.contains("4.0 s before the end"), "{text}");
        // A shelf that is cut alone stalls its writer.
        let stalled = Cut { idle_ms: Some(4000), ..living };
        assert_eq!(outcome(counts(5000, 0, 0), &stalled, true).0, Shown);
        let booted = conclude(&terms(true), counts(5000, 0, 0), &real_cut(), LEAST_RECORDS);
        assert_eq!((booted.outcome, booted.told), (Shown, None));
        assert_eq!((booted.machine.as_deref(), booted.boot_id.as_deref()), (Some("m"), Some("b")));
    }

    #[test]
    fn the_memory_of_the_kernel_that_wrote_shows_nothing() {
        let cached = Counts { cached: Some("pages stay".into()), ..counts(5000, 0, 0) };
        let told = Some("shelf 2".to_string());
        let failed = Some(End::Failed("EIO".into()));
        let booted = Some(false);
        for same_kernel in [Some(true), None] {
            let living =
                Cut { end: failed.clone(), booted, told: told.clone(), same_kernel, ..real_cut() };
            let (seen, text) = outcome(cached.clone(), &living, true);
            assert_eq!(seen, Inconclusive);
            assert!(text.contains("pages stay") && text.contains("--remounted"), "{text}");
            assert_eq!(outcome(counts(5000, 0, 0), &living, true).0, Shown);
            let again = Cut { remounted: true, ..living };
            let (seen, text) = outcome(cached.clone(), &again, true);
            assert_eq!(seen, Shown);
            assert!(text.contains("mounted again"), "{text}");
        }
        // After a boot nothing of it is left.
        assert_eq!(outcome(cached, &real_cut(), true).0, Shown);
    }

    #[test]
    fn a_servers_memory_shows_nothing_after_any_cut() {
        let rows =
            Counts { server_memory: Some("it was not started".into()), ..counts(5000, 0, 0) };
        for told in [None, Some("db1".to_string())] {
            let cut = Cut { told, ..real_cut() };
            let (seen, text) = outcome(rows.clone(), &cut, true);
            assert_eq!(seen, Inconclusive);
            assert!(text.contains("it was not started"), "{text}");
            let lost = Counts { missing: 1, ..rows.clone() };
            assert_eq!(outcome(lost, &cut, true).0, Refuted);
        }
    }

    #[test]
    fn a_writer_that_outlived_its_connection_was_not_cut() {
        let marked = Counts { outlived: true, ..counts(5000, 0, 0) };
        let (seen, text) = outcome(marked.clone(), &real_cut(), true);
        assert_eq!(seen, Inconclusive);
        assert!(text.contains("outlived"), "{text}");
        // It said how it ended: its drive failed, and that was what was cut.
        let end = Some(End::Failed("EIO".into()));
        let told = Cut { end, told: Some("shelf 2".into()), ..real_cut() };
        assert_eq!(outcome(marked, &told, true).0, Shown);
    }

    #[test]
    fn what_was_not_flushed_shows_the_cut_and_nothing_else() {
        let (seen, text) = outcome(counts(5000, 9, 0), &real_cut(), false);
        assert_eq!(seen, Refuted);
        assert!(text.contains("nothing was flushed"), "{text}");
        assert_eq!(outcome(counts(5000, 0, 0), &real_cut(), false).0, Inconclusive);
    }
}
