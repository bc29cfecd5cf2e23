//! What was done with indexes, for a page: a screen has the tables, and causes name the indexes that need a word.

use narrows_model::{Consumers, IndexSums, IndexUse, Observation};
use narrows_units::significant;

use super::consumers::laid_out;
use crate::document::{Remarks, Row, Table};
use crate::print::rate;

/// Blocks of which fewer aren't worth a row.
const BLOCKS_WORTH_A_WORD: f64 = 1000.0;

/// Indexes by the blocks that they took, and a last row for the rest.
pub(super) fn table(seen: &Observation, consumers: &Consumers) -> Table {
    let per_s = |of: f64| seen.per_s(Some(of)).filter(|n| *n > 0.0).map_or("-".into(), rate);
    let figures = |scans: f64, entries: f64, hit: f64, read: f64| {
        let each = if scans >= 1.0 { significant(entries / scans, 3) } else { "-".into() };
        [per_s(scans), each, per_s(hit), per_s(read)]
    };
    let blocks = |index: &IndexUse| index.blocks_hit + index.blocks_read;
    let mut shown: Vec<&IndexUse> =
        consumers.indexes.iter().filter(|one| blocks(one) > 0.0 || one.invalid).collect();
    shown.sort_by(|a, b| blocks(b).total_cmp(&blocks(a)));
    let row = |index: &&IndexUse| {
        let [scans, each, hit, read] =
            figures(index.scans, index.entries_read, index.blocks_hit, index.blocks_read);
        let size = index.blocks.map_or("-".into(), |blocks| significant(blocks, 3));
        let ever = significant(index.scans_ever, 3);
        Row::figures(index.name.clone(), [scans, each, hit, read, size, ever], kind(index))
    };
    let mut rows: Vec<Row> = shown.iter().map(row).collect();
    if let Some(rest) = consumers.all_indexes.map(|all| without(all, &shown))
        && !rows.is_empty()
        && rest.blocks_hit + rest.blocks_read >= BLOCKS_WORTH_A_WORD
    {
        let of_rest = figures(rest.scans, rest.entries_read, rest.blocks_hit, rest.blocks_read);
        rows.push(Row::figures("all others", of_rest, String::new()));
    }
    let heads = ["scans", "entries/scan", "blocks hit", "blocks read", "blocks", "scans ever"];
    let title = format!("INDEXES IN {}", consumers.database);
    laid_out(title, heads, [38, 52, 64, 77, 86, 98], rows, (24, Remarks::Below(4)))
}

/// `invalid`, `unique`
fn kind(index: &IndexUse) -> String {
    let words = [(index.invalid, "INVALID"), (index.unique, "unique")];
    let said: Vec<&str> = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
    said.join(", ")
}

fn without(all: IndexSums, shown: &[&IndexUse]) -> IndexSums {
    let rest = |all: f64, of: fn(&IndexUse) -> f64| {
        (all - shown.iter().map(|index| of(index)).sum::<f64>()).max(0.0)
    };
    IndexSums {
        indexes: (all.indexes - shown.len() as f64).max(0.0),
        scans: rest(all.scans, |index| index.scans),
        entries_read: rest(all.entries_read, |index| index.entries_read),
        blocks_hit: rest(all.blocks_hit, |index| index.blocks_hit),
        blocks_read: rest(all.blocks_read, |index| index.blocks_read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_what_those_that_are_shown_leave() {
        let all = IndexSums {
            indexes: 9.0,
            scans: 100.0,
            entries_read: 50.0,
            blocks_hit: 7.0,
            blocks_read: 5.0,
        };
        let shown =
            IndexUse { scans: 40.0, entries_read: 60.0, blocks_hit: 7.0, ..IndexUse::default() };
        let rest = without(all, &[&shown]);
        assert_eq!((rest.indexes, rest.scans, rest.entries_read), (8.0, 60.0, 0.0));
        assert_eq!((rest.blocks_hit, rest.blocks_read), (0.0, 5.0));
    }
}
