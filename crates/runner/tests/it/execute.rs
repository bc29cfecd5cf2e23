//! One prologue and one end: shown, kept, reported, and ended by one rule.

use std::path::Path;
use std::sync::Mutex;

use anyhow::{Result, bail};
use narrows_engine::Stop;
use narrows_model::{Layer, Measurement, Plan, PlannedStep, Platform, Run, Validity, Workload};
use narrows_runner::exit::{Answers, Exit};
use narrows_runner::plan_document::PlanDocument;
use narrows_runner::request::RunOptions;
use narrows_runner::session::{EndReport, Ended, Session};
use narrows_runner::ui::{Phase, Progress};
use narrows_runner::{Program, Ui, execute, store};
use narrows_tier_forecast::Proof;

/// What was asked of the program below.
#[derive(Default, Clone)]
struct Request {
    options: RunOptions,
    /// Validities of what it measures.
    measures: Vec<Validity>,
    /// Whether it fails behind that.
    fails: bool,
    /// Whether it is stopped behind that.
    stops: bool,
    /// Whether nothing is to be reported.
    quiet: bool,
}

/// Hands over what it was told to.
struct Planned(Request, Plan, Platform);

impl Program for Planned {
    type Request = Request;

    fn options(request: &Request) -> &RunOptions {
        &request.options
    }

    fn plan(request: &Request, _: &dyn Ui) -> Result<Planned> {
        let plan = Plan { layers: vec![Layer::Clock], repeats: 1, ..Plan::default() };
        Ok(Planned(request.clone(), plan, Platform::default()))
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.1, &self.2)
    }

    fn describe(&self) -> String {
        "plan     nothing\n".to_string()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        for (at, validity) in self.0.measures.iter().enumerate() {
            let one = Measurement::new(format!("clock.{at}"), Layer::Clock);
            session.add([Measurement { validity: *validity, ..one }]);
        }
        if self.0.quiet {
            session.told = EndReport::Nothing;
        }
        if self.0.stops {
            session.stop.set();
        }
        if self.0.fails {
            bail!("planted");
        }
        Ok(Ended::Whole)
    }

    fn answers(&self) -> Answers {
        Answers::All
    }
}

/// Keeps what it is told.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn hear(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Progress for Heard {
    fn phase(&self, _: Layer, _: Phase, _: &str) {}
}

impl Ui for Heard {
    fn say(&self, line: &str) {
        self.hear(line);
    }

    fn put(&self, text: &str) {
        self.hear(format!("put {text}"));
    }

    fn redraw(&self, _: &str) {}

    fn end_redraw(&self) {}

    fn so_far(&self, run: &Run) {
        self.hear(format!("so far {}", run.measurements.len()));
    }

    fn begin(&self, _: &[PlannedStep], _: &Stop) {}

    fn begin_part(&self, _: Workload, _: f64) {}

    fn amend_plan(&self, _: Workload, _: f64) {}

    fn undecided(&self, _: Workload, _: f64, _: f64) {}

    fn clear(&self) {}

    fn speaker(&self) -> fn(&str) {
        |_| {}
    }

    fn print(&self, text: &str) -> Result<()> {
        self.hear(format!("print {text}"));
        Ok(())
    }

    fn plan(&self, text: &str, document: &PlanDocument) -> Result<()> {
        self.hear(format!("plan {text}{} refused", document.refused.len()));
        Ok(())
    }

    fn report(&self, run: &Run) -> Result<()> {
        self.hear(format!("report {}", run.measurements.len()));
        Ok(())
    }

    fn tier_proof(&self, proof: &Proof) -> Result<()> {
        self.hear(format!("proof {}", proof.sentence));
        Ok(())
    }

    fn report_files(&self, _: &Run, _: &Path) -> Result<()> {
        self.hear("files");
        Ok(())
    }
}

/// Runs it with its file in a folder of its own: how it ended, what was heard, and what is kept.
fn run(request: Request) -> (Result<Exit>, Vec<String>, Vec<Run>) {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { output: Some(folder.path().into()), ..request.options.clone() };
    let heard = Heard::default();
    let ended = execute::<Planned>(&Request { options, ..request }, &heard);
    let files = std::fs::read_dir(folder.path()).unwrap().flatten();
    let kept = files.map(|file| store::load(&file.path()).unwrap()).collect();
    (ended, heard.all(), kept)
}

#[test]
fn a_plan_that_is_only_shown_keeps_nothing() {
    let options = RunOptions { dry_run: true, ..RunOptions::default() };
    let (ended, heard, kept) = run(Request { options, ..Request::default() });
    assert_eq!(ended.unwrap(), Exit::Done);
    assert_eq!(heard, ["plan plan     nothing\nchecks   no database runs here\n0 refused"]);
    assert!(kept.is_empty());
}

#[test]
fn a_run_is_told_before_it_begins_and_kept_and_reported_at_its_end() {
    let measures = vec![Validity::Valid];
    let (ended, heard, kept) = run(Request { measures, ..Request::default() });
    assert!(matches!(ended.unwrap(), Exit::Done | Exit::Inconclusive));
    let [plan, report, files, place] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!((plan.as_str(), report.as_str()), ("put plan     nothing\n", "report 1"));
    assert_eq!(files, "files");
    assert!(place.starts_with("saved: "), "{place}");
    assert!(kept[0].completed && kept[0].measurements.len() == 1);
}

#[test]
fn a_failure_keeps_what_was_measured_before_and_no_empty_run() {
    let (ended, heard, kept) = run(Request { fails: true, ..Request::default() });
    assert_eq!(ended.unwrap_err().to_string(), "planted");
    assert!(kept.is_empty() && heard.len() == 1, "{heard:?}");
    let measures = vec![Validity::Valid];
    let (ended, _, kept) = run(Request { fails: true, measures, ..Request::default() });
    assert_eq!(ended.unwrap_err().to_string(), "planted");
    assert!(!kept[0].completed && kept[0].measurements.len() == 1);
}

#[test]
fn an_error_that_comes_with_a_stop_is_its_echo() {
    let measures = vec![Validity::Valid];
    let request = Request { fails: true, stops: true, measures, ..Request::default() };
    let (ended, heard, kept) = run(request);
    assert_eq!(ended.unwrap(), Exit::Interrupted);
    assert!(heard.contains(&"report 1".to_string()), "{heard:?}");
    assert!(!kept[0].completed);
}

#[test]
fn a_run_without_figures_is_kept_and_not_reported() {
    let (_, heard, kept) = run(Request { quiet: true, ..Request::default() });
    assert_eq!(heard, ["put plan     nothing\n", "files"]);
    assert!(kept[0].completed);
}
