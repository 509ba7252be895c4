//! Reads an `openDiff` with a large text in one pass, and unescapes the text within the body of its request.
//! A general parser would read the text twice, and copy it into two more blocks of memory.

use std::borrow::Cow;

use alongside_contract::diff::OPEN_DIFF;
use alongside_contract::rpc::Id;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A call of `openDiff`. Its text has the block of memory of the body.
#[derive(Debug)]
pub(in crate::mcp) struct LargeOpenDiff {
    pub(in crate::mcp) id: Id,
    pub(in crate::mcp) file_path: String,
    pub(in crate::mcp) text: String,
}

/// A request, as all known agents write it. Any other message has another form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments<'a> {
    file_path: String,
    #[serde(borrow)]
    new_content: &'a RawValue,
}

/// Reads a request that calls `openDiff`, and takes the body. Returns `None` and changes nothing if the body
/// is anything else, or has an error. No surrogate may be lone.
pub(in crate::mcp) fn read(body: &mut Vec<u8>) -> Option<LargeOpenDiff> {
    let request: Request<'_> = serde_json::from_slice(body).ok()?;
    let Arguments { file_path, new_content } = request.params.arguments;
    let is_open_diff = request.jsonrpc == "2.0"
        && request.method == "tools/call"
        && request.params.name == OPEN_DIFF
        && new_content.get().starts_with('"');
    let id = is_open_diff.then(|| Id::parse(request.id.get()).ok()).flatten()?;
    let start = new_content.get().as_ptr().addr() - body.as_ptr().addr() + 1;
    let length = new_content.get().len() - 2;
    let mut text = std::mem::take(body);
    text.truncate(start + length);
    unescape(&mut text, start)?;
    Some(LargeOpenDiff { id, file_path, text: String::from_utf8(text).ok()? })
}

/// Unescapes the content of a valid JSON string, which begins at `start`, and moves it to the beginning.
fn unescape(json: &mut Vec<u8>, start: usize) -> Option<()> {
    let (mut read, mut written) = (start, 0);
    while read < json.len() {
        let plain = memchr::memchr(b'\\', &json[read..]).unwrap_or(json.len() - read);
        json.copy_within(read..read + plain, written);
        (read, written) = (read + plain, written + plain);
        let Some(escape) = json.get(read + 1) else { break };
        let character = match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let (character, length) = unicode_escape(&json[read..])?;
                read += length - 2;
                character
            }
            other => char::from(*other),
        };
        // A character is never longer than its escape.
        written += character.encode_utf8(&mut json[written..]).len();
        read += 2;
    }
    json.truncate(written);
    Some(())
}

/// Returns the character of the `\uXXXX` escape, or pair of escapes, with which the text begins, and the
/// length of the escape in bytes.
fn unicode_escape(json: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| u16::from_str_radix(std::str::from_utf8(json.get(at + 2..at + 6)?).ok()?, 16).ok();
    let first = unit(0)?;
    let units = [Some(first), unit(6).filter(|_| (0xD800..0xDC00).contains(&first))];
    let character = char::decode_utf16(units.into_iter().flatten()).next()?.ok()?;
    Some((character, 6 * character.len_utf16()))
}

#[cfg(test)]
mod tests {
    use alongside_contract::surrogates;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the request that calls `openDiff` with this text, which is JSON.
    fn request(text: &str) -> String {
        let call = json!({ "name": OPEN_DIFF, "arguments": { "filePath": "/a", "newContent": "TEXT" } });
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        request.to_string().replace("\"TEXT\"", text)
    }

    fn text_of(body: &str) -> Option<String> {
        let mut body = surrogates::replace_lone(body.as_bytes()).into_owned();
        read(&mut body).map(|call| call.text)
    }

    #[test]
    fn a_call_is_read_in_any_order_of_keys() {
        let arguments = r#"{"newContent":"a\nb","filePath":"/a","more":[1]}"#;
        let params = format!(r#"{{"arguments":{arguments},"_meta":{{}},"name":"openDiff"}}"#);
        let body = format!(r#"{{"params":{params},"method":"tools/call","id":"x","jsonrpc":"2.0"}}"#);
        let LargeOpenDiff { id, file_path, text } = read(&mut body.into_bytes()).unwrap();
        assert_eq!((id, &*file_path, &*text), (Id::Text("x".into()), "/a", "a\nb"));
    }

    #[test]
    fn any_other_message_is_left_as_it_is() {
        let valid = request(r#""a\nb""#);
        assert!(text_of(&valid).is_some());
        for (part, other) in [
            ("2.0", "1.0"),
            ("openDiff", "closeDiff"),
            ("tools/call", "tools/list"),
            (r#""id":7"#, r#""id":[7]"#),
            (r#""id":7"#, r#""id":7,"result":null"#),
            (r#""id":7,"#, ""),
            (r#""a\nb""#, "[1]"),
            (r#""a\nb""#, r#""a\qb""#),
            (r#""a\nb""#, "\"a\nb\""),
            (r#""a\nb""#, r#""a\nb"#),
            (r#""filePath":"/a","#, ""),
        ] {
            let body = valid.replace(part, other);
            assert_ne!(body, valid);
            let mut bytes = body.clone().into_bytes();
            assert!(read(&mut bytes).is_none(), "{body}");
            assert_eq!(bytes, body.into_bytes());
        }
    }

    proptest! {
        /// Every way to escape a text gives the text that the general parser reads.
        #[test]
        fn a_text_is_unescaped_as_by_the_general_parser(
            characters in proptest::collection::vec(("[\\PC\\n\\t\"\\\\/😀]", any::<bool>()), 0..60),
        ) {
            let escape = |(text, all): &(String, bool)| match all {
                true => text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect(),
                false => {
                    let json = Value::from(text.as_str()).to_string();
                    json[1..json.len() - 1].replace('/', "\\/")
                }
            };
            let json = format!("\"{}\"", characters.iter().map(escape).collect::<String>());
            let expected: String = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(text_of(&request(&json)), Some(expected));
        }

        #[test]
        fn any_units_are_read_as_by_the_general_parser(units: Vec<u16>) {
            let json: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let expected = String::from_utf16_lossy(&units);
            prop_assert_eq!(text_of(&request(&format!("\"{json}\""))), Some(expected));
        }
    }
}
