//! What the terminals enter: which of the five transactions comes next, and with which values (clauses 2.4.1 to 2.8.1
//! and 5.2.4.2 of the specification).

use std::time::Duration;

use narrows_engine::Rng;

use super::nurand::{Constants, between, nurand};
use super::population::{CUSTOMERS, DISTRICTS, ITEMS};
use super::words;

/// The transactions, by the numbers of their classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionKind {
    /// Enters an order of 5 to 15 lines; writes most.
    NewOrder,
    /// A customer pays.
    Payment,
    /// Looks at a customer's last order.
    OrderStatus,
    /// The oldest pending order of each district goes out.
    Delivery,
    /// Counts what is low in stock.
    StockLevel,
}

impl TransactionKind {
    /// All, by number.
    pub const ALL: [TransactionKind; 5] = [
        TransactionKind::NewOrder,
        TransactionKind::Payment,
        TransactionKind::OrderStatus,
        TransactionKind::Delivery,
        TransactionKind::StockLevel,
    ];

    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            TransactionKind::NewOrder => "new_order",
            TransactionKind::Payment => "payment",
            TransactionKind::OrderStatus => "order_status",
            TransactionKind::Delivery => "delivery",
            TransactionKind::StockLevel => "stock_level",
        }
    }

    /// How many cards of a terminal's deck: 10 of 23 are new orders.
    pub fn cards(self) -> u32 {
        match self {
            TransactionKind::NewOrder | TransactionKind::Payment => 10,
            _ => 1,
        }
    }

    /// Time that entering its values takes, s (clause 5.2.5.7).
    pub fn keying_s(self) -> f64 {
        match self {
            TransactionKind::NewOrder => 18.0,
            TransactionKind::Payment => 3.0,
            _ => 2.0,
        }
    }

    /// Mean time of thinking after its answer, s; exponential, and not more than ten times that.
    pub fn thinking_s(self) -> f64 {
        match self {
            TransactionKind::NewOrder | TransactionKind::Payment => 12.0,
            TransactionKind::OrderStatus => 10.0,
            TransactionKind::Delivery | TransactionKind::StockLevel => 5.0,
        }
    }
}

/// Terminals of a warehouse, where they keep the specification's times.
pub const TERMINALS: u32 = DISTRICTS;

/// New orders per minute that ten terminals with keying and thinking times can enter at most, for each warehouse: answers that
/// take no time, this deck. By the specification's least shares it would be 12.86.
pub fn paced_limit_per_min() -> f64 {
    let cards = |kind: &TransactionKind| f64::from(kind.cards());
    let all: f64 = TransactionKind::ALL.iter().map(cards).sum();
    let cycle: f64 = TransactionKind::ALL
        .iter()
        .map(|kind| cards(kind) * (kind.keying_s() + kind.thinking_s()))
        .sum();
    f64::from(TERMINALS) * 60.0 / (cycle / all) * f64::from(TransactionKind::NewOrder.cards()) / all
}

/// A terminal's deck: shuffled, drawn to its end, shuffled again.
#[derive(Debug, Clone)]
pub struct Deck {
    cards: [TransactionKind; 23],
    next: usize,
}

impl Deck {
    /// A deck to be shuffled at the first draw.
    pub fn new() -> Deck {
        let mut cards = [TransactionKind::NewOrder; 23];
        let all =
            TransactionKind::ALL.iter().flat_map(|kind| (0..kind.cards()).map(move |_| *kind));
        for (card, kind) in cards.iter_mut().zip(all) {
            *card = kind;
        }
        Deck { cards, next: cards.len() }
    }

    /// One of which some cards were drawn before, any number alike.
    pub fn begun(rng: &mut Rng) -> Deck {
        let mut deck = Deck::new();
        deck.draw(rng);
        deck.next = rng.below(deck.cards.len() as u64) as usize;
        deck
    }

    /// The next card.
    #[inline]
    pub fn draw(&mut self, rng: &mut Rng) -> TransactionKind {
        if self.next == self.cards.len() {
            for at in (1..self.cards.len()).rev() {
                self.cards.swap(at, rng.below(at as u64 + 1) as usize);
            }
            self.next = 0;
        }
        self.next += 1;
        self.cards[self.next - 1]
    }
}

/// A thinking time of that mean.
pub fn thinking(rng: &mut Rng, mean_s: f64) -> Duration {
    Duration::from_secs_f64(rng.exponential(mean_s).min(10.0 * mean_s))
}

/// Which warehouses a session works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// One for a session, and one of its districts for the stock level, as a terminal stands in one place.
    Fixed {
        /// The warehouse.
        warehouse: u32,
        /// The district.
        district: u32,
    },
    /// Any of them each time, all alike.
    Any,
}

/// An item that no warehouse has: what the hundredth order ends with.
pub const NO_ITEM: i64 = ITEMS as i64 + 1;

