use super::*;

const SERVER: Server = Server { postmaster: 1, backend: 9, in_container: false };

fn ledger() -> Ledger {
    Ledger::new(SERVER, "main", false)
}

fn seen(processes: &[(u32, u64, u64)]) -> Vec<ProcessReading> {
    let one = |&(pid, cpu_ns, delay_ns): &(u32, u64, u64)| ProcessReading {
        pid,
        cpu_ns,
        delay_ns,
        switches: (3 * cpu_ns, cpu_ns),
    };
    processes.iter().map(one).collect()
}

fn titled(pid: u32) -> Option<String> {
    let title = match pid {
        1 => "/usr/bin/postgres -D /srv",
        2 => "postgres: main: checkpointer ",
        3 | 4 | 9 => "postgres: main: bob shop [local] idle",
        5 => "postgres: main: parallel worker for PID 3 ",
        _ => return None,
    };
    Some(title.to_string())
}

fn cpu(ledger: &Ledger, class: ProcessClass) -> f64 {
    ledger.used().get(&class).map_or(0.0, |used| used.cpu_ns)
}

#[test]
fn classes_are_told_apart_and_ours_is_none_of_them() {
    let mut ledger = ledger();
    let first = [(1, 1000, 0), (2, 500, 5), (3, 70, 7), (9, 40, 0)];
    ledger.take(&seen(&first), Some(0), titled);
    assert!(ledger.used().values().all(|used| *used == Used::default()), "nothing before the look");
    let then = [(1, 1010, 0), (2, 600, 9), (3, 370, 27), (4, 50, 3), (9, 90, 0)];
    ledger.take(&seen(&then), Some(0), titled);
    assert_eq!(cpu(&ledger, ProcessClass::Checkpointer), 100.0);
    assert_eq!(cpu(&ledger, ProcessClass::Other), 10.0);
    // Of the one that began in between, all of it.
    let sessions = ledger.used()[&ProcessClass::Session];
    assert_eq!((sessions.cpu_ns, sessions.run_queue_ns), (350.0, 23.0));
    assert_eq!((sessions.waits, sessions.preempted), (1050.0, 350.0));
    assert_eq!(sessions.put_off_ns(), 23.0 / 4.0, "one in four of its waits for a processor");
    assert_eq!(ledger.own_ns(), 50);
    assert_eq!(ledger.end_window(), Some((3, ProcessClass::Session, 300)));
    assert_eq!(ledger.since_beginning_ns(3), Some(300));
    assert_eq!(ledger.end_window().map(|(_, _, ns)| ns), Some(0), "a new window begins");
}

#[test]
fn what_ended_counts_to_its_end_and_what_nobody_saw_is_a_sessions() {
    let mut ledger = ledger();
    ledger.take(&seen(&[(1, 0, 0), (5, 300, 0)]), Some(1000), titled);
    ledger.take(&seen(&[(1, 0, 0), (5, 400, 50)]), Some(1000), titled);
    assert_eq!(cpu(&ledger, ProcessClass::ParallelWorker), 100.0);
    // It ran for another 200 before it ended; of what it had before the look nothing counts.
    ledger.take(&seen(&[(1, 0, 0)]), Some(1600), titled);
    let worker = ledger.used()[&ProcessClass::ParallelWorker];
    assert_eq!((worker.cpu_ns, worker.run_queue_ns), (300.0, 150.0));
    assert_eq!(cpu(&ledger, ProcessClass::Session), 0.0);
    ledger.take(&seen(&[(1, 0, 0)]), Some(1900), titled);
    assert_eq!(cpu(&ledger, ProcessClass::Session), 300.0);
}

#[test]
fn reaped_ticks_that_lag_behind_give_nothing_twice() {
    let mut ledger = ledger();
    ledger.take(&seen(&[(1, 0, 0), (5, 0, 0)]), Some(0), titled);
    ledger.take(&seen(&[(1, 0, 0), (5, 950, 0)]), Some(0), titled);
    // The parent's count is of whole ticks: less than was seen.
    ledger.take(&seen(&[(1, 0, 0)]), Some(900), titled);
    assert_eq!(cpu(&ledger, ProcessClass::ParallelWorker), 950.0);
    ledger.take(&seen(&[(1, 0, 0)]), Some(1000), titled);
    assert_eq!(cpu(&ledger, ProcessClass::Session), 50.0);
}

#[test]
fn a_process_without_a_title_yet_gets_its_class_later() {
    let mut ledger = ledger();
    ledger.take(&seen(&[(1, 0, 0)]), Some(0), titled);
    ledger.take(&seen(&[(1, 0, 0), (2, 5, 0)]), Some(0), |_| None);
    ledger.take(&seen(&[(1, 0, 0), (2, 105, 0)]), Some(0), titled);
    assert_eq!(cpu(&ledger, ProcessClass::Checkpointer), 100.0);
    // A number that came round again is another process.
    ledger.take(&seen(&[(1, 0, 0), (2, 30, 0)]), Some(0), titled);
    assert_eq!(cpu(&ledger, ProcessClass::Checkpointer), 130.0);
}

#[test]
fn how_often_a_process_waited_is_read_again_only_where_it_ran() {
    let mut ledger = ledger();
    let read = std::cell::Cell::new(0);
    let mut look = |processes: &[(u32, u64)]| {
        read.set(0);
        let one = |&(pid, cpu_ns): &(u32, u64)| {
            let switches = ledger.switches(pid, cpu_ns, |_| {
                read.set(read.get() + 1);
                Some((cpu_ns / 10, 1))
            });
            ProcessReading { pid, cpu_ns, delay_ns: 0, switches }
        };
        let seen: Vec<ProcessReading> = processes.iter().map(one).collect();
        ledger.take(&seen, Some(0), titled);
        read.get()
    };
    let idle: Vec<(u32, u64)> = (100..5100).map(|pid| (pid, 70)).collect();
    assert_eq!(look(&[&idle[..], &[(3, 1000)]].concat()), 5001);
    assert_eq!(look(&[&idle[..], &[(3, 2000)]].concat()), 1, "of 5001 one ran");
    assert_eq!(look(&[(100, 50)]), 1, "a number that came round again is another process");
    assert_eq!(ledger.used()[&ProcessClass::Session].waits, 105.0, "100 of the one, 5 of the new");
}

#[test]
fn a_process_is_found_by_the_number_that_the_server_has_for_it() {
    let us = std::process::id();
    let find = |in_container: bool| {
        let mut ledger = Ledger::new(Server { in_container, ..SERVER }, "main", false);
        ledger.take(&seen(&[(1, 10, 0), (us, 70, 7)]), Some(0), titled);
        ledger
    };
    // Outside of a container all numbers are the same, and a stranger's is none of the server's.
    assert_eq!([us, us + 1].map(|number| find(false).here(number)), [Some(us), None]);
    // In one it is the last of `NSpid`.
    let numbers = process::numbers(us);
    let inside = numbers.last().copied();
    assert_eq!(inside.and_then(|number| find(true).here(number)), Some(us));
    assert_eq!(find(true).here(u32::MAX), None);
}
