//! Removes the error numbers that the standard library appends to the text of a system error, as in `No such
//! file or directory (os error 2)`: the number means nothing to a person.

/// The text before a number.
const CODE_PREFIX: &str = " (os error ";

/// Returns a message for people, without the numbers of system errors.
pub fn without_error_codes(message: &str) -> String {
    let mut parts = message.split(CODE_PREFIX);
    let mut cleaned = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((code, rest)) if code.parse::<i32>().is_ok() => cleaned.push_str(rest),
            _ => cleaned.extend([CODE_PREFIX, part]),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_loses_the_numbers_of_system_errors_and_nothing_else() {
        let missing = std::io::Error::from_raw_os_error(2).to_string();
        assert!(missing.contains("(os error 2)") && !without_error_codes(&missing).contains("os error"));
        for (message, expected) in [
            ("cannot read a: gone (os error 2): retry (os error -7)", "cannot read a: gone: retry"),
            ("a (os error 2", "a (os error 2"),
            ("a (os error two) b", "a (os error two) b"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(without_error_codes(message), expected);
        }
    }
}
