//! The editor's documents, kept as it tells them. Editors open twice, forget versions and name lines that are
//! not there: a position beyond the text means its end, and what makes no sense changes nothing.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use alongside_desk::{Position, Text};
use alongside_platform::untrusted::{self, Whose};
use serde_json::Value;

use super::order::Order;
use crate::client::Encoding;
use crate::uri;

/// What a document is known by: its path, or its URI where it has none. That is never absolute.
pub(crate) type Key = PathBuf;

/// An open document.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) text: Text,
    /// As the editor counts, where it does.
    pub(crate) version: Option<i32>,
    /// As it was opened or saved last.
    saved: Text,
    /// As the editor spells it: it is answered in the same words.
    pub(crate) uri: String,
    order: Order,
}

/// All open documents.
#[derive(Debug)]
pub(crate) struct Documents {
    encoding: Encoding,
    open: BTreeMap<Key, Document>,
}

/// What a change did to a document.
#[derive(Debug)]
pub(crate) struct Edited {
    /// Where the last edit ended, if it says: the cursor is there, mostly.
    pub(crate) end: Option<usize>,
    /// Whether the text is another one now.
    pub(crate) is_new: bool,
    /// The text after each change.
    pub(crate) steps: Vec<Text>,
}

impl Documents {
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self { encoding, open: BTreeMap::new() }
    }

    pub(crate) fn get(&self, key: &Path) -> Option<&Document> {
        self.open.get(key)
    }

    /// `textDocument/didOpen`. Some editors say it again: what was not saved then is not saved now.
    pub(crate) fn opened(&mut self, params: &Value) -> Option<Key> {
        let (key, uri) = named(params)?;
        let item = params.get("textDocument")?;
        let text = Text::new(item.get("text").and_then(Value::as_str).unwrap_or_default());
        let again = self.open.get(&key).filter(|before| before.text.text() == text.text());
        let saved = again.map_or_else(|| text.clone(), |before| before.saved.clone());
        let document = Document { text, version: version(item), saved, uri, order: Order::default() };
        self.open.insert(key.clone(), document);
        Some(key)
    }

    /// `textDocument/didChange`. A document that was never opened is, if the whole of it is told.
    pub(crate) fn changed(&mut self, params: &Value) -> Option<(Key, Edited)> {
        let (key, uri) = named(params)?;
        let changes = params.get("contentChanges").and_then(Value::as_array)?;
        let encoding = self.encoding;
        let is_whole = |change: &Value| text_of(change).is_some() && range_of(change).is_none();
        if !self.open.contains_key(&key) && !changes.iter().any(is_whole) {
            return None;
        }
        let is_opened = !self.open.contains_key(&key);
        let document = self.open.entry(key.clone()).or_insert_with(|| Document {
            text: Text::new(""),
            version: None,
            saved: Text::new(""),
            uri,
            order: Order::default(),
        });
        let before = document.text.clone();
        let mut steps = Vec::new();
        let number = params.get("textDocument").and_then(version);
        let mut later = Vec::new();
        if let Some(gap) = number.and_then(|number| document.order.gap(number)) {
            (document.text, document.version, later) = (gap.before, Some(gap.after), gap.later);
        }
        let mut end = document.apply(number, changes, encoding, &mut steps);
        for (number, changes) in later {
            end = document.apply(Some(number), &changes, encoding, &mut steps);
        }
        let is_new = document.text.text() != before.text();
        if is_opened {
            document.saved = document.text.clone();
        }
        Some((key, Edited { end, is_new, steps }))
    }

    /// `textDocument/didSave`.
    pub(crate) fn saved(&mut self, params: &Value) -> Option<Key> {
        let (key, _) = named(params)?;
        let document = self.open.get_mut(&key)?;
        if let Some(text) = params.get("text").and_then(Value::as_str) {
            document.text = Text::new(text);
        }
        document.saved = document.text.clone();
        Some(key)
    }

    /// Whether a document has changed since it was opened or saved. An editor that reads a file again says
    /// that its person has changed it; so what is on disk counts as saved. Blocks briefly.
    pub(crate) fn is_dirty(&mut self, key: &Path) -> bool {
        let Some(document) = self.open.get_mut(key) else { return false };
        let text = document.text.text();
        if text == document.saved.text() {
            return false;
        }
        let is_as_long = std::fs::metadata(key).is_ok_and(|found| found.len() == text.len() as u64);
        let disk = || untrusted::read(key, text.len() as u64, Whose::Anybodys);
        if is_as_long && disk().is_ok_and(|disk| disk == text.as_bytes()) {
            document.saved = document.text.clone();
            return false;
        }
        true
    }

    /// `textDocument/didClose`.
    pub(crate) fn closed(&mut self, params: &Value) -> Option<Key> {
        let (key, _) = named(params)?;
        self.open.remove(&key).map(|_| key)
    }

    /// A position in an open document.
    pub(crate) fn offset(&self, key: &Path, position: Position) -> Option<usize> {
        Some(offset(&self.open.get(key)?.text, position, self.encoding))
    }

    /// A range of an open document.
    pub(crate) fn span(&self, key: &Path, from: Position, to: Position) -> Option<Range<usize>> {
        Some(span(&self.open.get(key)?.text, from, to, self.encoding))
    }
}

