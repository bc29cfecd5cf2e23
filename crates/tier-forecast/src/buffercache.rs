//! What a PostgreSQL server's buffer pool holds of each relation, and how many of its blocks were read: `pg_buffercache` and counters.
//!
//! One statement asks for both ([`BUFFERCACHE_SQL`]). `pg_buffercache` shows what is in the pool and not what misses; the counters
//! (`pg_stat_get_blocks_fetched` less `pg_stat_get_blocks_hit`, as `pg_statio_user_tables` has them) show what was read and not which
//! blocks. What follows from both is in [`crate::pool_reads`].

use std::collections::BTreeMap;

use narrows_units::shown;

use crate::csv_records::{Record, records};
use crate::given::Refused;

/// The statement, for `psql --csv`. No lock but those of any question to the catalogue, and each buffer header's in turn: sizes of
/// relations are those that the catalogue has, because asking for a file's takes a lock on its relation.
pub const BUFFERCACHE_SQL: &str = include_str!("buffercache.sql");
/// The longest file, bytes.
pub const BUFFERCACHE_BYTES_MAX: u64 = 64 << 20;

/// Its columns.
const COLUMNS: [&str; 11] = [
    "relation",
    "size_blocks",
    "buffers",
    "usage0",
    "usage1",
    "usage2",
    "usage3",
    "usage4",
    "usage5",
    "reads",
    "block_bytes",
];
const SIZE: usize = 1;
const BUFFERS: usize = 2;
const USAGE: usize = 3;
const READS: usize = 9;
const BLOCK: usize = 10;
/// Buffers that hold nothing.
const UNUSED: &str = "(unused)";
/// More than any count is, and exact as a figure.
const MOST: u64 = 1 << 53;
const HINT: &str =
    "`narrows tier forecast reads --help` has the statement that prints it, for psql --csv";

/// A relation, or what stands for several: other databases, and buffers that hold nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PoolRelation {
    pub name: String,
    /// Blocks of it; unknown of several.
    pub blocks: Option<f64>,
    /// Buffers by their usage count, 0 to 5.
    pub usage: [f64; 6],
    /// Buffers, of which those that hold nothing have no usage count.
    pub buffers: f64,
    /// Blocks of it that were read.
    pub reads: f64,
    /// Of its buffers that the pool keeps, those that came meanwhile, at most.
    pub came: f64,
}

impl PoolRelation {
    /// Buffers that were used again since they came: the pool keeps them while others leave.
    pub(crate) fn kept(&self) -> f64 {
        self.usage[2..].iter().sum()
    }
}

/// A pool's relations, and the reads of a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffercache {
    pub(crate) from: String,
    pub(crate) block_bytes: f64,
    pub(crate) relations: Vec<PoolRelation>,
    /// Buffers that hold nothing.
    pub(crate) unused: f64,
}

impl Buffercache {
    /// What `psql --csv` printed; its reads are those since the counters were reset.
    ///
    /// # Errors
    /// What is wrong, in which line and column.
    pub fn parse(from: &str, text: &str) -> Result<Buffercache, Refused> {
        let wrong = |why: String| Refused::new(format!("{from}, {why}"), HINT);
        let all = records(text).map_err(|(line, why)| wrong(format!("line {line}: {why}")))?;
        let mut all = all.into_iter();
        let (line, heads) = all.next().ok_or_else(|| wrong("line 1: is empty".to_string()))?;
        let place = |name: &str| {
            heads
                .iter()
                .position(|head| head.trim() == name)
                .ok_or_else(|| wrong(format!("line {line}: has no column {name}")))
        };
        let mut places = [0; COLUMNS.len()];
        for (at, name) in COLUMNS.iter().enumerate() {
            places[at] = place(name)?;
        }
        let mut found = Buffercache {
            from: from.to_string(),
            block_bytes: 0.0,
            relations: Vec::new(),
            unused: 0.0,
        };
        let mut lines = BTreeMap::new();
        for record in all {
            let row = Row { record: &record, places: &places, width: heads.len() };
            let (name, line) = (row.text(0).map_err(&wrong)?.to_string(), record.0);
            if let Some(before) = lines.insert(name, line) {
                let why = format!("line {line}, column relation: is that of line {before}");
                return Err(wrong(why));
            }
            found.take(&row).map_err(&wrong)?;
        }
        match found.relations.is_empty() {
            true => Err(wrong("no line has a relation".to_string())),
            false => Ok(found),
        }
    }

