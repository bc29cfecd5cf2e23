//! Forecasts of tiers, from given figures and from stored runs, screens and their exit codes.

use std::fmt::Write as _;
use std::io::Read as _;
use std::process::Command;

use flate2::read::GzDecoder;

use super::{Differences, folder};
use crate::common::program;

/// `RUN(name)` stands for a stored run, `CURVE` for a miss curve, `POOL` for what a buffer pool holds.
const FORECASTS: [&str; 11] = [
    "log --rate 26566/s --sessions 10.53 --commit-wait 310us --flush 129us --medium-flush 14us",
    "log --rate 26566/s --sessions 64 --commit-wait 310us --flush 129us --cpu-per-transaction 400us --cpus 32 --medium-flush 10..20us --added 21us \
     --wal-per-transaction 2kB --growth 1.2..1.5 --backing 50MB/s --log-size 960MB",
    "log --rate 26566/s --commit-wait 310us --flush 129us --medium-flush 14us",
    "log --run RUN(run) --medium-flush 14us --added 21us",
    "log --run RUN(orders) --medium-flush 14us",
    "log --run RUN(live) --medium-flush 14us",
    "log --run RUN(update) --medium RUN(orders)",
    "reads --rate 125688/s --sessions 32 --read 233us --cpu-per-read 14us --cpus 16 --tier-read 16us --curve CURVE --tier-size 100GiB --block 8KiB",
    "reads --rate 125688/s --sessions 32 --read 233us --tier-read 16us --blocks-hit 900k --blocks-read 100k",
    "reads --run RUN(lookup) --tier-read 16us --hits 70..90%",
    "reads --rate 12k/s --sessions 8 --read 600us --cpu-per-read 14us --cpus 16 --tier-read 90us --buffercache POOL --tier-size 2GiB --block 8KiB",
];
const POOL: &str =
    "relation,size_blocks,buffers,usage0,usage1,usage2,usage3,usage4,usage5,reads,block_bytes
public.orders,1310720,60000,20000,9000,5000,4000,2000,20000,9000000,8192
public.orders_pkey,196608,40000,1000,2000,3000,4000,5000,25000,8000000,8192
public.customer,65536,10000,1000,1000,1000,1000,1000,5000,900000,8192
public.country,32,32,0,0,0,0,0,32,32,8192
(elsewhere),,21040,20040,0,0,0,0,1000,4000,8192
";
const CURVE: &str = "size,miss\n16GiB,80%\n64GiB,30%\n128GiB,12%\n";

#[test]
fn forecasts_are_as_recorded() {
    let unpacked = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let file = unpacked.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let (curve, pool) = (put("misses.csv", CURVE), put("pool.csv", POOL));
    let mut text = String::new();
    for forecast in FORECASTS {
        let words = forecast.split_whitespace().map(|word| {
            if word == "CURVE" || word == "POOL" {
                return if word == "POOL" { pool.clone() } else { curve.clone() };
            }
            let Some(name) = word.strip_prefix("RUN(").and_then(|name| name.strip_suffix(')'))
            else {
                return word.to_string();
            };
            let packed = folder().join(format!("runs/{name}.narrows.json.gz"));
            let mut json = String::new();
            GzDecoder::new(std::fs::File::open(packed).unwrap()).read_to_string(&mut json).unwrap();
            put(&format!("{name}.narrows.json"), &json)
        });
        let output = Command::new(program())
            .args(["tier", "forecast"])
            .args(words)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let shown = forecast.split_whitespace().collect::<Vec<_>>().join(" ");
        let code = output.status.code().unwrap();
        let _ = writeln!(text, "$ narrows tier forecast {shown}\nexit {code}");
        for said in [&output.stdout, &output.stderr] {
            let said = String::from_utf8_lossy(said).replace(&curve, "misses.csv");
            text += &said.replace(&pool, "pool.csv");
        }
    }
    let mut differences = Differences::default();
    differences.compare("tiers.txt", &text);
    differences.assert_none();
}
