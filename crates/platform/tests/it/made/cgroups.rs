//! Limits of control groups in all three arrangements: the tightest on the way to the root is what counts.

use crate::made::machine::Machine;
use narrows_model::{Cgroup, CgroupVersion};

fn cgroup(machine: &Machine) -> Cgroup {
    narrows_platform::discover(&machine.tree(), &[]).cgroup
}

fn limits(cgroup: &Cgroup) -> Vec<(&str, &str, u64)> {
    cgroup.io_limits.iter().map(|l| (l.device.as_str(), l.kind.as_str(), l.value)).collect()
}

#[test]
fn version_2() {
    let machine = Machine::new();
    machine
        .file("/proc/self/cgroup", "0::/a.slice/b.service\n")
        .file("/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
        .files(
            "/sys/fs/cgroup/a.slice/b.service",
            &[
                ("cpu.max", "max 100000\n"),
                ("cpu.weight", "100\n"),
                ("memory.max", "8589934592\n"),
                ("memory.high", "max\n"),
                ("memory.current", "111\n"),
                ("io.max", "8:0 rbps=2097152 wbps=max riops=max wiops=120\n"),
            ],
        )
        .files(
            "/sys/fs/cgroup/a.slice",
            &[
                ("cpu.max", "150000 100000\n"),
                ("cpu.weight", "20\n"),
                ("memory.max", "max\n"),
                ("memory.high", "4294967296\n"),
                ("memory.current", "222\n"),
                ("io.max", "8:0 rbps=1048576 wbps=max riops=max wiops=max\n259:0 wbps=7\n"),
            ],
        )
        // The root has none of the files.
        .folder("/sys/fs/cgroup");
    let found = cgroup(&machine);
    assert_eq!(found.version, CgroupVersion::V2);
    assert_eq!(found.cpu_quota_cpus, Some(1.5));
    assert_eq!(found.cpu_weight, Some(20));
    // The upper group's soft limit is tighter than the own hard one; its use is what nears it.
    assert_eq!(found.memory_limit_bytes, Some(4 << 30));
    assert_eq!(found.memory_used_bytes, Some(222));
    assert_eq!(
        limits(&found),
        [("259:0", "wbps", 7), ("8:0", "rbps", 1_048_576), ("8:0", "wiops", 120)]
    );
}

#[test]
fn a_quota_is_of_both_only_in_a_group_of_both() {
    let server_in = |folder: &str, quota_in: &str| {
        let machine = Machine::new();
        machine
            .file("/proc/self/cgroup", "0::/a.slice/us\n")
            .file("/proc/77/cgroup", folder)
            .file("/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        for group in ["a.slice", "a.slice/us", "a.slice/them", "b.slice"] {
            let most = if group == quota_in { "150000 100000\n" } else { "max 100000\n" };
            machine.files(&format!("/sys/fs/cgroup/{group}"), &[("cpu.max", most)]);
        }
        narrows_platform::quota_is_ours_too(&machine.tree(), "77")
    };
    assert!(server_in("0::/a.slice/them\n", "a.slice"));
    assert!(!server_in("0::/a.slice/them\n", "a.slice/them"));
    assert!(!server_in("0::/a.slice/them\n", "b.slice"));
    assert!(!server_in("0::/b.slice\n", "a.slice"));
    assert!(!server_in("", "a.slice"));
}

#[test]
fn limits_of_another_container_are_hidden_and_not_ours() {
    let machine = Machine::new();
    machine
        .file("/proc/self/cgroup", "0::/\n")
        .file("/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n")
        .file("/proc/77/cgroup", "0::/../cri-containerd-b.scope\n")
        .files("/sys/fs/cgroup", &[("cpu.max", "50000 100000\n"), ("memory.max", "1048576\n")]);
    let ours = cgroup(&machine);
    assert_eq!((ours.cpu_quota_cpus, ours.hidden.len()), (Some(0.5), 0));
    let theirs = narrows_platform::cgroup_of(&machine.tree(), "77");
    assert_eq!((theirs.cpu_quota_cpus, theirs.memory_limit_bytes), (None, None));
    assert_eq!(theirs.hidden, ["cpu", "memory", "io"]);
    assert!(!narrows_platform::quota_is_ours_too(&machine.tree(), "77"));
    // Where its own mounts may be looked at, they say it.
    machine
        .file(
            "/proc/77/mountinfo",
            "40 1 0:26 /../cri-containerd-b.scope /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        )
        .files("/proc/77/root/sys/fs/cgroup", &[("cpu.max", "200000 100000\n")]);
    let theirs = narrows_platform::cgroup_of(&machine.tree(), "77");
    assert_eq!((theirs.cpu_quota_cpus, theirs.hidden.len()), (Some(2.0), 0));
}

#[test]
fn version_1() {
    let machine = Machine::new();
    machine
        .file(
            "/proc/self/cgroup",
            "5:cpu,cpuacct:/x/y\n4:memory:/m\n3:blkio:/\n1:name=systemd:/s\n",
        )
        .file(
            "/proc/self/mountinfo",
            "31 1 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
             32 1 0:31 / /cg/memory rw - cgroup cgroup rw,memory\n\
             33 1 0:32 / /cg/blkio rw - cgroup cgroup rw,blkio\n",
        )
        .files("/cg/cpu/x/y", &[("cpu.cfs_quota_us", "80000\n"), ("cpu.cfs_period_us", "100000\n")])
        .files("/cg/cpu/x", &[("cpu.cfs_quota_us", "25000\n"), ("cpu.cfs_period_us", "50000\n")])
        .files("/cg/cpu", &[("cpu.cfs_quota_us", "-1\n"), ("cpu.cfs_period_us", "100000\n")])
        .file("/cg/cpu/x/y/cpu.shares", "512\n")
        .file("/cg/memory/m/memory.limit_in_bytes", "9223372036854771712\n")
        .file("/cg/memory/m/memory.usage_in_bytes", "333\n")
        .file("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n")
        .file("/cg/blkio/blkio.throttle.read_bps_device", "8:16 1000\n8:32 0\n")
        .file("/cg/blkio/blkio.throttle.write_iops_device", "8:16 50\n");
    let found = cgroup(&machine);
    assert_eq!(found.version, CgroupVersion::V1);
    assert_eq!(found.cpu_quota_cpus, Some(0.5));
    assert_eq!(found.cpu_weight, Some(50));
    assert_eq!((found.memory_limit_bytes, found.memory_used_bytes), (None, Some(333)));
    assert_eq!(limits(&found), [("8:16", "rbps", 1000), ("8:16", "wiops", 50)]);
}

/// Other numbers than a kernel writes must not end the program.
#[test]
fn figures_that_no_kernel_has_are_no_limits() {
    let machine = Machine::new();
    machine
        .file("/proc/self/cgroup", "5:cpu:/x\n")
        .file("/proc/self/mountinfo", "31 1 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu\n")
        .file("/cg/cpu/x/cpu.shares", format!("{}\n", u64::MAX));
    for (quota, period) in
        [("inf", "100000"), ("nan", "1"), ("-5", "-5e300"), ("1e308", "1e-308"), ("5", "0")]
    {
        machine
            .file("/cg/cpu/x/cpu.cfs_quota_us", quota)
            .file("/cg/cpu/x/cpu.cfs_period_us", period);
        let found = cgroup(&machine);
        assert_eq!(found.cpu_quota_cpus, None, "{quota} of {period}");
        assert_eq!(found.cpu_weight, Some(u64::MAX / 1024));
    }
}

#[test]
fn hybrid_takes_each_controller_where_it_is() {
    let machine = Machine::new();
    machine
        .file("/proc/self/cgroup", "2:cpu:/q\n1:name=systemd:/s\n0::/u\n")
        .file(
            "/proc/self/mountinfo",
            "31 1 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu\n\
             32 1 0:31 / /cg/systemd rw - cgroup cgroup rw,name=systemd\n\
             33 1 0:32 / /cg/unified rw - cgroup2 cgroup2 rw\n",
        )
        .files("/cg/cpu/q", &[("cpu.cfs_quota_us", "300000\n"), ("cpu.cfs_period_us", "100000\n")])
        .file("/cg/unified/u/cpu.max", "1000 100000\n")
        .file("/cg/unified/u/memory.max", "1048576\n");
    let found = cgroup(&machine);
    assert_eq!(found.version, CgroupVersion::Hybrid);
    assert_eq!(found.cpu_quota_cpus, Some(3.0));
    assert_eq!(found.memory_limit_bytes, Some(1 << 20));
}

#[test]
fn a_lone_systemd_hierarchy_is_version_2_and_nothing_is_none() {
    let machine = Machine::new();
    assert_eq!(cgroup(&machine), Cgroup::default());
    machine.file("/proc/self/cgroup", "1:name=systemd:/\n0::/\n").file(
        "/proc/self/mountinfo",
        "32 1 0:31 / /cg/systemd rw - cgroup cgroup rw,name=systemd\n\
         33 1 0:32 / /cg rw - cgroup2 cgroup2 rw\n",
    );
    assert_eq!(cgroup(&machine).version, CgroupVersion::V2);
}
