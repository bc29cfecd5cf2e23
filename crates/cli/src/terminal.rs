//! A run on a terminal: progress on standard error, the report on standard output.
//!
//! Progress is one line that is drawn again on a terminal, whenever a phase begins and once a second by a thread that does nothing
//! else: a window may be long. Elsewhere it is a plain line per step.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::Result;
use narrows_model::{Layer, PlannedStep, Run};
use narrows_runner::Ui;
use narrows_runner::ui::{Phase, Progress, Stop};

use crate::args::{DetailArgs, Format, OutputArgs, UnitsArg};
use crate::output;
use crate::progress::{self, Steps};
use crate::stream::{self, say};

/// Without a terminal, at most one line in this time for each layer and phase.
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
    last: Option<(Layer, Phase, Instant)>,
    /// Whether the line is drawn again by itself.
    ticks: bool,
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
        let mut state = self.state();
        while state.ticks {
            let waited = self.0.1.wait_timeout(state, TICK);
            state = waited.expect("drawing does not panic").0;
            if state.ticks {
                stream::redraw(&state.line(stream::width()));
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
        let stopping = self.stop.as_ref().is_some_and(Stop::is_set);
        let what = if stopping { STOPPING } else { &self.now };
        // The last column stays free: some terminals wrap there.
        progress::line(self.began.elapsed(), self.steps.pace(), what, width.saturating_sub(1))
    }

    /// `[0:12, 1:40 left]`, for lines that stay.
    fn stamp(&self) -> String {
        let elapsed = self.began.elapsed();
        let left = self.steps.pace().left(elapsed);
        let left =
            left.map_or("soon done".to_string(), |left| format!("{} left", progress::clock(left)));
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
        state.now = format!("{:8} {:12} {detail}", layer.word(), phase.word());
        if self.redraws {
            stream::redraw(&state.line(stream::width()));
            return;
        }
        let repeated = state.last.is_some_and(|(at, in_phase, when)| {
            at == layer && in_phase == phase && when.elapsed() < QUIET
        });
        if !repeated {
            state.last = Some((layer, phase, Instant::now()));
            say!("{} {}", state.stamp(), state.now);
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
        stream::put(text);
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

    fn begin(&self, steps: &[PlannedStep], stop: &Stop) {
        let mut state = self.line.state();
        state.began = Instant::now();
        state.steps = Steps::of(steps);
        state.stop = Some(stop.clone());
        state.ticks = self.redraws;
        drop(state);
        if self.redraws {
            let line = self.line.clone();
            let clock = std::thread::Builder::new().name("narrows-clock".into());
            // Without it the line is drawn where phases begin.
            let _ = clock.stack_size(64 << 10).spawn(move || line.tick());
        }
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

    fn report(&self, run: &Run) -> Result<()> {
        if self.slb_alone && self.format.0.name == Format::TEXT.0.name {
            return output::slb(run, self.units);
        }
        if let Some(note) = self.detail.note(self.format) {
            say!("{note}");
        }
        output::print(&output::render(run, self.format, self.units, output::screen(self.detail)))
    }

    fn report_files(&self, run: &Run, folder: &Path) -> Result<()> {
        output::write_every_format(run, folder, self.units)
    }
}
