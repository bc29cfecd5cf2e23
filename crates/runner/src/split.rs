//! Which processors the server gets and which the load: disjoint whole cores where there are two or more, as many for the load as
//! an operation costs it.
//!
//! With n CPUs of which c are the client's, a full server on the others does (n - c) / Ds operations per second, for which the client needs
//! (n - c) Dc / Ds CPUs. So c is the smallest number of whole cores with c >= 1.5 (n - c) Dc / Ds. (A share of Dc / (Dc + Ds)
//! of all CPUs is where both are full at once; half as much again of that gives the client up to twice its need, because what it gets the
//! server loses.) The ratio is the published one until a probe has measured it ([`crate::database::fit`]).

use narrows_model::Platform;

/// The split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// For the server.
    pub server: Vec<u32>,
    /// For the load.
    pub client: Vec<u32>,
}

/// CPU time of one operation in the client over that in the server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostRatio(pub f64);

impl CostRatio {
    /// Where nobody has measured yet: a cached lookup by index, 8.0 µs in the client and 16.2 µs in PostgreSQL 15, and 6.8 and 17.5 on
    /// another day (docs/benchmarks.md). No usual workload costs the client more of the server's time.
    pub const PUBLISHED: CostRatio = CostRatio(0.5);
    /// Of a load whose client asks once a window, and of none: a core is left for us, and no share of the CPUs.
    pub const NONE: CostRatio = CostRatio(0.0);

    /// CPUs that the client needs, every moment of them, beside so many of a server that is full.
    fn need(self, server: usize) -> f64 {
        self.0 * server as f64
    }
}

/// The client gets so many times what it needs beside a full server: it is then busy for 1 / 1.5 of its time, below the 0.7 from which an
/// answer waits for a client's thread and the rule `client-bound` doubts the figure.
const MARGIN: f64 = 1.5;
/// A split stays where the client has between the first, at which it is 0.7 busy, and the second of what it needs: runs
/// are compared with each other, and a split that follows every probe would differ between them.
const STAYS: std::ops::RangeInclusive<f64> = 1.0 / 0.7..=2.5;

/// Splits the processors this process may use. Whole cores go to the client, from the last one, until it has [`MARGIN`] times what it needs
/// beside the cores that are left, at least one and never all.
pub fn split(platform: &Platform, ratio: CostRatio) -> Split {
    let allowed = &platform.cpu.allowed;
    let mut server = cores(platform);
    if server.len() < 2 {
        let all: Vec<u32> = server.concat();
        return Split { server: all.clone(), client: all };
    }
    let mut client: Vec<u32> = server.pop().unwrap_or_default();
    while server.len() > 1 {
        let left = allowed.len() - client.len();
        if client.len() as f64 >= MARGIN * ratio.need(left) {
            break;
        }
        client.extend(server.pop().unwrap_or_default());
    }
    Split { server: sorted(server.concat()), client: sorted(client) }
}

/// The threads of each core that this process may use.
fn cores(platform: &Platform) -> Vec<Vec<u32>> {
    let allowed = &platform.cpu.allowed;
    let cores: Vec<Vec<u32>> = platform
        .cpu
        .cores_threads
        .iter()
        .map(|threads| threads.iter().copied().filter(|cpu| allowed.contains(cpu)).collect())
        .filter(|threads: &Vec<u32>| !threads.is_empty())
        .collect();
    if cores.is_empty() { allowed.iter().map(|&cpu| vec![cpu]).collect() } else { cores }
}

impl Split {
    /// Whether both have the same CPUs, because there is one core.
    pub fn is_shared(&self) -> bool {
        self.server.iter().any(|cpu| self.client.contains(cpu))
    }

    /// What the client has over what it needs beside a full server.
    pub fn has_over_need(&self, ratio: CostRatio) -> f64 {
        self.client.len() as f64 / ratio.need(self.server.len())
    }

    /// Another split of the same CPUs, where this one leaves the client too little for that ratio or keeps too much for it.
    pub fn fitted(&self, platform: &Platform, ratio: CostRatio) -> Option<Split> {
        if self.is_shared() || STAYS.contains(&self.has_over_need(ratio)) {
            return None;
        }
        Some(split(platform, ratio)).filter(|other| other != self)
    }
}

/// The split beside a server that runs on `server` already: the load on cores that are not the server's where there are any, as many of
/// them as it needs, and the layers below measured where the server runs.
pub fn around(server: &[u32], platform: &Platform, ratio: CostRatio) -> Split {
    let usual = split(platform, ratio);
    let threads = &platform.cpu.cores_threads;
    let beside = |cpu: u32| {
        server.contains(&cpu)
            || threads.iter().any(|core| {
                core.contains(&cpu) && core.iter().any(|sibling| server.contains(sibling))
            })
    };
    let mut client: Vec<u32> = Vec::new();
    for core in
        cores(platform).into_iter().rev().filter(|core| !core.iter().any(|&cpu| beside(cpu)))
    {
        if !client.is_empty() && client.len() as f64 >= MARGIN * ratio.need(server.len()) {
            break;
        }
        client.extend(core);
    }
    let here: Vec<u32> =
        server.iter().copied().filter(|cpu| platform.cpu.allowed.contains(cpu)).collect();
    // Where we may not go there is nothing to keep off.
    if client.is_empty() || here.is_empty() {
        usual
    } else {
        Split { server: here, client: sorted(client) }
    }
}