impl Document {
    /// Makes changes, and says where the last one ended.
    fn apply(
        &mut self,
        number: Option<i32>,
        changes: &[Value],
        encoding: Encoding,
        steps: &mut Vec<Text>,
    ) -> Option<usize> {
        if let (Some(after), Some(number)) = (self.version, number) {
            self.order.done(after, number, self.text.clone(), changes);
        }
        self.version = number.or(self.version);
        let mut end = None;
        for change in changes {
            let Some(new) = text_of(change) else { continue };
            let Some((from, to)) = range_of(change) else {
                self.text = Text::new(new);
                steps.push(self.text.clone());
                end = None;
                continue;
            };
            let replaced = span(&self.text, from, to, encoding);
            let old = self.text.text();
            let mut text = String::with_capacity(old.len() - replaced.len() + new.len());
            text.push_str(&old[..replaced.start]);
            text.push_str(new);
            text.push_str(&old[replaced.end..]);
            self.text = Text::new(text);
            steps.push(self.text.clone());
            end = Some(replaced.start + new.len());
        }
        end
    }
}

/// The document that a message is about, and how the editor spells it.
pub(crate) fn named(params: &Value) -> Option<(Key, String)> {
    let uri = params.pointer("/textDocument/uri")?.as_str()?;
    Some((uri::to_path(uri).unwrap_or_else(|| no_path(uri)), uri.to_owned()))
}

/// What has no path must not be taken for one.
fn no_path(uri: &str) -> Key {
    PathBuf::from(uri.trim_start_matches(std::path::is_separator))
}

fn version(item: &Value) -> Option<i32> {
    item.get("version").and_then(Value::as_i64).and_then(|version| i32::try_from(version).ok())
}

fn text_of(change: &Value) -> Option<&str> {
    change.get("text").and_then(Value::as_str)
}

fn range_of(change: &Value) -> Option<(Position, Position)> {
    read_range(change.get("range")?)
}

/// A range, as an editor writes it.
pub(crate) fn read_range(range: &Value) -> Option<(Position, Position)> {
    Some((read_position(range.get("start")?)?, read_position(range.get("end")?)?))
}

/// A position, as an editor writes it. What is too large or less than nothing is as much as can be.
pub(crate) fn read_position(position: &Value) -> Option<Position> {
    let number = |name: &str| {
        let number = position.get(name)?;
        let whole = number.as_u64().or_else(|| number.as_i64().map(|_| 0));
        Some(u32::try_from(whole?).unwrap_or(u32::MAX))
    };
    Some(Position { line: number("line")?, character: number("character")? })
}

/// The byte offset of a position. Beyond a line means its end, before the line ending; beyond the text means
/// its end.
pub(crate) fn offset(text: &Text, position: Position, encoding: Encoding) -> usize {
    let line = position.line as usize;
    let start = text.lines(0..line).len();
    let content = without_ending(text.lines(line..line + 1));
    let mut units = 0;
    for (at, c) in content.char_indices() {
        if units >= position.character as usize {
            return start + at;
        }
        units += encoding.units(c);
    }
    start + content.len()
}

/// The range between two positions; one that ends before it starts is taken the other way round.
fn span(text: &Text, from: Position, to: Position, encoding: Encoding) -> Range<usize> {
    let (from, to) = (offset(text, from, encoding), offset(text, to, encoding));
    from.min(to)..from.max(to)
}

/// The position of a byte offset.
pub(crate) fn position(text: &Text, offset: usize, encoding: Encoding) -> Position {
    let (mut low, mut high) = (0, text.len());
    if text.ends_open() {
        high -= 1;
    }
    while low < high {
        let middle = (low + high).div_ceil(2);
        if text.lines(0..middle).len() <= offset { low = middle } else { high = middle - 1 }
    }
    let start = text.lines(0..low).len();
    let units: usize = text.text()[start..offset].chars().map(|c| encoding.units(c)).sum();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: number(low), character: number(units) }
}

