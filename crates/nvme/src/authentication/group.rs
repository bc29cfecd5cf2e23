//! Diffie-Hellman groups (RFC 7919), by which both sides have a key that who only listens hasn't.

use std::fmt;
use std::str::FromStr;

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use super::primes;

/// Random bytes of an exponent: twice the strength of the largest group, which takes 400 bits (RFC 7919, section 5.2).
const EXPONENT_BYTES: usize = 64;

/// A group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// None: the secret alone is what a response is made of.
    Null,
    /// ffdhe2048.
    Ffdhe2048,
    /// ffdhe3072.
    Ffdhe3072,
    /// ffdhe4096.
    Ffdhe4096,
    /// ffdhe6144.
    Ffdhe6144,
    /// ffdhe8192.
    Ffdhe8192,
}

impl Group {
    /// All of them, in the order of their identifiers.
    pub const ALL: [Group; 6] = [
        Group::Null,
        Group::Ffdhe2048,
        Group::Ffdhe3072,
        Group::Ffdhe4096,
        Group::Ffdhe6144,
        Group::Ffdhe8192,
    ];

    /// The group of an identifier (DHgID).
    pub fn from_id(id: u8) -> Option<Group> {
        Group::ALL.get(usize::from(id)).copied()
    }

    /// Its identifier.
    pub fn id(self) -> u8 {
        self as u8
    }

    /// Length of its public values, bytes; 0 for none.
    pub fn bytes(self) -> usize {
        self.prime().map_or(0, |hex| hex.len() / 2)
    }

    fn prime(self) -> Option<&'static str> {
        match self {
            Group::Null => None,
            Group::Ffdhe2048 => Some(primes::FFDHE2048),
            Group::Ffdhe3072 => Some(primes::FFDHE3072),
            Group::Ffdhe4096 => Some(primes::FFDHE4096),
            Group::Ffdhe6144 => Some(primes::FFDHE6144),
            Group::Ffdhe8192 => Some(primes::FFDHE8192),
        }
    }

    fn modulus(self) -> Option<BoxedMontyParams> {
        let hex = self.prime()?;
        let prime = BoxedUint::from_be_hex(hex, hex.len() as u32 * 4).into_option()?;
        Some(BoxedMontyParams::new_vartime(Odd::new(prime).into_option()?))
    }
}

impl fmt::Display for Group {
    /// As nvme-cli and the kernel name it: `null`, `ffdhe2048`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::Null => f.write_str("null"),
            _ => write!(f, "ffdhe{}", self.bytes() * 8),
        }
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(text: &str) -> Result<Group, String> {
        let known = Group::ALL.into_iter().find(|group| group.to_string() == text);
        known.ok_or_else(|| {
            let names: Vec<String> = Group::ALL.iter().map(Group::to_string).collect();
            format!("`{text}` is none of {}", names.join(", "))
        })
    }
}

/// What [`KeyPair::new`] takes: random bytes of a good source, used for nothing else.
pub type ExponentBytes = [u8; EXPONENT_BYTES];

/// One side's key of one exchange; what of it is secret is wiped from memory when it is dropped.
#[derive(Clone)]
pub struct KeyPair {
    modulus: BoxedMontyParams,
    exponent: Zeroizing<BoxedUint>,
    public: Box<[u8]>,
}

/// What both sides have in the end, and nobody else; wiped from memory when it is dropped.
#[derive(Clone)]
pub struct SharedKey(pub(super) Zeroizing<Vec<u8>>);

/// The other side's public value is none of the group: 2 to p − 2, in as many bytes as p has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the public value is none of the group")]
pub struct UnusablePublicValue;

impl KeyPair {
    /// A key of a group; `None` for [`Group::Null`], which has none. It takes one exponentiation: milliseconds.
    pub fn new(group: Group, random: &ExponentBytes) -> Option<KeyPair> {
        let modulus = group.modulus()?;
        let mut bytes = Zeroizing::new(*random);
        // So long for certain.
        bytes[0] |= 0x80;
        let exponent = BoxedUint::from_be_slice(&*bytes, EXPONENT_BYTES as u32 * 8).ok()?;
        let exponent = Zeroizing::new(exponent);
        let two = BoxedUint::from_be_slice(&[2], modulus.bits_precision()).ok()?;
        let public = BoxedMontyForm::new(two, &modulus).pow(&exponent).retrieve().to_be_bytes();
        Some(KeyPair { modulus, exponent, public })
    }

    /// What the other side is told.
    pub fn public(&self) -> &[u8] {
        &self.public
    }

