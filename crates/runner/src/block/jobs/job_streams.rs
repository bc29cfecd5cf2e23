//! From a job to its streams: one for all its clones together or one for each of them, on each of its files.

use std::path::PathBuf;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Amount, Distribution, IoPriority, Job, Order, Targets as Names};
use narrows_io::{Access, Durable, Entropy, Method};
use narrows_layer_block::{Limit, Load, Mix, Route, Stream, Then};

use super::job_stream::JobStream;
use super::mapping::{self, refuse_limit};
use super::order;
use super::span::span;
use super::targets::{TargetState, Targets, may_write};
use super::verify;

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
    let reading = verify::only_reading(job)?;
    let job = reading.as_ref().unwrap_or(job);
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
            let files = names.len() as u32;
            let side = (sides.len() > 1).then(|| mix.word());
            let part = StreamSource { job, job_number, clone, files, side };
            streams.extend(part.streams(&names, mix, targets, &mut remarks)?);
        }
        for remark in remarks {
            if !said.contains(&remark) && !once.contains(&remark) {
                once.push(remark);
            }
        }
    }
    said.extend(once);
    for stream in &streams {
        let wanted = targets.look(&stream.file)?;
        let end = stream.offset_bytes + stream.bytes;
        wanted.bytes = wanted.bytes.max(end);
        wanted.hollow &= stream.access.method() == Method::Null;
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
    let own_cpu = job.placement.one_each && job.placement.cpus.is_some();
    job.clones > 1 && (own_files || own_offsets || own_order || own_cpu)
}

/// What streams are made of: one clone of a job, or all of them where they share what they work on.
struct StreamSource<'a> {
    job: &'a Job,
    job_number: usize,
    /// Number of the clone, where it is one.
    clone: Option<u32>,
    /// Used at the same time, each with its part of depth and work.
    files: u32,
    /// The kind of operation, where kinds have a stream each.
    side: Option<&'static str>,
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
        let access = mapping::access(job)?;
        let mean_bytes = mapping::mean_length(mix, &sizes);
        let load = mapping::load(job, mix, &sizes);
        let think = mapping::think(job)?;
        self.check_files(said)?;
        let load = mapping::times(load, f64::from(self.clones()) * self.share());
        let spans = self.spans(names, mix, targets)?;
        let region_bytes: u64 = spans.iter().map(|(_, _, bytes)| bytes).sum();
        let limit = self.limit(region_bytes, mean_bytes);
        let mut streams = Vec::new();
        for (number, (file, offset_bytes, bytes)) in spans.into_iter().enumerate() {
            let found = &targets.look(&file)?.found;
            if let TargetState::Nothing { .. } = found
                && mix.writes()
                && !job.files.overwrite
            {
                let sentence = "files are written whole before the job, as with overwrite=1; rates of growing files are lower";
                mapping::say(said, job, sentence);
            }
            let (access, route) = self.way(found, &access, said);
            let mut stream = JobStream {
                job: self.job_number,
                name: self.name(number),
                clone: self.clone,
                file,
                offset_bytes,
                bytes,
                mix: *mix,
                sizes: sizes.clone(),
                place: order::place(job, bytes, self.clones(), said)?,
                load,
                threads: Stream::threads_for(&access, in_flight(load), self.clones()),
                access,
                route,
                cpus: self.cpus(),
                io_priority: job.placement.priority.map(IoPriority::value),
                sync_after: mapping::sync_after(job, said),
                limit,
                ends_after: None,
                think,
                durable: mapping::durable(job),
                order_seed: mapping::order_seed(job, self.stream(number)),
                invalidate: job.files.invalidate,
                sync_at_end: job.flushes.fsync_at_end || job.flushes.fsync_on_close,
                verify: None,
                flow: None,
                time_submissions: job.report.submission,
            };
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
            let found = targets.look(&path)?.found.clone();
            if mix.writes() {
                may_write(&path, &found)?;
            }
            let (offset_bytes, bytes) = span(self.job, &path, &found, self.files, self.number())?;
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
    fn limit(&self, region_bytes: u64, mean_bytes: f64) -> Option<Limit> {
        let share = self.share();
        let work = mapping::work(self.job, region_bytes, mean_bytes)
            .map(|work| (work as f64 * share).ceil() as u64);
        let most = self.job.ending.operations.map(|most| (most as f64 * share).ceil() as u64);
        let each = work.into_iter().chain(most).min()?;
        let then = if self.job.exit.is_some() { Then::CloseWindow } else { Then::EndStream };
        let operations = each.saturating_mul(u64::from(self.clones())).max(1);
        Some(Limit { operations, then })
    }

    fn cpus(&self) -> Vec<u32> {
        let cpus = self.job.placement.cpus.clone().unwrap_or_default();
        match (self.clone, self.job.placement.one_each, cpus.len()) {
            (Some(clone), true, 1..) => vec![cpus[clone as usize % cpus.len()]],
            _ => cpus,
        }
    }
}

fn in_flight(load: Load) -> u32 {
    match load {
        Load::Closed { depth } => depth,
        Load::Open { most_in_flight, .. } => most_in_flight,
    }
}
