//! A run on a terminal: progress on standard error, the report on standard output.
//!
//! Progress is one line that is rewritten on a terminal, a plain line per step elsewhere. Nothing is drawn while a window is open: layers
//! report between windows.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Result;
use narrows_model::{Layer, Run};
use narrows_runner::Ui;
use narrows_runner::ui::{Phase, Progress};

use crate::args::{DetailArgs, Format, OutputArgs, UnitsArg};
use crate::output;
use crate::stream::{self, say};

/// Without a terminal, at most one line in this time for each layer and phase.
const QUIET: Duration = Duration::from_secs(20);

/// Tells what happens, and shows what came of it in one format.
pub struct Terminal {
    redraws: bool,
    format: Format,
    units: UnitsArg,
    detail: DetailArgs,
    /// The text is SLB's lines and their meaning, and no report.
    slb_alone: bool,
    /// When the run began, and how long it should take.
    run: Mutex<(Instant, Duration)>,
    last: Mutex<Option<(Layer, Phase, Instant)>>,
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
            run: Mutex::new((Instant::now(), Duration::ZERO)),
            last: Mutex::new(None),
        }
    }

    /// As the options say.
    pub fn of(args: &OutputArgs) -> Terminal {
        Terminal { detail: args.detail, ..Terminal::new(args.format, args.units) }
    }

    /// For SLB's loop, whose text is what SLB prints.
    pub fn of_slb(args: &OutputArgs) -> Terminal {
        Terminal { slb_alone: true, ..Terminal::of(args) }
    }

    /// For a command without one.
    pub fn plain() -> Terminal {
        Terminal::new(Format::TEXT, UnitsArg::Si)
    }

    fn clock(&self) -> String {
        let text = |time: Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
        let (began, expected) = *self.run.lock().expect("drawing does not panic");
        format!("{} of ~{}", text(began.elapsed()), text(expected))
    }
}

impl Progress for Terminal {
    fn phase(&self, layer: Layer, phase: Phase, detail: &str) {
        let mut last = self.last.lock().expect("drawing does not panic");
        let line = format!("{:8} {:12} {detail}", layer.word(), phase.word());
        if self.redraws {
            let line: String = format!("[{}] {line}", self.clock()).chars().take(99).collect();
            stream::redraw(&line);
            return;
        }
        let repeated = last.is_some_and(|(at, in_phase, when)| {
            at == layer && in_phase == phase && when.elapsed() < QUIET
        });
        if !repeated {
            *last = Some((layer, phase, Instant::now()));
            say!("[{}] {line}", self.clock());
        }
    }
}

impl Ui for Terminal {
    fn say(&self, line: &str) {
        self.clear();
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

    fn begin(&self, expected: Duration) {
        *self.run.lock().expect("drawing does not panic") = (Instant::now(), expected);
    }

    fn clear(&self) {
        self.redraw("");
    }

    fn speaker(&self) -> fn(&str) {
        stream::line
    }

    fn print(&self, text: &str) -> Result<()> {
        output::print(text)
    }

    fn report(&self, run: &Run) -> Result<()> {
        if self.slb_alone && self.format.0.name == Format::TEXT.0.name {
            return output::slb(run, self.units);
        }
        output::print(&output::render(run, self.format, self.units, output::screen(self.detail)))
    }

    fn report_files(&self, run: &Run, folder: &Path) -> Result<()> {
        output::write_every_format(run, folder, self.units)
    }
}
