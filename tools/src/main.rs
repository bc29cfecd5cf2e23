//! `cargo xtask attack | causes | kills | lab | log-ends | peers | plants | soak | storage-attack | tier-proofs`: what is done on request, takes long, and is measured beside other programs. Apart
//! from the product's workspace, so that no ordinary build compiles it.

mod attack;
mod causes;
mod experiment_arguments;
mod group;
mod kills;
mod lab;
mod log_ends;
mod logged_disk;
mod pages;
mod peers;
mod plants;
mod program;
mod provenance;
mod server;
mod soak;
mod storage_attack;
mod stored;
mod suite_arguments;
mod tier_proofs;

use std::process::ExitCode;

use xtask::root;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["attack", rest @ ..] => attack::attack(rest),
        ["causes", rest @ ..] => causes::causes(rest),
        ["kills", rest @ ..] => kills::kills(rest),
        ["lab", rest @ ..] => return lab::lab(rest),
        ["log-ends", rest @ ..] => log_ends::log_ends(rest),
        ["pages"] => pages::all().and_then(|pages| xtask::generate::write(&pages)),
        ["peers", rest @ ..] => peers::peers(rest),
        // What `peers tiers` starts.
        [peers::PERSISTENT_TARGET, rest @ ..] => peers::serve_persistent(rest),
        ["plants", rest @ ..] => plants::plants(rest),
        ["soak", rest @ ..] => soak::soak(rest),
        ["storage-attack", rest @ ..] => storage_attack::storage_attack(rest),
        ["tier-proofs", rest @ ..] => tier_proofs::tier_proofs(rest),
        _ => {
            eprintln!(
                "usage: cargo xtask attack | causes | kills | lab | log-ends | pages | peers | plants | soak | storage-attack | tier-proofs"
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
