//! Rows read and changed by table: `table_io_waits_summary_by_index_usage`, which counts rows that were read without an index apart.
//!
//! Source: MariaDB documentation, "Performance Schema table_io_waits_summary_by_index_usage Table".

use std::collections::BTreeMap;

use narrows_model::{Consumers, TableUse};

use super::{OF_THE_SERVER, number, text};
use crate::connection::{Connection, Row};
use crate::error::MariaError;

/// Tables that are read.
const MOST: usize = 5000;

/// What is asked.
pub(super) fn question() -> String {
    format!(
        "SELECT OBJECT_SCHEMA, OBJECT_NAME, SUM(IF(INDEX_NAME IS NULL, COUNT_FETCH, 0)), \
         SUM(IF(INDEX_NAME IS NULL, 0, COUNT_FETCH)), SUM(COUNT_INSERT), SUM(COUNT_UPDATE), SUM(COUNT_DELETE) \
         FROM performance_schema.table_io_waits_summary_by_index_usage \
         WHERE COUNT_STAR > 0 AND OBJECT_SCHEMA NOT IN ({OF_THE_SERVER}) GROUP BY OBJECT_SCHEMA, OBJECT_NAME LIMIT {MOST}"
    )
}

/// Rows by table since the server counts: read without an index, read by one, inserted, updated, deleted.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables(BTreeMap<String, [f64; 5]>);

impl Tables {
    /// Of this moment.
    pub(super) fn read(session: &mut Connection) -> Result<Tables, MariaError> {
        Ok(Tables::of(&session.query(&question())?))
    }

    fn of(rows: &[Row]) -> Tables {
        let one = |row: &Row| {
            let name = format!("{}.{}", text(row, 0)?, text(row, 1)?);
            let sums = [2, 3, 4, 5, 6].map(|column| number(row, column).unwrap_or(0.0));
            Some((narrows_units::shown(&name).into_owned(), sums))
        };
        Tables(rows.iter().filter_map(one).collect())
    }

    /// What was added since, most rows first.
    pub(super) fn since(&self, before: &Tables) -> Vec<TableUse> {
        let mut used: Vec<TableUse> = self
            .0
            .iter()
            .filter_map(|(name, now)| {
                let then = before.0.get(name).copied().unwrap_or_default();
                let grew = |at: usize| Some(now[at] - then[at]).filter(|n| *n >= 0.0);
                let table = TableUse {
                    name: name.clone(),
                    sequential_rows: grew(0)?,
                    index_rows: grew(1)?,
                    inserted: grew(2)?,
                    updated: grew(3)?,
                    deleted: grew(4)?,
                    ..TableUse::default()
                };
                let changed = table.inserted + table.updated + table.deleted;
                (table.rows_read() + changed > 0.0).then_some(table)
            })
            .collect();
        used.sort_by(|a, b| b.rows_read().total_cmp(&a.rows_read()));
        used.truncate(Consumers::KEPT);
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sessions::tests::row;

    #[test]
    fn tables_have_what_was_added_and_those_at_rest_are_left_out() {
        let before = Tables::of(&[
            row(&["shop", "orders", "100", "10", "1", "0", "0"]),
            row(&["shop", "still", "5", "5", "5", "5", "5"]),
            row(&["shop", "reset", "5", "5", "5", "5", "5"]),
        ]);
        let after = Tables::of(&[
            row(&["shop", "orders", "900", "30", "1", "4", "0"]),
            row(&["shop", "still", "5", "5", "5", "5", "5"]),
            row(&["shop", "reset", "1", "0", "0", "0", "0"]),
            vec![None],
        ]);
        let used = after.since(&before);
        assert_eq!(used.len(), 1);
        assert_eq!((used[0].name.as_str(), used[0].sequential_rows), ("shop.orders", 800.0));
        assert_eq!((used[0].index_rows, used[0].updated), (20.0, 4.0));
    }
}
