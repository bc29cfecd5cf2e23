//! From a job to its streams: one for all its clones together or one for each of them, on each of its files.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Amount, Distribution, IoPriority, Job, Order, Targets as Names};
use narrows_io::{Access, Durable, Entropy, FileCall, Method, Op};
use narrows_layer_block::{DepthSearch, Limit, Load, Mix, Route, Stream, Then};

use super::atomic_writes;
use super::calls;
use super::job_stream::JobStream;
use super::judges;
use super::mapping::{self, refuse_limit};
use super::nodes;
use super::operation_rules;
use super::order;
use super::passthrough;
use super::replay;
use super::span::{filled, span};
use super::targets::{TargetState, Targets, may_write};
use super::verify;
use super::whole_files;

/// The streams of one job, which runs in that `stage`; `targets` then knows how long their files have to be.
///
/// # Errors
/// What a stream can't do, and files that can't be used.
pub fn of_job(
    job: &Job,
    job_number: usize,
    stage: usize,
    targets: &mut Targets,
    said: &mut Vec<String>,
) -> Result<Vec<JobStream>> {
    if let Some(replay) = &job.replay {
        return replay::streams(job, replay, (job_number, stage), targets, said);
    }
    let reading = verify::only_reading(job)?;
    let job = reading.as_ref().unwrap_or(job);
    let call = calls::call(job)?;
    let trims = calls::as_trims(job);
    let job = trims.as_ref().unwrap_or(job);
    let whole = call.is_some_and(FileCall::is_on_names);
    if whole {
        whole_files::check_count(job)?;
    }
    let sides = mapping::sides(job)?;
    let entropy = mapping::entropy(job, said);
    let apart = apart(job);
    let clones: Vec<Option<u32>> =
        if apart { (0..job.clones).map(Some).collect() } else { vec![None] };
    let mut streams = Vec::new();
    // Said for one of them is said for all.
    let mut once = Vec::new();
    for clone in clones {
        let mut remarks = Vec::new();
        let names = job.targets.of_clone(clone.unwrap_or(0));
        for mix in &sides {
            let files = if whole { 1 } else { names.len() as u32 };
            let side = (sides.len() > 1).then(|| mix.word());
            let part = StreamSource { job, job_number, stage, clone, files, side, call };
            streams.extend(part.streams(&names, mix, targets, &mut remarks)?);
        }
        for remark in remarks {
            if !said.contains(&remark) && !once.contains(&remark) {
                once.push(remark);
            }
        }
    }
    said.extend(once);
    for stream in streams.iter().filter(|stream| stream.set.is_none()) {
        let wanted = targets.look(&stream.file)?;
        let end = stream.offset_bytes + stream.bytes;
        wanted.bytes = wanted.bytes.max(end);
        wanted.hollow &= stream.access.method() == Method::Null;
        wanted.sparse &= calls::begins_empty(stream.access.file_call());
        wanted.formatted |= stream.verify.is_some() && stream.mix.writes();
        if wanted.entropy == Entropy::default() {
            wanted.entropy = entropy;
        }
        wanted.stages = (wanted.stages.0.min(stage), wanted.stages.1.max(stage));
    }
    Ok(streams)
}

/// Whether clones need a stream each: files or offsets of their own, an order of their own (in which each block comes
/// once, or which is reported apart), or a CPU each.
fn apart(job: &Job) -> bool {
    let own_files = matches!(job.targets, Names::Made { .. });
    let own_offsets = job.region.offset_increment != Amount::Bytes(0)
        && job.region.offset_increment != Amount::Percent(0);
    let random = matches!(job.access.order, Order::Random { .. });
    let own_order = random
        && (!job.group_reporting
            || job.access.once_each && job.access.distribution == Distribution::Uniform);
    let own_order = own_order || operation_rules::has_list(job);
    let own_cpu = job.placement.one_each && job.placement.cpus.is_some();
    let judged = judges::apart(job);
    job.clones > 1 && (own_files || own_offsets || own_order || own_cpu || judged)
}

/// What streams are made of: one clone of a job, or all of them where they share what they work on.
struct StreamSource<'a> {
    job: &'a Job,
    job_number: usize,
    /// In which it runs.
    stage: usize,
    /// Number of the clone, where it is one.
    clone: Option<u32>,
    /// Used at the same time, each with its part of depth and work.
    files: u32,
    /// The kind of operation, where kinds have a stream each.
    side: Option<&'static str>,
    /// What its operations are, where they move no data.
    call: Option<FileCall>,
}

