//! One place: its segment, its steps, and what its windows gave.

use std::sync::atomic::AtomicU64;

use narrows_engine::{Context, Phase, with_value};
use narrows_model::{Layer, Measurement, condition, metric};
use serde_json::json;

use super::{LogMediumSpec, PlacesPlan, Worked};
use crate::collect::Collected;
use crate::commit::{self, SegmentFlusher};
use crate::ladder::durable::DurableWrites;
use crate::ladder::flush::DeviceFlush;
use crate::ladder::one_commit::OneCommit;
use crate::ladder::step::LadderStep;
use crate::ladder::window::{Gathered, one_window};
use crate::ladder::write_variant::WriteVariant;
use crate::medium::LogMedium as _;
use crate::page::{PAGE, Pages};
use crate::segment::Segment;
use crate::writer::drive::{Drive, Load, drive};
use crate::writer::{CommitLog, CommitSizes, Work};
use crate::{Absent, LogError, READ_BACK, SEGMENT_BYTES, most_bytes, on_server_cpus};

/// What a window of sessions takes besides itself and its warm-up, s.
pub const OVERHEAD_S: f64 = 0.1;

type Log<'a> = CommitLog<SegmentFlusher<'a>>;

/// A place with what it gave so far.
pub struct On<'a> {
    place: &'a LogMediumSpec,
    segment: &'a Segment,
    pages: &'a Pages,
    written: &'a AtomicU64,
    log: &'a Log<'a>,
    steps: Vec<(Box<dyn LadderStep + Send + 'a>, Gathered)>,
    working: Collected,
    verified: (u64, u64),
    work: Work,
}

impl<'a> On<'a> {
    /// Opens what the steps need; those that the place doesn't offer go to `absent`.
    pub fn open(
        place: &'a LogMediumSpec,
        plan: &PlacesPlan,
        (segment, written, log): (&'a Segment, &'a AtomicU64, &'a Log<'a>),
        pages: &'a Pages,
        absent: &mut Vec<Absent>,
    ) -> Result<On<'a>, LogError> {
        let mut steps: Vec<Box<dyn LadderStep + Send + 'a>> = Vec::new();
        let mut lowest = None;
        if let Some(node) = &place.device {
            match DeviceFlush::open(node) {
                Ok(flush) => {
                    lowest = Some(flush.name());
                    steps.push(Box::new(flush));
                }
                Err(reason) => absent.push(Absent {
                    what: format!("{}.flush", place.name),
                    reason: format!("{} can't be opened and flushed: {reason}", node.display()),
                }),
            }
        }
        let writes =
            DurableWrites::open(WriteVariant::POSTGRES, segment, &place.folder, pages, lowest)
                .map_err(|reason| {
                    LogError::of("writing to", segment.path(), SEGMENT_BYTES, reason)
                })?;
        steps.push(Box::new(writes));
        let path = segment.path().to_path_buf();
        let base = Some(WriteVariant::POSTGRES.name());
        steps.push(Box::new(OneCommit::new(log, plan.bytes_per_commit, path, base)));
        Ok(On {
            place,
            segment,
            pages,
            written,
            log,
            steps: steps.into_iter().map(|step| (step, Gathered::default())).collect(),
            working: Collected::default(),
            verified: (0, 0),
            work: Work::default(),
        })
    }

    /// One window of each step.
    pub fn steps(&mut self, ctx: &Context, plan: &PlacesPlan) -> Result<(), LogError> {
        let (name, watch) = (&self.place.name, &self.place.watch);
        for (step, gathered) in &mut self.steps {
            let detail = with_value(&format!("{name}: {}", step.name()), gathered.so_far());
            ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
            on_server_cpus(&plan.cpus, || one_window(ctx, step.as_mut(), None, watch, gathered))?;
        }
        Ok(())
    }

    /// One window of sessions that work; kept or not.
    pub fn working(
        &mut self,
        ctx: &Context,
        plan: &PlacesPlan,
        (work, keep): (Work, bool),
    ) -> Result<Worked, LogError> {
        let name = &self.place.name;
        let detail = format!("{name}: {} sessions that work and commit", plan.sessions);
        let detail = with_value(&detail, self.working.commits_so_far());
        ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
        let sizes = CommitSizes::fixed(plan.bytes_per_commit);
        let how = Drive {
            load: Load::Working { sessions: plan.sessions, work },
            sizes: &sizes,
            cpus: &plan.cpus,
            client_cpus: &plan.client_cpus,
            warm_up: ctx.window / 4,
            length: ctx.window,
            seed: ctx.seed ^ u64::from(self.working.repeats()),
            most_bytes: most_bytes(ctx),
        };
        let from = self.log.flushed() / PAGE as u64 * PAGE as u64;
        let (written, path, watch) = (self.written, self.segment.path(), &self.place.watch);
        let driven = drive(ctx, self.log, written, path, &how, watch)?;
        let account = driven.went.account();
        let session_cpu_ns = driven.sessions_cpu_ns as f64 / account.completed as f64;
        if keep {
            self.work = work;
            commit::add(&mut self.working, &driven, plan.sessions);
            let samples = &mut self.working.samples;
            let name = metric::BACKEND_CPU_PER_OP;
            samples.add(name, session_cpu_ns);
            let end = self.log.flushed().next_multiple_of(PAGE as u64);
            // What lies before was written by others of this place's windows.
            let own = (end - from) / PAGE as u64;
            let (read, wrong) = self.segment.verify(self.pages, end, READ_BACK.min(own))?;
            self.verified = (self.verified.0 + read, self.verified.1 + wrong);
        }
        let client_cpu_ns = driven.client_cpu_ns;
        Ok(Worked { rate_per_s: account.rate_per_s(), session_cpu_ns, client_cpu_ns })
    }

    /// Makes durable whatever was written.
    pub fn flush(&self) -> Result<(), LogError> {
        let flushed = self.segment.file().sync_all();
        flushed.map_err(|reason| LogError::of("flushing", self.segment.path(), 0, reason))
    }

    /// Everything, with what was asked.
    pub fn into_measurements(self, plan: &PlacesPlan) -> Vec<Measurement> {
        let name = &self.place.name;
        let mut all: Vec<Measurement> = Vec::new();
        for (step, gathered) in self.steps {
            if gathered.repeats() > 0 {
                let id = format!("log.rung.{name}.{}", step.name());
                let mut measurement = gathered.into_measurement(id);
                step.describe(&mut measurement.workload);
                measurement.workload.insert(condition::THREADS, json!(1));
                all.push(measurement);
            }
        }
        if self.working.repeats() > 0 {
            let id = format!("log.working.{name}");
            let mut m = self.working.into_measurement(id, self.segment, self.verified);
            let workload = &mut m.workload;
            workload.insert(condition::SESSIONS, json!(plan.sessions));
            workload.insert(condition::SYNC_METHOD, json!("fdatasync"));
            workload.insert(condition::BYTES_PER_COMMIT, json!(plan.bytes_per_commit));
            workload.insert(condition::STYLE, json!(self.log.style().word()));
            workload.insert(condition::WORK_CPU_NS, json!(self.work.cpu_ns));
            workload.insert(condition::WORK_CLIENT_NS, json!(self.work.client_ns));
            workload.insert(condition::WORK_WAITS_NS, json!(self.work.waits_ns));
            workload.insert(condition::CLIENT_CPUS, json!(plan.client_cpus));
            all.push(m);
        }
        for measurement in &mut all {
            let workload = &mut measurement.workload;
            workload.insert(condition::FOLDER, json!(self.place.asked));
            workload.insert(condition::CPUS, json!(plan.cpus));
        }
        all
    }
}
