//! The consistency conditions of the specification (clause 3.3.2) that hold after a run: 1 to 10 and 12; the eleventh
//! holds after a load alone.
//!
//! Each is a query that returns what violates it. Over all warehouses where they are few, over some drawn ones where
//! they are many: most conditions read all orders, lines and payments of a warehouse. Every condition is checked in one
//! snapshot, so that a run still in progress would not look like a violation.

use std::fmt;

use narrows_engine::Rng;

use super::error::OrdersError;
use super::patience;
use super::place::sql;
use crate::wire::{Connection, WireError, one_line};

/// Warehouses that are all looked at; of more, as many are drawn.
pub const FULL_UP_TO: u32 = 20;

/// One condition.
struct Condition {
    /// Its number in the specification's list.
    number: u32,
    /// What has to hold.
    says: &'static str,
    /// Rows that break it; `{in}` stands for the choice of warehouses of a table `t`, `{in_c}` for that of a customer's.
    broken: &'static str,
}

const CONDITIONS: [Condition; 12] = [
    Condition {
        number: 1,
        says: "a warehouse's takings are the sum of its districts'",
        broken: "SELECT t.w, t.ytd, (SELECT sum(d.ytd) FROM {s}.district d WHERE d.w = t.w) AS districts FROM {s}.warehouse t \
                 WHERE {in} AND t.ytd IS DISTINCT FROM (SELECT sum(d.ytd) FROM {s}.district d WHERE d.w = t.w)",
    },
    Condition {
        number: 2,
        says: "a district's next order follows its last order and its last pending one",
        broken: "SELECT * FROM (SELECT t.w, t.d, t.next_order - 1 AS last, \
                 (SELECT max(o.o) FROM {s}.orders o WHERE o.w = t.w AND o.d = t.d) AS entered, \
                 (SELECT max(p.o) FROM {s}.pending p WHERE p.w = t.w AND p.d = t.d) AS pending \
                 FROM {s}.district t WHERE {in}) x \
                 WHERE last IS DISTINCT FROM entered OR coalesce(pending <> last, false)",
    },
    Condition {
        number: 3,
        says: "a district's pending orders have no gap",
        broken: "SELECT t.w, t.d, max(t.o) - min(t.o) + 1 AS span, count(*) FROM {s}.pending t WHERE {in} \
                 GROUP BY t.w, t.d HAVING max(t.o) - min(t.o) + 1 <> count(*)",
    },
    Condition {
        number: 4,
        says: "a district has as many lines as its orders say in all",
        broken: "SELECT w, d, a.n AS said, b.n AS found FROM \
                 (SELECT t.w, t.d, sum(t.lines) AS n FROM {s}.orders t WHERE {in} GROUP BY t.w, t.d) a FULL JOIN \
                 (SELECT t.w, t.d, count(*) AS n FROM {s}.line t WHERE {in} GROUP BY t.w, t.d) b USING (w, d) \
                 WHERE a.n IS DISTINCT FROM b.n",
    },
    Condition {
        number: 5,
        says: "an order has no carrier exactly while it is pending",
        broken: "SELECT coalesce(t.w, p.w) AS w, coalesce(t.d, p.d) AS d, coalesce(t.o, p.o) AS o, t.carrier FROM \
                 (SELECT * FROM {s}.orders t WHERE {in}) t FULL JOIN (SELECT * FROM {s}.pending t WHERE {in}) p \
                 ON p.w = t.w AND p.d = t.d AND p.o = t.o \
                 WHERE (t.o IS NOT NULL AND t.carrier IS NULL) IS DISTINCT FROM (p.o IS NOT NULL)",
    },
    Condition {
        number: 6,
        says: "every order has as many lines as it says",
        broken: "SELECT w, d, o, t.lines, l.n AS found FROM (SELECT * FROM {s}.orders t WHERE {in}) t FULL JOIN \
                 (SELECT t.w, t.d, t.o, count(*) AS n FROM {s}.line t WHERE {in} GROUP BY t.w, t.d, t.o) l USING (w, d, o) \
                 WHERE t.lines IS DISTINCT FROM l.n",
    },
    Condition {
        number: 7,
        says: "a line is delivered exactly when its order has a carrier",
        broken: "SELECT t.w, t.d, t.o, t.n, t.delivered, o.carrier FROM {s}.line t LEFT JOIN {s}.orders o \
                 ON o.w = t.w AND o.d = t.d AND o.o = t.o \
                 WHERE {in} AND (t.delivered IS NULL) IS DISTINCT FROM (o.carrier IS NULL)",
    },
    Condition {
        number: 8,
        says: "a warehouse's takings are the sum of its payments",
        broken: "SELECT t.w, t.ytd, p.n AS paid FROM {s}.warehouse t LEFT JOIN \
                 (SELECT t.w, sum(t.amount) AS n FROM {s}.payment t WHERE {in} GROUP BY t.w) p ON p.w = t.w \
                 WHERE {in} AND t.ytd IS DISTINCT FROM p.n",
    },
    Condition {
        number: 9,
        says: "a district's takings are the sum of its payments",
        broken: "SELECT t.w, t.d, t.ytd, p.n AS paid FROM {s}.district t LEFT JOIN \
                 (SELECT t.w, t.d, sum(t.amount) AS n FROM {s}.payment t WHERE {in} GROUP BY t.w, t.d) p \
                 ON p.w = t.w AND p.d = t.d WHERE {in} AND t.ytd IS DISTINCT FROM p.n",
    },
    Condition {
        number: 10,
        says: "a customer's balance is what was delivered less what was paid",
        broken: "SELECT t.w, t.d, t.c, t.balance, coalesce(l.n, 0) AS delivered, coalesce(p.n, 0) AS paid \
                 FROM {s}.customer t {sums} WHERE {in} \
                 AND t.balance IS DISTINCT FROM coalesce(l.n, 0) - coalesce(p.n, 0)",
    },
    Condition {
        number: 11,
        says: "after a load 2100 orders of a district are not pending",
        broken: "SELECT * FROM (SELECT t.w, t.d, (SELECT count(*) FROM {s}.orders o WHERE o.w = t.w AND o.d = t.d) - \
                 (SELECT count(*) FROM {s}.pending p WHERE p.w = t.w AND p.d = t.d) AS n FROM {s}.district t WHERE {in}) x \
                 WHERE n <> 2100",
    },
    Condition {
        number: 12,
        says: "a customer's balance and payments are together what was delivered",
        broken: "SELECT t.w, t.d, t.c, t.balance, t.paid, coalesce(l.n, 0) AS delivered FROM {s}.customer t {sums} \
                 WHERE {in} AND t.balance + t.paid IS DISTINCT FROM coalesce(l.n, 0)",
    },
];

