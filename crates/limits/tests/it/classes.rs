//! The table's classes against the figures of the literature, and what they must all have.

use narrows_limits::table::{
    Class, Detail, DirectionRates, Family, Figure, Grade, Measured, Table,
};
use narrows_limits::{Direction, GENERATIONS};

/// Equal to as many figures as the source prints.
fn close(what: &str, ours: f64, printed: f64, half_unit: f64) {
    assert!((ours - printed).abs() <= half_unit * 1.001, "{what}: {ours} against {printed}");
}

fn class(id: &str) -> &'static Class {
    let table = Table::builtin();
    table.class(id).unwrap_or_else(|| panic!("{id}; nearest {:?}", table.nearest(id)))
}

fn gigabytes(figure: &Option<Figure>) -> f64 {
    figure.as_ref().expect("known").middle() / 1e9
}

#[test]
fn memory_channels_carry_transfers_times_eight_bytes() {
    // JEDEC: class, GB/s of a channel, channels of a typical socket, GB/s of that socket.
    for (id, channel, channels, socket) in [
        ("ddr-400", 3.2, 1, 3.2),
        ("ddr2-800", 6.4, 1, 6.4),
        ("ddr3-1600", 12.8, 4, 51.2),
        ("ddr4-2666", 21.3, 6, 128.0),
        ("ddr4-2933", 23.5, 6, 140.8),
        ("ddr4-3200", 25.6, 8, 204.8),
        ("ddr5-4400", 35.2, 8, 281.6),
        ("ddr5-4800", 38.4, 12, 460.8),
        ("ddr5-5600", 44.8, 8, 358.4),
        ("ddr5-6000", 48.0, 12, 576.0),
        ("ddr5-6400", 51.2, 12, 614.4),
        ("mrdimm-8800", 70.4, 12, 844.8),
    ] {
        close(id, gigabytes(&class(id).read.raw), channel, 0.05);
        let memory = Table::builtin().memory(id, &vec![1; channels]).expect("populated");
        close(id, gigabytes(&memory.read.raw), socket, 0.05);
    }
}

#[test]
fn slots_carry_what_encoding_and_packets_leave() {
    // Generation; GB/s of x4, x8, x16 after the encoding; of x4 as memory writes of 256 B; 4 KiB reads per second.
    for (number, encoded, payload, reads) in [
        (1, [1.00, 2.00, 4.00], 0.91, 219e3),
        (2, [2.00, 4.00, 8.00], 1.83, 437e3),
        (3, [3.94, 7.88, 15.75], 3.60, 861e3),
        (4, [7.88, 15.75, 31.51], 7.20, 1.72e6),
        (5, [15.75, 31.51, 63.02], 14.40, 3.45e6),
        (6, [29.5, 59.0, 118.0], 27.8, 6.67e6),
    ] {
        let half_unit = if number == 6 { 0.05 } else { 0.005 };
        for (lanes, printed) in [4, 8, 16].into_iter().zip(encoded) {
            let id = format!("pcie-gen{number}-x{lanes}");
            close(&id, gigabytes(&class(&id).read.encoded), printed, half_unit);
        }
        let id = format!("nvme-gen{number}-x4");
        let nvme = class(&id);
        close(&id, gigabytes(&nvme.read.protocol), payload, half_unit);
        let ours = nvme.operations_per_s(Direction::Read, 4096).expect("commands are known");
        close(&id, ours, reads, if reads < 1e6 { 500.0 } else { 5000.0 });
        assert_eq!(nvme.operations.read.as_ref().map(|f| f.high), Some(ours));
        let Detail::Link(link) = &nvme.detail else { panic!("{id} is a link") };
        let generation = &GENERATIONS[number - 1];
        assert_eq!(link.signal_bits_per_s, generation.gts * 1e9);
        assert_eq!(link.encoding.share(), Some(generation.encoding.0 / generation.encoding.1));
    }
    // 64 of 68 bytes of Gen5: 94.1 %; x8 has 31.5 GB/s before that.
    let cxl = &class("cxl-2-x8").read;
    close("cxl", gigabytes(&cxl.encoded), 31.5, 0.05);
    close("cxl", gigabytes(&cxl.protocol) / gigabytes(&cxl.encoded), 0.941, 0.0005);
}

