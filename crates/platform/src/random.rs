//! Random bytes from the system, for what nobody may guess.

use std::io;

/// So many random bytes in hexadecimal, two digits for each.
///
/// # Errors
/// When the system gives none.
pub fn hex<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_call_gives_other_digits_two_for_each_byte() {
        let (one, other) = (super::hex::<32>().unwrap(), super::hex::<32>().unwrap());
        assert_eq!((one.len(), other.len()), (64, 64));
        assert!(one.bytes().all(|digit| digit.is_ascii_hexdigit()));
        assert_ne!(one, other);
    }
}
