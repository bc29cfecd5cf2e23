//! `orders`: an order-entry mix derived from the public specification of such a benchmark, with tables, data and SQL of our
//! own. Its figures compare with no published ones, which `narrows_model::orders::DERIVED` says in every report.
//!
//! [`load()`] makes and fills the tables (they stay, and an interrupted load goes on), [`Orders`] is the mix as the load engine
//! runs it, [`check`] holds the database against the consistency conditions, [`crash`] kills a server of our own under the mix
//! and looks for every acknowledged order.
//!
//! Not here: the other workloads, which have one table of their own and need no specification.

mod checks;
mod copy_rows;
mod count;
mod crash;
mod error;
mod loader;
mod measure;
mod mix;
mod nurand;
mod pace;
mod patience;
mod place;
mod population;
mod program;
mod session_account;
mod statements;
mod steps;
#[cfg(test)]
mod tests;
mod words;

pub use checks::{Checked, FULL_UP_TO, Violation, When, check};
pub use count::{Counts, entered};
pub use crash::{Load as CrashLoad, Recovery, crash};
pub use error::OrdersError;
pub use loader::{ITEM_BYTES, LoadOrders, Loaded, WAREHOUSE_BYTES, WAREHOUSE_WAL_BYTES, load};
pub use measure::{OrdersDatabase, OrdersPlan};
pub use mix::{TERMINALS, TransactionKind, paced_limit_per_min};
pub use nurand::Constants;
pub use place::{SCHEMA, Setup, State, is_free, look, remove, tables};
pub use program::{Calls, Homes, Orders};
pub use session_account::{Acknowledged, SessionAccount};
