//! Long histories of random steps, cut at random.

use narrows_log_tier::Acknowledge;

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
}

/// A history: cuts that were survived, and the loss that ended it.
fn history(seed: u64, broken: Broken) -> (u64, Option<String>) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let media = 1 + random.below(2) as u8;
    let acknowledge = [Acknowledge::First, Acknowledge::All][random.below(2)];
    let units = 6 + random.below(20) as u64;
    let setup =
        Setup { media, acknowledge, units, broken, open_limit: 40, failures: 0, cuts: u8::MAX };
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
            let kept = random.below(usize::MAX) as u64;
            let losses = world.losses();
            let missing = losses[random.below(losses.len())];
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

#[test]
fn long_histories_lose_and_invent_nothing() {
    let mut all = 0;
    for seed in seeds() {
        let (cuts, loss) = history(seed, Broken::Nothing);
        assert_eq!(loss, None, "seed {seed}");
        all += cuts;
    }
    println!("{all} cuts");
    assert!(all > seeds().count() as u64 * 10, "{all} cuts");
}

#[test]
fn long_histories_without_a_rule_lose_something() {
    for broken in [Broken::Prefix, Broken::LogFlush, Broken::BackingFlush, Broken::SuperblockFlush]
    {
        let lost = (0..100).filter(|seed| history(*seed, broken).1.is_some()).count();
        assert!(lost > 10, "{broken:?}: {lost} of 100 histories lost something");
    }
}