    /// One line.
    fn take(&mut self, row: &Row<'_>) -> Result<(), String> {
        let block_bytes = row.number(BLOCK)?;
        if !(512.0..=65_536.0).contains(&block_bytes) {
            return Err(row.wrong(BLOCK, "is no size of a block, as 8192"));
        }
        if self.block_bytes != 0.0 && self.block_bytes != block_bytes {
            return Err(row.wrong(BLOCK, "is not that of the lines before"));
        }
        self.block_bytes = block_bytes;
        let (name, buffers) = (row.text(0)?, row.number(BUFFERS)?);
        if name.is_empty() {
            return Err(row.wrong(0, "has no name"));
        }
        if name == UNUSED {
            self.unused = buffers;
            return Ok(());
        }
        let mut usage = [0.0; 6];
        for (count, of) in usage.iter_mut().enumerate() {
            *of = row.number(USAGE + count)?;
        }
        let sum: f64 = usage.iter().sum();
        if sum != buffers {
            return Err(row.wrong(BUFFERS, &format!("is not the {sum} of usage0 to usage5")));
        }
        let blocks = match row.text(SIZE)?.is_empty() {
            true => None,
            // A block may be met twice while the pool is gone through.
            false => Some(row.number(SIZE)?.max(buffers)),
        };
        let relation = PoolRelation {
            name: shown(name).into_owned(),
            blocks,
            usage,
            buffers,
            reads: row.number(READS)?,
            came: 0.0,
        };
        let came = relation.kept().min(relation.reads);
        self.relations.push(PoolRelation { came, ..relation });
        Ok(())
    }

    /// Of a later look, the reads since this one.
    ///
    /// # Errors
    /// Counters that went back.
    pub fn until(&self, later: Buffercache) -> Result<Buffercache, Refused> {
        let before: BTreeMap<&str, &PoolRelation> =
            self.relations.iter().map(|its| (its.name.as_str(), its)).collect();
        let mut found = Buffercache { from: format!("{} to {}", self.from, later.from), ..later };
        for relation in &mut found.relations {
            let Some(before) = before.get(relation.name.as_str()) else { continue };
            // Several may be fewer: a relation that was dropped, and one that came into the pool.
            let reads = relation.reads - before.reads;
            if reads < 0.0 && relation.blocks.is_some() {
                return Err(Refused::new(
                    format!(
                        "{}: the reads of {} fall from {} to {}",
                        found.from, relation.name, before.reads, relation.reads
                    ),
                    "give the earlier file first; counters that were reset meanwhile take two new looks",
                ));
            }
            relation.reads = reads.max(0.0);
            let came = (relation.kept() - before.kept()).max(0.0);
            relation.came = came.min(relation.reads);
        }
        Ok(found)
    }
}

/// A line whose columns are known.
struct Row<'a> {
    record: &'a Record,
    places: &'a [usize; COLUMNS.len()],
    width: usize,
}

