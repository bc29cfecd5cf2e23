use narrows_engine::{Context, Silent, Stop};
use narrows_model::metric;
use narrows_postgres::ClientPlan;
use std::time::Duration;
fn main() {
    let stop = Stop::new();
    let dir = std::env::temp_dir().join("load-scale");
    std::fs::create_dir_all(&dir).unwrap();
    for turn in 0..6 {
        for (name, sessions, client, server) in [
            ("1 thread, apart", 8u32, vec![0u32], vec![1u32]),
            ("1 thread, shared", 8, vec![0], vec![0]),
            ("2 threads, shared", 16, vec![0, 1], vec![0, 1]),
        ] {
            let ctx = Context {
                stop: &stop,
                progress: &Silent,
                seed: 7 + turn,
                repeats: 5,
                quick: false,
                window: Duration::from_millis(200),
            };
            let plan = ClientPlan {
                folder: &dir,
                port: 5999,
                sessions,
                client_cpus: &client,
                server_cpus: &server,
            };
            let m = plan.measure(&ctx).unwrap();
            let v = |x| m[0].value(x).unwrap();
            println!(
                "{name}: {:.2} us/op, {:.0} k/s, busy {:.2}, floor {:.2} us",
                v(metric::CLIENT_CPU_PER_OP) / 1e3,
                v(metric::THROUGHPUT) / 1e3,
                v(metric::CLIENT_BUSY),
                v(metric::CLIENT_FLOOR_CPU_PER_OP) / 1e3
            );
        }
    }
}
