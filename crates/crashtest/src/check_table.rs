//! The checker of a PostgreSQL table: looks for every row whose commit was acknowledged.

use std::path::Path;

use narrows_postgres::Address;

use crate::outcome::Counts;
use crate::record::RecordState;
use crate::server;
use crate::table::{MARK_STREAM, failed, open};
use crate::{Acknowledged, CrashTestError, Ranges, RecordLocation};

/// SQLSTATE `undefined_table`.
const NO_TABLE: &str = "42P01";

/// How rows are looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct TableCheck {
    /// A missing table is lost, and not in another database.
    pub gone: bool,
    /// The user says that the machine under the server was started again, or its file systems were mounted again.
    pub remounted: bool,
    /// The table is removed if every row is there.
    pub drop: bool,
}

/// Looks for the acknowledged rows in that database.
///
/// # Errors
/// Where the server refuses, the table isn't there, and the list is about a file.
pub fn check_table(
    address: &Address,
    list_path: &Path,
    list: &Acknowledged,
    how: TableCheck,
) -> Result<Counts, CrashTestError> {
    let RecordLocation::Table { name, .. } = &list.terms.place else {
        return Err(CrashTestError::Other {
            list: list_path.to_path_buf(),
            kind: "the file",
            target: list.terms.target.clone(),
            hint: "narrows log crashtest check FILE --acknowledged LIST",
        });
    };
    let mut connection = open(address)?;
    // Consecutive numbers as one row: there may be millions.
    let sql = format!(
        "SELECT stream, min(number), max(number) FROM (SELECT stream, number, number - row_number() OVER \
         (PARTITION BY stream ORDER BY number) AS island FROM public.{name}) AS rows GROUP BY stream, island"
    );
    let rows = match connection.query_at_work(&sql) {
        Ok(rows) => rows,
        Err(error) if error.code() == Some(NO_TABLE) && how.gone => Vec::new(),
        Err(error) if error.code() == Some(NO_TABLE) => {
            return Err(CrashTestError::Gone { target: format!("table {name} in {address}") });
        }
        Err(source) => return Err(failed("reading the table", address, source)),
    };
    let mut present = vec![Ranges::default(); list.streams.len()];
    let mut counts = Counts::new(list.total());
    let (server, _) = server::look(&mut connection, address)
        .map_err(|source| failed("asking when the server was started in", address, source))?;
    counts.server_memory = server.doubt(list, how.remounted);
    for row in rows {
        let (stream, from, to) = island(&row)
            .ok_or_else(|| CrashTestError::Protocol("the table has other columns".to_string()))?;
        counts.outlived |= stream == MARK_STREAM;
        if let Some(ranges) = usize::try_from(stream).ok().and_then(|at| present.get_mut(at)) {
            ranges.add(from, to);
        }
    }
    for ((stream, acknowledged), present) in (0..).zip(&list.streams).zip(&present) {
        for number in acknowledged.iter().flat_map(|(from, to)| from..=to) {
            let found = if present.contains(number) {
                RecordState::Whole
            } else {
                RecordState::Missing("the row is not there".to_string())
            };
            counts.take(stream, number, found);
        }
    }
    // What is missing is evidence.
    if how.drop && counts.missing == 0 {
        let sql = format!("DROP TABLE IF EXISTS public.{name}");
        connection.execute(&sql).map_err(|source| failed("dropping the table", address, source))?;
    }
    Ok(counts)
}

/// Stream, first and last number of rows without a gap.
fn island(row: &[Option<String>]) -> Option<(i64, u64, u64)> {
    match row {
        [Some(stream), Some(from), Some(to)] => {
            Some((stream.parse().ok()?, from.parse().ok()?, to.parse().ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_a_writer_that_ended_is_a_row_too() {
        let row = |fields: [&str; 3]| fields.map(|field| Some(field.to_string()));
        assert_eq!(island(&row(["3", "1", "900"])), Some((3, 1, 900)));
        assert_eq!(island(&row(["-1", "1", "1"])), Some((MARK_STREAM, 1, 1)));
        assert_eq!(island(&row(["x", "1", "1"])), None);
        assert_eq!(island(&[None, None, None]), None);
    }
}
