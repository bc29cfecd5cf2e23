//! A run on a terminal: progress on standard error, the report on standard output.
//!
//! Progress is one line that is drawn again on a terminal, whenever a phase begins and once a second by a thread that does nothing
//! else: a window may be long. Elsewhere it is a plain line per step, and none for its repeats.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::Result;
use narrows_model::{Layer, PlannedStep, Run, Workload};
use narrows_report::Shows;
use narrows_runner::plan_document::PlanDocument;
use narrows_runner::ui::{Phase, Progress, Stop};
use narrows_runner::{Ui, json_text};
use narrows_tier_forecast::Proof;

use crate::args::{DetailArgs, Format, OutputArgs, UnitsArg};
use crate::output;
use crate::progress::{self, Steps};
use crate::stream::{self, say};

/// Without a terminal, at most one line in this time for each layer and phase, and none of what the last one was of.
const QUIET: Duration = Duration::from_secs(20);

/// Between two drawings of the line.
const TICK: Duration = Duration::from_secs(1);
/// What the line says from a request to stop until the end.
const STOPPING: &str = "stopping; what was measured so far is saved";

/// A run in progress.
struct ProgressState {
    began: Instant,
    steps: Steps,
    /// Layer, phase and what is done, as it was last told.
    now: String,
    stop: Option<Stop>,
    last: Option<PlainLine>,
    /// Whether the line is drawn again by itself.
    ticks: bool,
}

/// A line that stays, of a run without a terminal.
struct PlainLine {
    layer: Layer,
    phase: Phase,
    /// What a detail begins with.
    what: String,
    after: Duration,
}

/// The run, and what wakes the thread that draws before its time.
#[derive(Clone)]
struct ProgressLine(Arc<(Mutex<ProgressState>, Condvar)>);

impl ProgressLine {
    fn new() -> ProgressLine {
        let idle = ProgressState {
            began: Instant::now(),
            steps: Steps::default(),
            now: String::new(),
            stop: None,
            last: None,
            ticks: false,
        };
        ProgressLine(Arc::new((Mutex::new(idle), Condvar::new())))
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.0.0.lock().expect("drawing does not panic")
    }

    /// Draws once a second until nobody wants it any more.
    fn tick(&self) {
        self.tick_after(
            |state| self.0.1.wait_timeout(state, TICK).expect("drawing does not panic").0,
            |state| stream::redraw(&state.line(stream::width())),
        );
    }

    /// Draws after each wait until nobody wants it any more.
    fn tick_after<'a>(
        &'a self,
        mut wait: impl FnMut(MutexGuard<'a, ProgressState>) -> MutexGuard<'a, ProgressState>,
        mut draw: impl FnMut(&ProgressState),
    ) {
        let mut state = self.state();
        while state.ticks {
            state = wait(state);
            if state.ticks {
                draw(&state);
            }
        }
    }

    /// Ends the ticking; nothing is drawn from here on but what is told.
    fn still(&self) {
        self.state().ticks = false;
        self.0.1.notify_all();
    }
}

impl ProgressState {
    fn line(&self, width: usize) -> String {
        self.line_after(self.began.elapsed(), width)
    }

    fn line_after(&self, elapsed: Duration, width: usize) -> String {
        let stopping = self.stop.as_ref().is_some_and(Stop::is_set);
        let what = if stopping { STOPPING } else { &self.now };
        // The last column stays free: some terminals wrap there.
        progress::line(elapsed, self.steps.pace(), what, width.saturating_sub(1))
    }

    /// Whether that is a line without a terminal: another step, or after a while another of its measurements.
    fn is_news(&mut self, layer: Layer, phase: Phase, detail: &str, elapsed: Duration) -> bool {
        let what = detail.split_once(", ").map_or(detail, |(what, _)| what);
        let known = self.last.as_ref().is_some_and(|last| {
            let soon = elapsed.saturating_sub(last.after) < QUIET;
            (last.layer, last.phase) == (layer, phase) && (soon || last.what == what)
        });
        if !known {
            self.last = Some(PlainLine { layer, phase, what: what.to_string(), after: elapsed });
        }
        !known
    }

