//! The rule by which a command ends: from what was asked for and what came of it to one exit code.
//!
//! What was asked for has parts: the layers of `narrows run`, the workloads of a load, the answers of a command that measures one
//! thing. A part of which nothing can be used makes the command's answer invalid; whatever else is wrong makes it inconclusive. Parts
//! of one command don't answer for each other.
//!
//! Not here: what is invalid or suspect (`narrows-validity`) and what is a verdict (`narrows-verdict`).

use narrows_model::{
    CalibrationEnd, CrashTestOutcome, Grade, Layer, Run, Severity, Validity, family,
};

use super::Exit;

/// What became of one thing that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerState {
    /// Measured, all of it valid.
    Valid,
    /// Measured, and something of it is suspect or invalid.
    Doubtful,
    /// Measured, and nothing of it is worth anything.
    Invalid,
    /// Not measured.
    Absent,
}

impl AnswerState {
    fn of(measured: impl IntoIterator<Item = Validity>) -> AnswerState {
        let mut part = AnswerState::Absent;
        for validity in measured {
            part = match (part, validity) {
                (AnswerState::Absent | AnswerState::Valid, Validity::Valid) => AnswerState::Valid,
                (AnswerState::Absent | AnswerState::Invalid, Validity::Invalid) => {
                    AnswerState::Invalid
                }
                _ => AnswerState::Doubtful,
            };
        }
        part
    }
}

/// What of a run was asked for, and so decides how the command ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// Each layer of the plan.
    Layers,
    /// Each measurement, besides calibrations.
    All,
    /// The measurements of these ids; one that is missing could not be made.
    Named(Vec<String>),
    /// All measurements together, as the cells of one table.
    Table,
    /// Something was done, and nothing was to be measured.
    Nothing,
}

/// What was asked for and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    parts: Vec<AnswerState>,
    /// Something that was asked for is not known: a verdict, a rate, a measurement that could not be made.
    open: bool,
    /// Somebody asked to stop.
    stopped: bool,
}

impl Outcome {
    /// The rule.
    pub fn exit(&self) -> Exit {
        let any = |wanted: AnswerState| self.parts.contains(&wanted);
        if self.stopped {
            Exit::Interrupted
        } else if any(AnswerState::Invalid)
            || !(any(AnswerState::Valid) || any(AnswerState::Doubtful))
        {
            Exit::Invalid
        } else if self.open || any(AnswerState::Doubtful) || any(AnswerState::Absent) {
            Exit::Inconclusive
        } else {
            Exit::Done
        }
    }

    /// Of a run with these answers.
    pub fn of(run: &Run, answers: &Answers) -> Outcome {
        match answers {
            Answers::Layers => Outcome::of_layers(run),
            Answers::All => Outcome::of_answers(run, &[]),
            Answers::Named(ids) => Outcome::of_answers(run, ids),
            Answers::Table => Outcome::of_table(run),
            Answers::Nothing => Outcome::answered(run.completed).stopped_if(!run.completed),
        }
    }

    /// Of a command whose question has an answer or none, as what a machine on paper could do.
    pub fn answered(answered: bool) -> Outcome {
        Outcome { parts: vec![AnswerState::Valid], open: !answered, stopped: false }
    }

    /// Of a test of durability.
    pub fn crash_test(outcome: CrashTestOutcome) -> Outcome {
        match outcome {
            CrashTestOutcome::Shown => Outcome::answered(true),
            CrashTestOutcome::Inconclusive => Outcome::answered(false),
            CrashTestOutcome::Refuted => {
                Outcome { parts: vec![AnswerState::Invalid], ..Outcome::answered(true) }
            }
        }
    }

    /// Of a run of layers: each layer is a part, and so is each rate that was sought. The client against a server that does nothing
    /// is none of what was asked for.
    pub fn of_layers(run: &Run) -> Outcome {
        let of = |layer: &Layer| {
            let own = run.measurements.iter().filter(|m| m.layer == *layer);
            AnswerState::of(own.filter(|m| !family::DATABASE_CLIENT.has(&m.id)).map(|m| m.validity))
        };
        Outcome::of_parts(run, run.plan.layers.iter().map(of).collect())
    }

    /// Of a run whose answer is these measurements: each is a part. None named: all are, or the calibrations alone where there are
    /// some, because windows that only draw a curve may be as bad as they like.
    pub fn of_answers(run: &Run, answers: &[String]) -> Outcome {
        let of = |id: &String| {
            AnswerState::of(run.measurements.iter().filter(|m| m.id == *id).map(|m| m.validity))
        };
        let mut parts: Vec<AnswerState> = answers.iter().map(of).collect();
        if answers.is_empty() && run.calibrations.is_empty() {
            parts.extend(run.measurements.iter().map(|m| AnswerState::of([m.validity])));
        }
        Outcome::of_parts(run, parts)
    }

