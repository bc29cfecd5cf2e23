//! More than a physical limit allows: what was measured did not pass there.

use narrows_model::{Layer, Severity};

use crate::{About, Group, Rule, Select, When};

const LIMITED: &[Layer] = &[Layer::Memory, Layer::Block, Layer::Log];
const SOURCES: &str = "limits beside the figure, each with its source (narrows limits)";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "above-its-limit",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(LIMITED)),
        when: When::AboveLimit { network: false },
        figures: &[],
        summary: "More was measured than link or memory channels carry: a cache answered, or the link is misread",
        advice: "Look for a cache nearer than the drive (page cache, a larger footprint for memory); compare the link with lspci -vv or the drive's manual",
        reason: "Nothing exceeds the signal rate of what it passes. The best that both ends of a link can do is taken, and nothing in virtual machines, whose links are invented",
        reference: SOURCES,
    },
    Rule {
        id: "above-its-network",
        group: Group::Arithmetic,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block, Layer::Log, Layer::Fabric])),
        when: When::AboveLimit { network: true },
        figures: &[],
        summary: "More than all network ports carry: a cache answered, or this machine serves itself",
        advice: "Look at where the server's address leads (ip route get ADDRESS), and for a cache before it",
        reason: "What comes from this machine itself passes no port, and is true for that path; so it is not invalid",
        reference: SOURCES,
    },
];