#[test]
fn networks_have_their_nominal_rate_and_lose_headers() {
    let share = |id: &str| {
        let way = &class(id).read;
        gigabytes(&way.protocol) / gigabytes(&way.encoded) * 100.0
    };
    for (id, encoded) in [
        ("eth-1", 0.125),
        ("eth-10", 1.25),
        ("eth-25", 3.125),
        ("eth-40", 5.0),
        ("eth-50", 6.25),
        ("eth-100", 12.5),
        ("eth-200", 25.0),
        ("eth-400", 50.0),
        ("eth-800", 100.0),
        ("roce-100", 12.5),
        ("sdr-10", 8.0 / 8.0),
        ("ddr-20", 16.0 / 8.0),
        ("qdr-40", 32.0 / 8.0),
        ("edr-100", 100.0 / 8.0),
        ("hdr-200", 200.0 / 8.0),
        ("ndr-400", 400.0 / 8.0),
    ] {
        close(id, gigabytes(&class(id).read.encoded), encoded, 1e-9);
    }
    close("fdr-56", gigabytes(&class("fdr-56").read.encoded) * 8.0, 54.54, 0.006);
    for (id, percent, half_unit) in [
        ("eth-25", 94.15, 0.005),
        ("eth-25-9000", 99.0, 0.05),
        ("roce-100", 98.0, 0.05),
        ("roce-100-1024", 92.6, 0.05),
        ("hdr-200-2048", 98.75, 0.005),
        ("hdr-200", 99.4, 0.05),
    ] {
        close(id, share(id), percent, half_unit);
    }
    // 4,144 bytes of TCP payload per NVMe/TCP read: about 0.7 and 2.8 to 2.9M/s.
    let reads = |id: &str| class(id).operations_per_s(Direction::Read, 4096).unwrap() / 1e6;
    close("eth-25", reads("eth-25"), 0.7, 0.05);
    close("eth-100", reads("eth-100"), 2.84, 0.005);
    close("eth-100-9000", reads("eth-100-9000"), 2.99, 0.005);
}

#[test]
fn a_read_over_rdma_is_counted_in_packets() {
    // InfiniBand, MTU 4096: 4096 + 26 + 16 of address, and a message of 16 + 26.
    let wire = 4096.0 + 26.0 + 16.0 + 16.0 + 26.0;
    let ours = class("hdr-200").operations_per_s(Direction::Read, 4096).unwrap();
    close("read", ours, 25e9 / wire, 1.0);
    // MTU 2048: a header more. A write: a message of 64, two packets, 4 of state.
    let ours = class("hdr-200-2048").operations_per_s(Direction::Write, 4096).unwrap();
    close("write", ours, 25e9 / (64.0 + 26.0 + 4096.0 + 2.0 * 26.0 + 4.0), 1.0);
}

#[test]
fn storage_links_carry_what_their_tables_print() {
    // MB/s after the encoding, and after framing.
    for (id, encoded, framed) in [
        ("fc-8", 850.0, Some(827.0)),
        ("fc-16", 1700.0, Some(1653.0)),
        ("fc-32", 3400.0, Some(3306.0)),
        ("fc-64", 6800.0, Some(6612.0)),
        ("sata-1.5", 150.0, None),
        ("sata-3", 300.0, None),
        ("sata-6", 600.0, None),
        ("sas-6", 600.0, None),
        ("sas-12", 1200.0, None),
        ("sas-24", 2400.0, None),
    ] {
        let way = &class(id).read;
        close(id, gigabytes(&way.encoded) * 1e3, encoded, 0.05);
        if let Some(framed) = framed {
            close(id, gigabytes(&way.protocol) * 1e3, framed, 0.6);
        }
    }
    for (id, nominal) in [("fc-8", 0.8), ("fc-16", 1.6), ("fc-32", 3.2), ("fc-64", 6.4)] {
        close(id, gigabytes(&class(id).write.expected), nominal, 1e-9);
    }
}