impl StreamSource<'_> {
    fn streams(
        &self,
        names: &[String],
        mix: &Mix,
        targets: &mut Targets,
        said: &mut Vec<String>,
    ) -> Result<Vec<JobStream>> {
        let job = self.job;
        let sizes = mapping::sizes(job)?;
        let access = mapping::access(job, self.call)?;
        let mean_bytes = mapping::mean_length(mix, &sizes);
        let load = mapping::load(job, mix, &sizes);
        let think = mapping::think(job)?;
        self.check_files(said)?;
        let load = mapping::times(load, f64::from(self.clones()) * self.share());
        let set = match self.call.filter(|call| call.is_on_names()) {
            Some(call) => {
                let set = whole_files::file_set(job, call, names, targets)?;
                Some(targets.sets.add(job, self.stage, set)?)
            }
            None => None,
        };
        let spans = match &set {
            Some(set) => vec![(set.first(), 0, set.taken * set.bytes)],
            None => self.spans(names, mix, targets)?,
        };
        let region_bytes: u64 = spans.iter().map(|(_, _, bytes)| bytes).sum();
        let spans = operation_rules::reach(job, spans, targets)?;
        let reach_bytes: u64 = spans.iter().map(|(_, _, bytes)| bytes).sum();
        let limit = self.limit((region_bytes, reach_bytes), mean_bytes)?;
        let mut streams = Vec::new();
        for (number, (file, offset_bytes, bytes)) in spans.into_iter().enumerate() {
            let (access, route) = match self.call {
                Some(_) => (access.clone(), Route::Buffered),
                None => {
                    let found = &targets.look(&file)?.found;
                    if let TargetState::Nothing { .. } = found
                        && mix.writes()
                        && !job.files.overwrite
                    {
                        let sentence = "files are written whole before the job, as with overwrite=1; rates of growing files are lower";
                        mapping::say(said, job, sentence);
                    }
                    self.way(found, &access, said)
                }
            };
            let priorities = operation_rules::priorities(job, targets, &file)?;
            let mut stream = JobStream {
                job: self.job_number,
                name: self.name(number),
                clone: self.clone,
                file,
                set: set.clone(),
                offset_bytes,
                bytes,
                mix: *mix,
                sizes: sizes.clone(),
                place: order::place(job, (bytes, region_bytes), self.clones(), said)?,
                load,
                threads: Stream::threads_for(&access, in_flight(load), self.clones()),
                access,
                route,
                cpus: self.cpus()?,
                io_priority: job.placement.priority.map(IoPriority::value),
                buffer_nodes: nodes::buffers(job)?,
                sync_after: mapping::sync_after(job, said),
                limit,
                ends_after: None,
                think,
                durable: mapping::durable(job),
                order_seed: mapping::order_seed(job, self.stream(number)),
                invalidate: job.files.invalidate && self.call.is_none(),
                sync_at_end: job.flushes.fsync_at_end || job.flushes.fsync_on_close,
                verify: None,
                verify_seed: 0,
                saves: None,
                flow: None,
                priorities,
                serialize: operation_rules::serialize(job, self.clones()),
                time_submissions: job.report.submission,
                begin: None,
                ended: None,
                judged: Vec::new(),
                depth_search: None,
            };
            if job.access.zones.is_some() && stream.threads > self.clones() {
                return Err(refuse_limit(job, &limits::STRIDED_ALONE));
            }
            stream.depth_search = self.depth_search(&stream)?;
            stream.verify_seed = verify::fresh_seed(stream.order_seed);
            stream.verify = verify::of_stream(job, &stream)?;
            streams.push(stream);
        }
        Ok(streams)
    }

    /// By which way to a file, and whether past the page cache. To a namespace of a storage target there is one way, without a cache.
    fn way(&self, found: &TargetState, access: &Access, said: &mut Vec<String>) -> (Access, Route) {
        let job = self.job;
        match found {
            TargetState::Remote(namespace) if access.method() != Method::Null => {
                let sentence = if job.files.direct {
                    "the namespace is reached over NVMe/TCP by narrows itself, whatever the ioengine"
                } else {
                    "the namespace is reached over NVMe/TCP by narrows itself, whatever the ioengine, and without a page cache"
                };
                mapping::say(said, job, sentence);
                let durable = mapping::durable(job) != Durable::Later;
                (namespace.access_that_writes(durable), Route::Direct)
            }
            // There is no page cache on that way.
            TargetState::Device { generic: true, .. } => (access.clone(), Route::Direct),
            _ if job.files.direct => (access.clone(), Route::Direct),
            _ => (access.clone(), Route::Buffered),
        }
    }

    /// A number that no other stream of the run has: jobs, kinds, clones and files go each their own way.
    fn stream(&self, file: usize) -> u64 {
        let side = self.side.map_or(0, |side| u64::from(side.as_bytes()[0]));
        (self.job_number as u64) << 48 | side << 40 | u64::from(self.number()) << 16 | file as u64
    }

    /// Of the clone; that of the first where it is all of them.
    fn number(&self) -> u32 {
        self.clone.unwrap_or(0)
    }

    /// Clones in it.
    fn clones(&self) -> u32 {
        if self.clone.is_some() { 1 } else { self.job.clones }
    }

    /// Of depth and work, for each file.
    fn share(&self) -> f64 {
        1.0 / f64::from(self.files)
    }

    /// The depth that is searched, where it is.
    fn depth_search(&self, stream: &JobStream) -> Result<Option<DepthSearch>> {
        let Some(asked) = self.job.latency_target else { return Ok(None) };
        if stream.threads > 1 || stream.load.is_open() || self.files > 1 || self.side.is_some() {
            return Err(refuse_limit(self.job, &limits::TARGET_OF_SEVERAL));
        }
        Ok(Some(DepthSearch {
            target: Duration::from_nanos(asked.target.0),
            window: Duration::from_nanos(asked.window.0),
            percent: asked.percent,
            goes_on: asked.goes_on,
        }))
    }

    /// Several files need an operation in flight for each.
    fn check_files(&self, said: &mut Vec<String>) -> Result<()> {
        let (files, in_flight) = (self.files, self.job.depth);
        if files <= 1 {
            return Ok(());
        }
        if in_flight < files {
            return Err(refuse_limit(self.job, &limits::FILES_IN_TURN));
        }
        let sentence =
            "its files are used at the same time, each with its part of queue depth and work";
        mapping::say(said, self.job, sentence);
        Ok(())
    }

    /// The files, with offset and length of what is used of each, bytes.
    fn spans(
        &self,
        names: &[String],
        mix: &Mix,
        targets: &mut Targets,
    ) -> Result<Vec<(PathBuf, u64, u64)>> {
        let mut spans = Vec::new();
        for name in names {
            let path = targets.path(name);
            let wanted = targets.look(&path)?;
            let (found, planned) = (wanted.found.clone(), wanted.bytes);
            let planned = match &found {
                TargetState::Nothing { folder } if self.job.fills && mix.writes() => {
                    filled(self.job, self.files, folder)?
                }
                _ => (planned > 0).then_some(planned),
            };
            passthrough::check(self.job, &path, &found)?;
            if mix.writes() {
                may_write(&path, &found)?;
                atomic_writes::check(self.job, &path, &found)?;
            }
            let keeps = job_needs_what_it_writes(self.job, mix);
            if matches!(found, TargetState::Endless) && keeps {
                let shown = path.display();
                let reason = format!("{shown} keeps nothing that could be verified or trimmed");
                return Err(mapping::refuse(self.job, reason, "leave verify and trims out"));
            }
            if self.call.is_some() && !matches!(found, TargetState::Nothing { .. }) {
                let shown = path.display();
                let reason = format!("{shown} is no file, and falloc and ftruncate work on files");
                return Err(mapping::refuse(self.job, reason, "name a file that does not exist"));
            }
            let number = self.number();
            let (offset_bytes, bytes) =
                span(self.job, &path, (&found, planned), self.files, number)?;
            spans.push((path, offset_bytes, bytes));
        }
        Ok(spans)
    }

    /// As the job, with the numbers of clone and file where there are several.
    fn name(&self, file: usize) -> String {
        let mut name = self.job.name.clone();
        if let Some(clone) = self.clone {
            name += &format!(".{clone}");
        }
        if self.files > 1 {
            name += &format!("/{file}");
        }
        if let Some(side) = self.side {
            name += &format!(":{side}");
        }
        name
    }

    /// What ends a stream before its time: its work, or the number of operations it may do.
    ///
    /// # Errors
    /// Work whose end nobody knows.
    fn limit(&self, bytes: (u64, u64), mean_bytes: f64) -> Result<Option<Limit>> {
        let share = self.share();
        let work = mapping::work(self.job, bytes.0, mean_bytes);
        let work = operation_rules::work(self.job, work, mean_bytes, bytes)?
            .map(|work| (work as f64 * share).ceil() as u64);
        let pair = if operation_rules::has_pairs(self.job) { 2 } else { 1 };
        let most = self.job.ending.operations.map(|most| most.saturating_mul(pair));
        let most = most.map(|most| (most as f64 * share).ceil() as u64);
        let Some(each) = work.into_iter().chain(most).min() else { return Ok(None) };
        let then = if self.job.exit.is_some() { Then::CloseWindow } else { Then::EndStream };
        let operations = each.saturating_mul(u64::from(self.clones())).max(1);
        Ok(Some(Limit { operations, then }))
    }

    fn cpus(&self) -> Result<Vec<u32>> {
        let cpus = nodes::cpus(self.job)?;
        let one_each = self.job.placement.one_each && self.job.placement.cpu_nodes.is_none();
        Ok(match (self.clone, one_each, cpus.len()) {
            (Some(clone), true, 1..) => vec![cpus[clone as usize % cpus.len()]],
            _ => cpus,
        })
    }
}

/// Whether it verifies or trims.
fn job_needs_what_it_writes(job: &Job, mix: &Mix) -> bool {
    job.verify.is_some() || mix.weight(Op::Trim) > 0
}

fn in_flight(load: Load) -> u32 {
    match load {
        Load::Closed { depth } => depth,
        Load::Open { most_in_flight, .. } => most_in_flight,
    }
}
