//! Choosing by shares exactly: a deck in which each choice has as many cards as its weight, dealt to the end in random
//! order and then shuffled anew.
//!
//! A coin for every operation is right on average only: in a thousand operations of a mix of 70 to 30 it is off by 15
//! as a rule. A fixed sequence would be exact and in step with whatever else is periodic.

use narrows_engine::Rng;

use crate::scenario::divisor;

/// A deck of choices.
#[derive(Debug, Clone)]
pub(super) struct WeightedChoice {
    cards: Box<[u16]>,
    left: usize,
}

impl WeightedChoice {
    /// Choices, by number, and their weights, which were checked to be few enough.
    pub(super) fn new(shares: &[(u16, u32)]) -> Self {
        let common = divisor(shares.iter().map(|share| share.1));
        let cards = shares
            .iter()
            .flat_map(|&(choice, weight)| std::iter::repeat_n(choice, (weight / common) as usize))
            .collect();
        WeightedChoice { cards, left: 0 }
    }

    /// The next choice; the deck must have a card.
    #[inline]
    pub(super) fn draw(&mut self, rng: &mut Rng) -> u16 {
        if self.cards.len() == 1 {
            return self.cards[0];
        }
        if self.left == 0 {
            self.left = self.cards.len();
        }
        let at = rng.below(self.left as u64) as usize;
        self.left -= 1;
        self.cards.swap(at, self.left);
        self.cards[self.left]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_over_every_deck_and_random_inside() {
        let mut rng = Rng::new(3);
        let mut deck = WeightedChoice::new(&[(0, 70), (1, 20), (2, 10)]);
        let mut rounds = Vec::new();
        for _ in 0..50 {
            let round: Vec<u16> = (0..10).map(|_| deck.draw(&mut rng)).collect();
            let count = |choice| round.iter().filter(|&&card| card == choice).count();
            assert_eq!([count(0), count(1), count(2)], [7, 2, 1]);
            rounds.push(round);
        }
        rounds.sort();
        rounds.dedup();
        assert!(rounds.len() > 30, "{} different orders", rounds.len());
    }
}
