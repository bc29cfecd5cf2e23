//! Which statements sessions were in over time: on the page, by wait, by statement, and both held against each other.

use crate::common::observed::{by_statement, observed};
use narrows_model::{Run, StatementGroup};
use narrows_report::{Report, Units, html, markdown, text};

fn page(run: &Run) -> String {
    html(&Report::new(run, Units::Si))
}

/// The views of the history, in their order, with their labels.
fn views(page: &str) -> Vec<(String, String)> {
    let labels = page.split("<label for=\"load-0-").skip(1);
    let labels = labels.map(|rest| {
        let (_, rest) = rest.split_once('>').unwrap();
        rest.split_once("</label>").unwrap().0.to_string()
    });
    let shown = page.split("<div class=view>").skip(1);
    let shown = shown.map(|rest| rest.split_once("</div>\u{0}").map_or(rest, |(view, _)| view));
    labels.zip(shown.map(str::to_string)).collect()
}

/// The cells of the row that has these words, of the table under the heading.
fn row(page: &str, words: &str) -> Vec<String> {
    let (_, table) = page.split_once("<h3>Statements by waits</h3>").expect("the table");
    let (table, _) = table.split_once("</table>").unwrap();
    let row = table.split("<tr>").find(|row| row.contains(words)).expect(words);
    row.split("<td>").skip(1).map(str::to_string).collect()
}

#[test]
fn the_history_is_shown_by_wait_by_statement_and_of_each_statement() {
    let page = page(&by_statement());
    let views = views(&page);
    let labels: Vec<&str> = views.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "by wait",
            "by statement",
            "statement 1",
            "statement 2",
            "all others",
            "no statement known"
        ]
    );
    for (label, view) in &views {
        assert!(
            view.contains("<svg class=\"chart onwide\"") || view.contains("class=plot"),
            "{label}"
        );
    }
    // What is told of the pictures to those who can't see them.
    let by_statement = &views[1].1;
    assert!(by_statement.contains("sessions over time by statement; on average UPDATE accounts"));
    assert!(by_statement.contains("WHERE id &lt; $2"), "a text stays text");
    // The report is seen in a sixth of the look, and only as a wait for reads.
    let report = &views[3].1;
    assert!(report.contains("reading data files 0.833"), "{report}");
    assert!(!report.contains("waiting for WAL 0."), "{report}");
}

#[test]
fn statements_are_held_against_waits_with_the_times_they_were_found() {
    let page = page(&by_statement());
    // 60 slices: 720 times in updates without locks, 240 with them, 200 in the report, 120 in others, 60 unknown.
    let update = row(&page, "UPDATE accounts");
    assert_eq!(update[2], "960");
    assert!(update.contains(&"72 %".to_string()), "{update:?}");
    assert!(update.iter().any(|cell| cell == "36 % (480)"), "WAL: {update:?}");
    assert!(update.iter().any(|cell| cell == "18 % (240)"), "locks: {update:?}");
    let report = row(&page, "SELECT sum(amount)");
    assert_eq!(report.iter().filter(|cell| *cell == "-").count(), 4, "{report:?}");
    assert!(report.iter().any(|cell| cell == "15 % (200)"), "{report:?}");
    assert!(row(&page, "no statement known").iter().any(|cell| cell == "4.5 % (60)"));
    let all = row(&page, ">all<");
    assert!(all.contains(&"1340".to_string()) && all.contains(&"100 %".to_string()), "{all:?}");
    assert!(page.contains("240 samples, 700 different executions"));
    // Who was idle in transaction was in no statement.
    assert!(
        !page
            .split_once("Statements by waits")
            .unwrap()
            .1
            .contains("<th scope=col>idle in transaction")
    );
}

#[test]
fn without_a_history_of_statements_the_page_is_as_before() {
    let mut run = by_statement();
    run.observations[0].consumers.as_mut().unwrap().sampled.as_mut().unwrap().history = None;
    for run in [observed(), run] {
        let page = page(&run);
        assert!(!page.contains("<div class=views>") && !page.contains("Statements by waits"));
        assert!(
            page.contains("active sessions and their parallel workers by what they were doing")
        );
    }
    // Nobody was in a statement: there is nothing to tell apart.
    let mut idle = by_statement();
    let sampled = idle.observations[0].consumers.as_mut().unwrap().sampled.as_mut().unwrap();
    for moment in &mut sampled.history.as_mut().unwrap().moments {
        moment.found.retain(|found| !found.state.is_at_work());
    }
    assert!(!page(&idle).contains("<div class=views>"));
}

#[test]
fn a_history_that_names_statements_it_lacks_breaks_nothing() {
    let mut run = by_statement();
    let sampled = run.observations[0].consumers.as_mut().unwrap().sampled.as_mut().unwrap();
    sampled.texts.clear();
    let history = sampled.history.as_mut().unwrap();
    history.statements.truncate(1);
    history.moments[3].found[0].statement = StatementGroup::Listed(u32::MAX);
    history.moments[4].samples = 0;
    history.moments[5].at_ns = f64::NAN;
    let page = page(&run);
    assert!(page.contains("statement 11") && !page.contains("NaN"), "an id where no text is known");
    let report = Report::new(&run, Units::Si);
    assert!(!markdown(&report).contains("NaN") && !text(&report, 100, false).contains("NaN"));
}
