//! The numbers of system errors, which the standard library puts behind their words: `No such file or
//! directory (os error 2)`. They say nothing to people.

/// The words before a number.
const BEGIN: &str = " (os error ";

/// A message for people, without the numbers of system errors.
pub fn without_error_codes(message: &str) -> String {
    let mut parts = message.split(BEGIN);
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((code, rest)) if code.parse::<i32>().is_ok() => words.push_str(rest),
            _ => words.extend([BEGIN, part]),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_loses_the_numbers_of_system_errors_and_nothing_else() {
        let missing = std::io::Error::from_raw_os_error(2).to_string();
        assert!(missing.contains("(os error 2)") && !without_error_codes(&missing).contains("os error"));
        for (message, words) in [
            ("cannot read a: gone (os error 2): retry (os error -7)", "cannot read a: gone: retry"),
            ("a (os error 2", "a (os error 2"),
            ("a (os error two) b", "a (os error two) b"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(without_error_codes(message), words);
        }
    }
}
