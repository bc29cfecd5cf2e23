//! PDUs: what is written is read back, and nothing that comes can do more than be refused.

use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{
    COMMON_BYTES, CommonHeader, DataTransfer, Fatal, Framing, IcReq, IcResp, Layout, Pdu, PduType,
    ReadyToTransfer, Side, Violation,
};
use narrows_nvme::{CompletionEntry, Status, SubmissionEntry};
use proptest::prelude::*;

fn digests() -> impl Strategy<Value = Digests> {
    (any::<bool>(), any::<bool>()).prop_map(|(header, data)| Digests { header, data })
}

fn transfer(length: u32) -> impl Strategy<Value = DataTransfer> {
    (any::<u16>(), any::<u16>(), 0..u32::MAX / 2).prop_map(
        move |(command_id, transfer_tag, offset)| DataTransfer {
            command_id,
            transfer_tag,
            offset,
            length,
        },
    )
}

/// A PDU and the length of its data.
fn pdu() -> impl Strategy<Value = (Pdu, usize)> {
    let initialization = || (0u8..32, digests(), any::<u32>());
    prop_oneof![
        initialization().prop_map(|(alignment, digests, max_r2t)| {
            (Pdu::IcReq(IcReq { format: 0, alignment, digests, max_r2t }), 0)
        }),
        initialization().prop_map(|(alignment, digests, limit)| {
            let max_h2c_data = (limit & !3).max(4096);
            (Pdu::IcResp(IcResp { format: 0, alignment, digests, max_h2c_data }), 0)
        }),
        (any::<u16>(), any::<u32>(), 0usize..=128).prop_map(|(code, information, rest)| {
            (Pdu::H2cTermReq(Violation::new(Fatal::from_code(code), information)), rest)
        }),
        (any::<u16>(), any::<u32>(), 0usize..=128).prop_map(|(code, information, rest)| {
            (Pdu::C2hTermReq(Violation::new(Fatal::from_code(code), information)), rest)
        }),
        (any::<[[u8; 32]; 2]>(), 0usize..9000).prop_map(|(halves, data)| {
            let bytes: [u8; 64] = halves.concat().try_into().unwrap();
            (Pdu::CapsuleCmd(SubmissionEntry::from_bytes(bytes)), data)
        }),
        any::<[u8; 16]>()
            .prop_map(|bytes| (Pdu::CapsuleResp(CompletionEntry::from_bytes(&bytes)), 0)),
        (1u32..200_000).prop_flat_map(|length| {
            (transfer(length), any::<bool>()).prop_map(move |(transfer, last)| {
                (Pdu::H2cData { transfer, last }, length as usize)
            })
        }),
        (1u32..200_000).prop_flat_map(|length| {
            (transfer(length), any::<bool>(), any::<bool>()).prop_map(
                move |(transfer, last, success)| {
                    (Pdu::C2hData { transfer, last, success: success && last }, length as usize)
                },
            )
        }),
        any::<[u32; 3]>().prop_map(|[ids, offset, length]| {
            let (command_id, transfer_tag) = (ids as u16, (ids >> 16) as u16);
            (Pdu::R2t(ReadyToTransfer { command_id, transfer_tag, offset, length }), 0)
        }),
    ]
}

fn framing(sender: Side, digests: Digests, alignment: u32) -> Framing {
    Framing { sender, digests, alignment, capsule_data: 8192, transfer_data: 131_072 }
}