    /// `[0:12, 1:40 left]`, for lines that stay.
    fn stamp(&self) -> String {
        let elapsed = self.began.elapsed();
        let left = progress::left_in_words(self.steps.pace(), elapsed);
        let left = left.unwrap_or("soon done".to_string());
        format!("[{}, {left}]", progress::clock(elapsed))
    }
}

/// Tells what happens, and shows what came of it in one format.
pub struct Terminal {
    redraws: bool,
    format: Format,
    units: UnitsArg,
    detail: DetailArgs,
    /// The text is SLB's lines and their meaning, and no report.
    slb_alone: bool,
    /// Whether a plan is told.
    tells_plan: bool,
    line: ProgressLine,
}

impl Terminal {
    /// For a command with a report.
    pub fn new(format: Format, units: UnitsArg) -> Terminal {
        Terminal {
            redraws: stream::redraws(),
            format,
            units,
            detail: DetailArgs::default(),
            slb_alone: false,
            tells_plan: true,
            line: ProgressLine::new(),
        }
    }

    /// As the options say.
    pub fn of(args: &OutputArgs) -> Terminal {
        let mut terminal = Terminal::new(args.format, args.units);
        terminal.detail = args.detail;
        terminal
    }

    /// For SLB's loop, whose text is what SLB prints.
    pub fn of_slb(args: &OutputArgs) -> Terminal {
        let mut terminal = Terminal::of(args);
        terminal.slb_alone = true;
        terminal
    }

    /// For what was told before and is done once more.
    pub fn again(self) -> Terminal {
        Terminal { tells_plan: false, line: ProgressLine::new(), ..self }
    }

    /// For a command without one.
    pub fn plain() -> Terminal {
        Terminal::new(Format::TEXT, UnitsArg::Si)
    }

    /// Takes the line away; a further tick draws it again.
    fn erase(&self) {
        if self.redraws {
            stream::redraw("");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.line.still();
    }
}

impl Progress for Terminal {
    fn phase(&self, layer: Layer, phase: Phase, detail: &str) {
        let mut state = self.line.state();
        let elapsed = state.began.elapsed();
        state.steps.begin(layer, detail, elapsed);
        if self.redraws {
            state.now = progress::now(layer, phase, detail);
            stream::redraw(&state.line(stream::width()));
        } else if state.is_news(layer, phase, detail, elapsed) {
            say!("{} {:8} {:12} {detail}", state.stamp(), layer.word(), phase.word());
        }
    }
}

impl Ui for Terminal {
    fn say(&self, line: &str) {
        // Nothing is drawn between the two.
        let _state = self.line.state();
        self.erase();
        stream::line(line);
    }

    fn put(&self, text: &str) {
        if self.tells_plan {
            stream::put(text);
        }
    }

    fn redraw(&self, line: &str) {
        if self.redraws {
            stream::redraw(line);
        }
    }

    fn end_redraw(&self) {
        if self.redraws {
            stream::line("");
        }
    }

    fn so_far(&self, run: &Run) {
        self.say(&format!("so far   {}", output::answer_so_far(run)));
    }

    fn begin(&self, steps: &[PlannedStep], stop: &Stop) {
        let mut state = self.line.state();
        state.began = Instant::now();
        state.steps = Steps::of(steps);
        state.stop = Some(stop.clone());
        state.last = None;
        state.ticks = self.redraws;
        drop(state);
        if self.redraws {
            let line = self.line.clone();
            let clock = std::thread::Builder::new().name("narrows-clock".into());
            // Without it the line is drawn where phases begin.
            let _ = clock.stack_size(64 << 10).spawn(move || line.tick());
        }
    }

    fn begin_part(&self, workload: Workload, expected_s: f64) {
        let mut state = self.line.state();
        let elapsed = state.began.elapsed();
        state.steps.begin_part(workload, expected_s, elapsed);
    }

    fn amend_plan(&self, workload: Workload, by_s: f64) {
        self.line.state().steps.amend(workload, by_s);
    }

