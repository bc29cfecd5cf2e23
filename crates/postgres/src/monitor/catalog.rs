//! Which columns the server's statistics views have: asked, because they move between versions.

use std::collections::{BTreeMap, BTreeSet};

use crate::wire::Row;

/// Asks for the columns of every view that is read here.
pub(crate) const SQL: &str = "\
SELECT c.relname, a.attname FROM pg_catalog.pg_class c \
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace AND a.attnum > 0 AND NOT a.attisdropped \
AND c.relname IN ('pg_stat_database', 'pg_stat_wal', 'pg_stat_io', 'pg_stat_bgwriter', 'pg_stat_checkpointer', \
'pg_stat_replication')";

/// Views with their columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalog(BTreeMap<String, BTreeSet<String>>);

impl Catalog {
    /// From the answer to [`SQL`].
    pub(crate) fn from_rows(rows: &[Row]) -> Catalog {
        let mut views: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in rows {
            if let [Some(view), Some(column)] = row.as_slice() {
                views.entry(view.clone()).or_default().insert(column.clone());
            }
        }
        Catalog(views)
    }

    /// Whether the view is there with all of these columns.
    pub(crate) fn has(&self, view: &str, columns: &[&str]) -> bool {
        self.0.get(view).is_some_and(|known| columns.iter().all(|column| known.contains(*column)))
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// The columns of a version as its documentation has them: a line for each view, name first.
    pub(crate) fn of_version(major: u32) -> Catalog {
        let text = match major {
            13 => include_str!("columns/13.txt"),
            14 => include_str!("columns/14.txt"),
            15 => include_str!("columns/15.txt"),
            16 => include_str!("columns/16.txt"),
            17 => include_str!("columns/17.txt"),
            18 => include_str!("columns/18.txt"),
            _ => panic!("no columns of version {major}"),
        };
        let rows: Vec<Row> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(|line| {
                let mut words = line.split_whitespace().map(str::to_string);
                let view = words.next();
                words.map(move |column| vec![view.clone(), Some(column)]).collect::<Vec<_>>()
            })
            .collect();
        Catalog::from_rows(&rows)
    }
}
