//! A snapshot's time: `02-May-13 13:53:40`, with the month in the session's language.

/// The months as NLS writes them, cut as it cuts them; a number stands for itself.
const MONTHS: [&[&str]; 12] = [
    &["jan", "gen", "ene", "янв", "oca", "sty"],
    &["feb", "fev", "fév", "фев", "şub", "lut"],
    &["mar", "mär", "mrz", "мар", "mrt"],
    &["apr", "avr", "abr", "апр", "nis", "kwi"],
    &["may", "mai", "mag", "май", "mei", "maj"],
    &["jun", "juin", "giu", "июн", "haz", "cze"],
    &["jul", "juil", "lug", "июл", "tem", "lip"],
    &["aug", "aoû", "aou", "ago", "авг", "ağu", "sie"],
    &["sep", "set", "сен", "eyl", "wrz"],
    &["oct", "okt", "ott", "out", "окт", "eki", "paź"],
    &["nov", "ноя", "kas", "lis"],
    &["dec", "déc", "dez", "dic", "дек", "ara", "gru"],
];

/// Seconds since 1970 of a time taken as UTC, because a report doesn't say its zone; `None` where it can't be read.
pub(super) fn unix_s(text: &str) -> Option<i64> {
    let mut parts = text.split_whitespace();
    let clock = parts.clone().find(|part| part.matches(':').count() == 2)?;
    let date: String = parts.by_ref().take_while(|part| *part != clock).collect();
    let mut date = date.split('-');
    let day: i64 = date.next()?.parse().ok()?;
    let month = month(date.next()?)?;
    let year: i64 = date.next()?.parse().ok()?;
    let year = if year < 100 { year + 2000 } else { year };
    let mut clock = clock.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let fits = (1..=31).contains(&day)
        && (1990..2200).contains(&year)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    fits.then(|| days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
}

fn month(text: &str) -> Option<i64> {
    let text = text.to_lowercase();
    // `2月`, `11`.
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    if !digits.is_empty() {
        return digits.parse().ok().filter(|month| (1..=12).contains(month));
    }
    let fits = |names: &&[&str]| names.iter().any(|name| begins(&text, name));
    let mut found = (1..).zip(&MONTHS).filter(|(_, names)| fits(names)).map(|(month, _)| month);
    let month = found.next()?;
    // What letters that were lost leave open is no month.
    found.next().is_none().then_some(month)
}

/// Whether a text begins with a name, where letters that were no UTF-8 stand for any; of those that were one has to be left.
fn begins(text: &str, name: &str) -> bool {
    const LOST: char = char::REPLACEMENT_CHARACTER;
    let mut letters = text.chars();
    let fits = name.chars().all(|c| letters.next().is_some_and(|l| l == c || l == LOST));
    fits && text.chars().take(name.chars().count()).any(|letter| letter != LOST)
}

/// Days from 1970-01-01 in the Gregorian calendar, by counting years from March on.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let from_march = (month + 9) % 12;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leaps + (153 * from_march + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_several_languages() {
        for (text, seconds) in [
            ("02-May-13 13:53:40", 1_367_502_820),
            ("02-Mai-13 13:53:40", 1_367_502_820),
            ("02-5月 -13 13:53:40", 1_367_502_820),
            ("16-2月 -13 05:00:50", 1_360_990_850),
            ("10-Дек-17 13:30:55", 1_512_912_655),
            ("02-МАЙ-13 13:53:40", 1_367_502_820),
            ("02-M\u{fffd}r-13 13:53:40", 1_362_232_420),
            ("29-Feb-20 00:00:00", 1_582_934_400),
            ("01-Jan-70 00:00:00", 3_155_760_000),
            ("31-Déc-24 23:59:59", 1_735_689_599),
        ] {
            assert_eq!(unix_s(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "02-\u{fffd}\u{fffd}\u{fffd}-13 13:53:40",
            "02-Xyz-13 13:53:40",
            "99-May-13 13:53:40",
            "02-May-13 13:53",
        ] {
            assert_eq!(unix_s(text), None, "{text}");
        }
    }
}
