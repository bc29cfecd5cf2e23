//! `narrows-lab-drive IMAGE MOUNTPOINT`: see the library. Commands on standard input: `lie`, `tell`, `slow US`,
//! `cut SEED`; the power is also cut when the input ends or the process is killed.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(image), Some(place), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        eprintln!("usage: narrows-lab-drive IMAGE MOUNTPOINT");
        return ExitCode::from(2);
    };
    match narrows_lab_drive::serve(&image, &place) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("narrows-lab-drive: {}: {error}", image.display());
            ExitCode::from(2)
        }
    }
}
