//! Numbers that sequences have left: what they gave last, at the beginning and at the end, against what they and their columns hold.
//!
//! The last number of a sequence is told to whoever may use or read it. Sequences of temporary and unlogged tables, those that begin again
//! (`CYCLE`), and those that count down are left out. A column is found by `OWNED BY` or by its default.
//!
//! Source: PostgreSQL documentation, `pg_sequence`, `pg_sequences`, "Numeric Types".

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Consumers, SequenceUse};

use super::{number, oids, text};
use crate::wire::{Row, one_line};

/// Sequences that are read: each is a relation that the server opens.
pub(super) const MOST_SEQUENCES: usize = 1_000;
/// A number that no column is half full with: half of a `smallint`.
const LEAST: f64 = 16_384.0;
/// From this share on they are kept.
const USED: f64 = 0.5;

/// Prepares a reading: the last number, and whether the role may see it.
pub(super) fn prepare() -> String {
    format!(
        "PREPARE narrows_sequences AS SELECT seqrelid, may, CASE WHEN may THEN pg_catalog.pg_sequence_last_value(seqrelid) END \
         FROM (SELECT s.seqrelid, pg_catalog.has_sequence_privilege(s.seqrelid, 'USAGE, SELECT') AS may FROM pg_catalog.pg_sequence s \
         JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid WHERE c.relpersistence = 'p' AND NOT s.seqcycle AND s.seqincrement > 0 \
         LIMIT {MOST_SEQUENCES}) s"
    )
}
/// Reads them.
pub(super) const READ: &str = "EXECUTE narrows_sequences";

/// The last number of each sequence at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reading {
    /// None before the first was given.
    last: BTreeMap<u32, Option<f64>>,
    /// Sequences that the role may not look at.
    pub(super) hidden: usize,
}

impl Reading {
    /// From the answer to [`READ`].
    pub(super) fn of(rows: &[Row]) -> Reading {
        let may = |row: &&Row| text(row, 1) == Some("t");
        let one = |row: &Row| Some((text(row, 0)?.parse().ok()?, number(row, 2)));
        Reading {
            last: rows.iter().filter(may).filter_map(one).collect(),
            hidden: rows.iter().filter(|row| !may(row)).count(),
        }
    }

    /// Whether there may be more than were read.
    pub(super) fn is_cut(&self) -> bool {
        self.last.len() + self.hidden >= MOST_SEQUENCES
    }

    /// Asks what sequences hold that may have used up much of it; `None` where none has.
    pub(super) fn details(&self) -> Option<String> {
        let far = self.last.iter().filter(|(_, last)| last.is_some_and(|last| last >= LEAST));
        let far: BTreeSet<u32> = far.map(|(oid, _)| *oid).collect();
        let name = "pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(t.relname)";
        (!far.is_empty()).then(|| {
            format!(
                "SELECT s.seqrelid, (SELECT {name} FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace \
                 WHERE t.oid = s.seqrelid), s.seqmax, c.name, c.column_name, c.type, c.holds FROM pg_catalog.pg_sequence s LEFT JOIN LATERAL (\
                 SELECT {name} AS name, pg_catalog.quote_ident(a.attname) AS column_name, pg_catalog.format_type(a.atttypid, NULL) AS type, \
                 CASE coalesce(nullif(y.typbasetype, 0), y.oid) WHEN 21 THEN 32767 WHEN 23 THEN 2147483647 END AS holds \
                 FROM (SELECT refobjid AS relation, refobjsubid AS place FROM pg_catalog.pg_depend WHERE deptype IN ('a', 'i') \
                 AND classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND refclassid = classid AND objid = s.seqrelid AND refobjsubid > 0 \
                 UNION SELECT f.adrelid, f.adnum FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_attrdef f ON f.oid = d.objid \
                 WHERE d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass \
                 AND d.refobjid = s.seqrelid) u JOIN pg_catalog.pg_class t ON t.oid = u.relation \
                 JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace \
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = u.relation AND a.attnum = u.place \
                 JOIN pg_catalog.pg_type y ON y.oid = a.atttypid ORDER BY holds, name LIMIT 1) c ON true \
                 WHERE s.seqrelid = ANY ('{{{}}}'::pg_catalog.oid[])",
                oids(far)
            )
        })
    }

    /// With the answer to that: those that have used up half or more, the fullest first.
    pub(super) fn sequences(&self, before: &Reading, details: &[Row]) -> Vec<SequenceUse> {
        let one = |row: &Row| {
            let oid: u32 = text(row, 0)?.parse().ok()?;
            let last = (*self.last.get(&oid)?)?;
            let own = number(row, 2)?;
            let holds = number(row, 6);
            let largest = holds.map_or(own, |holds| holds.min(own));
            let name = |column: usize| text(row, column).map(one_line).unwrap_or_default();
            let began = before.last.get(&oid).copied().flatten();
            let used = SequenceUse {
                name: name(1),
                table: name(3),
                column: name(4),
                column_type: name(5),
                last,
                largest,
                of_column: holds.is_some_and(|holds| holds <= own),
                given: began.map_or(0.0, |began| (last - began).max(0.0)),
            };
            (largest > 0.0 && last >= USED * largest).then_some(used)
        };
        let mut found: Vec<SequenceUse> = details.iter().filter_map(one).collect();
        let used = |sequence: &SequenceUse| sequence.last / sequence.largest;
        found.sort_by(|a, b| used(b).total_cmp(&used(a)));
        found.truncate(Consumers::KEPT);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    #[test]
    fn sequences_are_held_against_their_columns_and_themselves() {
        let read = |cells: &[[&'static str; 3]]| {
            Reading::of(&cells.iter().map(|cells| row(*cells)).collect::<Vec<_>>())
        };
        let before = read(&[["20", "t", "1900000000"], ["21", "t", "9000000000"], ["23", "f", ""]]);
        let after = read(&[
            ["20", "t", "1900006000"],
            ["21", "t", "9000000010"],
            ["22", "t", "30000"],
            ["23", "f", ""],
            ["24", "t", "500"],
        ]);
        assert_eq!(after.hidden, 1);
        let details = after.details().unwrap();
        assert!(details.contains("'{20,21,22}'"), "{details}");
        let most = "9223372036854775807";
        let found = after.sequences(
            &before,
            &[
                row(["20", "public.a_seq", most, "public.a", "id", "integer", "2147483647"]),
                row(["21", "public.b_seq", most, "public.b", "id", "bigint", ""]),
                row(["22", "public.c_seq", "32767", "", "", "", ""]),
            ],
        );
        let [c, a] = &found[..] else { panic!("{found:?}") };
        assert_eq!((c.name.as_str(), c.of_column, c.given), ("public.c_seq", false, 0.0));
        assert_eq!((a.table.as_str(), a.of_column, a.given), ("public.a", true, 6000.0));
        assert_eq!(a.largest, 2_147_483_647.0);
        assert_eq!(read(&[["24", "t", "500"], ["25", "t", ""]]).details(), None);
    }
}
