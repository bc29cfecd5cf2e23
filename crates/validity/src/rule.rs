//! What a rule is made of. Everything is `'static` data, so that the table can be printed as well as executed.

use narrows_model::{Key, Metric, Severity};
use serde_json::Value;

use crate::{Need, PathFact, Quantity, Select, Structure};

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable id in kebab case; it is what the run file stores.
    pub id: &'static str,
    /// Heading under which the book lists it.
    pub group: Group,
    /// How much it weighs when it fires.
    pub severity: Severity,
    /// What it looks at.
    pub about: About,
    /// The condition under which it fires.
    pub when: When,
    /// Figures quoted as evidence beside those of the condition.
    pub figures: &'static [Quantity],
    /// One sentence for the screen.
    pub summary: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// Why it weighs that much and not more or less.
    pub reason: &'static str,
    /// Where the method comes from.
    pub reference: &'static str,
}

/// Headings of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// What must add up.
    Arithmetic,
    /// What the device and the kernel saw.
    Device,
    /// The file that was measured.
    File,
    /// Which blocks were read and written, and how often.
    Order,
    /// Whether the figure had settled and how well it repeats.
    Steadiness,
    /// Whatever else used the machine.
    Disturbance,
    /// The load generator itself.
    Generator,
    /// The database's own counters.
    Database,
    /// Durability.
    Durability,
    /// What commits wait for: WAL.
    Log,
    /// A server that was only observed.
    Observed,
    /// Clock and memory.
    Machine,
    /// What the path under a role is.
    Path,
    /// A storage fabric.
    Fabric,
    /// What hangs where, and how the machine was set up.
    Structure,
    /// Cross-checks that were not possible.
    Blind,
}

impl Group {
    /// Every heading in the book's order.
    pub const ALL: [Group; 16] = [
        Group::Arithmetic,
        Group::Device,
        Group::File,
        Group::Order,
        Group::Steadiness,
        Group::Disturbance,
        Group::Generator,
        Group::Database,
        Group::Durability,
        Group::Log,
        Group::Observed,
        Group::Machine,
        Group::Path,
        Group::Fabric,
        Group::Structure,
        Group::Blind,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Group::Arithmetic => "Arithmetic",
            Group::Device => "What the device saw",
            Group::File => "The file",
            Group::Order => "Which blocks were read and written",
            Group::Steadiness => "Steadiness",
            Group::Disturbance => "Disturbance",
            Group::Generator => "The load generator",
            Group::Database => "The database's own counters",
            Group::Durability => "Durability",
            Group::Log => "WAL",
            Group::Observed => "An observed server",
            Group::Machine => "Clock and memory",
            Group::Path => "The path",
            Group::Fabric => "The storage fabric",
            Group::Structure => "The machine's structure",
            Group::Blind => "What could not be checked",
        }
    }
}

/// What a rule looks at, and how often it may speak.
#[derive(Debug, Clone, Copy)]
pub enum About {
    /// One finding for each measurement that it takes.
    Measurement(Select),
    /// Looks at each measurement that it takes and makes one finding for the run, quoting them.
    Run(Select),
    /// Looks at the run as a whole.
    Host,
    /// Looks at a machine, before or without any run: [`crate::check_machine`]. In a run, at those of its places that bear on
    /// what was measured.
    Machine,
}

