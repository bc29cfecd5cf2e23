//! Stored runs of every command on screens of 80 and of 100 columns: ten lines are no more, and no line is wider.

use std::fs;
use std::io::Read as _;

use flate2::read::GzDecoder;
use narrows_model::Run;
use narrows_report::document::Depth;
use narrows_report::{Report, Screen, TEXT, Units, printed};

use super::reports::stored_runs;

#[test]
fn stored_runs_fit_the_screen_and_in_brief_ten_lines() {
    for (name, packed) in stored_runs() {
        let mut json = String::new();
        GzDecoder::new(fs::File::open(packed).unwrap()).read_to_string(&mut json).unwrap();
        let report = Report::new(&Run::from_json(&json).unwrap(), Units::Si);
        for width in [80, 100] {
            for depth in [Depth::Brief, Depth::Screen, Depth::Explained] {
                let text = printed(&report, &TEXT, Screen { width, depth, ..Screen::PLAIN });
                let wide = text.lines().find(|line| line.chars().count() > width);
                assert_eq!(wide, None, "{name}, {width} columns, {depth:?}");
                let lines = text.lines().count();
                let brief = depth == Depth::Brief;
                assert!(!brief || (3..=10).contains(&lines), "{name}, {width}: {lines}\n{text}");
            }
        }
    }
}
