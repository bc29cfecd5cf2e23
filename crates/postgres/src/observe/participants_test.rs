use super::*;

const S: u64 = 1_000_000_000;

/// Looks for `s` seconds with 20 samples and one census a second. `at_work` says whether a session is found in a statement in a
/// sample, `took_part` whether it has done something by a second.
fn look(
    s: u64,
    pids: &[u32],
    at_work: impl Fn(u32, u64) -> bool,
    took_part: impl Fn(u32, u64) -> bool,
) -> Participants {
    let mut participants = Participants::default();
    for second in 0..s {
        let all: Vec<(u32, bool)> =
            pids.iter().map(|pid| (*pid, took_part(*pid, second))).collect();
        participants.census(second * S, &all);
        for sample in 0..20 {
            let number = second * 20 + sample;
            let found = pids.iter().copied().filter(|pid| at_work(*pid, number)).collect();
            participants.sample(second * S + sample * S / 20 + 1, found);
        }
    }
    let all: Vec<(u32, bool)> = pids.iter().map(|pid| (*pid, took_part(*pid, s))).collect();
    participants.census(s * S, &all);
    participants
}

#[test]
fn who_did_nothing_from_beginning_to_end_is_no_participant() {
    // 1 to 8 work; 9 does one thing at the end; 10 to 12 do nothing.
    let pids: Vec<u32> = (1..=12).collect();
    let seen = look(10, &pids, |pid, _| pid <= 8, |pid, s| pid == 9 && s == 10);
    assert_eq!(seen.unused(0, 10 * S), Some(3.0));
    assert_eq!(seen.unused(0, 3 * S), Some(3.0), "what it did later it will have done then");
}

#[test]
fn who_is_held_in_a_statement_all_the_time_takes_part_and_who_is_idle_in_a_transaction_does_not() {
    // A sample alone tells of the first: in the census it has done nothing since the look began.
    let seen = look(5, &[1, 2], |pid, _| pid == 1, |_, _| false);
    assert_eq!(seen.unused(0, 5 * S), Some(1.0));
}

#[test]
fn who_comes_and_goes_counts_for_as_long_as_it_is_there() {
    let mut participants = Participants::default();
    for second in 0..10_u64 {
        let unused = [(1, false), (2, false)];
        participants.census(second * S, if second < 5 { &unused } else { &unused[..1] });
        // A connection for each transaction: never in a census without having done something.
        participants.sample(second * S + 1, vec![100 + second as u32]);
    }
    assert_eq!(participants.unused(0, 9 * S), Some(1.5));
    assert_eq!(participants.unused(5 * S, 9 * S), Some(1.0));
    assert_eq!(participants.unused(20 * S, 30 * S), Some(1.5), "no census in it: all of them");
    assert!(participants.duties(9e9).is_empty(), "too few samples of each");
    assert_eq!(Participants::default().unused(0, S), None);
}

#[test]
fn sessions_are_told_apart_by_how_much_of_their_time_they_are_at_work() {
    // Eight are at work 19 of 20 times, twenty once in 25, two every other time; five do nothing.
    let pids: Vec<u32> = (1..=35).collect();
    let at_work = |pid: u32, sample: u64| match pid {
        1..=8 => sample % 20 != u64::from(pid),
        9..=28 => sample % 25 == u64::from(pid) % 25,
        29..=30 => sample.is_multiple_of(2),
        _ => false,
    };
    let seen = look(20, &pids, at_work, |_, _| false);
    let groups = seen.duties(20e9);
    let of = |duty: Duty| groups.iter().find(|group| group.duty == duty).unwrap();
    let close = |value: f64, to: f64| (value / to - 1.0).abs() < 0.03;
    assert!(close(of(Duty::Busy).sessions, 8.0) && close(of(Duty::Busy).share(), 0.95));
    assert!(close(of(Duty::Mixed).sessions, 2.0) && close(of(Duty::Mixed).share(), 0.5));
    assert!(close(of(Duty::Seldom).sessions, 20.0) && close(of(Duty::Seldom).share(), 0.04));
    assert_eq!(seen.unused(0, 20 * S), Some(5.0));
}

#[test]
fn a_sample_stands_for_the_time_around_it_here_too() {
    // Ten calm seconds with twenty answers each; then one answer in ten seconds, with the session in a statement.
    let mut participants = Participants::default();
    participants.census(0, &[(1, false)]);
    for sample in 0..200 {
        participants.sample(sample * S / 20, Vec::new());
    }
    participants.sample(15 * S, vec![1]);
    participants.sample(20 * S, vec![1]);
    participants.census(20 * S, &[(1, false)]);
    let [group] = participants.duties(20e9)[..] else { panic!("one session") };
    // From the middle between 9.95 s and 15 s on.
    assert!((group.at_work - (20.0 - 12.475) / 20.0).abs() < 0.01, "{group:?}");
    assert_eq!(group.duty, Duty::Mixed);
}