/// The values of one transaction. Kept in one place and overwritten, so that drawing allocates nothing.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// Which transaction.
    pub kind: TransactionKind,
    /// The warehouse it is entered at.
    pub w: i32,
    /// The district.
    pub d: i16,
    /// The customer's warehouse.
    pub c_w: i32,
    /// The customer's district.
    pub c_d: i16,
    /// The customer; 0 where it is looked for by [`Inputs::last`].
    pub c: i32,
    /// The customer's last name.
    pub last: String,
    /// What is paid, as a number with two decimals.
    pub amount: String,
    /// The carrier, or the threshold of stock.
    pub number: i16,
    /// Items of the order's lines, in the order of their stock so that two orders don't wait for each other in a ring.
    pub items: Vec<i64>,
    /// Warehouses that supply them.
    pub from: Vec<i64>,
    /// Quantities.
    pub quantities: Vec<i64>,
    name: Vec<u8>,
    lines: Vec<(i64, i64, i64)>,
}

/// Draws transactions for one session.
#[derive(Debug, Clone)]
pub struct Draw {
    /// Warehouses in all.
    pub warehouses: u32,
    /// Constants of the run.
    pub constants: Constants,
    /// Where this session works.
    pub home: Home,
}

impl Inputs {
    /// Nothing drawn yet.
    pub fn new() -> Inputs {
        Inputs {
            kind: TransactionKind::StockLevel,
            w: 1,
            d: 1,
            c_w: 1,
            c_d: 1,
            c: 1,
            last: String::with_capacity(16),
            amount: String::with_capacity(8),
            number: 10,
            items: Vec::with_capacity(15),
            from: Vec::with_capacity(15),
            quantities: Vec::with_capacity(15),
            name: Vec::with_capacity(16),
            lines: Vec::with_capacity(15),
        }
    }
}

impl Draw {
    /// Draws the values of a transaction of that kind.
    pub fn fill(&self, kind: TransactionKind, rng: &mut Rng, to: &mut Inputs) {
        to.kind = kind;
        let (warehouse, district) = match self.home {
            Home::Fixed { warehouse, district } => (warehouse, Some(district)),
            Home::Any => (between(rng, 1, self.warehouses), None),
        };
        to.w = warehouse as i32;
        to.d = between(rng, 1, DISTRICTS) as i16;
        (to.c_w, to.c_d) = (to.w, to.d);
        match kind {
            TransactionKind::NewOrder => {
                to.c = self.customer_number(rng);
                self.lines(rng, to);
            }
            TransactionKind::Payment => {
                if rng.below(100) >= 85 {
                    to.c_w = self.other(rng, warehouse) as i32;
                    to.c_d = between(rng, 1, DISTRICTS) as i16;
                }
                self.customer(rng, to);
                money(between(rng, 100, 500_000), &mut to.amount);
            }
            TransactionKind::OrderStatus => self.customer(rng, to),
            TransactionKind::Delivery => to.number = between(rng, 1, 10) as i16,
            TransactionKind::StockLevel => {
                to.d = district.map_or(to.d, |district| district as i16);
                to.number = between(rng, 10, 20) as i16;
            }
        }
    }

    fn customer_number(&self, rng: &mut Rng) -> i32 {
        nurand(rng, 1023, self.constants.customer, 1, CUSTOMERS) as i32
    }

    /// By last name in 60 of 100, by number else.
    fn customer(&self, rng: &mut Rng, to: &mut Inputs) {
        to.last.clear();
        to.c = 0;
        if rng.below(100) >= 60 {
            to.c = self.customer_number(rng);
            return;
        }
        to.name.clear();
        words::last_name(nurand(rng, 255, self.constants.last_name, 0, 999), &mut to.name);
        to.last.extend(to.name.iter().map(|byte| char::from(*byte)));
    }

    /// Another warehouse, all alike; the same where there is one only.
    fn other(&self, rng: &mut Rng, warehouse: u32) -> u32 {
        if self.warehouses == 1 {
            return warehouse;
        }
        let drawn = between(rng, 1, self.warehouses - 1);
        if drawn < warehouse { drawn } else { drawn + 1 }
    }

    fn lines(&self, rng: &mut Rng, to: &mut Inputs) {
        let warehouse = to.w as u32;
        let rolled_back = rng.below(100) == 0;
        to.lines.clear();
        for _ in 0..between(rng, 5, 15) {
            let remote = rng.below(100) == 0;
            let from = if remote { self.other(rng, warehouse) } else { warehouse };
            let item = nurand(rng, 8191, self.constants.item, 1, ITEMS);
            to.lines.push((i64::from(from), i64::from(item), i64::from(between(rng, 1, 10))));
        }
        to.lines.sort_unstable();
        if let Some(last) = to.lines.last_mut().filter(|_| rolled_back) {
            last.1 = NO_ITEM;
        }
        to.from.clear();
        to.items.clear();
        to.quantities.clear();
        for (from, item, quantity) in &to.lines {
            to.from.push(*from);
            to.items.push(*item);
            to.quantities.push(*quantity);
        }
    }
}

