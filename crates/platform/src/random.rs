//! Random bytes from the system, for secrets.

use std::io;

/// Returns `BYTES` random bytes in hexadecimal, two digits each.
///
/// # Errors
/// If the system has no random bytes.
pub fn hex<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_call_returns_other_digits() {
        let (one, other) = (super::hex::<32>().unwrap(), super::hex::<32>().unwrap());
        assert_eq!((one.len(), other.len()), (64, 64));
        assert!(one.bytes().all(|digit| digit.is_ascii_hexdigit()));
        assert_ne!(one, other);
    }
}
