//! A report's text as tables: columns lie under the dashes of the line that ends their heading.
//!
//! SQL*Plus prints the heading above a line of dashes, one group for each column, and the rows below it up to an empty line, a line
//! with one group of dashes, or the heading of the next page. Where the report is the answer to a query (`SELECT output FROM
//! TABLE(dbms_workload_repository.awr_report_text(…))`), SQL*Plus breaks it into pages of its own, in the middle of tables.

use super::table::Table;

/// The column that a query of a report's lines has.
const COLUMN: &str = "OUTPUT";
/// Lines of a heading.
const MOST_HEADING_LINES: usize = 6;
/// Tables of which more are no report's.
const MOST_TABLES: usize = 20_000;

/// Every table of a text.
pub(super) fn tables(text: &str) -> Vec<Table> {
    let lines: Vec<Vec<char>> =
        without_page_breaks(text).into_iter().map(|line| line.chars().collect()).collect();
    let mut tables = Vec::new();
    let mut at = 0;
    while at < lines.len() && tables.len() < MOST_TABLES {
        let columns = columns(&lines[at]);
        if columns.len() < 2 {
            at += 1;
            continue;
        }
        let rows: Vec<&Vec<char>> =
            lines[at + 1..].iter().take_while(|line| is_of_table(line)).collect();
        let next = at + 1 + rows.len();
        let rows = rows.into_iter().map(|line| cells(line, &columns)).collect();
        tables.push(Table { header: heading(&lines[..at], &columns), rows });
        at = next;
    }
    tables
}

/// The lines without those that SQL*Plus puts between two pages of a query's answer: an empty one, the column's name, and dashes where it
/// underlines that.
fn without_page_breaks(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    let mut after_name = false;
    // A page may begin with a form feed.
    for line in text.lines().map(|line| line.trim_start_matches('\u{c}').trim_end()) {
        if line == COLUMN {
            if lines.last().is_some_and(|last| last.is_empty()) {
                lines.pop();
            }
            after_name = true;
            continue;
        }
        let underlines = !line.is_empty() && line.chars().all(|c| c == '-');
        if !(after_name && underlines) {
            lines.push(line);
        }
        after_name = false;
    }
    lines
}

/// Where the columns begin: those of the groups of dashes, and before them one for the labels where the first group stands far right.
/// Empty for any other line.
fn columns(line: &[char]) -> Vec<usize> {
    if !line.iter().all(|c| matches!(c, '-' | '~' | ' ')) {
        return Vec::new();
    }
    let begins = |at: usize| line[at] != ' ' && (at == 0 || line[at - 1] == ' ');
    let mut columns: Vec<usize> = (0..line.len()).filter(|at| begins(*at)).collect();
    // One group alone is the end of a section.
    if columns.len() > 1 && columns[0] > 3 {
        columns.insert(0, 0);
    }
    columns
}

fn is_of_table(line: &[char]) -> bool {
    let of_dashes = !line.is_empty() && line.iter().all(|c| matches!(c, '-' | '~' | ' '));
    !line.is_empty() && !of_dashes && !is_title(line)
}

/// `Foreground Wait Events      DB/Inst: SLOB/SLOB  Snaps: 160-161`.
fn is_title(line: &[char]) -> bool {
    let text: String = line.iter().collect();
    text.contains("DB/Inst:")
}

fn cells(line: &[char], columns: &[usize]) -> Vec<String> {
    let ends = columns[1..].iter().copied().chain([line.len()]);
    let cell = |(begin, end): (usize, usize)| {
        let end = end.min(line.len());
        let text: String = line[begin.min(end)..end].iter().collect();
        text.trim().to_string()
    };
    columns.iter().copied().zip(ends).map(cell).collect()
}

/// The lines right above the dashes, column by column.
fn heading(above: &[Vec<char>], columns: &[usize]) -> Vec<String> {
    let is_remark = |line: &[char]| line.starts_with(&['-', '>']);
    let lines: Vec<&Vec<char>> = above
        .iter()
        .rev()
        .take(MOST_HEADING_LINES)
        .take_while(|line| is_of_table(line) && !is_remark(line))
        .collect();
    let mut header = vec![String::new(); columns.len()];
    for line in lines.into_iter().rev() {
        for (name, part) in header.iter_mut().zip(cells(line, columns)) {
            if !part.is_empty() {
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(&part);
            }
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = "\
Foreground Wait Events                     DB/Inst: X/x  Snaps: 1-2
-> s  - second

                                                             Avg
                                        %Time Total Wait    wait    Waits   % DB
Event                             Waits -outs   Time (s)    (ms)     /txn   time
-------------------------- ------------ ----- ---------- ------- -------- ------
db file sequential read      21,628,695     0     16,407       1 1.69E+05   42.6
SQL*Net message from clien        1,029     0      4,046    3931      8.0
          -------------------------------------------------------------
";

    #[test]
    fn columns_lie_under_the_dashes() {
        let [events] = &tables(EVENTS)[..] else { panic!() };
        assert_eq!(
            events.header,
            [
                "Event",
                "Waits",
                "%Time -outs",
                "Total Wait Time (s)",
                "Avg wait (ms)",
                "Waits /txn",
                "% DB time"
            ]
        );
        assert_eq!(
            events.rows[0],
            ["db file sequential read", "21,628,695", "0", "16,407", "1", "1.69E+05", "42.6"]
        );
        assert_eq!(events.rows[1][6], "", "idle events have no share");
        assert_eq!(events.rows.len(), 2);
    }

    #[test]
    fn pages_of_a_query_are_no_ends_of_tables() {
        let whole = tables(EVENTS);
        for underline in ["", "--------------------------------------------------------------\n"] {
            let broken: String = EVENTS
                .lines()
                .enumerate()
                .map(|(at, line)| match at % 2 {
                    0 => format!("\nOUTPUT\n{underline}{line}\n"),
                    _ => format!("{line}\n"),
                })
                .collect();
            assert_eq!(tables(&broken), whole, "{broken}");
        }
    }

    #[test]
    fn labels_before_the_first_group_are_a_column() {
        let text = "              Snap Id      Snap Time      Sessions\n            --------- ------------------- --------\n\
                    Begin Snap:       160 02-May-13 13:53:40       150\n   Elapsed:                5.07 (mins)\n";
        let [snaps] = &tables(text)[..] else { panic!() };
        assert_eq!(snaps.rows[0], ["Begin Snap:", "160", "02-May-13 13:53:40", "150"]);
        assert_eq!(snaps.rows[1][0], "Elapsed:");
        assert_eq!(snaps.rows[1][2], "5.07 (mins)");
    }

    #[test]
    fn a_page_break_ends_a_table_and_other_text_has_none() {
        let text = "A      B\n------ ------\n1      2\nSection  DB/Inst: X/x\n3      4\n";
        assert_eq!(tables(text)[0].rows.len(), 1);
        assert!(tables("a\n---\nb\n").is_empty());
        assert!(tables("").is_empty());
        assert!(tables("------ ------").len() == 1);
    }
}