/// The condition.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// `of / to` fails the test.
    Ratio {
        /// Numerator.
        of: Quantity,
        /// Denominator; zero makes the condition unanswerable, and the rule silent.
        to: Quantity,
        /// How repeats are brought together.
        over: Over,
        /// Values that fire.
        test: Test,
    },
    /// A figure fails the test.
    Value {
        /// The figure.
        of: Quantity,
        /// How repeats are brought together.
        over: Over,
        /// Values that fire.
        test: Test,
    },
    /// Counts of `done` fall short of `due` by more than `share` and by more than chance explains: three standard
    /// deviations of a Poisson count. Both are rates; the window turns them into counts.
    Shortfall {
        /// Rate obtained.
        done: Quantity,
        /// Rate wanted.
        due: Quantity,
        /// Length of the window, ns.
        window: Quantity,
        /// Tolerated share.
        share: f64,
    },
    /// More was counted in all windows than a rate allows, by more than chance explains: three standard deviations of a
    /// Poisson count.
    Excess {
        /// The rate.
        of: Quantity,
        /// The most that it can be.
        most: f64,
        /// What the rate is made of, counts per minute.
        per_min: Quantity,
        /// Length of the window, ns.
        window: Quantity,
    },
    /// More was left over at the ends of the windows than stands there at any moment: by Little's law rate times mean
    /// latency operations, and the one that is just due. Three standard deviations of a queue's length (it has about its
    /// mean for standard deviation) are allowed for.
    LeftOver {
        /// Operations left over in each window.
        left: Quantity,
        /// Rate obtained.
        rate: Quantity,
        /// Mean time from due to done, ns.
        latency: Quantity,
    },
    /// A PCIe link of the drives that was read again in the windows was then below what both its ends could do.
    LinkBelowUnderLoad,
    /// One that was below that before came up in the windows.
    LinkCameUp,
    /// No CPU that the load could use belongs to the NUMA node of a drive under its role.
    FarFromDrive,
    /// A text or boolean of workload or conditions is one of these.
    Says {
        /// Key.
        key: Key<Value>,
        /// Values that fire.
        any_of: &'static [&'static str],
    },
    /// A key of workload or conditions is there at all: its presence is the fact.
    Present(Key<Value>),
    /// The headline figure moves one way: inside most windows, or from repeat to repeat.
    Drift {
        /// Mann-Kendall's two-sided p below which a trend within a window counts.
        p_within: f64,
        /// The same over repeats, of which there are fewer.
        p_between: f64,
        /// Change along the fitted line, relative to the mean, above which it matters.
        share: f64,
    },
    /// The headline figure steps down to a level line: inside a window, or over all windows one after the other.
    Step {
        /// Pettitt's p below which a step counts.
        p: f64,
        /// Fall, relative to the level before, above which it matters.
        share: f64,
        /// Median absolute deviation over the median, up to which the line behind the step is level.
        level: f64,
    },
    /// The headline figure falls below half of its usual slice and comes back: in half of the windows or more, at least this share of
    /// the work is missing there.
    Gaps {
        /// Share of the window's work at its usual rate.
        missing: f64,
    },
    /// The whole program stood still for more than this share of the window in more than a third of the repeats; told with what counters say of
    /// why.
    StoodStill {
        /// Share of the window.
        share: f64,
    },
    /// Of a single window: the headline figure's range over its five parts is wider than ± this share.
    WideInParts {
        /// Half the width over the middle.
        half_width: f64,
    },
    /// A measurement that has the figures of several together, this one among them, is of that severity.
    PartOf(Severity),
    /// All repeats of the rate stand at a limit that providers give to volumes.
    AtVolumeLimit,
    /// The headline figure's 95 % interval (with fewer than six repeats: its range) is wider than ± this share.
    Wide {
        /// Half the width over the middle.
        half_width: f64,
    },
    /// The path under a role has this property.
    Path {
        /// The role whose path is meant.
        role: narrows_model::Role,
        /// The property.
        fact: PathFact,
    },
    /// The path under the measurement's own role has this property.
    OwnPath(PathFact),
    /// The path under any role has this property; for [`About::Host`].
    AnyPath(PathFact),
    /// Less than a tenth of the drives was read from; `turning`: of disks that turn, or else of all others and where the file was just
    /// written.
    SliverRead {
        /// Which drives are looked at.
        turning: bool,
    },
    /// A device that caches another one stands between the measurement's files and the drives.
    CachedDevice,
    /// More was measured than a physical limit beside it allows; `network`: a limit of the network's ports, which what this machine
    /// serves to itself doesn't pass.
    AboveLimit {
        /// Whether limits of a network are looked at, or all others.
        network: bool,
    },
    /// The machine has this property; for [`About::Machine`].
    Structure(Structure),
    /// Another database uses a role's drives; for [`About::Host`].
    DatabaseBeside,
    /// All measurements that `of` takes and that have one of `have` lack every one of `lack`; for
    /// [`About::Host`].
    Blind {
        /// The class.
        of: Select,
        /// What was asked.
        have: &'static [Metric],
        /// What would have checked it.
        lack: &'static [Metric],
    },
    /// Any of these.
    Any(&'static [When]),
    /// The second, in measurements where the first holds.
    Where(Need, &'static When),
}

/// How the repeats of a figure are brought together before it is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The median: one odd repeat doesn't decide.
    Median,
    /// The repeat that more than a third of them are as bad as: for what spoils a median before it spoils half of the repeats.
    Third,
    /// The repeat that fails worst: for what must hold in each.
    Worst,
    /// The repeat that fails least: for what must be so in all of them.
    All,
    /// The sum over all repeats: for counts with an edge at each window's end.
    Total,
}

/// Values that fire. The bounds themselves never do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// Less than.
    Below(f64),
    /// More than.
    Above(f64),
    /// Less than the first or more than the second.
    Outside(f64, f64),
    /// More than the first, not more than the second.
    Between(f64, f64),
}

impl Test {
    /// Whether `value` fires. What is not a number never does.
    pub fn fires(self, value: f64) -> bool {
        match self {
            Test::Below(bound) => value < bound,
            Test::Above(bound) => value > bound,
            Test::Outside(low, high) => value < low || value > high,
            Test::Between(low, high) => value > low && value <= high,
        }
    }

    /// How far `value` is on the firing side; only the order matters.
    pub(crate) fn badness(self, value: f64) -> f64 {
        match self {
            Test::Below(bound) => bound - value,
            Test::Above(bound) => value - bound,
            Test::Outside(low, high) => (low - value).max(value - high),
            Test::Between(low, _) => value - low,
        }
    }
}
