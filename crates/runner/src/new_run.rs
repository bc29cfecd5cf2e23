//! A run file at its beginning: id, program, command line, time.

use narrows_model::{Plan, Platform, Run, Tool};
use narrows_postgres::Address;

/// A run in which nothing was measured yet.
pub fn blank(plan: Plan, platform: Platform) -> Run {
    Run {
        id: format!("{:08x}", narrows_engine::Rng::new(id_seed()).next_u64() as u32),
        tool: Tool { name: "narrows".into(), version: env!("CARGO_PKG_VERSION").into() },
        command: command_line(),
        started_at: now(),
        completed: false,
        ..Run::blank(plan, platform)
    }
}

/// The time as the run file has it.
pub fn now() -> String {
    jiff::Timestamp::now()
        .round(jiff::Unit::Second)
        .map_or_else(|_| String::new(), |t| t.to_string())
}

fn id_seed() -> u64 {
    let time = jiff::Timestamp::now().as_nanosecond() as u64;
    time ^ (u64::from(std::process::id()) << 32)
}

/// The command line as typed, with the address's password taken out.
fn command_line() -> Vec<String> {
    std::env::args()
        .map(|argument| {
            let (option, value) = match argument.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
                _ => (String::new(), argument.as_str()),
            };
            if !Address::is_one(value) {
                return argument.clone();
            }
            match Address::parse(value) {
                Ok(address) => format!("{option}{address}"),
                Err(_) => format!("{option}…"),
            }
        })
        .collect()
}

/// For tests.
pub mod testing {
    use narrows_model::{Layer, Plan, Platform, Run};

    use super::blank;

    /// A run that is whole and in which nothing was measured.
    pub fn empty_run(layers: &[Layer]) -> Run {
        let plan =
            Plan { layers: layers.to_vec(), sessions: 1, repeats: 1, seed: 1, ..Plan::default() };
        Run { completed: true, ..blank(plan, Platform::default()) }
    }
}
