//! Boxes within boxes, and wires between the outermost: where each stands, and the drawing. Every picture is drawn twice, for wide and
//! for narrow screens; the style sheet shows one of them. Words never leave their box: letters are counted at their widest.

use super::svg::Picture;
use super::wires::{self, Wire};
use crate::document::Svg;
use crate::nested_box::NestedBox;

/// Of a picture on a wide screen, and on paper.
pub(super) const WIDE: f64 = 960.0;
/// Of one on a narrow screen.
const NARROW: f64 = 420.0;
/// Between a box's edge and what is in it, and between boxes.
pub(super) const PAD: f64 = 9.0;
pub(super) const LINE: f64 = 16.0;
/// From a line's place to where its letters stand.
const SINK: f64 = 4.0;
/// A letter is no wider on average, of a mark's heavy ones neither.
pub(super) const LETTER: f64 = 7.5;

/// The picture for both widths of screen.
pub(crate) fn figure(place: &NestedBox, wires: &[Wire], label: &str) -> Svg {
    let wide = drawing(place, wires, WIDE, label);
    let narrow = drawing(&with_wires_as_boxes(place, wires), &[], NARROW, label);
    Svg::of_both([wide, narrow])
}

fn drawing(place: &NestedBox, wires: &[Wire], width: f64, label: &str) -> Svg {
    if wires.len() > wires::MOST {
        return drawing(&with_wires_as_boxes(place, wires), &[], width, label);
    }
    let (laid, gutter) = match wires {
        [] => (lay(place, width), None),
        _ => {
            let (laid, gutter) = wires::lay(place, wires, width);
            (laid, Some(gutter))
        }
    };
    // As wide as the screen even where little is drawn, so that letters have one size in all pictures.
    let mut picture = Picture::new(width + 2.0, laid.height + 2.0, label);
    draw(&laid, (1.0, 1.0), 0, &mut picture);
    if let Some(gutter) = gutter {
        gutter.draw((1.0, 1.0), &mut picture);
    }
    picture.finish("chart", false)
}

/// Where there is no room for wires they are boxes among the others.
fn with_wires_as_boxes(place: &NestedBox, wires: &[Wire]) -> NestedBox {
    let links = wires.iter().map(|wire| NestedBox {
        words: wire.words.clone(),
        marks: wire.marks.clone(),
        within: Vec::new(),
    });
    NestedBox { within: place.within.iter().cloned().chain(links).collect(), ..place.clone() }
}

/// A box with its size, and the boxes in it with their corners.
pub(super) struct Laid {
    pub lines: Vec<String>,
    pub marks: Vec<String>,
    pub width: f64,
    pub height: f64,
    pub within: Vec<((f64, f64), Laid)>,
}

/// Boxes from left to right in rows, as wide as their words or what is in them.
pub(super) fn lay(place: &NestedBox, most: f64) -> Laid {
    let inner = (most - 2.0 * PAD).max(10.0 * LETTER);
    let mut laid = own(place, inner);
    let (mut x, mut y, mut row, mut widest) = (0.0, laid.height - PAD, 0.0f64, laid.width);
    for child in &place.within {
        let child = lay(child, inner);
        if x > 0.0 && x + child.width > inner {
            (x, y, row) = (0.0, y + row + PAD, 0.0);
        }
        let corner = (PAD + x, y);
        x += child.width + PAD;
        row = row.max(child.height);
        widest = widest.max(x - PAD);
        laid.within.push((corner, child));
    }
    let below = if laid.within.is_empty() { 0.0 } else { row };
    laid.width = widest.min(inner) + 2.0 * PAD;
    laid.height = y + below + PAD;
    laid
}

/// A box with its own words only; its width is that of the words alone.
pub(super) fn own(place: &NestedBox, inner: f64) -> Laid {
    let letters = (inner / LETTER) as usize;
    let lines = lines_of(&place.words, letters);
    let marks: Vec<String> = place.marks.iter().flat_map(|mark| lines_of(mark, letters)).collect();
    let all = lines.iter().chain(&marks);
    let width = all.map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER;
    let height = 2.0 * PAD + (lines.len() + marks.len()) as f64 * LINE;
    Laid { lines, marks, width, height, within: Vec::new() }
}

