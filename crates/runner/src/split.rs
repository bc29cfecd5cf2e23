//! Which processors the server gets and which the load: disjoint whole cores where there are two or more.

use narrows_model::Platform;

/// The split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// For the server.
    pub server: Vec<u32>,
    /// For the load.
    pub client: Vec<u32>,
}

/// One core in four for the client, at least one; with a single core both share it. A point lookup costs the client
/// about half of what it costs the server, so a quarter would be too little if the client were ours alone to feed;
/// the client's own load is in every result and a client-bound one is marked.
const CLIENT_SHARE: f64 = 0.25;

/// Splits the processors this process may use.
pub fn split(platform: &Platform) -> Split {
    let allowed = &platform.cpu.allowed;
    let mut cores: Vec<Vec<u32>> = platform
        .cpu
        .cores_threads
        .iter()
        .map(|threads| threads.iter().copied().filter(|cpu| allowed.contains(cpu)).collect())
        .filter(|threads: &Vec<u32>| !threads.is_empty())
        .collect();
    if cores.is_empty() {
        cores = allowed.iter().map(|&cpu| vec![cpu]).collect();
    }
    if cores.len() < 2 {
        let all: Vec<u32> = cores.concat();
        return Split { server: all.clone(), client: all };
    }
    let client = ((cores.len() as f64 * CLIENT_SHARE).round() as usize).max(1);
    let mut server = cores;
    let client = server.split_off(server.len() - client);
    Split { server: sorted(server.concat()), client: sorted(client.concat()) }
}

/// The split beside a server that runs on `server` already: the load on cores that are not the server's where there are any,
/// and the layers below measured where the server runs.
pub fn around(server: &[u32], platform: &Platform) -> Split {
    let usual = split(platform);
    let threads = &platform.cpu.cores_threads;
    let beside = |cpu: u32| {
        server.contains(&cpu)
            || threads.iter().any(|core| {
                core.contains(&cpu) && core.iter().any(|sibling| server.contains(sibling))
            })
    };
    let free =
        |cpus: &[u32]| -> Vec<u32> { cpus.iter().copied().filter(|&cpu| !beside(cpu)).collect() };
    let mut left = [free(&usual.client), free(&platform.cpu.allowed)].into_iter();
    let Some(client) = left.find(|cpus| !cpus.is_empty()) else { return usual };
    let here: Vec<u32> =
        server.iter().copied().filter(|cpu| platform.cpu.allowed.contains(cpu)).collect();
    Split { server: if here.is_empty() { usual.server } else { here }, client }
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

    #[test]
    fn siblings_stay_together() {
        let split =
            split(&platform(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], &[0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(split, Split { server: vec![0, 1, 2, 4, 5, 6], client: vec![3, 7] });
    }

    #[test]
    fn a_load_keeps_off_the_cores_of_a_server_that_is_bound() {
        let four = platform(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], &[0, 1, 2, 3, 4, 5, 6, 7]);
        let of = |server: &[u32]| around(server, &four);
        let usual = split(&four);
        assert_eq!(of(&[0, 4]), Split { server: vec![0, 4], client: vec![3, 7] });
        assert_eq!(
            of(&[3]),
            Split { server: vec![3], client: vec![0, 1, 2, 4, 5, 6] },
            "not on 7, a sibling of the server's"
        );
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6, 7]), usual, "nothing is left: shared, as it was");
        assert_eq!(of(&[0, 1, 2, 3]), usual, "a sibling of each");
        let elsewhere = platform(&[&[0], &[1], &[2], &[3]], &[2, 3]);
        assert_eq!(around(&[0, 1], &elsewhere), split(&elsewhere), "we may not go where it is");
    }

    #[test]
    fn two_cores_make_one_each_and_one_core_is_shared() {
        assert_eq!(
            split(&platform(&[&[0], &[1]], &[0, 1])),
            Split { server: vec![0], client: vec![1] }
        );
        assert_eq!(
            split(&platform(&[&[0], &[1]], &[1])),
            Split { server: vec![1], client: vec![1] }
        );
    }

    #[test]
    fn an_unknown_topology_is_taken_thread_by_thread() {
        let split = split(&platform(&[], &[2, 3, 4, 5]));
        assert_eq!(split, Split { server: vec![2, 3, 4], client: vec![5] });
    }
}