fn common(bytes: &[u8]) -> [u8; COMMON_BYTES] {
    bytes[..COMMON_BYTES].try_into().unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        (pdu, data) in pdu(),
        digests in digests(),
        alignment in (1u32..=32).prop_map(|dwords| dwords * 4),
    ) {
        let mut bytes = vec![0xEE; 3];
        let layout = pdu.write(data, digests, alignment, &mut bytes);
        let bytes = &bytes[3..];
        prop_assert_eq!(bytes.len(), layout.data_offset());
        if layout.data > 0 && pdu.pdu_type().has_digests() {
            prop_assert_eq!(bytes.len() % alignment as usize, 0);
        }
        let framing = Framing {
            capsule_data: 9000,
            transfer_data: 200_000,
            ..framing(pdu.pdu_type().sender(), digests, alignment)
        };
        let (header, read) = CommonHeader::parse(&common(bytes), &framing).unwrap();
        prop_assert_eq!(read, layout);
        let end = layout.header + layout.header_digest;
        prop_assert_eq!(Pdu::parse(&header, &layout, &bytes[..end]), Ok(pdu));
    }

    #[test]
    fn any_eight_bytes_are_refused_or_bounded(
        bytes in any::<[u8; COMMON_BYTES]>(),
        // Most random bytes fail at the type: these begin like a PDU.
        begin in prop_oneof![Just(None), (0usize..9).prop_map(Some)],
        digests in digests(),
        host in any::<bool>(),
    ) {
        let mut bytes = bytes;
        if let Some(index) = begin {
            let pdu_type = PduType::ALL[index];
            bytes[0] = pdu_type.to_byte();
            bytes[2] = pdu_type.header_bytes() as u8;
            bytes[6] &= 3;
            bytes[7] = 0;
        }
        let sender = if host { Side::Host } else { Side::Controller };
        let framing = framing(sender, digests, 4);
        if let Ok((header, layout)) = CommonHeader::parse(&bytes, &framing) {
            prop_assert_eq!(layout.pdu_bytes(), header.pdu_bytes as usize);
            prop_assert!(layout.data <= 131_072);
            prop_assert!(layout.header <= 128 && layout.padding < 256);
            prop_assert_eq!(header.pdu_type.sender(), sender);
        }
    }

    #[test]
    fn any_header_is_read_or_refused(
        index in 0usize..9,
        rest in proptest::collection::vec(any::<u8>(), 132),
        digests in digests(),
        flags in any::<u8>(),
        data in 0u32..5000,
    ) {
        let pdu_type = PduType::ALL[index];
        let header = pdu_type.header_bytes() as u8;
        let mut bytes = vec![pdu_type.to_byte(), flags, header, 0, 0, 0, 0, 0];
        bytes.extend_from_slice(&rest);
        let layout = Layout::for_data(pdu_type, data as usize, digests, 4);
        bytes[3] = layout.data_offset() as u8;
        bytes[4..8].copy_from_slice(&(layout.pdu_bytes() as u32).to_le_bytes());
        let framing = framing(pdu_type.sender(), digests, 4);
        if let Ok((header, layout)) = CommonHeader::parse(&common(&bytes), &framing) {
            let end = layout.header + layout.header_digest;
            let _ = Pdu::parse(&header, &layout, &bytes[..end]);
        }
    }

    #[test]
    fn a_bit_that_falls_over_is_seen_by_the_digest(
        (pdu, data) in pdu().prop_filter("has a digest", |(pdu, _)| pdu.pdu_type().has_digests()),
        bit in 64usize..192,
    ) {
        let digests = Digests { header: true, data: false };
        let mut bytes = Vec::new();
        let layout = pdu.write(data, digests, 4, &mut bytes);
        let end = layout.header + layout.header_digest;
        bytes[bit / 8] ^= 1 << (bit % 8);
        let framing = Framing {
            capsule_data: 9000,
            transfer_data: 200_000,
            ..framing(pdu.pdu_type().sender(), digests, 4)
        };
        let (header, layout) = CommonHeader::parse(&common(&bytes), &framing).unwrap();
        let refused = Pdu::parse(&header, &layout, &bytes[..end]).unwrap_err();
        prop_assert_eq!(refused.fatal, Fatal::HeaderDigestError);
    }
}

/// What a receiver answers to a header that is wrong in one place.
fn refusal(change: impl FnOnce(&mut Vec<u8>), digests: Digests) -> Violation {
    let transfer = DataTransfer { command_id: 1, transfer_tag: 2, offset: 0, length: 4096 };
    let mut bytes = Vec::new();
    Pdu::H2cData { transfer, last: true }.write(4096, digests, 4, &mut bytes);
    change(&mut bytes);
    let framing = framing(Side::Host, digests, 4);
    match CommonHeader::parse(&common(&bytes), &framing) {
        Err(violation) => violation,
        Ok((header, layout)) => {
            let end = layout.header + layout.header_digest;
            Pdu::parse(&header, &layout, &bytes[..end]).unwrap_err()
        }
    }
}