/// The server's CPUs for the test with fewer of them: a quarter fewer whole cores, at least one. Without the siblings
/// of CPUs that stay a server would lose less than in proportion, and the test speak against a verdict that is right.
pub fn fewer(server: &[u32], platform: &Platform) -> Vec<u32> {
    let core_of = |cpu: u32| platform.cpu.cores_threads.iter().position(|core| core.contains(&cpu));
    let mut cores: Vec<Option<usize>> = server.iter().map(|&cpu| core_of(cpu)).collect();
    cores.sort_unstable();
    cores.dedup();
    if cores.len() < 2 || cores[0].is_none() {
        let left = narrows_verdict::fewer_cpus(server.len()).unwrap_or(server.len());
        return server[..left].to_vec();
    }
    let left = narrows_verdict::fewer_cpus(cores.len()).unwrap_or(cores.len());
    let kept = &cores[..left];
    server.iter().copied().filter(|&cpu| kept.contains(&core_of(cpu))).collect()
}

fn sorted(mut cpus: Vec<u32>) -> Vec<u32> {
    cpus.sort_unstable();
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform(cores: &[&[u32]], allowed: &[u32]) -> Platform {
        let mut platform = Platform::default();
        platform.cpu.cores_threads = cores.iter().map(|threads| threads.to_vec()).collect();
        platform.cpu.allowed = allowed.to_vec();
        platform
    }

    #[test]
    fn the_test_with_fewer_cpus_takes_whole_cores() {
        let eight = platform(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(fewer(&[0, 1, 2, 4, 5, 6], &eight), [0, 1, 4, 5]);
        assert_eq!(fewer(&[0, 1, 2, 3, 4, 5, 6, 7], &eight), [0, 1, 2, 4, 5, 6]);
        assert_eq!(fewer(&[0, 4], &eight), [0], "one core: a sibling is all there is");
        let single = platform(&[&[0], &[1], &[2]], &[0, 1, 2]);
        assert_eq!(fewer(&[0, 1, 2], &single), [0, 1]);
        assert_eq!(fewer(&[0], &single), [0]);
        assert_eq!(fewer(&[0, 1, 2, 3], &platform(&[], &[])), [0, 1, 2], "topology not known");
    }

    /// That many cores of that many threads, numbered as Linux numbers them: first threads, then siblings.
    fn wide(cores: u32, threads: u32) -> Platform {
        let mut wide = Platform::default();
        wide.cpu.cores_threads = (0..cores)
            .map(|core| (0..threads).map(|thread| core + thread * cores).collect())
            .collect();
        wide.cpu.allowed = (0..cores * threads).collect();
        wide
    }

    #[test]
    fn the_client_has_what_it_needs_and_no_more_than_that() {
        let ratios = [0.05, 0.1, 0.2, 0.3, 0.39, 0.494, 0.5, 0.7, 1.0, 1.5];
        for cores in [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128] {
            for threads in [1, 2] {
                for ratio in ratios.map(CostRatio) {
                    let split = split(&wide(cores, threads), ratio);
                    let (server, client) = (split.server.len(), split.client.len());
                    let what = format!("{cores} cores of {threads}, {ratio:?}: {split:?}");
                    assert_eq!(server + client, (cores * threads) as usize, "{what}");
                    assert!(!split.is_shared(), "{what}");
                    let last_core = server == threads as usize;
                    assert!(split.has_over_need(ratio) >= 1.3 || last_core, "{what}");
                    let idle = client as f64 - ratio.need(server);
                    let core = threads as usize;
                    let fewer = (client - core) as f64;
                    let whole = fewer < MARGIN * ratio.need(server + core);
                    let most = (server + client) as f64 / 2.0;
                    assert!(idle <= most || whole, "idle {idle}: {what}");
                    // And with a core less it would have too little.
                    assert!(client == core || whole, "{what}");
                }
            }
        }
    }

    #[test]
    fn whatever_a_probe_finds_the_client_is_not_full_and_half_the_machine_not_idle() {
        for (cores, threads) in [4, 8, 16, 64, 128].into_iter().flat_map(|n| [(n, 1), (n, 2)]) {
            let machine = wide(cores, threads);
            let planned = split(&machine, CostRatio::PUBLISHED);
            for percent in 5..=200 {
                let ratio = CostRatio(f64::from(percent) / 100.0);
                let split = planned.fitted(&machine, ratio).unwrap_or_else(|| planned.clone());
                let what = format!("{cores} cores of {threads}, {ratio:?}: {split:?}");
                let last_core = split.server.len() == threads as usize;
                assert!(split.has_over_need(ratio) >= 1.3 || last_core, "{what}");
                let idle = split.client.len() as f64 - ratio.need(split.server.len());
                let all = f64::from(cores * threads);
                // Of four cores a client that needs more than two of them has three.
                assert!(idle <= all / 2.0 || cores == 4 && ratio.0 > 0.7, "{idle} idle: {what}");
            }
        }
    }

    #[test]
    fn the_published_cost_shares_the_usual_machines_so() {
        let client =
            |cores, threads| split(&wide(cores, threads), CostRatio::PUBLISHED).client.len();
        let counted = [1, 2, 3, 4, 8, 16, 64, 128].map(|cores| (cores, client(cores, 1)));
        assert_eq!(counted, [(1, 1), (2, 1), (3, 2), (4, 2), (8, 4), (16, 7), (64, 28), (128, 55)]);
        assert_eq!([4, 16, 64].map(|cores| client(cores, 2)), [4, 14, 56], "with siblings");
        let scans = [2, 4, 64].map(|n| split(&wide(n, 2), CostRatio::NONE).client.len());
        assert_eq!(scans, [2, 2, 2], "a core for who asks once a window");
    }

    #[test]
    fn a_split_follows_a_measured_cost_and_not_its_noise() {
        let machine = wide(16, 1);
        let planned = split(&machine, CostRatio::PUBLISHED);
        assert_eq!((planned.server.len(), planned.client.len()), (9, 7));
        let fitted = |ratio| planned.fitted(&machine, CostRatio(ratio));
        for near in [0.32, 0.39, 0.494, 0.54] {
            assert_eq!(fitted(near), None, "{near}");
        }
        let dear = fitted(0.9).unwrap();
        assert_eq!((dear.server.len(), dear.client.len()), (6, 10));
        let cheap = fitted(0.1).unwrap();
        assert_eq!((cheap.server.len(), cheap.client.len()), (13, 3));
        // Two cores have one each whatever it costs, and one core is shared.
        for cores in [1, 2] {
            let small = wide(cores, 1);
            let split = split(&small, CostRatio::PUBLISHED);
            assert_eq!(split.fitted(&small, CostRatio(3.0)), None, "{cores}");
        }
    }

    #[test]
    fn siblings_stay_together() {
        let split = split(
            &platform(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], &[0, 1, 2, 3, 4, 5, 6, 7]),
            CostRatio(0.2),
        );
        assert_eq!(split, Split { server: vec![0, 1, 2, 4, 5, 6], client: vec![3, 7] });
    }

    #[test]
    fn a_load_keeps_off_the_cores_of_a_server_that_is_bound() {
        let four = platform(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], &[0, 1, 2, 3, 4, 5, 6, 7]);
        let of = |server: &[u32]| around(server, &four, CostRatio::PUBLISHED);
        let usual = split(&four, CostRatio::PUBLISHED);
        assert_eq!(of(&[0, 4]), Split { server: vec![0, 4], client: vec![3, 7] });
        assert_eq!(
            of(&[3]),
            Split { server: vec![3], client: vec![2, 6] },
            "not on 7, a sibling of the server's"
        );
        assert_eq!(
            of(&[0, 1, 4, 5]),
            Split { server: vec![0, 1, 4, 5], client: vec![2, 3, 6, 7] },
            "a core is less than it needs beside four CPUs"
        );
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6, 7]), usual, "nothing is left: shared, as it was");
        assert_eq!(of(&[0, 1, 2, 3]), usual, "a sibling of each");
        let elsewhere = platform(&[&[0], &[1], &[2], &[3]], &[2, 3]);
        let published = CostRatio::PUBLISHED;
        assert_eq!(
            around(&[0, 1], &elsewhere, published),
            Split { server: vec![2], client: vec![3] },
            "we may not go where it is"
        );
    }

    #[test]
    fn two_cores_make_one_each_and_one_core_is_shared() {
        let split = |platform: &Platform| split(platform, CostRatio::PUBLISHED);
        assert_eq!(
            split(&platform(&[&[0], &[1]], &[0, 1])),
            Split { server: vec![0], client: vec![1] }
        );
        let shared = split(&platform(&[&[0], &[1]], &[1]));
        assert_eq!(shared, Split { server: vec![1], client: vec![1] });
        assert!(shared.is_shared());
    }

    #[test]
    fn an_unknown_topology_is_taken_thread_by_thread() {
        let split = split(&platform(&[], &[2, 3, 4, 5]), CostRatio::PUBLISHED);
        assert_eq!(split, Split { server: vec![2, 3], client: vec![4, 5] });
    }
}
