//! The tables against figures published elsewhere.

use narrows_limits::{
    Direction, GENERATIONS, Packets, channel_bytes_per_s, payload_share, wire_bytes,
};

/// Equal to as many figures as the source prints.
fn close(ours: f64, printed: f64, half_unit: f64) {
    assert!((ours - printed).abs() <= half_unit * 1.001, "{ours} against {printed}");
}

#[test]
fn lanes_carry_what_the_specification_says() {
    // Generation; MB/s of a lane after encoding; GB/s of four lanes as memory writes of 128, 256, 512 bytes.
    for (number, lane, mps) in [
        (1, 250.0, [0.84, 0.91, 0.96]),
        (2, 500.0, [1.68, 1.83, 1.91]),
        (3, 984.6, [3.32, 3.60, 3.76]),
        (4, 1969.2, [6.63, 7.20, 7.52]),
        (5, 3938.5, [13.27, 14.40, 15.05]),
        (6, 7375.0, [26.2, 27.8, 28.6]),
    ] {
        let generation = &GENERATIONS[number - 1];
        assert_eq!(generation.number as usize, number);
        let packets = generation.packet_bytes_per_s();
        close(packets / 1e6, lane, 0.05);
        for (bytes, printed) in [128, 256, 512].into_iter().zip(mps) {
            let half_unit = if number == 6 { 0.05 } else { 0.005 };
            let share = payload_share(Direction::Read, generation.packets, bytes);
            close(4.0 * packets * share / 1e9, printed, half_unit);
        }
    }
    close(GENERATIONS[5].raw_bytes_per_s() / 1e6, 8000.0, 0.5);
}

#[test]
fn packets_carry_this_share_of_payload() {
    for (bytes, read, write) in
        [(64, 72.7, 76.2), (128, 84.2, 86.5), (256, 91.4, 92.8), (512, 95.5, 96.2)]
    {
        close(payload_share(Direction::Read, Packets::Framed, bytes) * 100.0, read, 0.05);
        close(payload_share(Direction::Write, Packets::Framed, bytes) * 100.0, write, 0.05);
    }
}

#[test]
fn four_lanes_complete_so_many_reads_of_4_kib() {
    assert_eq!(wire_bytes(Direction::Read, Packets::Framed, 4096), 4572);
    // 16 of 16 in packets, 32, 20 and 16 beside them.
    assert_eq!(wire_bytes(Direction::Read, Packets::InFlits, 4096), 4420);
    assert_eq!(wire_bytes(Direction::Write, Packets::InFlits, 4096), 4096 + 16 * 12 + 76);
    for (number, printed, half_unit) in [
        (1, 219e3, 0.5e3),
        (2, 437e3, 0.5e3),
        (3, 861e3, 0.5e3),
        (4, 1.72e6, 0.005e6),
        (5, 3.45e6, 0.005e6),
        (6, 6.67e6, 0.005e6),
    ] {
        let generation = &GENERATIONS[number - 1];
        let packets = 4.0 * generation.packet_bytes_per_s();
        let wire = wire_bytes(Direction::Read, generation.packets, 4096);
        close(packets / wire as f64, printed, half_unit);
    }
}

#[test]
fn channels_carry_eight_bytes_a_transfer() {
    // Million transfers per second; GB/s of a channel; channels of a socket; GB/s of the socket.
    for (mts, channel, count, socket) in [
        (1600, 12.8, 4.0, 51.2),
        (2666, 21.3, 6.0, 128.0),
        (2933, 23.5, 6.0, 140.8),
        (3200, 25.6, 8.0, 204.8),
        (4400, 35.2, 8.0, 281.6),
        (4800, 38.4, 12.0, 460.8),
        (5600, 44.8, 8.0, 358.4),
        (6000, 48.0, 12.0, 576.0),
        (6400, 51.2, 12.0, 614.4),
        (8800, 70.4, 12.0, 844.8),
    ] {
        close(channel_bytes_per_s(mts) / 1e9, channel, 0.05);
        close(count * channel_bytes_per_s(mts) / 1e9, socket, 0.05);
    }
}
