//! When a session enters what: at once, or with the keying and thinking times of the specification's terminals.
//!
//! Paced sessions begin as if they had worked for long. Were all of them to begin with the same step, their first minutes would
//! hold waves: terminals that began with a pause of up to one cycle entered 6 % too much in the minute after half a minute.

use std::time::Duration;

use narrows_engine::Rng;

use super::mix::{Deck, TransactionKind, thinking};

/// How long a terminal has worked before its first transaction, in time that is only drawn: more than ten cycles.
const BEFORE: Duration = Duration::from_secs(300);

/// A session's deck and pauses.
#[derive(Debug)]
pub struct Pace {
    deck: Deck,
    paced: bool,
    /// To be spent before the next card.
    thinking: Duration,
    /// A card that is being keyed in at the start, and for how much longer.
    keying: Option<(TransactionKind, Duration)>,
}

impl Pace {
    /// Without pauses.
    pub fn saturating() -> Pace {
        Pace { deck: Deck::new(), paced: false, thinking: Duration::ZERO, keying: None }
    }

    /// In the midst of keying or thinking, as a terminal is that anybody walks up to.
    pub fn at_work(rng: &mut Rng) -> Pace {
        let deck = Deck::begun(rng);
        let mut pace = Pace { deck, paced: true, thinking: Duration::ZERO, keying: None };
        let mut left = BEFORE;
        loop {
            let kind = pace.deck.draw(rng);
            let keying = Duration::from_secs_f64(kind.keying_s());
            if keying > left {
                pace.keying = Some((kind, keying - left));
                return pace;
            }
            left -= keying;
            let thinking = thinking(rng, kind.thinking_s());
            if thinking > left {
                pace.thinking = thinking - left;
                return pace;
            }
            left -= thinking;
        }
    }

    /// The next transaction, and the pause before it: thinking after the last one and keying this one.
    pub fn next(&mut self, rng: &mut Rng) -> (TransactionKind, Duration) {
        if !self.paced {
            return (self.deck.draw(rng), Duration::ZERO);
        }
        let (kind, pause) = self.keying.take().unwrap_or_else(|| {
            let kind = self.deck.draw(rng);
            (kind, self.thinking + Duration::from_secs_f64(kind.keying_s()))
        });
        self.thinking = thinking(rng, kind.thinking_s());
        (kind, pause)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mix::{TERMINALS, paced_limit_per_min};
    use super::*;

    const WAREHOUSES: u32 = 4000;

    /// New orders per minute and warehouse in each of the first minutes, if answers take no time.
    fn minutes<const N: usize>() -> [f64; N] {
        let mut entered = [0.0; N];
        for terminal in 0..WAREHOUSES * TERMINALS {
            let mut rng = Rng::new(u64::from(terminal) ^ 0xface);
            let mut pace = Pace::at_work(&mut rng);
            let mut now = Duration::ZERO;
            loop {
                let (kind, pause) = pace.next(&mut rng);
                now += pause;
                let Some(minute) = entered.get_mut((now.as_secs() / 60) as usize) else { break };
                *minute += f64::from(kind == TransactionKind::NewOrder);
            }
        }
        entered.map(|n| n / f64::from(WAREHOUSES))
    }

    #[test]
    fn terminals_enter_from_the_first_minute_on_what_they_enter_for_long() {
        for (minute, entered) in minutes::<4>().into_iter().enumerate() {
            let off = entered / paced_limit_per_min() - 1.0;
            assert!(off.abs() < 0.02, "minute {minute}: {entered}, {off:+.3}");
        }
    }

    #[test]
    fn the_first_half_minutes_are_alike() {
        let mut halves = [0u32; 4];
        for terminal in 0..WAREHOUSES * TERMINALS {
            let mut rng = Rng::new(u64::from(terminal) ^ 0xbeef);
            let mut pace = Pace::at_work(&mut rng);
            let mut now = Duration::ZERO;
            while let Some(half) = halves.get_mut((now.as_secs() / 30) as usize) {
                *half += u32::from(now > Duration::ZERO);
                now += pace.next(&mut rng).1;
            }
        }
        let mean = f64::from(halves.iter().sum::<u32>()) / 4.0;
        assert!(halves.iter().all(|n| (f64::from(*n) / mean - 1.0).abs() < 0.02), "{halves:?}");
    }

    #[test]
    fn without_pauses_nothing_waits() {
        let (mut rng, mut pace) = (Rng::new(7), Pace::saturating());
        let mut cards = [0; 5];
        for _ in 0..23 {
            let (kind, pause) = pace.next(&mut rng);
            assert_eq!(pause, Duration::ZERO);
            cards[kind as usize] += 1;
        }
        assert_eq!(cards, TransactionKind::ALL.map(TransactionKind::cards));
    }
}
