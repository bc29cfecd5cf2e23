//! Fills of areas and bars: each a colour and a pattern, so that no meaning rests on colour alone.

use narrows_model::ActivityState;

use crate::document::Svg;

/// Name, colour, size of the pattern, its strokes.
type Fill = (&'static str, &'static str, u32, &'static str);

const FILLS: [Fill; 9] = [
    ("f0", "p0", 8, ""),
    ("f1", "p1", 7, "M-1 8L8 -1"),
    ("f2", "p2", 7, "M-1 -1L8 8"),
    ("f3", "p3", 8, "M-1 9L9 -1M-1 -1L9 9"),
    ("f4", "p3", 6, "M2 3L4 3"),
    ("f5", "p5", 6, "M3 0L3 6"),
    ("f6", "p4", 6, "M0 3L6 3"),
    ("f7", "under", 7, "M3 3L4 3"),
    ("f8", "p6", 8, "M0 4L8 4M4 0L4 8"),
];

/// The patterns, once a page.
pub(crate) fn definitions() -> Svg {
    let one = |(name, colour, size, strokes): &Fill| {
        let hatch = if *colour == "under" { "hatch inked" } else { "hatch" };
        format!(
            "<pattern id=\"{name}\" width=\"{size}\" height=\"{size}\" patternUnits=\"userSpaceOnUse\">\
             <rect class=\"{colour}\" width=\"{size}\" height=\"{size}\"/><path class=\"{hatch}\" d=\"{strokes}\"/></pattern>"
        )
    };
    let patterns: String = FILLS.iter().map(one).collect();
    Svg(format!("<svg class=\"defs\" aria-hidden=\"true\"><defs>{patterns}</defs></svg>"))
}

/// A sample of the fill of a state.
pub(crate) fn swatch_of(state: ActivityState) -> Svg {
    swatch(of_state(state))
}

/// The fill of a state.
pub(super) fn of_state(state: ActivityState) -> &'static str {
    match state {
        ActivityState::Running => "f0",
        ActivityState::Read => "f1",
        ActivityState::Log => "f2",
        ActivityState::Lock => "f3",
        ActivityState::Latch => "f4",
        ActivityState::Client => "f5",
        ActivityState::Write => "f6",
        ActivityState::IdleInTransaction => "f7",
        ActivityState::Other => "f8",
    }
}

/// A sample of it beside its name.
pub(crate) fn swatch(fill: &str) -> Svg {
    Svg(format!(
        "<svg class=\"swatch\" viewBox=\"0 0 22 14\" aria-hidden=\"true\"><rect class=\"{fill}\" width=\"22\" height=\"14\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_state_has_a_fill_of_its_own_that_is_defined() {
        let used: BTreeSet<_> = ActivityState::ALL.map(of_state).into();
        assert_eq!(used.len(), ActivityState::ALL.len());
        let style = include_str!("../render/style.css");
        for fill in used {
            assert!(definitions().contains(&format!("id=\"{fill}\"")), "{fill}");
            assert!(style.contains(&format!(".{fill}{{fill:url(#{fill})}}")), "{fill}");
        }
    }
}
