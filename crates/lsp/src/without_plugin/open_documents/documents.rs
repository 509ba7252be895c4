//! The editor's open documents, kept from its notifications. Editors open twice, forget versions and send
//! invalid changes; an invalid change does nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::Text;
use alongside_platform::paths::Canonical as _;
use serde_json::{Value, json};

use super::document::{Document, DocumentEdit, DocumentKey, is_whole_text};
use crate::encoding::Encoding;
use crate::io::Io;
use crate::uri;
use crate::without_plugin::lsp_types as lsp;

/// The open documents of an editor.
#[derive(Debug)]
pub(crate) struct Documents {
    encoding: Encoding,
    open: BTreeMap<DocumentKey, Document>,
}

impl Documents {
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self { encoding, open: BTreeMap::new() }
    }

    pub(crate) fn get(&self, key: &Path) -> Option<&Document> {
        self.open.get(key)
    }

    /// Returns the key of a file, by the name under which the editor has it open.
    pub(crate) fn key_of(&self, file: &str) -> DocumentKey {
        let path: PathBuf = Path::new(file).components().collect();
        if self.open.contains_key(&path) {
            return path;
        }
        let real = path.canonical().ok();
        real.filter(|real| self.open.contains_key(real)).unwrap_or(path)
    }

    /// Replaces the diagnostics of a document.
    pub(crate) fn publish(&self, io: &Io, key: &Path, marks: &[lsp::Diagnostic]) {
        let known = self.open.get(key).map(|document| document.uri.clone());
        let uri = known.or_else(|| uri::of_path(key).map(String::from));
        if let Some(uri) = uri {
            io.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": marks }));
        }
    }

    /// Handles `textDocument/didOpen`.
    pub(crate) fn open(&mut self, params: &Value) -> Option<DocumentKey> {
        let (key, uri) = document_named(params)?;
        let item = params.get("textDocument")?;
        let text = Text::new(item.get("text").and_then(Value::as_str).unwrap_or_default());
        let document = Document::new(uri, text, version_of(item)).reopened(self.open.get(&key));
        self.open.insert(key.clone(), document);
        Some(key)
    }

    /// Handles `textDocument/didChange`. A change of the whole text opens a document that is not open.
    pub(crate) fn change(&mut self, params: &Value) -> Option<(DocumentKey, DocumentEdit)> {
        let (key, uri) = document_named(params)?;
        let changes = params.get("contentChanges").and_then(Value::as_array)?;
        let is_opened = !self.open.contains_key(&key);
        if is_opened && !changes.iter().any(is_whole_text) {
            return None;
        }
        let document =
            self.open.entry(key.clone()).or_insert_with(|| Document::new(uri, Text::new(""), None));
        let version = params.get("textDocument").and_then(version_of);
        let edit = document.change(version, changes, self.encoding);
        if is_opened {
            document.mark_saved();
        }
        Some((key, edit))
    }

    /// Handles `textDocument/didSave`.
    pub(crate) fn save(&mut self, params: &Value) -> Option<DocumentKey> {
        let (key, _) = document_named(params)?;
        let document = self.open.get_mut(&key)?;
        if let Some(text) = params.get("text").and_then(Value::as_str) {
            document.text = Text::new(text);
        }
        document.mark_saved();
        Some(key)
    }

    /// Handles `textDocument/didClose`.
    pub(crate) fn close(&mut self, params: &Value) -> Option<(DocumentKey, Arc<str>)> {
        let (key, _) = document_named(params)?;
        self.open.remove(&key).map(|document| (key, document.text.text().clone()))
    }

    /// Whether an open document has unsaved changes. Blocks briefly.
    pub(crate) fn check_dirty(&mut self, key: &Path) -> bool {
        self.open.get_mut(key).is_some_and(|document| document.check_dirty(key))
    }
}

/// Returns the document that a message names, and its URI in the editor's spelling.
pub(crate) fn document_named(params: &Value) -> Option<(DocumentKey, String)> {
    let uri = params.pointer("/textDocument/uri")?.as_str()?;
    // A URI without a path must not look like an absolute one.
    let no_path = || PathBuf::from(uri.trim_start_matches(std::path::is_separator));
    Some((uri::to_path(uri).unwrap_or_else(no_path), uri.to_owned()))
}

