//! Lone surrogates in JSON. Node can send `"\ud800"`, which a Rust string cannot contain. Each lone surrogate
//! becomes U+FFFD before parsing, because a refusal would lose a whole proposal for a single broken emoji.

use std::borrow::Cow;

/// Replaces every `\uXXXX` escape of a lone surrogate with `\ufffd`. Returns other text unchanged.
///
/// It reads bytes, not JSON: a backslash outside of a string is invalid, and the parser still refuses it.
pub fn replace_lone(json: &[u8]) -> Cow<'_, [u8]> {
    // A search is faster than parsing, and hardly any text contains such escapes.
    let Some(first) = memchr::memmem::find(json, b"\\u") else { return Cow::Borrowed(json) };
    let mut fixed: Option<Vec<u8>> = None;
    // An escaped backslash may precede the `u`, so the backslashes are counted.
    let mut at = first - json[..first].iter().rev().take_while(|byte| **byte == b'\\').count();
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = escape_at(json, at) else {
            at += 2;
            continue;
        };
        match unit {
            0xD800..=0xDBFF if matches!(escape_at(json, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            0xD800..=0xDFFF => {
                fixed.get_or_insert_with(|| json.to_vec())[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            _ => at += 6,
        }
    }
    fixed.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// Returns the UTF-16 unit of a `\uXXXX` escape that starts at `at`.
fn escape_at(json: &[u8], at: usize) -> Option<u16> {
    let escape = json.get(at..at + 6)?;
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> String {
        serde_json::from_slice(&replace_lone(json.as_bytes())).unwrap()
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        assert_eq!(parsed(r#""a\ud800b""#), "a\u{fffd}b");
        assert_eq!(parsed(r#""\udc00""#), "\u{fffd}");
        assert_eq!(parsed(r#""\ud800\ud83d\ude00""#), "\u{fffd}😀");
    }

    #[test]
    fn pairs_and_escaped_backslashes_stay() {
        for json in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\\\\ud800 \n""#, r#""plain""#] {
            assert!(matches!(replace_lone(json.as_bytes()), Cow::Borrowed(_)), "{json}");
        }
        assert_eq!(parsed(r#""\\ud800""#), "\\ud800");
    }

    proptest::proptest! {
        #[test]
        fn any_utf16_of_node_parses(units: Vec<u16>) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            proptest::prop_assert_eq!(parsed(&format!("\"{escaped}\"")), String::from_utf16_lossy(&units));
        }
    }
}
