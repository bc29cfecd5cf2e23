//! The user's consent to lose what is on one device.
//!
//! A device's name says little: `/dev/sdb` is another drive after the next boot. So the user says the serial too, and
//! both must belong together.

use crate::{ConsentError, Device, Doubt, Identity, Refusal, refusals};

/// Consent to write to one device. Only [`consent`] makes it; it holds for the drive that was looked at and for no
/// other that may take its name.
///
/// ```compile_fail
/// // Its fields are private, and it has neither `new` nor `Default`.
/// let made_up = narrows_raw::Consent { path: "/dev/sda".into(), ..Default::default() };
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    pub(crate) path: String,
    pub(crate) number: String,
    pub(crate) size_bytes: u64,
    pub(crate) identity: Identity,
    pub(crate) disk_sequence: Option<u64>,
    /// Whether what is on it may be there: who writes keeps it.
    pub(crate) keeps_contents: bool,
    /// What its user took upon themselves.
    pub(crate) accepted: Vec<Doubt>,
}

impl Consent {
    /// The path that was named.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Size of the device, bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The identity that was named.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What speaks against writing to the device, consent or not.
    pub(crate) fn reasons(&self, device: &Device) -> Vec<Refusal> {
        reasons(device, self.keeps_contents, &self.accepted)
    }

    /// What is no longer as it was when consent was given.
    pub(crate) fn changed(&self, device: &Device) -> Option<&'static str> {
        if device.number != self.number {
            Some("the name leads to another device number")
        } else if device.size_bytes != Some(self.size_bytes) {
            Some("its size changed")
        } else if device.identity != self.identity {
            Some("its serial changed")
        } else if device.disk_sequence != self.disk_sequence {
            Some("it was detached and attached again")
        } else {
            None
        }
    }
}

/// Takes the user's word: `serial` is what they said for `device`, to be the same as [`Identity::phrase`].
///
/// # Errors
/// If anything speaks against writing, or the serial is another one.
pub fn consent(device: &Device, serial: &str) -> Result<Consent, ConsentError> {
    given(device, serial, false, &[])
}

/// The same from a user who takes these doubts upon themselves: they are no reason then.
///
/// # Errors
/// As [`consent`], for all other reasons.
pub fn consent_accepting(
    device: &Device,
    serial: &str,
    accepted: &[Doubt],
) -> Result<Consent, ConsentError> {
    given(device, serial, false, accepted)
}

/// Takes the user's word that what is on the device is to stay, because others wrote it by way of whoever opens it now: its file
/// systems, other marks and partitions are no reason, as long as nothing of them is used here, and nor are users that can't be seen.
///
/// # Errors
/// As [`consent`], but for what is on it.
pub fn consent_keeping_contents(device: &Device, serial: &str) -> Result<Consent, ConsentError> {
    given(device, serial, true, &[Doubt::UnseenUsers])
}

fn reasons(device: &Device, keeps_contents: bool, accepted: &[Doubt]) -> Vec<Refusal> {
    let mut reasons = refusals(device);
    reasons.retain(|reason| !keeps_contents || !reason.is_of_contents());
    reasons.retain(|reason| !Doubt::of(reason).is_some_and(|doubt| accepted.contains(&doubt)));
    reasons
}

fn given(
    device: &Device,
    serial: &str,
    keeps_contents: bool,
    accepted: &[Doubt],
) -> Result<Consent, ConsentError> {
    let reasons = reasons(device, keeps_contents, accepted);
    if !reasons.is_empty() {
        return Err(ConsentError::Refused { path: device.path.clone(), reasons });
    }
    if serial.trim() != device.identity.phrase() {
        return Err(ConsentError::WrongSerial {
            path: device.path.clone(),
            given: serial.trim().to_string(),
            identity: device.identity.clone(),
        });
    }
    Ok(Consent {
        path: device.path.clone(),
        number: device.number.clone(),
        // Without a size it was refused.
        size_bytes: device.size_bytes.unwrap_or(0),
        identity: device.identity.clone(),
        disk_sequence: device.disk_sequence,
        keeps_contents,
        accepted: accepted.to_vec(),
    })
}
