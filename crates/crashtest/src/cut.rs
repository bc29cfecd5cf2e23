//! What is known of the cut. Pure.
//!
//! A cut is seen where the writer's voice fell silent without a word *and* its machine has booted since with the medium in
//! it, or where the user says what was cut. A connection that was closed is none: only a living kernel closes connections. So
//! is a machine still in the same boot. Reset button and power switch look alike from here: the drives' own counters of power
//! cycles tell them apart ([`DrivesPower`]), or else nothing but the user's word does.

use crate::{Acknowledged, DrivesPower, End, Machine};

/// What is known of the cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// How the writer's voice ended; `None` if nobody noted it.
    pub end: Option<End>,
    /// Whether the machine that wrote has booted since; `None` where that can't be told here.
    pub booted: Option<bool>,
    /// Why what was written to doesn't lose its power with that machine, or why that can't be told; `None` where it
    /// does.
    pub elsewhere: Option<String>,
    /// What the user says was cut, where it isn't the machine itself.
    pub told: Option<String>,
    /// What the drives' counters say of their power.
    pub power: DrivesPower,
    /// The user says that the file system was mounted again since.
    pub remounted: bool,
    /// Whether the kernel that wrote is the one that reads; `None` where that can't be told.
    pub same_kernel: Option<bool>,
    /// The boot in which the machine that wrote is; `None` where this may be another machine.
    pub boot_id: Option<String>,
    /// From the last record to the end of the voice, ms.
    pub idle_ms: Option<u64>,
}

impl Cut {
    /// From a list, as seen on the machine where it is checked.
    pub fn of(list: &Acknowledged, here: &Machine, told: Option<&str>) -> Cut {
        let idle = list.last_heard_unix_ms.zip(list.last_record_unix_ms);
        let (terms, writer) = (&list.terms, &list.terms.writer);
        let booted = writer.booted_since(here);
        let unsaid = || "the list doesn't say where what was written to is".to_string();
        Cut {
            end: list.end.clone(),
            booted,
            elsewhere: match terms.local_medium {
                true => None,
                false => Some(terms.elsewhere.clone().unwrap_or_else(unsaid)),
            },
            told: told.map(String::from),
            power: DrivesPower::unread(),
            remounted: false,
            same_kernel: writer.shares_kernel(here),
            boot_id: booted.map(|_| here.boot_id.clone()).filter(|id| !id.is_empty()),
            idle_ms: idle.map(|(heard, record)| heard.saturating_sub(record)),
        }
    }

    /// Whether the boot of the machine that wrote shows it, without anybody's word.
    pub fn by_boot(&self) -> bool {
        self.end == Some(End::Silence) && self.booted == Some(true) && self.elsewhere.is_none()
    }

    /// Whether nobody's word is needed: the boot shows that the machine went, the counters that its drives lost their power.
    pub fn by_itself(&self) -> bool {
        self.by_boot() && matches!(self.power, DrivesPower::Lost(_))
    }

    /// Why what was seen was no cut of the drives' power, or may have been none, if so.
    pub(crate) fn kept_power(&self) -> Option<String> {
        match (&self.power, &self.told) {
            (DrivesPower::Kept(why), None) => {
                Some(format!("a reset is no cut of the power: {why}"))
            }
            (DrivesPower::Kept(why), Some(_)) => {
                Some(format!("the drive contradicts that the power was cut: {why}"))
            }
            (DrivesPower::Unknown(why), None) if self.by_boot() => Some(format!(
                "a reset or a panic looks the same from here and leaves the drives their power: {why}; run write and check as root \
                 on drives that count it (NVMe, SATA), or say with --cut what was cut"
            )),
            _ => None,
        }
    }

    /// What shows the cut, or why none is seen.
    pub fn seen(&self) -> Result<String, String> {
        if self.by_boot() {
            let told = self.told.as_ref().map(|told| format!("; the user says that it was {told}"));
            let told = told.unwrap_or_default();
            let counted = match &self.power {
                DrivesPower::Lost(figures) => format!("; {figures}"),
                DrivesPower::Kept(_) | DrivesPower::Unknown(_) => String::new(),
            };
            return Ok(format!(
                "the writer fell silent, and its machine has booted since{counted}{told}"
            ));
        }
        if let Some(told) = &self.told {
            return Ok(self.by_word(told));
        }
        let why = match (&self.end, self.booted) {
            (Some(End::Silence), Some(true)) => {
                let why = self.elsewhere.as_deref().unwrap_or_default();
                return Err(format!(
                    "what was written to is not in the machine that booted ({why}); say with --cut what was cut"
                ));
            }
            (Some(End::Orderly), _) => "the writer stopped in order before any cut",
            (Some(End::Failed(_)), _) => {
                "the writer saw a write fail and lived on: say with --cut what was cut, if that was meant"
            }
            (Some(End::Closed), _) => {
                "the writer's kernel lived on and closed its connection: a killed process is not a power cut"
            }
            (Some(End::Stopped), _) => "the list was stopped before any cut",
            (None, _) => "the list has no end: whoever kept it was killed",
            (Some(End::Silence), Some(false)) => {
                "the writer's machine is still in the same boot: the network failed, not its power"
            }
            (Some(End::Silence), None) => {
                "this is not the machine that wrote, or it can't be told: check there, or say with --cut what was cut"
            }
        };
        Err(why.to_string())
    }

    /// The user's word for the cut, with what it can't be held against.
    fn by_word(&self, told: &str) -> String {
        let rests = match (&self.elsewhere, self.booted) {
            (Some(why), _) => format!("; nothing but that word shows it: {why}"),
            (None, Some(false)) => "; nothing but that word shows it: the machine that wrote is still in the same boot, \
                                    and a cable that is pulled is no cut"
                .to_string(),
            (None, _) => String::new(),
        };
        format!("the user says that the power was cut: {told}{rests}")
    }

    /// Why nothing was under way when the power went, as far as the writer's end tells.
    pub(crate) fn calm(&self) -> Option<&'static str> {
        let lived_on = self.booted == Some(false);
        match &self.end {
            Some(End::Orderly | End::Stopped) => {
                Some("the writer had stopped in order: nothing was under way at the cut")
            }
            Some(End::Closed) => {
                Some("the writer's process had ended: nothing was under way at the cut")
            }
            Some(End::Silence) if lived_on => Some(
                "the writer was not heard while its machine lived on: nothing shows that it wrote at the cut",
            ),
            None if lived_on => {
                Some("the list has no end: nothing shows that a write failed at the cut")
            }
            _ => None,
        }
    }
}