/// Writes hundredths as a number with two decimals.
fn money(hundredths: u32, out: &mut String) {
    use std::fmt::Write as _;
    out.clear();
    // Writing into a string fails never.
    let _ = write!(out, "{}.{:02}", hundredths / 100, hundredths % 100);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const DRAWS: u32 = 60_000;

    fn draw(warehouses: u32, home: Home) -> Draw {
        let constants = Constants { last_name: 10, customer: 20, item: 30 };
        Draw { warehouses, constants, home }
    }

    /// A share of the draws, within five standard deviations.
    fn is_share(count: u32, of: u32, share: f64) -> bool {
        let (n, mean) = (f64::from(of), f64::from(of) * share);
        (f64::from(count) - mean).abs() < 5.0 * (n * share * (1.0 - share)).sqrt()
    }

    #[test]
    fn a_deck_is_drawn_to_its_end_before_it_is_shuffled_again() {
        let (mut deck, mut rng) = (Deck::new(), Rng::new(1));
        let mut orders = Vec::new();
        for _ in 0..50 {
            let hand: Vec<TransactionKind> = (0..23).map(|_| deck.draw(&mut rng)).collect();
            for kind in TransactionKind::ALL {
                let count = hand.iter().filter(|card| **card == kind).count() as u32;
                assert_eq!(count, kind.cards(), "{kind:?}");
            }
            orders.push(hand);
        }
        assert!(orders.windows(2).all(|two| two[0] != two[1]));
    }

    #[test]
    fn terminals_that_keep_their_times_enter_less_than_thirteen_orders_a_minute() {
        let limit = paced_limit_per_min();
        assert!((limit - 12.6).abs() < 0.05, "{limit}");
    }

    #[test]
    fn an_orders_lines_are_drawn_as_the_specification_asks() {
        let draw = draw(8, Home::Any);
        let (mut rng, mut to) = (Rng::new(2), Inputs::new());
        let (mut lines, mut remote, mut rolled_back, mut counts) = (0, 0, 0, BTreeMap::new());
        for _ in 0..DRAWS {
            draw.fill(TransactionKind::NewOrder, &mut rng, &mut to);
            let n = to.items.len();
            assert!((5..=15).contains(&n) && n == to.from.len() && n == to.quantities.len());
            assert!(to.quantities.iter().all(|q| (1..=10).contains(q)));
            assert!((1..=8).contains(&to.w) && (1..=10).contains(&to.d));
            assert!((1..=3000).contains(&to.c));
            *counts.entry(n).or_insert(0) += 1;
            lines += n as u32;
            remote += to.from.iter().filter(|w| **w != i64::from(to.w)).count() as u32;
            rolled_back += u32::from(to.items[n - 1] == NO_ITEM);
            assert!(to.items[..n - 1].iter().all(|i| (1..=100_000).contains(i)));
        }
        assert!(counts.len() == 11 && counts.values().all(|n| is_share(*n, DRAWS, 1.0 / 11.0)));
        assert!(is_share(remote, lines, 0.01), "{remote} of {lines}");
        assert!(is_share(rolled_back, DRAWS, 0.01), "{rolled_back}");
    }

    #[test]
    fn payments_come_from_afar_and_by_name_as_often_as_asked() {
        let draw = draw(4, Home::Fixed { warehouse: 2, district: 7 });
        let (mut rng, mut to) = (Rng::new(3), Inputs::new());
        let (mut far, mut named) = (0, 0);
        for _ in 0..DRAWS {
            draw.fill(TransactionKind::Payment, &mut rng, &mut to);
            assert_eq!(to.w, 2);
            far += u32::from(to.c_w != 2);
            named += u32::from(to.c == 0);
            assert_eq!(to.c == 0, !to.last.is_empty());
            let amount: f64 = to.amount.parse().unwrap();
            assert!((1.0..=5000.0).contains(&amount));
        }
        assert!(is_share(far, DRAWS, 0.15) && is_share(named, DRAWS, 0.6), "{far} {named}");
        draw.fill(TransactionKind::StockLevel, &mut rng, &mut to);
        assert_eq!((to.w, to.d), (2, 7));
    }

    #[test]
    fn another_warehouse_is_each_of_the_others_alike() {
        let draw = draw(5, Home::Any);
        let mut rng = Rng::new(4);
        let mut seen = [0; 6];
        for _ in 0..DRAWS {
            seen[draw.other(&mut rng, 3) as usize] += 1;
        }
        assert_eq!((seen[0], seen[3]), (0, 0));
        assert!([1, 2, 4, 5].iter().all(|w| is_share(seen[*w], DRAWS, 0.25)), "{seen:?}");
    }

    #[test]
    fn money_has_two_decimals() {
        let mut out = String::new();
        let mut written = |value| {
            money(value, &mut out);
            out.clone()
        };
        assert_eq!([written(100), written(505), written(500_000)], ["1.00", "5.05", "5000.00"]);
    }
}
