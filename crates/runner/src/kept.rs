//! The end of a run's file: kept before it is judged for the last time, so that nothing that happens while judging loses it,
//! and, where the folder that was asked for takes nothing any more, kept in the next best place.
//!
//! The next best place is the user's folder of runs where another one was asked for, else the folder for temporary files, for
//! its owner alone. What was measured took minutes; that it stands elsewhere is said, and is how the command ends.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result};
use narrows_model::Run;

use crate::failure::{self, Failure};
use crate::{new_run, store};

/// Where a run is.
#[derive(Debug)]
pub enum RunLocation {
    /// Where it was asked for.
    InPlace(PathBuf),
    /// In another place, because of this.
    Elsewhere(PathBuf, Error),
    /// Nowhere, because of this.
    Nowhere(Error),
}

/// Ends a run and keeps it: before `judge` draws what follows from it, and after.
pub fn conclude(
    run: &mut Run,
    folder: &Path,
    completed: bool,
    judge: impl FnOnce(&mut Run),
) -> RunLocation {
    run.completed = completed;
    run.finished_at = Some(new_run::now());
    let unjudged = keep(run, folder);
    judge(run);
    let kept = keep(run, folder);
    if let (RunLocation::Elsewhere(earlier, _), RunLocation::InPlace(_)) = (&unjudged, &kept) {
        let _ = narrows_files::remove_file(earlier);
    }
    kept
}

fn keep(run: &Run, folder: &Path) -> RunLocation {
    let why = match store::save(folder, run) {
        Ok(path) => return RunLocation::InPlace(path),
        Err(error) => error,
    };
    let usual = store::folder().ok().filter(|usual| usual != folder);
    let usual = usual.and_then(|usual| {
        store::make_folder(&usual).ok()?;
        store::save(&usual, run).ok()
    });
    match usual.or_else(|| store::save_privately(&std::env::temp_dir(), run).ok()) {
        Some(path) => RunLocation::Elsewhere(path, why),
        None => RunLocation::Nowhere(why),
    }
}

impl RunLocation {
    /// Whether it is where it was asked for.
    pub fn is_in_place(&self) -> bool {
        matches!(self, RunLocation::InPlace(_))
    }

    /// Where it was asked for, or why it isn't there and where it is.
    ///
    /// # Errors
    /// It isn't where it was asked for.
    pub fn place(self) -> Result<PathBuf> {
        let (why, place, hint) = match self {
            RunLocation::InPlace(path) => return Ok(path),
            RunLocation::Elsewhere(path, why) => {
                let path = path.display();
                (
                    why,
                    format!("the run is saved in {path}"),
                    format!("narrows report {path} shows it"),
                )
            }
            RunLocation::Nowhere(why) => (
                why,
                "the run is not saved".to_string(),
                "standard output has all of it".to_string(),
            ),
        };
        let text = failure::render(&why);
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (reason, way_out) = text.split_once("\nhint: ").unwrap_or((text, ""));
        let way_out = if way_out.is_empty() { hint } else { format!("{hint}; {way_out}") };
        Err(Failure::hinted(format!("{reason}\n{place}"), way_out))
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Layer;

    use super::*;
    use crate::new_run::testing::empty_run;

    #[test]
    fn a_run_is_kept_before_it_is_judged() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = empty_run(&[Layer::Clock]);
        let path = store::file_in(dir.path(), &run.id);
        let mut seen = None;
        let kept = conclude(&mut run, dir.path(), true, |run| {
            seen = Some(store::load(&path).unwrap());
            run.plan.seed = 7;
        });
        let seen = seen.unwrap();
        assert!(seen.completed && seen.finished_at.is_some() && seen.plan.seed == 1);
        assert_eq!(store::load(&kept.place().unwrap()).unwrap().plan.seed, 7);
    }

    #[test]
    fn a_panic_while_judging_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = empty_run(&[Layer::Clock]);
        let path = store::file_in(dir.path(), &run.id);
        let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            conclude(&mut run, dir.path(), true, |_| panic!("planted"))
        }));
        assert!(judged.is_err());
        assert!(store::load(&path).unwrap().completed);
    }

    #[test]
    fn where_it_is_instead_is_said_with_the_reason_and_a_way_out() {
        let why = Failure::hinted("cannot write /x: full", "free some space there");
        let said = RunLocation::Elsewhere("/tmp/a.narrows.json".into(), why).place().unwrap_err();
        assert_eq!(
            failure::render(&said),
            "error: cannot write /x: full\nthe run is saved in /tmp/a.narrows.json\nhint: narrows report /tmp/a.narrows.json shows it; free some space there"
        );
        let said = RunLocation::Nowhere(Failure::hinted("full", "free")).place().unwrap_err();
        assert!(failure::render(&said).contains("the run is not saved\nhint: standard output has"));
    }
}
