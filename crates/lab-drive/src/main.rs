//! `narrows-lab-drive IMAGE MOUNTPOINT`, or `narrows-lab-drive nvme-tcp://… MOUNTPOINT [QUEUES]`: see the library. Commands on standard input: `lie`, `tell`, `slow US`, `slow-reads US`,
//! `cut SEED`; the power is also cut when the input ends or the process is killed.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (image, place, queues) = (arguments.next(), arguments.next(), arguments.next());
    let queues = queues.map_or(Some(1), |text| text.to_str()?.parse::<u16>().ok());
    let (Some(image), Some(place), Some(queues), None) = (image, place, queues, arguments.next())
    else {
        eprintln!("usage: narrows-lab-drive IMAGE | nvme-tcp://… MOUNTPOINT [QUEUES]");
        return ExitCode::from(2);
    };
    let address = image.to_str().filter(|text| text.starts_with("nvme-tcp://"));
    let served = match address {
        Some(address) => narrows_lab_drive::serve_namespace(address, &place, queues),
        None => narrows_lab_drive::serve(&image, &place),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("narrows-lab-drive: {}: {error}", image.display());
            ExitCode::from(2)
        }
    }
}