#[test]
fn links_between_sockets_carry_what_is_printed_for_one_direction() {
    for (id, raw) in [
        ("qpi-6.4", 12.8),
        ("qpi-8.0", 16.0),
        ("qpi-9.6", 19.2),
        ("upi-10.4", 20.8),
        ("upi-11.2", 22.4),
        ("upi-16", 48.0),
        ("upi-20", 60.0),
        ("upi-24", 72.0),
        ("xgmi-32", 64.0),
        // Printed as 42.7 and 72 for both directions together.
        ("xgmi-10.7", 42.7 / 2.0),
        ("xgmi-18", 72.0 / 2.0),
        ("numalink-4", 3.2),
        ("numalink-5", 7.5),
        ("numalink-6", 6.7),
        ("numalink-7", 14.9),
        ("numalink-8", 13.3),
    ] {
        close(id, gigabytes(&class(id).read.raw), raw, 0.05);
    }
    assert!(class("upi-16").read.protocol.is_none(), "its coding isn't published");
    // Two QPI links gave 30.6 GB/s, three UPI links 51.3 and 55.7, six UPI 2.0 links 247.
    for (id, links, measured) in [
        ("qpi-9.6", 2.0, 30.6),
        ("upi-10.4", 3.0, 51.3),
        ("upi-11.2", 3.0, 55.7),
        ("upi-24", 6.0, 247.0),
    ] {
        let expected = gigabytes(&class(id).read.expected) * links;
        assert!((expected / measured - 1.0).abs() < 0.01, "{id}: {expected} against {measured}");
    }
}

#[test]
fn processors_have_the_channels_and_lanes_of_their_generation() {
    // Class, GB/s of a socket's memory, lanes of one socket, of two.
    for (id, memory, one, two) in [
        ("xeon-e7-v2", 85.3, 32, 64),
        ("xeon-skylake", 128.0, 48, 96),
        ("xeon-cascade-lake", 140.8, 48, 96),
        ("xeon-ice-lake", 204.8, 64, 128),
        ("xeon-sapphire-rapids", 307.2, 80, 160),
        ("xeon-emerald-rapids", 358.4, 80, 160),
        ("xeon-6900p", 614.4, 96, 192),
        ("epyc-7002", 204.8, 128, 160),
        ("epyc-9004", 460.8, 128, 160),
        ("epyc-9005", 576.0, 128, 160),
    ] {
        let cpu = class(id).cpu().expect("a processor");
        let channel = gigabytes(&class(&cpu.memory).read.raw);
        close(id, channel * f64::from(cpu.memory_channels), memory, 0.05);
        assert_eq!((cpu.lanes_of(1), cpu.lanes_of(2)), (Some(one), Some(two)), "{id}");
        assert!(class(cpu.socket_link.as_ref().unwrap()).read.raw.is_some());
    }
    let table = Table::builtin();
    let named = |vendor, family, model, stepping, name| {
        table.processor(vendor, family, model, stepping, name).map(|class| class.id.as_str())
    };
    let intel = |model, stepping, name| named("GenuineIntel", 6, model, stepping, name);
    let amd = |family, model, name| named("AuthenticAMD", family, model, 1, name);
    assert_eq!(intel(85, 4, "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz"), Some("xeon-skylake"));
    assert_eq!(intel(85, 7, "Intel(R) Xeon(R) Platinum 8259CL"), Some("xeon-cascade-lake"));
    assert_eq!(intel(207, 2, "INTEL(R) XEON(R) PLATINUM 8592+"), Some("xeon-emerald-rapids"));
    assert_eq!(intel(62, 4, "Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz"), Some("xeon-e5-v2"));
    assert_eq!(amd(25, 17, "AMD EPYC 9354 32-Core Processor"), Some("epyc-9004"));
    assert_eq!(amd(25, 160, "AMD EPYC 9754 128-Core Processor"), Some("epyc-9004"));
    assert_eq!(amd(25, 33, "AMD Ryzen 9 5950X"), None);
    // The same numbers, with other channels or links.
    assert_eq!(intel(62, 7, "Intel(R) Xeon(R) CPU E7-8890 v2 @ 2.80GHz"), Some("xeon-e7-v2"));
    assert_eq!(intel(62, 4, "Intel(R) Xeon(R) CPU E5-2450 v2 @ 2.50GHz"), None);
    assert_eq!(intel(63, 4, "Intel(R) Xeon(R) CPU E7-8890 v3 @ 2.50GHz"), None);
    assert_eq!(intel(79, 1, "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz"), None);
    assert_eq!(intel(85, 7, "Intel(R) Xeon(R) W-2295 CPU @ 3.00GHz"), None);
    assert_eq!(intel(143, 8, "Intel(R) Xeon(R) CPU Max 9480"), None);
    assert_eq!(amd(25, 160, "AMD EPYC 8324P 32-Core Processor"), None);
    assert_eq!(amd(25, 24, "AMD Ryzen Threadripper PRO 7995WX 96-Cores"), None);
    assert_eq!(amd(23, 49, "AMD Ryzen Threadripper 3970X 32-Core Processor"), None);
    assert_eq!(amd(23, 49, ""), None, "without a name it isn't told");
}