/// Words in lines of so many letters; none where there are no words.
pub(super) fn lines_of(text: &str, letters: usize) -> Vec<String> {
    if text.is_empty() { Vec::new() } else { narrows_units::wrap(text, letters, letters) }
}

fn draw(laid: &Laid, (x, y): (f64, f64), depth: usize, picture: &mut Picture) {
    let class = match (laid.marks.is_empty(), depth.is_multiple_of(2)) {
        (false, _) => "box marked",
        (true, true) => "box even",
        (true, false) => "box",
    };
    picture.bar(class, x, y, laid.width, laid.height);
    words(&laid.lines, &laid.marks, (x + PAD, y), picture);
    for ((dx, dy), within) in &laid.within {
        draw(within, (x + dx, y + dy), depth + 1, picture);
    }
}

/// Lines and the marks below them.
pub(super) fn words(lines: &[String], marks: &[String], (x, y): (f64, f64), picture: &mut Picture) {
    let all = lines.iter().map(|line| ("boxword", line));
    let all = all.chain(marks.iter().map(|line| ("boxword markword", line)));
    for ((class, line), number) in all.zip(1..) {
        picture.words(class, x, y + f64::from(number) * LINE + SINK, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(laid: &Laid) {
        for (number, ((x, y), child)) in laid.within.iter().enumerate() {
            assert!(*x >= PAD && x + child.width <= laid.width - PAD + 0.1, "{:?}", child.lines);
            assert!(*y >= PAD && y + child.height <= laid.height - PAD + 0.1, "{:?}", child.lines);
            for ((ox, oy), other) in &laid.within[..number] {
                let apart = ox + other.width <= *x || oy + other.height <= *y;
                assert!(apart, "{:?} over {:?}", child.lines, other.lines);
            }
            inside(child);
        }
        let longest = laid.lines.iter().chain(&laid.marks).map(|line| line.chars().count()).max();
        assert!(longest.unwrap_or(0) as f64 * LETTER <= laid.width - 2.0 * PAD + 0.1);
        let lines = (laid.lines.len() + laid.marks.len()) as f64;
        let highest = laid.within.iter().map(|((_, y), _)| *y).fold(laid.height, f64::min);
        assert!(PAD + lines * LINE <= highest + 0.1, "{:?}", laid.lines);
    }

    #[test]
    fn boxes_lie_in_their_boxes_and_beside_each_other() {
        let mark = |words: &str| vec![words.repeat(9)];
        let many = (0..30).map(|i| NestedBox {
            marks: if i % 7 == 0 { mark("BINDS a scan ") } else { Vec::new() },
            ..NestedBox::leaf(format!("{} × core", "word ".repeat(i)))
        });
        let package = NestedBox::of("package 0", many.collect());
        let long = NestedBox::leaf("a word that has no end ".repeat(40));
        let endless = NestedBox { marks: mark("endless"), ..NestedBox::leaf("w".repeat(900)) };
        let machine = NestedBox::of("m", vec![package, long, endless]);
        for width in [WIDE, NARROW] {
            let laid = lay(&machine, width);
            assert!(laid.width <= width + 0.1);
            inside(&laid);
        }
    }

    #[test]
    fn nothing_of_a_word_is_lost() {
        for letters in 1..40 {
            let text = "a somewhat longwordthathasnoend of  all";
            let lines = lines_of(text, letters);
            assert!(lines.iter().all(|line| line.chars().count() <= letters), "{lines:?}");
            let letters_of = |text: &str| text.replace(' ', "");
            assert_eq!(letters_of(&lines.concat()), letters_of(text));
        }
    }

    #[test]
    fn a_narrow_screen_has_its_own_picture_with_links_as_boxes() {
        let place = NestedBox::of("all", vec![NestedBox::leaf("a"), NestedBox::leaf("b")]);
        let wire = Wire { ends: (0, 1), words: "fabric".into(), marks: vec!["BINDS it".into()] };
        let drawn = figure(&place, &[wire], "all");
        let (wide, narrow) = drawn.split_once("onnarrow").unwrap();
        assert!(wide.contains("class=\"wire marked\"") && wide.contains(">fabric<"));
        assert!(!narrow.contains("wire") && narrow.contains(">fabric<"));
        assert_eq!(drawn.matches("BINDS it").count(), 2);
    }
}
