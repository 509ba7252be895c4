//! The clipboard of the person's terminal, by the control sequence OSC 52: it is theirs also over SSH, where
//! no program of this machine could reach it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What makes a terminal put a text on the clipboard. One that does not know it shows nothing.
pub(crate) fn copying(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = ALPHABET.get((bits >> (18 - 6 * at)) as usize & 63).copied().unwrap_or(b'=');
            text.push(if at > group.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_encoded_as_terminals_decode_it() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("ä>?\u{1b}", "w6Q+Pxs="),
        ] {
            assert_eq!(copying(text), format!("\x1b]52;c;{encoded}\x07"));
        }
    }
}