    /// Of a run whose answer is one table: all its cells are one part, and a hole in it doesn't make all of it false.
    pub fn of_table(run: &Run) -> Outcome {
        Outcome::of_parts(run, vec![AnswerState::of(run.measurements.iter().map(|m| m.validity))])
    }

    /// With what every run may have besides: calibrations, rates that were sought, verdicts, live logs, what is absent.
    fn of_parts(run: &Run, mut parts: Vec<AnswerState>) -> Outcome {
        parts.extend(run.calibrations.iter().map(|c| AnswerState::of([c.validity])));
        parts.extend(run.highest_rates.iter().map(|h| AnswerState::of([h.validity])));
        let found = |end: CalibrationEnd| end == CalibrationEnd::Found;
        // An answer that rests on little is none yet.
        let sought = run.calibrations.iter().all(|c| found(c.end) && !c.thin)
            && run.highest_rates.iter().all(|h| found(h.end));
        let judged = run.verdicts.iter().all(|verdict| verdict.grade != Grade::Undecided);
        let told = |grade: Option<Grade>| grade.is_some_and(|grade| grade != Grade::Undecided);
        let told =
            run.live_logs.iter().all(|log| told(log.verdict.as_ref().map(|verdict| verdict.grade)));
        // What is said of the machine as a whole is not one measurement's, and stands against all of them.
        let doubted = run.findings.iter().any(|finding| {
            finding.not_measured().is_some()
                || finding.measurement.is_none() && finding.severity != Severity::Note
        });
        let made = not_made(run).next().is_none();
        Outcome {
            parts,
            open: !(sought && judged && told && made) || doubted,
            stopped: !run.completed,
        }
    }

    /// The same, where the question behind the measurements was not decided.
    pub fn open_if(mut self, open: bool) -> Outcome {
        self.open |= open;
        self
    }

    /// The same, of a look that ended before its time and not because somebody asked for it.
    pub fn cut_short_if(mut self, cut_short: bool) -> Outcome {
        if cut_short {
            self.stopped = false;
            self.open = true;
        }
        self
    }

    /// The same, where somebody asked to stop.
    pub fn stopped_if(mut self, stopped: bool) -> Outcome {
        self.stopped |= stopped;
        self
    }
}

/// Codes of a run that can be compared: valid, or with something suspect or invalid, which the comparison sees.
pub const COMPARABLE: [i32; 3] =
    [Exit::Done as i32, Exit::Invalid as i32, Exit::Inconclusive as i32];

/// How something ends that was asked to stop, and goes on where it is asked for again.
pub fn stopped() -> Exit {
    Exit::Interrupted
}

/// How a comparison ends by its gates: one that failed outweighs one that is not resolved.
pub fn gates_ended(failed: bool, unresolved: bool) -> Exit {
    match (failed, unresolved) {
        (true, _) => Exit::GateFailed,
        (false, true) => Exit::Inconclusive,
        (false, false) => Exit::Done,
    }
}

/// Ids of measurements that were asked for and could not be made, each with the reason.
pub fn not_made(run: &Run) -> impl Iterator<Item = (&str, &str)> {
    let unknown = run.hosts.iter().flat_map(|host| &host.platform.unknown);
    unknown.filter_map(|unknown| unknown.as_not_made())
}

#[cfg(test)]
mod tests {
    use narrows_model::{Calibration, Finding, HighestRate, Measurement, Unknown, Verdict};
    use serde_json::json;

    use super::*;
    use crate::new_run::testing::empty_run;
    use Layer::{Block, Clock, Database, Log};
    use Validity::{Invalid, Suspect, Valid};

    fn run_of(layers: &[Layer], measured: &[(&str, Layer, Validity)]) -> Run {
        let mut run = empty_run(layers);
        let one = |(id, layer, validity): &(&str, Layer, Validity)| Measurement {
            validity: *validity,
            ..Measurement::new(*id, *layer)
        };
        run.measurements = measured.iter().map(one).collect();
        run
    }

    fn blocks(validities: &[Validity]) -> Run {
        let measured: Vec<_> = validities.iter().map(|validity| ("x", Block, *validity)).collect();
        run_of(&[Block], &measured)
    }

