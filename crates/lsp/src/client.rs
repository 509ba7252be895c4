//! An editor as it describes itself in `initialize`. Parsing is lenient: editors omit and misspell fields or
//! set them to null, and the server serves them nevertheless.

use std::path::{Path, PathBuf};

use alongside_desk::socket::EditorProcess;
use serde_json::Value;

use crate::editors::{self, EditorKind};
use crate::encoding::Encoding;
use crate::roots;

/// An editor, and what it can do.
#[derive(Debug, Clone)]
pub struct Client {
    /// The name that the editor gives; empty if it gives none.
    pub name: String,
    /// The version that the editor gives.
    pub version: String,
    /// The process that the editor names. Agents may use another process as the editor: see
    /// [`EditorKind::process`].
    pub process_id: Option<u32>,
    /// The editor that its plugin names.
    pub named_editor: Option<EditorProcess>,
    /// The absolute paths of the editor's projects. Never empty: an editor without a project works in its
    /// current directory.
    pub roots: Vec<PathBuf>,
    /// The row of the editor in the table.
    pub kind: &'static EditorKind,
    /// The version of the desk protocol that the editor's plugin speaks, if the editor has one.
    pub(crate) protocol: Option<u32>,
    /// Whether the plugin only presents reviews: the server merges texts, and adds labels, messages and
    /// diffs.
    pub(crate) wants_presentation: bool,
    /// Whether the plugin shows texts side by side, byte for byte: the server merges texts, and adds labels
    /// and messages.
    pub(crate) wants_display: bool,
    /// Whether the plugin reports the diagnostics that the editor knows.
    pub diagnoses: bool,
    /// The unit in which LSP's own messages count the characters of a line.
    pub(crate) encoding: Encoding,
    /// Whether the person's settings show a proposal as soon as it arrives.
    pub(crate) opens_reviews: bool,
    /// The session that its adapter names, in which the editor's own program executes commands.
    pub session: Option<String>,
    /// Whether the editor's own program shows documents.
    pub(crate) has_remote: bool,
    /// The capabilities it declares.
    pub(crate) capabilities: Value,
}

impl Client {
    /// Reads the parameters of `initialize`. `here` is the directory in which the editor started the server.
    pub(crate) fn read(params: &Value, here: &Path) -> Self {
        let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let number = |pointer: &str| params.pointer(pointer).and_then(Value::as_u64);
        let ours = params.pointer("/initializationOptions/alongside");
        let wants = |what: &str| ours.and_then(|ours| ours.get(what)).and_then(Value::as_bool) == Some(true);
        let protocol = ours.and_then(|ours| ours.get("protocol")).and_then(Value::as_u64);
        let named = ours.and_then(|ours| ours.get("editor").or_else(|| ours.get("owner")));
        let name = text("/clientInfo/name").to_owned();
        let protocol = protocol.map(|version| u32::try_from(version).unwrap_or(u32::MAX));
        let mut roots = roots::from_initialize(params, here);
        if protocol.is_none() {
            roots = roots::repositories(roots);
        }
        Self {
            version: text("/clientInfo/version").to_owned(),
            process_id: number("/processId").and_then(|pid| u32::try_from(pid).ok()),
            named_editor: named.and_then(|named| serde_json::from_value(named.clone()).ok()),
            roots,
            kind: editors::find(&name),
            protocol,
            encoding: Encoding::negotiate(params),
            wants_presentation: wants("presentation"),
            wants_display: wants("display"),
            diagnoses: wants("diagnostics"),
            opens_reviews: wants("openReviews"),
            session: ours.and_then(|ours| Some(ours.get("session")?.as_str()?.to_owned())),
            has_remote: false,
            capabilities: params.get("capabilities").cloned().unwrap_or_default(),
            name,
        }
    }

    /// Whether the editor declares a capability, such as `window/showDocument/support`.
    pub(crate) fn supports(&self, capability: &str) -> bool {
        let found = self.capabilities.pointer(&format!("/{capability}"));
        found.and_then(Value::as_bool) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(params: Value) -> Client {
        Client::read(&params, Path::new("/tmp"))
    }

    #[test]
    fn an_empty_initialize_uses_the_current_directory() {
        for params in
            [Value::Null, json!({}), json!({"processId": null, "workspaceFolders": null, "rootUri": null})]
        {
            let client = read(params);
            assert_eq!(client.roots, [PathBuf::from("/tmp")]);
            assert_eq!((client.process_id, client.protocol, client.encoding), (None, None, Encoding::Utf16));
        }
    }

    #[test]
    fn workspace_folders_win_and_lose_their_slash() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let uri = format!("file://{}/", dir.display());
        assert_eq!(read(json!({"rootUri": uri, "rootPath": "/"})).roots, [dir.to_owned()]);
        assert_eq!(read(json!({"rootPath": dir})).roots, [dir.to_owned()]);
        let folders =
            json!([{"uri": uri, "name": "x"}, {"uri": "untitled:1"}, {"uri": "file:///is/not/there"}]);
        assert_eq!(read(json!({"workspaceFolders": folders, "rootUri": "file:///"})).roots, [dir.to_owned()]);
    }

    #[test]
    fn a_root_means_its_repository_unless_a_plugin_names_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let below = dir.path().join("a/b");
        assert_eq!(read(json!({"rootPath": below})).roots, [dir.path().to_owned()]);
        let plugin = json!({"rootPath": below, "initializationOptions": {"alongside": {"protocol": 1}}});
        assert_eq!(read(plugin).roots, [below]);
    }

    #[test]
    fn utf8_is_preferred_then_utf32() {
        let offered = |names: &[&str]| {
            read(json!({"capabilities": {"general": {"positionEncodings": names}}})).encoding
        };
        assert_eq!(offered(&["utf-16", "utf-8"]), Encoding::Utf8);
        assert_eq!(offered(&["utf-32", "utf-16"]), Encoding::Utf32);
        assert_eq!(offered(&["utf-16"]), Encoding::Utf16);
    }
}
