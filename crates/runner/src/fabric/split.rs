//! Where the time of an operation over NVMe/TCP goes.

use std::time::Duration;

use anyhow::Result;
use narrows_initiator::stamps;
use narrows_layer_fabric::echo::check_echo;
use narrows_layer_fabric::{SplitOperation, SplitPlan, planned_split};
use narrows_model::{Layer, Plan, Platform};

use crate::block::folder;
use crate::block::remote::RemoteNamespace;
use crate::fabric::device::device_times;
use crate::failure::Failure;
use crate::paragraph::paragraphs;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::TargetRequest;
use crate::request::fabric::SplitRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;
use crate::{guard, least_load};

/// Rounds of windows.
const ROUNDS: u32 = 12;
/// Of a namespace that may be written, so much is written first.
const FILLED_BYTES: u64 = 1 << 30;
/// Length of a window with one operation in flight.
const WINDOW: Duration = Duration::from_millis(150);

/// The division of latencies.
pub struct Split {
    namespace: RemoteNamespace,
    plan: SplitPlan,
    prepared: Prepared,
}

impl Program for Split {
    type Request = SplitRequest;

    fn options(request: &SplitRequest) -> &RunOptions {
        &request.options
    }

    fn storage(request: &SplitRequest) -> Vec<String> {
        let address = match &request.target {
            TargetRequest::ReadDevice(address) => address.clone(),
            TargetRequest::WriteDevice(consent) => consent.device.clone(),
            TargetRequest::Folder(_) => String::new(),
        };
        std::iter::once(address).chain(request.echo.clone()).collect()
    }

    fn names(&self) -> Vec<String> {
        vec![self.namespace.serial().to_string()]
    }

    fn plan(request: &SplitRequest, ui: &dyn Ui) -> Result<Split> {
        let namespace = match &request.target {
            TargetRequest::ReadDevice(address) => RemoteNamespace::connect(address)?,
            TargetRequest::WriteDevice(consent) => RemoteNamespace::consented(consent)?,
            TargetRequest::Folder(folder) => {
                return Err(Failure::hinted(
                    format!("{} is no NVMe/TCP address", folder.display()),
                    "as in nvme-tcp://192.0.2.10:4420/nqn.2026-11.org.example:disk?ns=1",
                ));
            }
        };
        let association = namespace.association();
        if association.address().reconnect.is_some() {
            return Err(Failure::hinted(
                "a split divides the latency of one connection, and a lost one ends it",
                "leave out reconnect-delay and ctrl-loss-tmo; finished rounds are kept",
            ));
        }
        let operations =
            SplitOperation::for_namespace(association.reached(), namespace.is_writable());
        if operations.is_empty() {
            return Err(Failure::hinted(
                format!("{} takes no operation of 8 KiB or more", namespace.name()),
                "the namespace holds less, its blocks are larger, or the target's MDTS is smaller",
            ));
        }
        let (rounds, window) = match least_load::wanted() {
            Some(least) => (least.repeats, least.window),
            None => (ROUNDS, WINDOW),
        };
        let stamps = stamps::begin();
        if let Err(error) = &stamps {
            let echo = if request.echo.is_some() { ", and the echo is of no use" } else { "" };
            ui.say(&format!(
                "warning: the kernel does not stamp packets here (SO_TIMESTAMPING: {error}): the latency is divided by what the target tells alone{echo}"
            ));
        }
        if let Some(echo) = &request.echo {
            check_echo(echo)?;
        }
        let device = request.device_run.as_ref().map(|run| device_times(run, &operations));
        let (device_run, device) = device.transpose()?.unzip();
        let bytes = association.reached().bytes();
        let fills = namespace.is_writable();
        let plan = SplitPlan {
            operations,
            region_bytes: if fills {
                bytes.min(least_load::wanted().map_or(FILLED_BYTES, |least| least.file_bytes))
            } else {
                bytes
            },
            fills,
            echo: request.echo.clone(),
            stamps: stamps.is_ok(),
            window,
            same_machine: association.is_on_this_machine(),
            device_run,
            device: device.unwrap_or_default(),
        };
        let mut prepared = Prepared::storage(
            &namespace.name(),
            namespace.machine(),
            &request.options,
            rounds,
            0,
            planned_split(&plan, rounds),
        );
        prepared.title = format!("fabric to {}", namespace.name());
        prepared.plan.layers = vec![Layer::Fabric];
        Ok(Split { namespace, plan, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        let losses = self.namespace.losses_of("the beginning of");
        let closing = match self.prepared.plan.writes_bytes() {
            0 => "writes nothing",
            _ => "overwrites the namespace from its beginning on",
        };
        self.prepared.describe_ending(closing) + &paragraphs(&losses)
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        guard::storage(&self.prepared.platform, &[], load_here, ui)
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let ctx = session.context(self.plan.window);
        let watch = folder::watch(session.platform());
        let association = self.namespace.association();
        let divided = narrows_layer_fabric::split(&ctx, association, &self.plan, &watch)?;
        session.add(divided.measurements);
        let Some(error) = divided.cut_short else { return Ok(Ended::Whole) };
        if !session.stop.is_set() {
            session.ui.say(&format!("the test ended early, finished rounds are saved: {error}"));
            session.cut_short = true;
        }
        Ok(Ended::Interrupted)
    }
}