    fn of_layers(run: &Run) -> Exit {
        Outcome::of_layers(run).exit()
    }

    fn of_all(run: &Run) -> Exit {
        Outcome::of_answers(run, &[]).exit()
    }

    /// Each row of the manual's table, as `narrows run` meets it.
    #[test]
    fn a_run_of_layers_ends_with_what_its_worst_part_is() {
        assert_eq!(of_layers(&blocks(&[Valid; 7])), Exit::Done);
        assert_eq!(of_layers(&blocks(&[Suspect; 7])), Exit::Inconclusive, "all are suspect");
        let most = [Valid, Valid, Invalid, Invalid, Invalid, Invalid, Invalid];
        assert_eq!(of_layers(&blocks(&most)), Exit::Inconclusive, "most are invalid");
        assert_eq!(of_layers(&blocks(&[Valid, Valid, Suspect])), Exit::Inconclusive, "one is");
        assert_eq!(of_layers(&blocks(&[Invalid; 7])), Exit::Invalid);
        assert_eq!(of_layers(&blocks(&[])), Exit::Invalid, "nothing was measured");
        let stopped = Run { completed: false, ..blocks(&[Valid]) };
        assert_eq!(of_layers(&stopped), Exit::Interrupted);
        let stopped = Run { completed: false, ..blocks(&[Invalid]) };
        assert_eq!(of_layers(&stopped), Exit::Interrupted);
    }

    #[test]
    fn one_layers_good_figures_do_not_answer_for_anothers() {
        let both = [Block, Log];
        let run = run_of(&both, &[("b", Block, Invalid), ("l", Log, Valid)]);
        assert_eq!(of_layers(&run), Exit::Invalid);
        let run = run_of(&both, &[("l", Log, Valid)]);
        assert_eq!(of_layers(&run), Exit::Inconclusive, "one is missing");
        let run = run_of(&both, &[("b", Block, Valid), ("l", Log, Valid), ("c", Clock, Invalid)]);
        assert_eq!(of_layers(&run), Exit::Done, "nobody asked for the clock");
    }

    #[test]
    fn the_client_alone_answers_nothing() {
        let client = ("database.client", Database, Valid);
        assert_eq!(of_layers(&run_of(&[Database], &[client])), Exit::Invalid);
        let load = ("database.update", Database, Invalid);
        assert_eq!(of_layers(&run_of(&[Database], &[client, load])), Exit::Invalid);
    }

    #[test]
    fn what_could_not_be_measured_or_judged_is_said() {
        let whole = || run_of(&[Database], &[("database.update", Database, Valid)]);
        assert_eq!(of_layers(&whole()), Exit::Done);
        let finding = |id: &str, severity| Finding {
            id: id.into(),
            severity,
            measurement: None,
            summary: String::new(),
            evidence: String::new(),
            advice: String::new(),
            places: Vec::new(),
        };
        let with = |findings: Vec<Finding>| of_layers(&Run { findings, ..whole() });
        assert_eq!(with(vec![finding("absent-scan", Severity::Note)]), Exit::Inconclusive);
        assert_eq!(with(vec![finding("others-busy", Severity::Suspect)]), Exit::Inconclusive);
        assert_eq!(with(vec![finding("slots-empty", Severity::Note)]), Exit::Done);
        let mut lacking = whole();
        lacking.hosts[0].platform.unknown = vec![Unknown::not_made("y", "no memory")];
        assert_eq!(of_layers(&lacking), Exit::Inconclusive);
        let graded = |grades: &[&str]| {
            let verdict = |grade: &&str| -> Verdict {
                serde_json::from_value(json!({
                    "workload": "update", "measurement": "database.update", "throughput_per_s": 1.0,
                    "operating_point": { "sessions": 8, "think_ns": 0.0 }, "narrow": "cpu",
                    "phrase": "CPU", "grade": grade, "reasons": [], "utilisation": [],
                    "bounds": [], "next": [],
                }))
                .expect("a verdict")
            };
            of_layers(&Run { verdicts: grades.iter().map(verdict).collect(), ..whole() })
        };
        assert_eq!(graded(&["sure", "likely"]), Exit::Done);
        assert_eq!(graded(&["sure", "open"]), Exit::Inconclusive, "one workload has none");
        assert_eq!(graded(&["open"]), Exit::Inconclusive);
    }

