//! Drawing: scales, axes and marks as SVG text. No script; colours come from the page's style sheet, so that
//! light, dark and print all work.

use crate::document::Svg;
use crate::escape;

/// A linear or logarithmic mapping of values to pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

/// Beyond these no quantity that is measured lies; a broken one must not cost the page.
const LARGEST: f64 = 1e15;
const SMALLEST: f64 = 1e-6;

/// As near to the value as can be drawn; what is not a number is zero.
fn drawable(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(-LARGEST, LARGEST) }
}

impl Scale {
    /// From zero or `low` up; an empty range is widened so that it can be drawn.
    pub(super) fn linear(low: f64, high: f64, from: f64, to: f64) -> Self {
        let (low, high) = (drawable(low), drawable(high));
        let least = low.abs().max(high.abs()) * 1e-9 + 1e-12;
        let high = if high - low > least { high } else { low + low.abs().max(1.0) };
        Scale { low, high, from, to, log: false }
    }

    /// Both ends must be positive.
    pub(super) fn log(low: f64, high: f64, from: f64, to: f64) -> Self {
        let (low, high) = (drawable(low).max(SMALLEST), drawable(high));
        let high = if high > low { high } else { low * 2.0 };
        Scale { low: low.ln(), high: high.ln(), from, to, log: true }
    }

    /// The pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let value = drawable(value);
        let value = if self.log { value.max(SMALLEST).ln() } else { value };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values inside the range: decades (and 2, 5 where these are fewer than four) or steps of 1, 2, 5.
    pub(super) fn ticks(&self) -> Vec<f64> {
        self.ticks_about(4.0)
    }

    /// The same with about so many steps on a linear scale.
    pub(super) fn ticks_about(&self, steps: f64) -> Vec<f64> {
        let inside = |v: &f64| {
            let slack = (self.high - self.low) * 1e-9;
            let v = if self.log { v.ln() } else { *v };
            v >= self.low - slack && v <= self.high + slack
        };
        if self.log {
            let decades =
                (self.low / 10f64.ln()).floor() as i32..=(self.high / 10f64.ln()).ceil() as i32;
            let with = |steps: &[f64]| -> Vec<f64> {
                decades
                    .clone()
                    .flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)))
                    .filter(inside)
                    .collect()
            };
            let sparse = with(&[1.0]);
            return if sparse.len() >= 4 { sparse } else { with(&[1.0, 2.0, 5.0]) };
        }
        let rough = (self.high - self.low) / steps;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        (first..first + 12).map(|i| i as f64 * step).filter(inside).collect()
    }
}

/// Farther than so many pixels no point of a line is from what is drawn of it: less than the line's own width.
const OFF_THE_LINE: f64 = 0.4;