#[test]
fn empty_and_uneven_channels_cost_what_is_published() {
    let table = Table::builtin();
    let of = |modules: &[u32]| table.memory("ddr5-4800", modules).expect("populated");
    let full = of(&[1; 12]);
    let ten = of(&[1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0]);
    assert!(full.even && ten.even && ten.populated == 10);
    close("ten of twelve", gigabytes(&ten.read.raw), 384.0, 0.05);
    let uneven = of(&[2, 1, 1, 1, 1, 1, 1, 1]);
    assert!(!uneven.even);
    close("ceiling", gigabytes(&uneven.read.raw), 8.0 * 38.4, 0.05);
    let expected = uneven.read.expected.expect("known");
    close("worst", expected.low / 1e9, 8.0 * 38.4 * 0.80 * 0.35, 0.01);
    close("best", expected.high / 1e9, 8.0 * 38.4 * 0.90 * 0.65, 0.01);
    assert!(table.memory("ddr5-4800", &[0, 0]).is_none());
    assert!(table.memory("eth-25", &[1]).is_none());
}

#[test]
fn a_drive_with_a_fast_part_says_what_comes_after_it() {
    let cache = class("qlc-slc-cache").write_cache.as_ref().expect("a fast part");
    assert_eq!((cache.bytes.high, cache.write_after.high), (42e9, 80e6));
    let fast = class("qlc-slc-cache").write.expected.as_ref().expect("known").high;
    assert!(fast > 6.0 * cache.write_after.high);
}

/// Every figure of a class.
fn figures(class: &Class) -> Vec<&Figure> {
    let way = |way: &'static DirectionRates| [&way.raw, &way.encoded, &way.protocol, &way.expected];
    let class: &'static Class = Table::builtin().class(&class.id).expect("itself");
    let mut all: Vec<&Figure> =
        way(&class.read).into_iter().chain(way(&class.write)).flatten().collect();
    let single = [
        &class.operations.read,
        &class.operations.write,
        &class.times.read_ns,
        &class.times.durable_write_ns,
    ];
    all.extend(single.into_iter().flatten());
    if let Some(cache) = &class.write_cache {
        all.extend([&cache.bytes, &cache.write_after]);
    }
    all
}

