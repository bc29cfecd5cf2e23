//! A step of the ladder: something durable that is done again and again, one after the other, each time timed.

use narrows_model::Conditions;

use crate::LogError;

/// One step. A database's commit is one, too: whoever puts the ladder together brings it.
pub trait LadderStep {
    /// `flush`, `write.fdatasync.overwrite.8k`, `leader`, `commit`: the measurement's id is `log.ladder.NAME.alone` or
    /// `.beside`.
    fn name(&self) -> String;

    /// The step below: what this one adds is the difference.
    fn above(&self) -> Option<String>;

    /// Before each window.
    ///
    /// # Errors
    /// What ends the measurement.
    fn prepare(&mut self) -> Result<(), LogError> {
        Ok(())
    }

    /// One operation; how long it took, ns, or `None` where the window has to end.
    ///
    /// # Errors
    /// What ends the measurement.
    fn operation(&mut self) -> Result<Option<u64>, LogError>;

    /// Time since the last call in which the bytes of operations were made up, ns: it is within the window and no part of an
    /// operation.
    fn making_ns(&mut self) -> u64 {
        0
    }

    /// Bytes an operation writes to the log's file; zero where it isn't known.
    fn bytes(&self) -> u64;

    /// Whether a window holds nothing but its operations. Where untimed work lies between them, rate and CPU time of the window are
    /// not theirs and are left out.
    fn back_to_back(&self) -> bool {
        true
    }

    /// After each window: how much was read back, and how much of it was not what was written.
    ///
    /// # Errors
    /// It can't be read.
    fn verify(&mut self) -> Result<(u64, u64), LogError> {
        Ok((0, 0))
    }

    /// By what its write is durable, where that is known without the device's counters.
    fn durable_by(&self) -> Option<&'static str> {
        None
    }

    /// What was asked, for the measurement.
    fn describe(&self, workload: &mut Conditions);
}