/// A tenth of a pixel is the finest that is drawn, without zeros that say nothing: a page has a hundred thousand of these.
fn pixels(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// A path's data: from point to point by what each differs, in tenths of a pixel from what was drawn so far, so that nothing adds up.
fn steps(points: &[(f64, f64)]) -> String {
    let tenths = |value: f64| (value * 10.0).round() as i64;
    let number = |tenths: i64| {
        pixels(tenths as f64 / 10.0).replacen("0.", ".", usize::from(tenths.abs() < 10))
    };
    let mut text = String::new();
    let mut at = (0, 0);
    for (index, (x, y)) in points.iter().enumerate() {
        let to = (tenths(*x), tenths(*y));
        let [across, down] = [to.0 - at.0, to.1 - at.1].map(number);
        // A sign parts two numbers as well as a space does.
        let before = match index {
            0 => "M",
            1 => "l",
            _ if across.starts_with('-') => "",
            _ => " ",
        };
        let between = if down.starts_with('-') { "" } else { " " };
        text += &format!("{before}{across}{between}{down}");
        at = to;
    }
    text
}

/// The points of a line without those that lie on it as drawn (Ramer 1972; Douglas and Peucker 1973).
fn simplified(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = vec![false; points.len()];
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    (kept[0], kept[last]) = (true, true);
    let mut parts = vec![(0, last)];
    while let Some((from, to)) = parts.pop() {
        let off = |at: usize| (at, distance(points[at], points[from], points[to]));
        let farthest = (from + 1..to).map(off).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((at, _)) = farthest.filter(|(_, off)| *off > OFF_THE_LINE) {
            kept[at] = true;
            parts.extend([(from, at), (at, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// Of a point from the stretch between two others, pixels.
fn distance((x, y): (f64, f64), (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> f64 {
    let (across, down) = (x2 - x1, y2 - y1);
    let length = across.hypot(down);
    let along = if length > 0.0 {
        (((x - x1) * across + (y - y1) * down) / (length * length)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (x - x1 - along * across).hypot(y - y1 - along * down)
}

/// The attribute in the fewest letters: HTML wants quotes only around several words, and a page has ten thousand of these.
fn class(names: &str) -> String {
    if names.contains(' ') { format!("class=\"{names}\"") } else { format!("class={names}") }
}

/// A picture.
pub(super) struct Picture {
    body: String,
    /// Its size, and a description for those who cannot see it.
    of: Option<(f64, f64, String)>,
}

impl Picture {
    pub(super) fn new(width: f64, height: f64, label: &str) -> Self {
        Picture { body: String::new(), of: Some((width, height, label.to_string())) }
    }

    /// One that only repeats what is said beside it, in pixels of the screen: its box's size is the style sheet's.
    pub(super) fn ornament() -> Self {
        Picture { body: String::new(), of: None }
    }

    pub(super) fn line(&mut self, named: &str, x1: f64, y1: f64, x2: f64, y2: f64) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(pixels);
        self.body += &format!("<line {} x1={x1} y1={y1} x2={x2} y2={y2} />", class(named));
    }

    /// Lines across and down, by their ends, one element for all.
    pub(super) fn lines(&mut self, named: &str, lines: impl IntoIterator<Item = [f64; 4]>) {
        let one = |line: [f64; 4]| {
            let [x1, y1, x2, y2] = line.map(pixels);
            match (y1 == y2, x1 == x2) {
                (true, _) => format!("M{x1} {y1}H{x2}"),
                (_, true) => format!("M{x1} {y1}V{y2}"),
                _ => format!("M{x1} {y1}L{x2} {y2}"),
            }
        };
        let lines: String = lines.into_iter().map(one).collect();
        if !lines.is_empty() {
            self.body += &format!("<path {} d=\"{lines}\"/>", class(named));
        }
    }

    pub(super) fn path(&mut self, named: &str, points: &[(f64, f64)]) {
        self.paths(named, [points]);
    }

    /// Several lines of one look, one element for all.
    pub(super) fn paths<Points: AsRef<[(f64, f64)]>>(
        &mut self,
        named: &str,
        lines: impl IntoIterator<Item = Points>,
    ) {
        let drawn = |points: Points| match points.as_ref() {
            points if points.len() > 1 => steps(&simplified(points)),
            _ => String::new(),
        };
        let all: String = lines.into_iter().map(drawn).collect();
        if !all.is_empty() {
            self.body += &format!("<path {} d=\"{all}\"/>", class(named));
        }
    }

    pub(super) fn dot(&mut self, named: &str, x: f64, y: f64, radius: f64, title: &str) {
        let [x, y] = [x, y].map(pixels);
        self.body += &format!(
            "<circle {} cx={x} cy={y} r={radius}><title>{}</title></circle>",
            class(named),
            escape::text(title)
        );
    }

    /// Dots in a row, one element for all: a page has a thousand of such rows.
    pub(super) fn dots(&mut self, named: &str, xs: impl Iterator<Item = f64>, y: f64) {
        let mut at = 0.0;
        let mut points = String::new();
        for x in xs.map(f64::round) {
            points +=
                &if points.is_empty() { format!("M{x},{y}h0") } else { format!("m{},0h0", x - at) };
            at = x;
        }
        if !points.is_empty() {
            self.body += &format!("<path {} d={points} />", class(named));
        }
    }

    pub(super) fn bar(&mut self, named: &str, x: f64, y: f64, width: f64, height: f64) {
        let width = width.max(0.0);
        let [x, y, width, height] = [x, y, width, height].map(pixels);
        self.body +=
            &format!("<rect {} x={x} y={y} width={width} height={height} />", class(named));
    }

    /// A line across as wide as its stroke, in the fewest letters.
    pub(super) fn across(&mut self, named: &str, x: f64, y: f64, width: f64) {
        let [x, y, width] = [x, y, width.max(0.0)].map(pixels);
        self.body += &format!("<path {} d=M{x},{y}h{width} />", class(named));
    }

    /// A line down.
    pub(super) fn down(&mut self, named: &str, x: f64, y: f64, height: f64) {
        let [x, y, height] = [x, y, height.max(0.0)].map(pixels);
        self.body += &format!("<path {} d=M{x},{y}v{height} />", class(named));
    }

    /// A bar at a corner, of a size, that says more when pointed at.
    pub(super) fn titled_bar(
        &mut self,
        named: &str,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        title: &str,
    ) {
        let [x, y, width, height] = [x, y, width.max(0.0), height].map(pixels);
        self.body += &format!(
            "<rect {} x={x} y={y} width={width} height={height}><title>{}</title></rect>",
            class(named),
            escape::text(title)
        );
    }

    /// The area inside these corners.
    pub(super) fn area(&mut self, named: &str, corners: &[(f64, f64)]) {
        self.body += &format!("<path {} d=\"{}z\"/>", class(named), steps(&simplified(corners)));
    }

    pub(super) fn words(&mut self, named: &str, x: f64, y: f64, text: &str) {
        let (x, y) = (pixels(x), pixels(y));
        self.body += &format!("<text {} x={x} y={y}>{}</text>", class(named), escape::text(text));
    }

    /// What `draw` draws lies in a box of its own, cut off at its sides: left, top, right, bottom. From left to right it is that many seconds
    /// from zero on, by which the page's script shows a part of them.
    pub(super) fn plot(
        &mut self,
        [left, top, right, bottom]: [f64; 4],
        seconds: f64,
        draw: impl FnOnce(&mut Picture),
    ) {
        let [x, y, width, height] = [left, top, right - left, bottom - top].map(pixels);
        self.body += &format!(
            "<svg class=plot x={x} y={y} width={width} height={height} viewBox=\"{x} {y} {width} {height}\" \
             preserveAspectRatio=none data-end={}>",
            drawable(seconds)
        );
        draw(self);
        self.body += "</svg>";
    }

    /// The element; `stretch` lets it fill its box without keeping proportions (bars without text).
    pub(super) fn finish(self, named: &str, stretch: bool) -> Svg {
        let named = class(named);
        let Some((width, height, label)) = self.of else {
            return Svg(format!("<svg {named} aria-hidden=true>{}</svg>", self.body));
        };
        let ratio = if stretch { " preserveAspectRatio=none" } else { "" };
        Svg(format!(
            "<svg {named} viewBox=\"0 0 {width} {height}\" role=img aria-label=\"{}\"{ratio}>{}</svg>",
            escape::text(&label),
            self.body
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(Scale::linear(0.0, 10.0, 0.0, 1.0).ticks(), [0.0, 5.0, 10.0]);
        assert_eq!(Scale::log(1.0, 1000.0, 0.0, 1.0).ticks().len(), 4);
        let narrow = Scale::log(30.0, 90.0, 0.0, 1.0).ticks();
        assert_eq!(narrow.len(), 1);
        assert!((narrow[0] - 50.0).abs() < 1e-9);
    }

    #[test]
    fn a_line_keeps_what_can_be_seen_of_it() {
        let straight: Vec<(f64, f64)> =
            (0..500).map(|i| (f64::from(i), f64::from(i) * 0.5)).collect();
        assert_eq!(simplified(&straight), [straight[0], straight[499]]);
        let mut spike = straight.clone();
        spike[250].1 += 3.0;
        assert!(simplified(&spike).contains(&spike[250]));
        let noise = |i: i32| f64::from(i * 7919 % 101) / 10.0;
        let rough: Vec<(f64, f64)> = (0..500).map(|i| (f64::from(i) * 0.2, noise(i))).collect();
        let drawn = simplified(&rough);
        assert!(drawn.len() < rough.len());
        for point in rough {
            let nearest = drawn.windows(2).map(|ends| distance(point, ends[0], ends[1]));
            assert!(nearest.fold(f64::MAX, f64::min) <= OFF_THE_LINE, "{point:?}");
        }
        assert!(simplified(&[]).is_empty());
        assert_eq!(simplified(&[(1.0, 2.0)]), [(1.0, 2.0)]);
    }

    #[test]
    fn a_path_goes_from_point_to_point_and_loses_nothing_on_the_way() {
        assert_eq!(
            steps(&[(1.0, 2.0), (1.5, 1.0), (0.0, 1.04), (0.24, 11.0)]),
            "M1 2l.5-1-1.5 0 .2 10"
        );
        assert_eq!(steps(&[(10.0, 10.0)]), "M10 10");
        // A thousand steps of less than a tenth are where they should be.
        let small: Vec<(f64, f64)> = (0..1001).map(|i| (f64::from(i) * 0.033, 0.0)).collect();
        let text = steps(&small);
        let across: f64 = text[4..]
            .replace('l', " ")
            .split_whitespace()
            .step_by(2)
            .filter_map(|n| n.parse::<f64>().ok())
            .sum();
        assert!((across - 33.0).abs() < 0.06, "{across}");
    }

    #[test]
    fn a_pixel_has_no_zeros_that_say_nothing() {
        assert_eq!([12.0, 0.04, -0.04, 3.16, -2.96].map(pixels), ["12", "0", "0", "3.2", "-3"]);
    }

    #[test]
    fn an_empty_range_can_be_drawn() {
        assert!(Scale::linear(5.0, 5.0, 0.0, 100.0).at(5.0).is_finite());
        assert!(Scale::log(5.0, 5.0, 0.0, 100.0).at(5.0).is_finite());
        assert!(Scale::log(0.0, 0.0, 0.0, 100.0).at(0.0).is_finite());
    }

    #[test]
    fn broken_numbers_give_a_finite_picture_with_few_ticks() {
        let odd =
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, -1.0, 0.0];
        for (low, high) in odd.iter().flat_map(|low| odd.map(|high| (*low, high))) {
            for scale in [Scale::linear(low, high, 0.0, 100.0), Scale::log(low, high, 0.0, 100.0)] {
                assert!(odd.iter().all(|value| scale.at(*value).is_finite()), "{scale:?}");
                assert!(scale.ticks().len() < 100, "{scale:?}");
            }
        }
    }

    #[test]
    fn what_is_alike_is_one_element_and_what_is_nothing_is_none() {
        let drawn = |draw: &dyn Fn(&mut Picture)| {
            let mut picture = Picture::ornament();
            draw(&mut picture);
            picture.finish("r", false).0
        };
        let in_it = |body: &str| format!("<svg class=r aria-hidden=true>{body}</svg>");
        let two = [vec![(0.0, 0.0), (5.0, 5.0)], vec![(1.0, 1.0)], vec![(9.0, 0.0), (9.0, 4.0)]];
        assert_eq!(
            drawn(&|picture| picture.paths("thin strong", &two)),
            in_it("<path class=\"thin strong\" d=\"M0 0l5 5M9 0l0 4\"/>")
        );
        let grid = [[0.0, 5.0, 9.0, 5.0], [2.0, 0.0, 2.0, 7.5]];
        assert_eq!(
            drawn(&|picture| picture.lines("grid", grid)),
            in_it("<path class=grid d=\"M0 5H9M2 0V7.5\"/>")
        );
        assert_eq!(
            drawn(&|picture| picture.dots("d", [3.2, 7.0, 5.0].into_iter(), 7.0)),
            in_it("<path class=d d=M3,7h0m4,0h0m-2,0h0 />")
        );
        // An attribute without a value would leave the element open.
        let nothing = drawn(&|picture| {
            picture.dots("d", std::iter::empty(), 7.0);
            picture.lines("grid", []);
            picture.path("bold", &[(1.0, 1.0)]);
        });
        assert_eq!(nothing, in_it(""));
    }

    #[test]
    fn a_plot_says_what_the_pages_script_needs_of_it() {
        let mut picture = Picture::new(340.0, 190.0, "");
        picture.plot([58.0, 10.0, 330.0, 164.0], 2.5, |picture| {
            picture.path("bold", &[(60.0, 20.0), (70.0, 30.0)])
        });
        let drawn = picture.finish("chart", false).0;
        assert!(
            drawn.starts_with("<svg class=chart viewBox=\"0 0 340 190\" role=img aria-label=\"\">")
        );
        let plot = "<svg class=plot x=58 y=10 width=272 height=154 viewBox=\"58 10 272 154\" preserveAspectRatio=none data-end=2.5>";
        assert!(
            drawn.contains(&format!("{plot}<path class=bold d=\"M60 20l10 10\"/></svg></svg>")),
            "{drawn}"
        );
    }
}
