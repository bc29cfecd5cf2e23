//! Random texts of the order-entry specification (clauses 4.3.2.2 to 4.3.2.7): letters and digits of a random length,
//! last names of three syllables, postal codes, and the mark that every tenth item carries.

use narrows_engine::Rng;

use super::nurand::between;

/// 62 characters and two of them twice, so that six random bits give one: `0` and `1` come twice as often.
const LETTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz01";

const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// What every tenth item's and stock's data holds somewhere.
pub const ORIGINAL: &[u8] = b"ORIGINAL";

/// Appends `length` letters and digits.
#[inline]
pub fn letters(rng: &mut Rng, length: usize, out: &mut Vec<u8>) {
    let mut left = length;
    while left >= 10 {
        let bits = rng.next_u64();
        let ten: [u8; 10] = std::array::from_fn(|i| LETTERS[(bits >> (6 * i)) as usize & 63]);
        out.extend_from_slice(&ten);
        left -= 10;
    }
    let bits = rng.next_u64();
    out.extend((0..left).map(|i| LETTERS[(bits >> (6 * i)) as usize & 63]));
}

/// Appends `length` digits, at most 16.
pub fn digits(rng: &mut Rng, length: usize, out: &mut Vec<u8>) {
    let mut number = rng.below(10u64.pow(length as u32));
    let at = out.len();
    out.resize(at + length, b'0');
    for digit in out[at..].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Appends 26 to 50 letters, with [`ORIGINAL`] at a random place in one of ten.
pub fn data(rng: &mut Rng, out: &mut Vec<u8>) {
    let at = out.len();
    let length = between(rng, 26, 50) as usize;
    letters(rng, length, out);
    if rng.below(10) == 0 {
        let place = at + rng.below((length - ORIGINAL.len() + 1) as u64) as usize;
        out[place..place + ORIGINAL.len()].copy_from_slice(ORIGINAL);
    }
}

/// Appends a postal code: four digits and `11111`.
pub fn postal_code(rng: &mut Rng, out: &mut Vec<u8>) {
    digits(rng, 4, out);
    out.extend_from_slice(b"11111");
}

/// Appends the last name of that number, 0 to 999: a syllable for each of its digits.
pub fn last_name(number: u32, out: &mut Vec<u8>) {
    for digit in [number / 100, number / 10 % 10, number % 10] {
        out.extend_from_slice(SYLLABLES[digit as usize].as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_specifications_examples() {
        let name = |number| {
            let mut out = Vec::new();
            last_name(number, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(name(371), "PRICALLYOUGHT");
        assert_eq!((name(0).as_str(), name(999).as_str()), ("BARBARBAR", "EINGEINGEING"));
    }

    #[test]
    fn texts_have_their_length_and_are_not_the_same_twice() {
        let mut rng = Rng::new(5);
        let mut marked = 0;
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..20_000 {
            let mut out = Vec::new();
            data(&mut rng, &mut out);
            assert!((26..=50).contains(&out.len()) && out.iter().all(u8::is_ascii_alphanumeric));
            marked += usize::from(out.windows(8).any(|part| part == ORIGINAL));
            assert!(seen.insert(out));
        }
        // One of ten: mean 2000, standard deviation 42.
        assert!((1790..=2210).contains(&marked), "{marked}");
        for length in [0, 1, 9, 10, 11, 24] {
            let mut out = Vec::new();
            letters(&mut rng, length, &mut out);
            assert_eq!(out.len(), length);
        }
        let mut code = Vec::new();
        postal_code(&mut rng, &mut code);
        assert!(code.len() == 9 && code.iter().all(u8::is_ascii_digit) && code.ends_with(b"11111"));
    }
}
