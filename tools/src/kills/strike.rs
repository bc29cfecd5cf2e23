//! Which signal meets whom and when, drawn from a seed: the same seed draws the same strikes. When one arrives in microseconds is the
//! machine's doing. Knows nothing of what is struck, so that ordinary tests include it as it is.

use std::io;
use std::time::Duration;

use narrows_engine::Rng;

/// Of so many strikes in a hundred the whole process group is met.
const GROUP_PERCENT: u64 = 40;
/// The earliest moment of those that are spread by their logarithm.
const EARLIEST_S: f64 = 0.001;
/// Between the two signals of a pair, s.
const GAP_S: (f64, f64) = (0.001, 1.0);

/// One or two signals, the second a moment after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blow {
    Kill,
    Term,
    Int,
    Hup,
    Quit,
    TermKill,
    IntKill,
    IntInt,
}

impl Blow {
    /// All of them.
    pub const ALL: [Blow; 8] = [
        Blow::Kill,
        Blow::Term,
        Blow::Int,
        Blow::Hup,
        Blow::Quit,
        Blow::TermKill,
        Blow::IntKill,
        Blow::IntInt,
    ];

    /// The signals, in their order.
    pub fn signals(self) -> &'static [libc::c_int] {
        match self {
            Blow::Kill => &[libc::SIGKILL],
            Blow::Term => &[libc::SIGTERM],
            Blow::Int => &[libc::SIGINT],
            Blow::Hup => &[libc::SIGHUP],
            Blow::Quit => &[libc::SIGQUIT],
            Blow::TermKill => &[libc::SIGTERM, libc::SIGKILL],
            Blow::IntKill => &[libc::SIGINT, libc::SIGKILL],
            Blow::IntInt => &[libc::SIGINT, libc::SIGINT],
        }
    }

    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Blow::Kill => "KILL",
            Blow::Term => "TERM",
            Blow::Int => "INT",
            Blow::Hup => "HUP",
            Blow::Quit => "QUIT",
            Blow::TermKill => "TERM, KILL",
            Blow::IntKill => "INT, KILL",
            Blow::IntInt => "INT, INT",
        }
    }

    /// Whether the program is asked to end and given the time for it.
    pub fn can_be_handled(self) -> bool {
        !self.signals().contains(&libc::SIGKILL)
    }
}

/// What is drawn for one trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strike {
    pub blow: Blow,
    /// The process group and not the process alone.
    pub group: bool,
    /// Between the two signals of a pair.
    pub gap: Duration,
    by_logarithm: bool,
    part: f64,
}

impl Strike {
    /// The next one.
    pub fn draw(rng: &mut Rng) -> Strike {
        let blow = Blow::ALL[rng.below(Blow::ALL.len() as u64) as usize];
        let group = rng.below(100) < GROUP_PERCENT;
        let gap = Duration::from_secs_f64(GAP_S.0 * (GAP_S.1 / GAP_S.0).powf(rng.unit_f64()));
        let by_logarithm = rng.below(2) == 0;
        Strike { blow, group, gap, by_logarithm, part: rng.unit_f64() }
    }

    /// The moment in something that lasts so long: half of all evenly over its time, so that the end is met too, half evenly over the
    /// logarithm of its time, so that a good part falls into the first tenth of a second.
    pub fn moment(&self, lasts: Duration) -> Duration {
        let lasts_s = lasts.as_secs_f64().max(EARLIEST_S);
        let at_s = if self.by_logarithm {
            EARLIEST_S * (lasts_s / EARLIEST_S).powf(self.part)
        } else {
            lasts_s * self.part
        };
        Duration::from_secs_f64(at_s)
    }

    /// Sends one signal to the process that was started in a group of its own, and that nobody has waited for yet.
    pub fn send(&self, pid: u32, signal: libc::c_int) -> io::Result<()> {
        let pid = pid as libc::pid_t;
        // SAFETY: no memory is involved; the child was not waited for, so its number is its own and its group's.
        match unsafe { libc::kill(if self.group { -pid } else { pid }, signal) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_and_everything_is_drawn() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..400).map(|_| Strike::draw(&mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        for blow in Blow::ALL {
            assert!(draw(7).iter().any(|strike| strike.blow == blow), "{blow:?}");
        }
        let groups = draw(7).iter().filter(|strike| strike.group).count();
        assert!((120..200).contains(&groups), "{groups}");
    }

    #[test]
    fn moments_meet_the_start_and_the_end() {
        let lasts = Duration::from_secs(20);
        let mut rng = Rng::new(3);
        let moments: Vec<f64> =
            (0..400).map(|_| Strike::draw(&mut rng).moment(lasts).as_secs_f64()).collect();
        assert!(moments.iter().all(|at| (0.001..=20.0).contains(at)));
        let early = moments.iter().filter(|at| **at < 0.1).count();
        let late = moments.iter().filter(|at| **at > 18.0).count();
        assert!(early > 50 && late > 15, "{early} {late}");
    }
}
