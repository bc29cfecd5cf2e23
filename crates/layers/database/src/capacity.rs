//! What a server could have of its CPUs in a window.

/// What ran on the server's CPUs, each in CPUs: time over the window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct OnServerCpus {
    /// CPUs in the set.
    pub set: f64,
    /// Busy with anything, interrupts and kernel threads too.
    pub busy: f64,
    /// Stolen by the hypervisor.
    pub steal: f64,
    /// The server's processes but those that serve our looking.
    pub server: f64,
    /// Our looking: the server's processes that answer it, and our own threads on these CPUs.
    pub looking: f64,
    /// The load's client, where it shares them.
    pub client: f64,
    /// Other programs, on the whole machine.
    pub others: f64,
}

impl OnServerCpus {
    /// What other programs took, and the hypervisor. Interrupts and kernel threads are busy on the server's behalf, so no more is taken than
    /// others used.
    pub fn taken(&self) -> f64 {
        let unexplained = self.busy - self.server - self.looking - self.client;
        (unexplained.clamp(0.0, self.others.max(0.0)) + self.steal).min(self.set)
    }

    /// What was left to the server of what nobody else had.
    pub fn left(&self) -> f64 {
        self.set - self.taken() - self.client - self.looking
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_helpers_are_neither_others_nor_the_servers() {
        // Two CPUs, the server 1.8, our sampler and its answers 0.1, an interrupt 0.05.
        let alone = OnServerCpus {
            set: 2.0,
            busy: 1.95,
            server: 1.8,
            looking: 0.1,
            ..OnServerCpus::default()
        };
        assert_eq!(alone.taken(), 0.0);
        assert!((alone.left() - 1.9).abs() < 1e-9, "what it could have: {}", alone.left());
        let busy = alone.server / alone.left();
        assert!((busy - 0.947).abs() < 0.001, "and not 90 % of two: {busy}");
        // A neighbour of 0.1 beside it is taken, and once.
        let neighbour = OnServerCpus { server: 1.7, others: 0.1, ..alone };
        assert!((neighbour.taken() - 0.1).abs() < 1e-9);
        assert!((neighbour.left() - 1.8).abs() < 1e-9);
        // What others did elsewhere on the machine is not taken here.
        let elsewhere = OnServerCpus { others: 3.0, ..alone };
        assert!((elsewhere.taken() - 0.05).abs() < 1e-9);
        let stolen = OnServerCpus { steal: 0.2, ..alone };
        assert!((stolen.taken() - 0.2).abs() < 1e-9);
    }
}
