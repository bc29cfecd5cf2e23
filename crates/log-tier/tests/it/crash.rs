//! Every order of steps of small histories, and after each step every state that a power cut can leave.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use narrows_log_tier::Acknowledge;

use crate::world::{Broken, Setup, World, Write};

/// What a search went through.
#[derive(Debug, Default)]
struct Search {
    worlds: HashSet<u64>,
    cuts: u64,
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

    fn cut(&mut self, world: &World) {
        if world.cuts_left() == 0 {
            return;
        }
        let open = world.open_sectors();
        assert!(open < 16, "a history is small, and {open} sectors are open");
        for missing in world.losses() {
            for kept in 0..1_u64 << open {
                self.cuts += 1;
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

fn search(setup: Setup, script: &[Write]) -> Search {
    let mut search = Search::default();
    search.explore(&World::new(setup, script));
    println!("{} worlds, {} cuts, {} refused", search.worlds.len(), search.cuts, search.refused);
    search
}

/// `NARROWS_LOG_TIER_MORE=2` has so many more sectors open at once, which takes minutes.
fn setup(media: u8, acknowledge: Acknowledge, units: u64) -> Setup {
    let more = std::env::var("NARROWS_LOG_TIER_MORE").map_or(0, |more| more.parse().unwrap());
    let open_limit = if media == 1 { 7 } else { 5 } + more;
    Setup { media, acknowledge, units, broken: Broken::Nothing, open_limit, failures: 0, cuts: 1 }
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
        let failing = Setup { failures: 1, ..setup(2, acknowledge, 8) };
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

#[test]
fn each_rule_that_is_taken_out_loses_something() {
    for broken in [
        Broken::Prefix,
        Broken::LogFlush,
        Broken::BackingFlush,
        Broken::SuperblockFlush,
        Broken::Epoch,
    ] {
        let without = Setup { broken, cuts: 2, ..setup(1, Acknowledge::All, 7) };
        let found = search(without, &[(0, 1, 1), (1, 2, 2), (0, 1, 3), (1, 1, 4)]);
        assert!(found.loss.is_some(), "{broken:?}: {} cuts, and nothing was lost", found.cuts);
    }
}
