//! Every order of steps of small histories, and after each step every state that a power cut can leave.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use narrows_log_tier::Acknowledge;

use crate::store::Kept;
use crate::world::{Broken, Reach, Setup, World, Write};

/// How many states a cut leaves are gone through: all of up to so many open pieces, and so many drawn ones where there are more.
struct States {
    all_of: usize,
    drawn: u64,
}

/// A drive's history is small enough for all.
const OF_DRIVES: States = States { all_of: 16, drawn: 0 };
/// Records in persistent memory have a hundred words.
const OF_MEMORY: States = States { all_of: 11, drawn: 48 };
/// Records on three media: two records have a dozen sectors.
const OF_COPIES: States = States { all_of: 5, drawn: 8 };
/// The same within a recovery.
const OF_RECOVERY: States = States { all_of: 6, drawn: 6 };

/// What a search went through.
#[derive(Debug, Default)]
struct Search {
    worlds: HashSet<u64>,
    cuts: u64,
    /// How often every state that a cut can leave was gone through.
    whole: u64,
    refused: u64,
    loss: Option<String>,
}

impl Search {
    /// Goes through all worlds that follow from `world`, until a loss is found.
    fn explore(&mut self, world: &World) {
        let mut hasher = DefaultHasher::new();
        world.key().hash(&mut hasher);
        if self.loss.is_some() || !self.worlds.insert(hasher.finish()) {
            return;
        }
        world.check_reads();
        self.cut(world);
        for step in world.steps() {
            let mut next = world.clone();
            if next.take(step) {
                self.explore(&next);
            }
        }
    }

    /// What a cut can leave: every state, or none, all and drawn ones.
    fn states(&mut self, world: &World, of_memory: &States) -> Vec<Kept> {
        let States { all_of, drawn } = match world.copies() {
            Some(_) => &OF_COPIES,
            None if world.is_in_memory() => of_memory,
            None => &OF_DRIVES,
        };
        let open = world.open_pieces();
        if open < *all_of {
            self.whole += 1;
            return (0..1_u64 << open).map(Kept::Bits).collect();
        }
        assert!(*drawn > 0, "a history is small, and {open} sectors are open");
        // Other ones each time.
        let seed = self.cuts << 32;
        let drawn = (0..*drawn).map(|draw| Kept::Drawn(seed + (draw << 32)));
        [Kept::Bits(0), Kept::All].into_iter().chain(drawn).collect()
    }

    fn cut(&mut self, world: &World) {
        if world.cuts_left() == 0 {
            return;
        }
        for missing in world.losses() {
            for kept in self.states(world, &OF_MEMORY) {
                self.cuts += 1;
                if world.cuts_left() > 1 && (missing == 0 || world.copies().is_some()) {
                    self.cut_recovery(world, kept, missing);
                }
                match world.after_cut(kept, missing) {
                    Ok(Some(after)) => {
                        if after.cuts_left() > 0 {
                            self.explore(&after);
                        }
                    }
                    Ok(None) => self.refused += 1,
                    Err(loss) => {
                        self.loss = Some(loss);
                        return;
                    }
                }
            }
        }
    }
}

impl Search {
    /// Cuts a recovery in each of its steps, and what it wrote last in every way.
    fn cut_recovery(&mut self, world: &World, kept: Kept, missing: u8) {
        let losses = if world.copies().is_some() { world.losses() } else { vec![0] };
        for reach in [Reach::Replayed, Reach::Writing] {
            // What is wrong with the cut itself is found by `cut`.
            let Ok(Some(cut)) = world.cut_in_recovery(kept, missing, reach) else { continue };
            for again in self.states(&cut, &OF_RECOVERY) {
                for missing in &losses {
                    self.cuts += 1;
                    if let Err(loss) = cut.after_cut(again, *missing) {
                        self.loss = Some(format!("{reach:?}: {loss}"));
                        return;
                    }
                }
            }
        }
    }
}

fn search(setup: Setup, script: &[Write]) -> Search {
    let mut search = Search::default();
    search.explore(&World::new(setup, script));
    println!(
        "{} worlds, {} cuts, {} times all states, {} refused",
        search.worlds.len(),
        search.cuts,
        search.whole,
        search.refused
    );
    search
}

/// `NARROWS_LOG_TIER_MORE=2` has so many more sectors open at once, which takes minutes.
fn setup(media: u8, acknowledge: Acknowledge, units: u64) -> Setup {
    let more = std::env::var("NARROWS_LOG_TIER_MORE").map_or(0, |more| more.parse().unwrap());
    let open_limit = if media == 1 { 7 } else { 5 } + more;
    Setup {
        media,
        memory: false,
        acknowledge,
        units,
        resizes: Vec::new(),
        broken: Broken::Nothing,
        open_limit,
        failures: 0,
        cuts: 1,
    }
}

/// The same in persistent memory, with two records and their superblock open at once.
fn memory(media: u8, acknowledge: Acknowledge, units: u64) -> Setup {
    Setup { memory: true, open_limit: 150, ..setup(media, acknowledge, units) }
}

