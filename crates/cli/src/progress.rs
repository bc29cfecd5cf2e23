//! Progress on standard error: one line that is rewritten on a terminal, a plain line per step elsewhere.
//!
//! Nothing is drawn while a window is open: layers report between windows.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use narrows_engine::{Phase, Progress};
use narrows_model::Layer;

use crate::stream::{self, say};

/// Without a terminal, at most one line in this time for each layer and phase.
const QUIET: Duration = Duration::from_secs(20);

/// Draws progress.
pub struct Display {
    terminal: bool,
    began: Instant,
    expected: Duration,
    last: Mutex<Option<(Layer, Phase, Instant)>>,
}

impl Display {
    /// For a run that should take `expected`.
    pub fn new(expected: Duration) -> Self {
        Display {
            terminal: stream::redraws(),
            began: Instant::now(),
            expected,
            last: Mutex::new(None),
        }
    }

    /// A line that stays.
    pub fn say(&self, line: &str) {
        self.clear();
        stream::line(line);
    }

    /// Removes the line that is rewritten.
    pub fn clear(&self) {
        if self.terminal {
            stream::redraw("");
        }
    }

    fn clock(&self) -> String {
        let text = |time: Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
        format!("{} of ~{}", text(self.began.elapsed()), text(self.expected))
    }
}

impl Progress for Display {
    fn phase(&self, layer: Layer, phase: Phase, detail: &str) {
        let mut last = self.last.lock().expect("drawing does not panic");
        let line = format!("{:8} {:12} {detail}", layer.word(), phase.word());
        if self.terminal {
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