#[test]
fn each_field_that_cannot_be_is_named() {
    let field = |offset| Violation::new(Fatal::InvalidHeaderField, offset);
    let none = Digests::NONE;
    let both = Digests { header: true, data: true };
    assert_eq!(refusal(|bytes| bytes[0] = 0x08, none), field(0));
    // A controller's PDU from a host.
    assert_eq!(refusal(|bytes| bytes[0] = 0x07, none), field(0));
    assert_eq!(refusal(|bytes| bytes[1] |= 1, none), field(1));
    assert_eq!(refusal(|bytes| bytes[1] &= !2, both), field(1));
    assert_eq!(refusal(|bytes| bytes[2] = 128, none), field(2));
    assert_eq!(refusal(|bytes| bytes[3] = 20, none), field(3));
    assert_eq!(refusal(|bytes| bytes[3] = 26, none), field(3));
    // Shorter than its header, and with no data where there must be some.
    assert_eq!(refusal(|bytes| bytes[4..8].copy_from_slice(&[23, 0, 0, 0]), none), field(4));
    assert_eq!(refusal(|bytes| bytes[4..8].copy_from_slice(&[24, 0, 0, 0]), none), field(4));
    let too_much = Violation::new(Fatal::DataLimitExceeded, 0);
    assert_eq!(refusal(|bytes| bytes[7] = 0xFF, none), too_much);
    // The length of the data against that of the PDU.
    assert_eq!(refusal(|bytes| bytes[16] ^= 4, none), field(16));
    let digest_error = refusal(|bytes| bytes[8] ^= 1, both);
    assert_eq!(digest_error.fatal, Fatal::HeaderDigestError);
}

#[test]
fn data_whose_end_cannot_be_counted_are_out_of_range() {
    let change = |bytes: &mut Vec<u8>| bytes[12..16].copy_from_slice(&[0xFF; 4]);
    let refused = refusal(change, Digests::NONE);
    assert_eq!(refused.fatal, Fatal::DataOutOfRange);
    assert_eq!(refused.to_string(), "Data Transfer Out of Range");
}

#[test]
fn success_without_last_is_an_error() {
    let transfer = DataTransfer { command_id: 1, transfer_tag: 0, offset: 0, length: 512 };
    let mut bytes = Vec::new();
    let pdu = Pdu::C2hData { transfer, last: false, success: true };
    pdu.write(512, Digests::NONE, 4, &mut bytes);
    let framing = framing(Side::Controller, Digests::NONE, 4);
    let (header, layout) = CommonHeader::parse(&common(&bytes), &framing).unwrap();
    assert!(Pdu::parse(&header, &layout, &bytes[..24]).is_err());
}

#[test]
fn the_response_of_linux_s_target_is_read() {
    // ICResp of nvmet-tcp, Linux 6.12: no digests, MAXH2CDATA 4 MiB.
    let mut bytes = vec![1, 0, 128, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0];
    bytes.resize(128, 0);
    let framing = framing(Side::Controller, Digests::NONE, 4);
    let (header, layout) = CommonHeader::parse(&common(&bytes), &framing).unwrap();
    let Ok(Pdu::IcResp(response)) = Pdu::parse(&header, &layout, &bytes) else {
        panic!("no ICResp");
    };
    assert_eq!(response.max_h2c_data, 4 << 20);
    assert_eq!(response.alignment_bytes(), 4);
}

#[test]
fn a_limit_of_data_below_the_least_is_refused() {
    for limit in [4092u32, 4097, 0] {
        let response =
            IcResp { format: 0, alignment: 0, digests: Digests::NONE, max_h2c_data: limit };
        let mut bytes = Vec::new();
        Pdu::IcResp(response).write(0, Digests::NONE, 4, &mut bytes);
        let framing = framing(Side::Controller, Digests::NONE, 4);
        let (header, layout) = CommonHeader::parse(&common(&bytes), &framing).unwrap();
        let refused = Pdu::parse(&header, &layout, &bytes).unwrap_err();
        assert_eq!(refused, Violation::new(Fatal::InvalidHeaderField, 12));
    }
}

#[test]
fn an_answer_carries_the_words_of_its_status() {
    let refused = Status::CONNECT_PARAMETERS.for_good();
    let answer = CompletionEntry::new(7, refused, 0x1_0100);
    let read = CompletionEntry::from_bytes(&answer.to_bytes());
    assert_eq!(read.status.to_string(), "Connect Invalid Parameters (0x182), do not retry");
    assert_eq!(read.result, 0x1_0100);
}