    /// The key that comes of the other side's public value. It takes one exponentiation, in a time that tells nothing of the
    /// exponent.
    ///
    /// # Errors
    /// A value that is none of the group; with it the key would be known.
    pub fn shared(&self, other: &[u8]) -> Result<SharedKey, UnusablePublicValue> {
        if other.len() != self.public.len() {
            return Err(UnusablePublicValue);
        }
        let bits = self.modulus.bits_precision();
        let other = BoxedUint::from_be_slice(other, bits).map_err(|_| UnusablePublicValue)?;
        let one = BoxedUint::one_with_precision(bits);
        let last = self.modulus.modulus().as_ref().wrapping_sub(&one);
        if other <= one || other >= last {
            return Err(UnusablePublicValue);
        }
        let power = Zeroizing::new(BoxedMontyForm::new(other, &self.modulus).pow(&self.exponent));
        let key = Zeroizing::new(power.retrieve());
        Ok(SharedKey(Zeroizing::new(key.to_be_bytes().into_vec())))
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyPair of {} bytes", self.public.len())
    }
}

impl fmt::Debug for SharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_have_the_same_key_in_every_group() {
        for group in Group::ALL {
            let Some(here) = KeyPair::new(group, &[0x5A; 64]) else {
                assert_eq!(group, Group::Null);
                continue;
            };
            let there = KeyPair::new(group, &[0xC3; 64]).unwrap();
            assert_eq!(
                (here.public().len(), group.to_string().parse()),
                (group.bytes(), Ok(group))
            );
            assert_ne!(here.public(), there.public());
            let shared = here.shared(there.public()).unwrap();
            assert_eq!(shared.0, there.shared(here.public()).unwrap().0, "{group}");
        }
    }

    #[test]
    fn values_that_would_give_the_key_away_are_refused() {
        let key = KeyPair::new(Group::Ffdhe2048, &[7; 64]).unwrap();
        let prime = key.modulus.modulus().as_ref().clone();
        let number = |value: u8| BoxedUint::from_be_slice(&[value], 2048).unwrap();
        let less = |by: u8| prime.wrapping_sub(number(by)).to_be_bytes();
        let small = |value: u8| number(value).to_be_bytes();
        let (beyond, nothing): (Box<[u8]>, Box<[u8]>) = (vec![0xFF; 256].into(), Box::default());
        for refused in [small(0), small(1), less(1), less(0), beyond, nothing] {
            assert_eq!(key.shared(&refused).unwrap_err(), UnusablePublicValue);
        }
        let longer: Vec<u8> = std::iter::once(0).chain(key.public().iter().copied()).collect();
        assert!(key.shared(&longer).is_err() && key.shared(&longer[2..]).is_err());
        assert!(key.shared(&small(2)).is_ok() && key.shared(&less(2)).is_ok());
    }

    /// The primes by the formula of RFC 7919, with e as the sum of 1/n!, in 64 bits at a time.
    #[test]
    fn primes_are_those_of_the_formula() {
        const LIMBS: usize = 132;
        // The fraction of e in LIMBS * 64 bits, most significant first: 1/2! + 1/3! + ...
        let mut e = [0u64; LIMBS];
        let mut term = [0u64; LIMBS];
        term[0] = 1 << 63;
        for n in 3u64.. {
            let mut carry = 0u128;
            for at in (0..LIMBS).rev() {
                let sum = u128::from(e[at]) + u128::from(term[at]) + carry;
                (e[at], carry) = (sum as u64, sum >> 64);
            }
            let mut rest = 0u128;
            for limb in &mut term {
                let whole = rest << 64 | u128::from(*limb);
                (*limb, rest) = ((whole / u128::from(n)) as u64, whole % u128::from(n));
            }
            if term.iter().all(|limb| *limb == 0) {
                break;
            }
        }
        for (group, x) in [
            (Group::Ffdhe2048, 560_316u64),
            (Group::Ffdhe3072, 2_625_351),
            (Group::Ffdhe4096, 5_736_041),
            (Group::Ffdhe6144, 15_705_020),
            (Group::Ffdhe8192, 10_965_728),
        ] {
            let limbs = group.bytes() / 8;
            // Between the 64 ones above and below: floor(2^(b-130) e), in b - 128 bits, of which the upper two are e's whole part.
            let mut middle: Vec<u64> = (0..limbs - 2)
                .map(|at| {
                    let above = if at == 0 { 2 } else { e[at - 1] };
                    above << 62 | e[at] >> 2
                })
                .collect();
            // Less the one that the lowest 64 ones borrow.
            let mut carry = u128::from(x - 1);
            for limb in middle.iter_mut().rev() {
                let sum = u128::from(*limb) + carry;
                (*limb, carry) = (sum as u64, sum >> 64);
            }
            let hex: String = middle.iter().map(|limb| format!("{limb:016X}")).collect();
            let ones = "F".repeat(16);
            assert_eq!(group.prime().unwrap(), format!("{ones}{hex}{ones}"), "{group}");
        }
    }
}