/// Blocks written again and again, zeroed, and others beside them.
const AGAIN: [Write; 6] = [(0, 1, 1), (1, 2, 2), (0, 2, 3), (1, 1, 0), (2, 1, 5), (0, 1, 6)];

#[test]
fn nothing_acknowledged_is_lost_and_nothing_invented() {
    // Room for two to four records: it is used again, with and without a gap at the ring's end.
    for units in [8, 9, 10, 11, 13] {
        let found = search(setup(1, Acknowledge::All, units), &AGAIN);
        assert_eq!(found.loss, None, "{units} units");
        assert!(found.worlds.len() > 200 && found.cuts > 2000, "{units} units: {}", found.cuts);
    }
}

#[test]
fn a_second_cut_after_recovery_loses_nothing_either() {
    let twice = Setup { cuts: 2, ..setup(1, Acknowledge::All, 7) };
    let found = search(twice, &AGAIN[..5]);
    assert_eq!(found.loss, None);
    assert!(found.cuts > 5000, "{}", found.cuts);
}

#[test]
fn one_of_two_media_may_be_lost_where_all_acknowledge() {
    let found = search(setup(2, Acknowledge::All, 9), &AGAIN[..4]);
    assert_eq!((found.loss, found.refused), (None, 0));
}

#[test]
fn where_the_first_acknowledges_both_are_needed_and_enough() {
    let found = search(setup(2, Acknowledge::First, 9), &AGAIN[..4]);
    assert_eq!(found.loss, None);
}

#[test]
fn a_medium_that_fails_takes_nothing_with_it() {
    for acknowledge in [Acknowledge::First, Acknowledge::All] {
        let failing = Setup { failures: 1, open_limit: 4, ..setup(2, acknowledge, 8) };
        let found = search(failing, &AGAIN[..4]);
        assert_eq!(found.loss, None, "{acknowledge:?}");
        // Recovery asks for a medium that failed until a superblock says that it is out.
        let asks = acknowledge == Acknowledge::First;
        assert_eq!(found.refused > 0, asks, "{acknowledge:?}");
    }
    // The only one: writes fail from then on, and what was acknowledged is still read and moved.
    let failing = Setup { failures: 1, ..setup(1, Acknowledge::All, 7) };
    assert_eq!(search(failing, &AGAIN).loss, None);
}

/// A log that may get these sizes while it serves, the last first.
fn resized(sizes: &[u64], of: Setup) -> Setup {
    Setup { resizes: sizes.to_vec(), open_limit: 4, ..of }
}

#[test]
fn a_log_that_gets_another_size_while_it_serves_loses_nothing() {
    for (media, acknowledge, sizes) in [
        (1, Acknowledge::All, &[13][..]),
        (1, Acknowledge::All, &[9, 7]),
        (2, Acknowledge::All, &[7]),
        (2, Acknowledge::First, &[11]),
    ] {
        let found = search(resized(sizes, setup(media, acknowledge, 9)), &AGAIN[..3]);
        assert_eq!(found.loss, None, "{media} media, {acknowledge:?}, to {sizes:?}");
        assert!(found.cuts > 400, "{}", found.cuts);
    }
    let in_memory = Setup { open_limit: 150, ..resized(&[12], memory(1, Acknowledge::All, 8)) };
    assert_eq!(search(in_memory, &AGAIN[..3]).loss, None);
    let twice = Setup { cuts: 2, ..resized(&[9], setup(1, Acknowledge::All, 7)) };
    assert_eq!(search(twice, &AGAIN[..3]).loss, None);
}

#[test]
fn a_medium_that_fails_while_its_log_gets_another_size_takes_nothing_with_it() {
    let failing = |acknowledge, broken| {
        let of = Setup { failures: 1, broken, ..setup(2, acknowledge, 8) };
        search(resized(&[7], of), &AGAIN[..2]).loss
    };
    for acknowledge in [Acknowledge::First, Acknowledge::All] {
        assert_eq!(failing(acknowledge, Broken::Nothing), None, "{acknowledge:?}");
    }
    assert!(failing(Acknowledge::All, Broken::Again).is_some(), "a try that is no newer");
}

#[test]
fn each_rule_that_is_taken_out_loses_something() {
    let of = Setup { broken: Broken::Resize, ..setup(1, Acknowledge::All, 7) };
    assert!(search(resized(&[9], of), &AGAIN[..3]).loss.is_some(), "a size that is not durable");
    for broken in [
        Broken::Prefix,
        Broken::LogFlush,
        Broken::BackingFlush,
        Broken::SuperblockFlush,
        Broken::Epoch,
        Broken::RecoveryFlush,
        Broken::Everywhere,
    ] {
        let (media, acknowledge) = match broken {
            Broken::Everywhere => (2, Acknowledge::First),
            _ => (1, Acknowledge::All),
        };
        let without = Setup { broken, cuts: 2, ..setup(media, acknowledge, 7) };
        let found = search(without, &[(0, 1, 1), (1, 2, 2), (0, 1, 3), (1, 1, 4)]);
        assert!(found.loss.is_some(), "{broken:?}: {} cuts, and nothing was lost", found.cuts);
    }
}

