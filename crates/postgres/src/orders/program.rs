//! What a session does: draws the next transaction and runs it, as one call of a function or as statements.

use narrows_engine::Rng;

use super::mix::{Draw, Home, Inputs, NO_ITEM, TERMINALS, TransactionKind};
use super::nurand::Constants;
use super::pace::Pace;
use super::population::DISTRICTS;
use super::session_account::{Acknowledged, SessionAccount, Shared};
use super::statements::{Statement, texts};
use super::steps::{Step, Transaction};
use narrows_layer_database::load::{AfterAnswer, Operation, Program, Programs, Recovery, Verdict};
use narrows_layer_database::{Answer, Refusal, Request};

/// The error by which the function ends an order with an unknown item.
const NO_SUCH_ITEM: &str = "NR001";

/// Where the transactions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// In functions of the server: one round trip each.
    Functions,
    /// As statements of the client: a round trip for nearly every statement.
    Statements,
}

/// Which warehouses sessions work for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Homes {
    /// Each session for one; they are dealt out in turn.
    Fixed,
    /// Each for all, drawn alike.
    All,
}

/// The mix as it is to run.
#[derive(Debug)]
pub struct Orders {
    /// Where transactions run.
    pub calls: Calls,
    /// Warehouses that are loaded.
    pub warehouses: u32,
    /// Which of them sessions work for.
    pub homes: Homes,
    /// Whether sessions key and think as the specification's terminals do.
    pub paced: bool,
    /// Constants of the skewed draws.
    pub constants: Constants,
    /// Whether each acknowledged order is remembered.
    pub remember: bool,
    /// What the sessions know at their end.
    pub seen: Shared,
}

impl Programs for Orders {
    fn classes(&self) -> Vec<String> {
        TransactionKind::ALL.iter().map(|kind| kind.word().to_string()).collect()
    }

    fn statements(&self, _session: u32) -> Vec<String> {
        texts()
    }

    fn program(&self, session: u32, seed: u64) -> Box<dyn Program + '_> {
        // Ten terminals share a warehouse where they are paced; else sessions are dealt out over all of them.
        let (place, district) = if self.paced {
            (session / TERMINALS, session % DISTRICTS)
        } else {
            (session, session / self.warehouses % DISTRICTS)
        };
        let home = match self.homes {
            Homes::All => Home::Any,
            Homes::Fixed => {
                Home::Fixed { warehouse: place % self.warehouses + 1, district: district + 1 }
            }
        };
        let mut rng = Rng::new(seed);
        let pace = if self.paced { Pace::at_work(&mut rng) } else { Pace::saturating() };
        Box::new(Terminal {
            work: self,
            draw: Draw { warehouses: self.warehouses, constants: self.constants, home },
            rng,
            pace,
            under_way: false,
            transaction: Transaction::new(self.calls, Inputs::new()),
            seen: SessionAccount {
                warehouses: vec![false; self.warehouses as usize],
                ..SessionAccount::default()
            },
        })
    }
}

struct Terminal<'w> {
    work: &'w Orders,
    draw: Draw,
    rng: Rng,
    pace: Pace,
    /// Whether a new order was sent that was not answered.
    under_way: bool,
    transaction: Transaction,
    seen: SessionAccount,
}

impl Terminal<'_> {
    fn acknowledged(&mut self) {
        let inputs = &self.transaction.inputs;
        match inputs.kind {
            TransactionKind::NewOrder => {
                self.seen.new_orders += 1;
                if self.work.remember {
                    self.seen.orders.push(Acknowledged {
                        w: inputs.w,
                        d: inputs.d,
                        o: self.transaction.order,
                        lines: inputs.items.len() as i16,
                    });
                }
            }
            TransactionKind::Payment => self.seen.payments += 1,
            _ => {}
        }
    }

    fn means_to_fail(&self) -> bool {
        let inputs = &self.transaction.inputs;
        inputs.kind == TransactionKind::NewOrder && inputs.items.last() == Some(&NO_ITEM)
    }
}

impl Program for Terminal<'_> {
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        let (kind, pause) = self.pace.next(&mut self.rng);
        self.draw.fill(kind, &mut self.rng, &mut self.transaction.inputs);
        self.seen.touch(self.transaction.inputs.w);
        self.under_way = kind == TransactionKind::NewOrder;
        self.transaction.start(request);
        Operation { class: kind as usize, pause }
    }

    fn answered(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> AfterAnswer {
        match self.transaction.step(answer, request) {
            Step::Next => AfterAnswer::Send,
            Step::Committed => {
                self.under_way = false;
                self.acknowledged();
                AfterAnswer::Done(Verdict::Right)
            }
            Step::NoItem if self.means_to_fail() => {
                self.under_way = false;
                AfterAnswer::Done(Verdict::RolledBack)
            }
            Step::NoItem => self.wrong("an item that is there was not found"),
            Step::Wrong(text) => self.wrong(text),
        }
    }

    fn refused(&mut self, refusal: &Refusal, request: &mut Request<'_>) -> Recovery {
        self.under_way = false;
        if refusal.code == NO_SUCH_ITEM && self.means_to_fail() {
            return Recovery::Planned;
        }
        if !refusal.is_conflict() {
            return Recovery::GiveUp;
        }
        self.under_way = self.transaction.inputs.kind == TransactionKind::NewOrder;
        self.transaction.start(request);
        Recovery::Again
    }
}

impl Terminal<'_> {
    /// An answer that can't be right; what became of the transaction is not known.
    #[cold]
    fn wrong(&mut self, text: &'static str) -> AfterAnswer {
        AfterAnswer::Done(Verdict::Wrong(text.into()))
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.seen.in_doubt += u64::from(self.under_way);
        self.work.seen.add(&self.seen);
    }
}

/// Statements of a transaction that calls a function, for those who explain plans.
pub fn function_of(kind: TransactionKind) -> Statement {
    match kind {
        TransactionKind::NewOrder => Statement::CallNewOrder,
        TransactionKind::Payment => Statement::CallPayment,
        TransactionKind::OrderStatus => Statement::CallOrderStatus,
        TransactionKind::Delivery => Statement::CallDelivery,
        TransactionKind::StockLevel => Statement::CallStockLevel,
    }
}
