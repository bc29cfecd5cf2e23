//! Long histories of random steps, cut at random.

use narrows_log_tier::Acknowledge;

use crate::store::Kept;
use crate::world::{BLOCKS, Broken, Setup, World, Write};

/// A generator that gives the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % end as u64) as usize
    }

    /// 64 of them.
    fn bits(&mut self) -> u64 {
        let low = self.below(1 << 32) as u64;
        (self.below(1 << 32) as u64) << 32 | low
    }
}

/// A history on drives or in persistent memory: cuts that were survived, and the loss that ended it.
fn history(seed: u64, broken: Broken, memory: bool) -> (u64, Option<String>) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let media = 1 + random.below(2) as u8;
    let acknowledge = [Acknowledge::First, Acknowledge::All][random.below(2)];
    // A medium that fails early leaves the rest of the history to the other.
    let failures = u8::from(media == 2 && random.below(4) == 0);
    let units = 6 + random.below(20) as u64;
    // A record has a hundred words and more.
    let open_limit = if memory { 400 } else { 40 };
    let resizes = (0..random.below(8)).map(|_| 6 + random.below(20) as u64).collect();
    let cuts = u8::MAX;
    let setup =
        Setup { media, memory, acknowledge, units, resizes, broken, open_limit, failures, cuts };
    lived(random, setup)
}

/// A history whose records are on two or three of three or four media, which lose what they hold, or aren't there for a while.
fn history_of_copies(seed: u64, broken: Broken) -> (u64, Option<String>) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let media = 3 + random.below(2) as u8;
    let copies = 2 + random.below(2) as u8;
    let setup = Setup {
        media,
        memory: false,
        acknowledge: Acknowledge::Copies(copies),
        units: 6 + random.below(20) as u64,
        resizes: Vec::new(),
        broken,
        open_limit: 40,
        failures: random.below(4) as u8,
        cuts: u8::MAX,
    };
    lived(random, setup)
}

/// Media that are not there at the next start: so many that enough are left.
fn away(random: &mut Random, media: u8, copies: u8) -> u8 {
    let drawn = random.below(1 << media) as u8;
    if media as u32 - drawn.count_ones() >= u32::from(copies) { drawn } else { 0 }
}

fn lived(mut random: Random, setup: Setup) -> (u64, Option<String>) {
    let (memory, media) = (setup.memory, setup.media);
    let mut write = |index: usize| -> Write {
        let content = if index.is_multiple_of(7) { 0 } else { (index % 255) as u8 + 1 };
        let first = random.below(BLOCKS);
        let blocks = 1 + random.below((BLOCKS - first).min(2));
        (first as u64, blocks as u64, content)
    };
    let script: Vec<Write> = (0..200).map(&mut write).collect();
    let mut world = World::new(setup, &script);
    let mut cuts = 0;
    for _ in 0..3000 {
        let steps = world.steps();
        if steps.is_empty() {
            break;
        }
        world.take(steps[random.below(steps.len())]);
        world.check_reads();
        if random.below(20) == 0 && cuts < 200 {
            let bits = random.bits();
            let kept = if memory { Kept::Drawn(bits << 32) } else { Kept::Bits(bits) };
            let losses = world.losses();
            let missing = losses[random.below(losses.len())];
            if let Some(copies) = world.copies() {
                world.send_away(away(&mut random, media, copies));
            }
            match world.after_cut(kept, missing) {
                Ok(Some(after)) => world = after,
                Ok(None) => {}
                Err(loss) => return (cuts, Some(loss)),
            }
            cuts += 1;
        }
    }
    (cuts, None)
}

/// Seeds of the ordinary run; `NARROWS_LOG_TIER_SEEDS=1000..200000` asks for others.
fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("NARROWS_LOG_TIER_SEEDS") else { return 0..300 };
    let (from, to) = text.split_once("..").expect("NARROWS_LOG_TIER_SEEDS=FROM..TO");
    from.parse().unwrap()..to.parse().unwrap()
}

fn long_histories(seeds: std::ops::Range<u64>, memory: bool) {
    let (mut all, histories) = (0, seeds.clone().count() as u64);
    for seed in seeds {
        let (cuts, loss) = history(seed, Broken::Nothing, memory);
        assert_eq!(loss, None, "seed {seed}");
        all += cuts;
    }
    println!("{all} cuts");
    assert!(all > histories * 10, "{all} cuts");
}

#[test]
fn long_histories_lose_and_invent_nothing() {
    long_histories(seeds(), false);
}

#[test]
fn long_histories_in_persistent_memory_lose_and_invent_nothing() {
    let of = seeds();
    // Each takes longer, word by word.
    long_histories(of.start..of.start + of.count().div_ceil(5) as u64, true);
}

#[test]
fn long_histories_without_a_rule_lose_something() {
    for broken in [Broken::Prefix, Broken::LogFlush, Broken::BackingFlush, Broken::SuperblockFlush]
    {
        let lost = (0..100).filter(|seed| history(*seed, broken, false).1.is_some()).count();
        assert!(lost > 10, "{broken:?}: {lost} of 100 histories lost something");
    }
}

#[test]
fn long_histories_in_persistent_memory_without_a_rule_lose_something() {
    for broken in [Broken::Fence, Broken::LogFlush, Broken::Checksum, Broken::SuperblockFlush] {
        let lost = (0..40).filter(|seed| history(*seed, broken, true).1.is_some()).count();
        assert!(lost > 4, "{broken:?}: {lost} of 40 histories lost something");
    }
}

#[test]
fn long_histories_of_copies_lose_and_invent_nothing() {
    let of = seeds();
    let (mut all, mut survived) = (0, 0);
    for seed in of {
        let (cuts, loss) = history_of_copies(seed, Broken::Nothing);
        assert_eq!(loss, None, "seed {seed}");
        all += cuts;
        survived += u64::from(cuts > 5);
    }
    println!("{all} cuts, {survived} histories with more than five");
    assert!(survived > 200 && all > 3000, "{all} cuts, {survived}");
}

#[test]
fn long_histories_of_copies_without_a_rule_lose_something() {
    for broken in [Broken::Life, Broken::Mark, Broken::Copies, Broken::Quorum, Broken::Counted] {
        let lost = (0..100).filter(|seed| {
            let (_, loss) = history_of_copies(*seed, broken);
            loss.is_some_and(|loss| loss.contains("after a cut"))
        });
        let lost = lost.count();
        assert!(lost > 10, "{broken:?}: {lost} of 100 histories lost something");
    }
}