/// What was delivered to and paid by each customer, however far from home they paid.
const SUMS: &str = "LEFT JOIN (SELECT o.w, o.d, o.c, sum(t.amount) AS n FROM {s}.orders o \
    JOIN {s}.line t ON t.w = o.w AND t.d = o.d AND t.o = o.o WHERE {in} AND t.delivered IS NOT NULL \
    GROUP BY o.w, o.d, o.c) l ON l.w = t.w AND l.d = t.d AND l.c = t.c \
    LEFT JOIN (SELECT t.c_w, t.c_d, t.c, sum(t.amount) AS n FROM {s}.payment t WHERE {in_c} GROUP BY t.c_w, t.c_d, t.c) p \
    ON p.c_w = t.w AND p.c_d = t.d AND p.c = t.c";

/// Which state the conditions are to hold in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// After a load, before any run: all twelve.
    AfterLoad,
    /// After runs: all but the eleventh.
    AfterRun,
}

/// A condition that doesn't hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Its number in the specification.
    pub condition: u32,
    /// What should hold.
    pub says: &'static str,
    /// Rows that break it.
    pub rows: u64,
    /// The first of them.
    pub example: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { condition, says, rows, example } = self;
        write!(f, "condition {condition} does not hold: {says}; {rows} rows break it, as {example}")
    }
}

/// What a check looked at and found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Numbers of the conditions.
    pub conditions: Vec<u32>,
    /// Warehouses looked at.
    pub looked_at: u32,
    /// Warehouses there are.
    pub warehouses: u32,
    /// What doesn't hold.
    pub violations: Vec<Violation>,
}

/// Checks the conditions; of more than [`FULL_UP_TO`] warehouses so many are drawn by `seed`.
///
/// # Errors
/// The server refuses, or a stop.
pub fn check(
    control: &mut Connection,
    warehouses: u32,
    when: When,
    seed: u64,
) -> Result<Checked, OrdersError> {
    patience::during(control, |control| {
        control.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        let checked = violations(control, warehouses, when, seed);
        // Nothing was written; and one that was cut short must not leave its transaction open.
        let ended = control.execute("ROLLBACK");
        let checked = checked?;
        ended?;
        Ok(checked)
    })
}

/// The same in the transaction at hand.
pub(super) fn violations(
    control: &mut Connection,
    warehouses: u32,
    when: When,
    seed: u64,
) -> Result<Checked, OrdersError> {
    let chosen = choose(warehouses, seed);
    let (of, of_customer) = match &chosen {
        None => ("true".to_string(), "true".to_string()),
        Some(some) => {
            let list: Vec<String> = some.iter().map(u32::to_string).collect();
            (format!("t.w IN ({})", list.join(", ")), format!("t.c_w IN ({})", list.join(", ")))
        }
    };
    let mut checked = Checked {
        conditions: Vec::new(),
        looked_at: chosen.as_ref().map_or(warehouses, |some| some.len() as u32),
        warehouses,
        violations: Vec::new(),
    };
    for condition in &CONDITIONS {
        if condition.number == 11 && when == When::AfterRun {
            continue;
        }
        let text = condition.broken.replace("{sums}", SUMS);
        let broken = sql(&text.replace("{in}", &of).replace("{in_c}", &of_customer));
        let found = control.query(&format!("SELECT count(*), min(x::text) FROM ({broken}) x"))?;
        let field = |column: usize| found.first().and_then(|row| row.get(column)?.clone());
        let rows: u64 = field(0)
            .and_then(|text| text.parse().ok())
            .ok_or(WireError::Unexpected("a count that is no number"))?;
        checked.conditions.push(condition.number);
        if rows > 0 {
            checked.violations.push(Violation {
                condition: condition.number,
                says: condition.says,
                rows,
                example: one_line(&field(1).unwrap_or_default()),
            });
        }
    }
    Ok(checked)
}

/// Different warehouses of `1..=warehouses`; `None`: all of them.
fn choose(warehouses: u32, seed: u64) -> Option<Vec<u32>> {
    if warehouses <= FULL_UP_TO {
        return None;
    }
    let mut rng = Rng::new(seed ^ 0xc4ec);
    let mut some = std::collections::BTreeSet::new();
    while some.len() < FULL_UP_TO as usize {
        some.insert(rng.below(u64::from(warehouses)) as u32 + 1);
    }
    Some(some.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_warehouses_as_many_different_ones_are_drawn_as_would_all_be_looked_at() {
        assert_eq!(choose(FULL_UP_TO, 1), None);
        let some = choose(1000, 1).unwrap();
        assert_eq!(some.len(), FULL_UP_TO as usize);
        assert!(some.iter().all(|w| (1..=1000).contains(w)));
        assert_ne!(some, choose(1000, 2).unwrap());
    }
}