fn version_of(item: &Value) -> Option<i32> {
    item.get("version").and_then(Value::as_i64).and_then(|version| i32::try_from(version).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The document, with a drive for Windows. Elsewhere, the drive is a directory.
    const URI: &str = "file:///c:/a";

    fn file() -> PathBuf {
        uri::to_path(URI).unwrap()
    }

    fn documents(encoding: Encoding, text: &str) -> Documents {
        let mut documents = Documents::new(encoding);
        documents.open(&json!({"textDocument": {"uri": URI, "version": 1, "text": text}})).unwrap();
        documents
    }

    fn change(documents: &mut Documents, changes: Value) -> Option<DocumentEdit> {
        let params = json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": changes});
        documents.change(&params).map(|(_, edit)| edit)
    }

    fn text(documents: &Documents) -> &str {
        documents.get(&file()).unwrap().text.text()
    }

    #[test]
    fn out_of_order_changes_apply_in_version_order() {
        let at = |character: u32| json!({"line": 0, "character": character});
        let line = |from: u32, to: u32| json!({"start": at(from), "end": at(to)});
        let typed = [
            json!([{"range": line(0, 8), "text": ""}]),
            json!([{"range": line(0, 0), "text": "1"}]),
            json!([{"range": line(1, 1), "text": "4"}]),
        ];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut documents = documents(Encoding::Utf16, "FOURTEEN\n");
            for at in order {
                let document = json!({"uri": URI, "version": at + 2});
                let params = json!({"textDocument": document, "contentChanges": typed[at]});
                documents.change(&params).unwrap();
            }
            assert_eq!(text(&documents), "14\n", "{order:?}");
            // A version that starts again is accepted as it is.
            let changes = json!([{"range": line(0, 1), "text": "2"}]);
            let params = json!({"textDocument": {"uri": URI, "version": 1}, "contentChanges": changes});
            documents.change(&params).unwrap();
            assert_eq!(text(&documents), "24\n");
        }
    }

    #[test]
    fn ranges_follow_the_negotiated_encoding() {
        for (encoding, after_emoji) in [(Encoding::Utf8, 5), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let mut documents = documents(encoding, "a😀b\n");
            let range =
                json!({"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": after_emoji}});
            let edited = change(&mut documents, json!([{"range": range, "text": "éé"}])).unwrap();
            assert_eq!((edited.end, self::text(&documents)), (Some(5), "aééb\n"));
        }
    }

    #[test]
    fn invalid_changes_do_nothing_or_the_nearest_thing() {
        let mut documents = documents(Encoding::Utf16, "one\ntwo\n");
        for nonsense in [json!(null), json!([{}]), json!([{"text": 3}]), json!([{"range": {}}]), json!([])] {
            let edited = change(&mut documents, nonsense);
            assert!(edited.is_none_or(|edited| !edited.is_new));
        }
        assert!(!documents.check_dirty(&file()));
        let beyond =
            json!({"start": {"line": 7, "character": 9}, "end": {"line": 99999999999_u64, "character": -1}});
        change(&mut documents, json!([{"range": beyond, "text": "three"}]));
        let backwards = json!({"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 0}});
        change(&mut documents, json!([{"range": backwards, "text": ""}]));
        assert_eq!(text(&documents), "two\nthree");
        change(&mut documents, json!([{"range": null, "text": "bare"}]));
        assert_eq!(text(&documents), "bare");
        assert!(documents.check_dirty(&file()));
        documents.save(&json!({"textDocument": {"uri": URI}}));
        assert!(!documents.check_dirty(&file()));
    }

    #[test]
    fn a_document_opened_twice_stays_unsaved() {
        let mut documents = documents(Encoding::Utf16, "a");
        change(&mut documents, json!([{"text": "b"}]));
        let again = json!({"textDocument": {"uri": URI, "languageId": null, "text": "b"}});
        documents.open(&again);
        assert!(documents.check_dirty(&file()));
        assert!(documents.close(&again).is_some());
        assert!(documents.close(&again).is_none());
    }

    #[test]
    fn a_uri_without_path_is_no_absolute_key() {
        for uri in ["untitled:Untitled-1", "/plain", "alongside:/a", ""] {
            let (key, _) = document_named(&json!({"textDocument": {"uri": uri}})).unwrap();
            assert!(!key.is_absolute(), "{uri}");
        }
    }
}