impl Row<'_> {
    fn wrong(&self, column: usize, why: &str) -> String {
        let text = self.record.1.get(self.places[column]).map_or("", String::as_str);
        format!("line {}, column {}: `{}` {why}", self.record.0, COLUMNS[column], shown(text))
    }

    fn text(&self, column: usize) -> Result<&str, String> {
        let (line, fields) = self.record;
        if fields.len() != self.width {
            let (has, width) = (fields.len(), self.width);
            return Err(format!("line {line}: has {has} fields, and the first line {width}"));
        }
        Ok(fields[self.places[column]].trim())
    }

    fn number(&self, column: usize) -> Result<f64, String> {
        let number = self.text(column)?.parse::<u64>().ok().filter(|number| *number <= MOST);
        match number {
            Some(number) => Ok(number as f64),
            None => Err(self.wrong(column, "is no whole number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "relation,size_blocks,buffers,usage0,usage1,usage2,usage3,usage4,usage5,reads,block_bytes\n";

    fn parse(lines: &str) -> Result<Buffercache, Refused> {
        Buffercache::parse("pool.csv", &format!("{HEAD}{lines}"))
    }

    #[test]
    fn a_line_is_a_relation_and_two_stand_for_others() {
        let found = parse(
            "public.orders,1000,60,10,20,5,5,5,15,5000,8192\n\
             \"public.\"\"a,b\"\"\",,0,0,0,0,0,0,0,7,8192\n\
             (elsewhere),,4,4,0,0,0,0,0,90,8192\n(unused),,36,0,0,0,0,0,0,0,8192\n",
        )
        .unwrap();
        let orders = &found.relations[0];
        assert_eq!((orders.blocks, orders.kept(), orders.came), (Some(1000.0), 30.0, 30.0));
        assert_eq!(found.relations[1].name, "public.\"a,b\"");
        assert_eq!(found.relations[2].blocks, None);
        assert_eq!((found.unused, found.block_bytes), (36.0, 8192.0));
        // Columns go by their names.
        let turned = "block_bytes,reads,usage5,usage4,usage3,usage2,usage1,usage0,buffers,size_blocks,relation\n\
                      8192,5000,15,5,5,5,20,10,60,1000,public.orders\n";
        assert_eq!(Buffercache::parse("pool.csv", turned).unwrap().relations[0], *orders);
    }

    #[test]
    fn what_is_wrong_is_told_by_line_and_column() {
        let good = "a,10,0,0,0,0,0,0,0,1,8192\n";
        for (line, words) in [
            ("b,10,x,0,0,0,0,0,0,1,8192\n", "line 3, column buffers: `x` is no whole number"),
            ("b,10,0,0,0,-1,0,0,0,1,8192\n", "line 3, column usage2: `-1` is no whole number"),
            ("b,10,5,1,1,1,1,0,0,1,8192\n", "line 3, column buffers: `5` is not the 4 of usage0"),
            ("b,1e3,0,0,0,0,0,0,0,1,8192\n", "line 3, column size_blocks: `1e3` is no whole"),
            ("b,10,0,0,0,0,0,0,0,,8192\n", "line 3, column reads: `` is no whole number"),
            ("b,10,0,0,0,0,0,0,0,1,4096\n", "line 3, column block_bytes: `4096` is not that of"),
            ("b,10,0,0,0,0,0,0,0,1,0\n", "line 3, column block_bytes: `0` is no size"),
            ("b,10,0,0\n", "line 3: has 4 fields, and the first line 11"),
            (",10,0,0,0,0,0,0,0,1,8192\n", "line 3, column relation: `` has no name"),
            (good, "line 3, column relation: is that of line 2"),
            ("\"b,10\n", "line 3: a quoted field has no end"),
        ] {
            let error = parse(&format!("{good}{line}")).unwrap_err();
            assert!(error.what.starts_with("pool.csv, ") && error.what.contains(words), "{error}");
            assert!(error.hint.contains("psql --csv"), "{}", error.hint);
        }
        let text = HEAD.replace("usage3,", "");
        let error = Buffercache::parse("pool.csv", &text).unwrap_err();
        assert!(error.what.contains("line 1: has no column usage3"), "{error}");
        assert!(parse("").unwrap_err().what.contains("no line has a relation"));
        assert!(Buffercache::parse("p", "").unwrap_err().what.contains("line 1: is empty"));
    }

    #[test]
    fn between_two_looks_reads_are_the_difference() {
        let before = parse("a,10,4,0,0,4,0,0,0,100,8192\n(elsewhere),,0,0,0,0,0,0,0,9,8192\n");
        let before = before.unwrap();
        let later = "a,10,6,0,0,6,0,0,0,130,8192\nb,5,0,0,0,0,0,0,0,3,8192\n(elsewhere),,0,0,0,0,0,0,0,7,8192\n";
        let found = before.until(parse(later).unwrap()).unwrap();
        let of = |at: usize| (found.relations[at].reads, found.relations[at].came);
        // Two more are kept; one that was not there has all of its reads; of others no fewer than none.
        assert_eq!([of(0), of(1), of(2)], [(30.0, 2.0), (3.0, 0.0), (0.0, 0.0)]);
        let back = parse("a,10,4,0,0,4,0,0,0,99,8192\n").unwrap();
        let error = before.until(back).unwrap_err();
        assert!(error.what.contains("the reads of a fall from 100 to 99"), "{error}");
    }
}