/// A line without what ends it.
pub(crate) fn without_ending(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    fn documents(encoding: Encoding, text: &str) -> Documents {
        let mut documents = Documents::new(encoding);
        documents.opened(&json!({"textDocument": {"uri": "file:///a", "version": 1, "text": text}})).unwrap();
        documents
    }

    fn change(documents: &mut Documents, changes: Value) -> Option<Edited> {
        let params = json!({"textDocument": {"uri": "file:///a", "version": 2}, "contentChanges": changes});
        documents.changed(&params).map(|(_, edited)| edited)
    }

    fn text(documents: &Documents) -> &str {
        documents.get(Path::new("/a")).unwrap().text.text()
    }

    #[test]
    fn changes_that_come_in_the_wrong_order_are_made_in_that_of_their_numbers() {
        let line = |from: u32, to: u32| json!({"start": {"line": 0, "character": from}, "end": {"line": 0, "character": to}});
        let typed = [
            json!([{"range": line(0, 8), "text": ""}]),
            json!([{"range": line(0, 0), "text": "1"}]),
            json!([{"range": line(1, 1), "text": "4"}]),
        ];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut documents = documents(Encoding::Utf16, "FOURTEEN\n");
            for at in order {
                let params = json!({"textDocument": {"uri": "file:///a", "version": at + 2}, "contentChanges": typed[at]});
                documents.changed(&params).unwrap();
            }
            assert_eq!(text(&documents), "14\n", "{order:?}");
            // Who begins to count anew is taken at their word.
            let params = json!({"textDocument": {"uri": "file:///a", "version": 1}, "contentChanges": [{"range": line(0, 1), "text": "2"}]});
            documents.changed(&params).unwrap();
            assert_eq!(text(&documents), "24\n");
        }
    }

    #[test]
    fn positions_are_counted_in_the_encoding_agreed_upon() {
        for (encoding, after_emoji) in [(Encoding::Utf8, 5), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let text = Text::new("x\r\na😀b\r\n");
            assert_eq!(offset(&text, at(1, after_emoji), encoding), 8, "{encoding:?}");
            assert_eq!(position(&text, 8, encoding), at(1, after_emoji));
            assert_eq!(offset(&text, at(1, 99), encoding), 9, "before the line ending");
            assert_eq!(offset(&text, at(99, 0), encoding), 11, "beyond the text");
            let mut documents = documents(encoding, "a😀b\n");
            let range =
                json!({"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": after_emoji}});
            let edited = change(&mut documents, json!([{"range": range, "text": "éé"}])).unwrap();
            assert_eq!((edited.end, self::text(&documents)), (Some(5), "aééb\n"));
        }
    }

    #[test]
    fn what_editors_get_wrong_changes_nothing_or_the_nearest_thing() {
        let mut documents = documents(Encoding::Utf16, "one\ntwo\n");
        for nonsense in [json!(null), json!([{}]), json!([{"text": 3}]), json!([{"range": {}}]), json!([])] {
            let edited = change(&mut documents, nonsense);
            assert!(edited.is_none_or(|edited| !edited.is_new));
        }
        assert!(!documents.is_dirty(Path::new("/a")));
        let beyond =
            json!({"start": {"line": 7, "character": 9}, "end": {"line": 99999999999_u64, "character": -1}});
        change(&mut documents, json!([{"range": beyond, "text": "three"}]));
        let backwards = json!({"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 0}});
        change(&mut documents, json!([{"range": backwards, "text": ""}]));
        assert_eq!(text(&documents), "two\nthree");
        change(&mut documents, json!([{"range": null, "text": "bare"}]));
        assert_eq!(text(&documents), "bare");
        assert!(documents.is_dirty(Path::new("/a")));
        documents.saved(&json!({"textDocument": {"uri": "file:///a"}}));
        assert!(!documents.is_dirty(Path::new("/a")));
    }

    #[test]
    fn a_document_opened_twice_is_open_once_and_still_unsaved() {
        let mut documents = documents(Encoding::Utf16, "a");
        change(&mut documents, json!([{"text": "b"}]));
        let again = json!({"textDocument": {"uri": "file:///a", "languageId": null, "text": "b"}});
        documents.opened(&again);
        assert!(documents.is_dirty(Path::new("/a")));
        assert!(documents.closed(&again).is_some());
        assert!(documents.closed(&again).is_none());
    }

    #[test]
    fn what_is_no_file_has_no_absolute_name() {
        for uri in ["untitled:Untitled-1", "/plain", "alongside:/a", ""] {
            let (key, _) = named(&json!({"textDocument": {"uri": uri}})).unwrap();
            assert!(!key.is_absolute(), "{uri}");
        }
    }

    proptest! {
        #[test]
        fn positions_and_offsets_are_each_others_inverse(text in "[a\u{e9}\u{1f600}\n\r]{0,16}") {
            let text = Text::new(text);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                for (offset, _) in text.text().char_indices() {
                    let place = position(&text, offset, encoding);
                    let within = !text.text()[..offset].ends_with('\r') || !text.text()[offset..].starts_with('\n');
                    if within {
                        prop_assert_eq!(super::offset(&text, place, encoding), offset);
                    }
                }
                let end = position(&text, text.text().len(), encoding);
                prop_assert_eq!(super::offset(&text, end, encoding), text.text().len());
            }
        }
    }
}