    fn undecided(&self, workload: Workload, less_s: f64, more_s: f64) {
        self.line.state().steps.undecided(workload, less_s, more_s);
    }

    fn clear(&self) {
        self.line.still();
        let _state = self.line.state();
        self.erase();
    }

    fn speaker(&self) -> fn(&str) {
        stream::over_line
    }

    fn print(&self, text: &str) -> Result<()> {
        output::print(text)
    }

    fn plan(&self, text: &str, document: &PlanDocument) -> Result<()> {
        if self.format.0.shows == Shows::Json {
            return output::print(&json_text(document)?);
        }
        output::print(text)
    }

    fn report(&self, run: &Run) -> Result<()> {
        if self.slb_alone && self.format.0.name == Format::TEXT.0.name {
            return output::slb(run, self.units);
        }
        if let Some(note) = self.detail.note(self.format) {
            say!("{note}");
        }
        output::print(&output::render(run, self.format, self.units, output::screen(self.detail)))
    }

    fn tier_proof(&self, proof: &Proof) -> Result<()> {
        output::document(&narrows_report::tier_proof(proof), self.format)
    }

    fn report_files(&self, run: &Run, folder: &Path) -> Result<()> {
        output::write_every_format(run, folder, self.units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(n: u32) -> Duration {
        TICK * n
    }

    /// A run that ticks, of 90 s.
    fn begun() -> ProgressLine {
        let line = ProgressLine::new();
        let mut state = line.state();
        state.steps = Steps::of(&[PlannedStep {
            layer: Layer::Log,
            what: "durable appends".to_string(),
            expected_s: 90.0,
            writes_bytes: 0,
        }]);
        state.now = "log measure".to_string();
        state.ticks = true;
        drop(state);
        line
    }

    #[test]
    fn the_line_is_drawn_once_a_tick_until_it_is_stilled() {
        let line = begun();
        let (mut waits, mut drawn) = (0, Vec::new());
        line.tick_after(
            |mut state| {
                waits += 1;
                state.ticks = waits <= 5;
                state
            },
            |state| drawn.push(state.line_after(second(drawn.len() as u32 + 1), 80)),
        );
        assert_eq!(waits, 6, "nothing waits after the last");
        let left: Vec<&str> = drawn.iter().map(|line| &line[15..19]).collect();
        assert_eq!(left, ["1:29", "1:28", "1:27", "1:26", "1:25"], "{drawn:#?}");
    }

    #[test]
    fn a_stilled_line_never_ticks() {
        let line = begun();
        line.still();
        line.tick_after(|_| unreachable!("it waits for nothing"), |_| unreachable!("nor draws"));
    }

    #[test]
    fn from_ctrl_c_on_the_line_says_what_is_kept() {
        let line = begun();
        let stop = Stop::new();
        line.state().stop = Some(stop.clone());
        let shown = || line.state().line_after(second(30), 80);
        assert!(shown().ends_with("1:00 left  log measure"), "{}", shown());
        stop.set();
        let said = "1:00 left  stopping; what was measured so far is saved";
        assert!(shown().ends_with(said), "{}", shown());
    }

    #[test]
    fn without_a_terminal_a_step_is_one_line_and_its_repeats_are_none() {
        let line = begun();
        let mut state = line.state();
        let mut is_news =
            |phase, detail: &str, at| state.is_news(Layer::Database, phase, detail, second(at));
        let update = "database.update, repeat 1 of 6";
        assert!(is_news(Phase::WarmUp, "the buffer pool", 0));
        assert!(is_news(Phase::Measure, update, 1));
        for at in [2, 20, 40, 90] {
            let detail = "database.update, repeat 2 of 6, 12.1k tps so far";
            assert!(!is_news(Phase::Measure, detail, at), "{at}");
        }
        assert!(is_news(Phase::Measure, "database.update.alone, repeat 1 of 6", 91));
        assert!(!is_news(Phase::Measure, update, 92), "another so soon");
        assert!(is_news(Phase::CleanUp, "the server", 93));
    }
}