    #[test]
    fn a_rate_that_was_sought_has_to_be_found_on_valid_windows() {
        let run_of = |end: &str, validity: &str, thin: bool| {
            let highest: HighestRate = serde_json::from_value(json!({
                "workload": "update", "sessions": 8, "quantile": 0.99, "limit_ns": 1, "end": end,
                "sentence": "", "quantiles_ns": [], "ceiling_per_s": 1.0, "windows": 1,
                "unusable_windows": 0, "rests_on": [], "validity": validity,
            }))
            .expect("a rate");
            let calibration: Calibration = serde_json::from_value(json!({
                "id": "block.calibrate", "end": end, "sentence": "", "quantiles_ns": [],
                "repeats": [1, 1], "curve": [], "ramp": [], "windows": 1, "unusable_windows": 0,
                "thin": thin, "validity": validity, "goal": { "what": "read", "block_bytes": 8192, "read_share": 1.0,
                "quantile": 0.99, "limit_ns": 1, "arrivals": "poisson" },
            }))
            .expect("a calibration");
            let of_rate = Run { highest_rates: vec![highest], ..blocks(&[Valid]) };
            // A curve's windows are not the answer.
            let of_calibration = Run { calibrations: vec![calibration], ..blocks(&[Invalid]) };
            (of_layers(&of_rate), of_all(&of_calibration))
        };
        let run = |end: &str, validity: &str| run_of(end, validity, false);
        let both = |exit| (exit, exit);
        // A rate that is known by few slow operations is not known.
        assert_eq!(run_of("found", "valid", true), (Exit::Done, Exit::Inconclusive));
        assert_eq!(run("found", "valid"), both(Exit::Done));
        assert_eq!(run("found", "suspect"), both(Exit::Inconclusive));
        assert_eq!(run("unreachable", "valid"), both(Exit::Inconclusive));
        assert_eq!(run("found", "invalid"), both(Exit::Invalid));
    }

    #[test]
    fn of_single_answers_each_counts() {
        assert_eq!(of_all(&blocks(&[Valid, Valid])), Exit::Done);
        assert_eq!(of_all(&blocks(&[Valid, Suspect])), Exit::Inconclusive);
        assert_eq!(of_all(&blocks(&[Valid, Invalid])), Exit::Invalid, "each was asked for");
        assert_eq!(of_all(&blocks(&[])), Exit::Invalid);
        let run = run_of(&[Block], &[("x", Block, Valid), ("y", Block, Invalid)]);
        let named = |ids: &[&str]| {
            let ids: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
            Outcome::of_answers(&run, &ids).exit()
        };
        assert_eq!(named(&["x"]), Exit::Done, "the others may be as bad as they like");
        assert_eq!(named(&["y"]), Exit::Invalid);
        assert_eq!(named(&["z"]), Exit::Invalid, "nothing of it was measured");
        assert_eq!(named(&["x", "z"]), Exit::Inconclusive, "one of two is missing");
    }

    #[test]
    fn a_table_with_holes_is_incomplete_and_one_of_holes_is_invalid() {
        let of = |run: &Run| Outcome::of_table(run).exit();
        assert_eq!(of(&blocks(&[Valid, Valid])), Exit::Done);
        assert_eq!(of(&blocks(&[Valid, Invalid])), Exit::Inconclusive);
        assert_eq!(of(&blocks(&[Invalid, Invalid])), Exit::Invalid);
    }

    #[test]
    fn what_a_command_knows_besides_counts_and_a_stop_outweighs_it() {
        let whole = Outcome::of_layers(&blocks(&[Valid]));
        assert_eq!(whole.clone().open_if(true).exit(), Exit::Inconclusive, "burst, not sustained");
        assert_eq!(whole.clone().open_if(false).exit(), Exit::Done);
        assert_eq!(whole.open_if(true).stopped_if(true).exit(), Exit::Interrupted);
        let ended = Outcome::of_layers(&Run { completed: false, ..blocks(&[Valid]) });
        assert_eq!(ended.clone().exit(), Exit::Interrupted);
        assert_eq!(ended.cut_short_if(true).exit(), Exit::Inconclusive, "the server went away");
    }

    #[test]
    fn questions_without_measurements_have_their_codes_too() {
        assert_eq!(Outcome::answered(true).exit(), Exit::Done);
        assert_eq!(Outcome::answered(false).exit(), Exit::Inconclusive);
        for (outcome, exit) in [
            (CrashTestOutcome::Shown, Exit::Done),
            (CrashTestOutcome::Refuted, Exit::Invalid),
            (CrashTestOutcome::Inconclusive, Exit::Inconclusive),
        ] {
            assert_eq!(Outcome::crash_test(outcome).exit(), exit);
        }
    }
}
