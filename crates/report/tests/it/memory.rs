//! Runs of memory alone: a matrix of nodes, where pools lie, what has aged.

use crate::common::memory::{aged, placement, study};
use narrows_model::{Run, Unknown};
use narrows_report::{Report, Units, html, text};

fn all() -> [(&'static str, Run); 3] {
    [("study", study()), ("placement", placement()), ("aged", aged())]
}

#[test]
fn screens_of_memory_look_as_they_should() {
    for (name, run) in all() {
        let screen = text(&Report::new(&run, Units::Si), 100, false);
        for line in screen.lines() {
            assert!(line.chars().count() <= 100, "{name}: {line}");
        }
        let narrow = text(&Report::new(&run, Units::Si), 80, false);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{name}: {narrow}");
        insta::assert_snapshot!(format!("memory_{name}"), screen);
    }
}

#[test]
fn the_page_has_both_matrices_as_pictures_with_their_values() {
    let page = html(&Report::new(&study(), Units::Si));
    for part in [
        "latency by nodes",
        "bandwidth by nodes",
        "latency of a load beside others",
        "reads and writes 120 GB/s: 420 ns",
        "from 3 to 0: not measured",
        "from 0 to 2: 18.6 GB/s",
        "class=heat5 ",
        ">190<",
    ] {
        assert!(page.contains(part), "`{part}` is missing");
    }
    let other = html(&Report::new(&placement(), Units::Si));
    assert!(!other.contains("latency by nodes"));
}

#[test]
fn what_could_not_be_made_is_counted_and_its_reason_comes_first() {
    let mut run = study();
    let why = "mapping 2017460224 bytes failed: Cannot allocate memory";
    let ids = ["memory.latency.4k", "memory.curve.4k", "memory.curve.2m"];
    run.hosts[0].platform.unknown.extend(ids.map(|id| Unknown::not_made(id, why)));
    let screen = text(&Report::new(&run, Units::Si), 100, false);
    assert!(screen.contains("1 suspect (?), 3 more could not be made"), "{screen}");
    let not_known = screen.split_once("NOT KNOWN").unwrap().1;
    let not_known = not_known.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(not_known.starts_with(&format!("memory.latency.4k and 2 more: {why}")), "{not_known}");
}

#[test]
fn more_nodes_than_a_screen_is_wide_are_shown_by_distance_and_drawn() {
    let mut run = study();
    let cells = run.measurements.clone();
    for m in cells.iter().filter(|m| m.id.starts_with("memory.matrix.")) {
        for further in [4, 8] {
            let mut copy = m.clone();
            let (head, to) = m.id.rsplit_once(".to").unwrap();
            copy.id = format!("{head}.to{}", to.parse::<u32>().unwrap() + further).into();
            run.measurements.push(copy);
        }
    }
    let screen = text(&Report::new(&run, Units::Si), 100, false);
    assert!(screen.contains("NODES BY DISTANCE") && !screen.contains("LATENCY OF EACH NODE"));
    assert!(html(&Report::new(&run, Units::Si)).contains("from 0 to 11: "));
}