#[test]
fn every_figure_has_a_source_and_is_within_the_one_above_it() {
    let table = Table::builtin();
    assert!(table.classes().count() > 100);
    for class in table.classes() {
        for figure in figures(class) {
            assert!(figure.source.len() > 5, "{}: {figure:?}", class.id);
            assert!(figure.low > 0.0 && figure.low <= figure.high && figure.high.is_finite());
        }
        match &class.detail {
            Detail::Cpu(cpu) => assert!(cpu.source.len() > 5),
            Detail::Raid(raid) => assert!(raid.source.len() > 5),
            Detail::Link(_) | Detail::None => assert!(!figures(class).is_empty(), "{}", class.id),
        }
        for way in [&class.read, &class.write] {
            let known: Vec<&Figure> = [&way.raw, &way.encoded, &way.protocol, &way.expected]
                .into_iter()
                .flatten()
                .collect();
            for pair in known.windows(2) {
                assert!(pair[1].high <= pair[0].high * (1.0 + 1e-9), "{}", class.id);
            }
        }
    }
}

#[test]
fn storage_over_tcp_has_published_rates_of_a_core_and_of_a_queue() {
    // Class; thousands of reads and writes per second, least and most; where they were published.
    for (id, reads, writes, address) in [
        ("nvme-tcp-core", [62.0, 248.0], [62.0, 200.0], "github.com/i10-kernel/upstream-linux"),
        ("nvme-tcp-queue", [138.0, 248.0], [100.0, 200.0], "github.com/i10-kernel/upstream-linux"),
        ("iscsi-core", [70.0, 70.0], [70.0, 70.0], "usenix.org/conference/nsdi20"),
    ] {
        let class = class(id);
        assert_eq!(class.family, Family::Protocol);
        for (figure, thousands) in
            [(&class.operations.read, reads), (&class.operations.write, writes)]
        {
            let figure = figure.as_ref().expect(id);
            assert_eq!([figure.low / 1e3, figure.high / 1e3], thousands, "{id}");
            assert_eq!(figure.grade, Grade::MeasuredByOthers);
            assert!(figure.source.contains(address), "{id}: {}", figure.source);
        }
        // Bytes follow from the network and the memory; none is published by core.
        assert!(class.read.is_empty() && class.write.is_empty(), "{id}");
    }
}

#[test]
fn every_family_has_classes_and_every_measurement_a_class() {
    let table = Table::builtin();
    for family in Family::ALL {
        assert!(table.classes().any(|class| class.family == family), "{family:?}");
    }
    for what in Measured::ALL {
        let found = table.classes().any(|c| table.normals(&c.id).any(|n| n.what == what));
        assert!(found, "{what:?} is in no data");
    }
}

#[test]
fn what_is_normal_fits_under_the_ceiling_of_its_class() {
    let table = Table::builtin();
    for class in table.classes() {
        for normal in table.normals(&class.id) {
            let ceiling = match (normal.what, class.cpu()) {
                (Measured::MemoryReadSocket, Some(cpu)) => {
                    let channel = table.class(&cpu.memory).unwrap().read.ceiling().unwrap();
                    channel.high * f64::from(cpu.memory_channels)
                }
                (Measured::SequentialRead, None) => match class.read.ceiling() {
                    Some(ceiling) => ceiling.high,
                    None => continue,
                },
                _ => continue,
            };
            assert!(normal.figure.high <= ceiling, "{}: {normal:?}", class.id);
        }
    }
    let one = |id: &str, what| {
        let mut all = table.normals(id).filter(|n| n.what == what);
        let found = all.next().expect("known");
        assert!(all.next().is_none());
        (found.figure.low, found.figure.high, found.figure.grade)
    };
    assert_eq!(
        one("xeon-skylake", Measured::MemoryLatencyOtherSocket),
        (144.0, 144.0, Grade::MeasuredByOthers)
    );
    let durable = class("drive-nvme-plp").times.durable_write_ns.as_ref().expect("known");
    assert_eq!((durable.low, durable.high), (12e3, 58e3));
}