#[test]
fn nothing_is_lost_in_persistent_memory_that_tears_words() {
    for units in [8, 9, 11] {
        let found = search(memory(1, Acknowledge::All, units), &AGAIN[..5]);
        assert_eq!(found.loss, None, "{units} units");
        assert!(found.worlds.len() > 100 && found.cuts > 5000, "{units} units: {}", found.cuts);
    }
    for acknowledge in [Acknowledge::All, Acknowledge::First] {
        let two = Setup { open_limit: 300, ..memory(2, acknowledge, 9) };
        assert_eq!(search(two, &AGAIN[..3]).loss, None, "{acknowledge:?}");
    }
}

#[test]
fn every_state_of_the_words_of_small_records_leaves_the_log_whole() {
    // Records without data, over blocks that hold something: few words of their headers change, and so all states can be gone through.
    let small = Setup { open_limit: 11, ..memory(1, Acknowledge::All, 4) };
    let found = search(small, &[(0, 1, 1), (0, 1, 0), (1, 2, 0), (0, 1, 0)]);
    assert_eq!(found.loss, None);
    assert!(found.whole > 50 && found.cuts > 10_000, "{} times all states", found.whole);
}

#[test]
fn each_rule_of_persistent_memory_that_is_taken_out_loses_something() {
    for broken in [
        Broken::Fence,
        Broken::LogFlush,
        Broken::Checksum,
        Broken::Prefix,
        Broken::BackingFlush,
        Broken::SuperblockFlush,
        Broken::Epoch,
        Broken::RecoveryFlush,
    ] {
        // What recovery must not leave out shows after a second cut.
        let cuts = if matches!(broken, Broken::Epoch | Broken::RecoveryFlush) { 2 } else { 1 };
        let without = Setup { broken, cuts, ..memory(1, Acknowledge::All, 7) };
        let found = search(without, &[(0, 1, 1), (1, 2, 2), (0, 1, 3), (1, 1, 4)]);
        assert!(found.loss.is_some(), "{broken:?}: {} cuts, and nothing was lost", found.cuts);
    }
}

/// Records that have to be on `copies` of `media` media, which may lose what they hold.
fn copied(media: u8, copies: u8, units: u64) -> Setup {
    Setup { open_limit: 4, ..setup(media, Acknowledge::Copies(copies), units) }
}

#[test]
fn fewer_media_than_have_each_record_may_lose_what_they_hold() {
    for (media, copies) in [(2, 1), (2, 2), (3, 2), (3, 3)] {
        let found = search(copied(media, copies, 7), &AGAIN[..3]);
        assert_eq!(found.loss, None, "{copies} of {media}");
        // As many at once, and recovery knows.
        assert!(found.refused > 100, "{copies} of {media}: {} refused", found.refused);
    }
}

#[test]
fn a_recovery_of_copies_that_is_cut_and_loses_media_once_more_loses_nothing() {
    let twice = Setup { cuts: 2, open_limit: 3, ..copied(3, 2, 6) };
    let found = search(twice, &AGAIN[..2]);
    assert_eq!(found.loss, None);
    assert!(found.cuts > 5000, "{}", found.cuts);
}

#[test]
fn a_medium_that_fails_among_copies_takes_nothing_with_it_and_comes_back_empty() {
    let failing = Setup { failures: 1, open_limit: 3, ..copied(3, 2, 6) };
    assert_eq!(search(failing, &AGAIN[..3]).loss, None);
    // Too few are left: writes fail, and what was acknowledged is still read and moved.
    let failing = Setup { failures: 1, ..copied(2, 2, 6) };
    assert_eq!(search(failing, &AGAIN[..3]).loss, None);
}

#[test]
fn a_life_that_acknowledges_before_the_backing_is_marked_loses_something() {
    let script = [(0, 1, 1), (1, 1, 2), (0, 1, 3)];
    let failing = Setup { failures: 1, open_limit: 3, ..copied(3, 2, 6) };
    let found = search(Setup { broken: Broken::Mark, ..failing }, &script);
    let loss = found.loss.unwrap_or_default();
    assert!(loss.contains("after a cut"), "{} cuts, {loss:?}", found.cuts);
}

#[test]
fn each_rule_of_copies_that_is_taken_out_loses_something() {
    for broken in [
        Broken::Copies,
        Broken::Quorum,
        Broken::Counted,
        Broken::Prefix,
        Broken::LogFlush,
        Broken::BackingFlush,
        Broken::SuperblockFlush,
        Broken::Everywhere,
        Broken::Epoch,
        Broken::RecoveryFlush,
    ] {
        let cuts = if matches!(broken, Broken::Epoch | Broken::RecoveryFlush) { 2 } else { 1 };
        let without = Setup { broken, cuts, ..copied(3, 2, 7) };
        let found = search(without, &[(0, 1, 1), (1, 2, 2), (0, 1, 3), (1, 1, 4)]);
        let loss = found.loss.unwrap_or_default();
        assert!(loss.contains("after a cut"), "{broken:?}: {} cuts, {loss:?}", found.cuts);
    }
}
