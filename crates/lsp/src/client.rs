//! What an editor says of itself in `initialize`, read leniently: editors leave out, null and misspell what
//! they do not care for, and none of it is a reason to fail.

use std::path::{Path, PathBuf};

use alongside_desk::socket::Owner;
use serde_json::Value;

use crate::editors::{self, Editor};
use crate::uri;

/// An editor, and what it can do.
#[derive(Debug, Clone)]
pub struct Client {
    /// What it calls itself; empty if it does not.
    pub name: String,
    /// Its version, as it writes it.
    pub version: String,
    /// The process it says it is. Not always the one that agents take for it: see [`Editor::process`].
    pub process_id: Option<u32>,
    /// The editor it says it is, where its plugin says so.
    pub owner: Option<Owner>,
    /// Its projects; absolute. Never empty: an editor without any works in its current directory.
    pub roots: Vec<PathBuf>,
    /// Its row in the table.
    pub editor: &'static Editor,
    /// The version of the desk protocol that its plugin speaks, if it has one.
    pub(crate) protocol: Option<u32>,
    /// How positions are counted in LSP's own messages.
    pub(crate) encoding: Encoding,
    /// Whether a proposal is shown as soon as it comes, because the person wants it so.
    pub(crate) opens_reviews: bool,
    /// What it says it can do.
    pub(crate) capabilities: Value,
}

/// How `character` is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// In bytes.
    Utf8,
    /// In UTF-16 units; every editor can.
    Utf16,
    /// In characters.
    Utf32,
}

impl Encoding {
    /// As LSP writes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// How many units a character takes.
    pub(crate) fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

impl Client {
    /// Reads the parameters of `initialize`. `here` is where the editor started us.
    pub(crate) fn read(params: &Value, here: &Path) -> Self {
        let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let number = |pointer: &str| params.pointer(pointer).and_then(Value::as_u64);
        let ours = params.pointer("/initializationOptions/alongside");
        let protocol = ours.and_then(|ours| ours.get("protocol")).and_then(Value::as_u64);
        let owner = ours.and_then(|ours| ours.get("owner"));
        let name = text("/clientInfo/name").to_owned();
        let editor = editors::called(&name);
        let protocol = protocol.map(|version| u32::try_from(version).unwrap_or(u32::MAX));
        let mut roots = roots(params, here);
        if protocol.is_none() {
            roots = projects(roots);
        }
        Self {
            version: text("/clientInfo/version").to_owned(),
            process_id: number("/processId").and_then(|pid| u32::try_from(pid).ok()),
            owner: owner.and_then(|owner| serde_json::from_value(owner.clone()).ok()),
            roots,
            editor,
            protocol,
            encoding: encoding(params),
            opens_reviews: ours.and_then(|ours| ours.get("openReviews")).and_then(Value::as_bool)
                == Some(true),
            capabilities: params.get("capabilities").cloned().unwrap_or_default(),
            name,
        }
    }

    /// Whether the editor says it has a capability, named as in LSP: `window/showDocument/support`.
    pub(crate) fn can(&self, capability: &str) -> bool {
        let found = self.capabilities.pointer(&format!("/{capability}"));
        found.and_then(Value::as_bool) == Some(true)
    }
}

/// The directories the editor has open.
fn roots(params: &Value, here: &Path) -> Vec<PathBuf> {
    let folders = params.get("workspaceFolders").and_then(Value::as_array).into_iter().flatten();
    let mut roots: Vec<PathBuf> =
        folders.filter_map(|folder| folder.get("uri")?.as_str()).filter_map(uri::to_path).collect();
    if roots.is_empty() {
        let root = params.get("rootUri").and_then(Value::as_str).and_then(uri::to_path);
        let path = || params.get("rootPath").and_then(Value::as_str).map(PathBuf::from);
        roots.extend(root.or_else(path).filter(|root| root.is_absolute()));
    }
    let mut roots: Vec<_> = roots.into_iter().map(|root| tidy(&root)).filter(|root| root.is_dir()).collect();
    if roots.is_empty() {
        roots.push(here.to_owned());
    }
    roots.dedup();
    roots
}

/// Without a slash at the end, which some editors write.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Editors take the folder of the nearest manifest for a root, one for each language. Agents are started at
/// the top of the project, and all servers of an editor shall join one companion: so the repository around it
/// counts.
pub(crate) fn projects(roots: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut projects = Vec::new();
    for root in roots {
        let is_top = |dir: &&Path| MARKS.iter().any(|mark| dir.join(mark).exists());
        let project = root.ancestors().find(is_top).map_or_else(|| root.clone(), Path::to_owned);
        if !projects.contains(&project) {
            projects.push(project);
        }
    }
    projects
}

/// What lies at the top of a repository.
const MARKS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

fn encoding(params: &Value) -> Encoding {
    let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
    let offers = |encoding: Encoding| {
        offered.is_some_and(|offered| offered.iter().any(|name| name.as_str() == Some(encoding.name())))
    };
    // Every editor has to know UTF-16, and those that offer more count in one of the others themselves.
    [Encoding::Utf8, Encoding::Utf32]
        .into_iter()
        .find(|encoding| offers(*encoding))
        .unwrap_or(Encoding::Utf16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(params: Value) -> Client {
        Client::read(&params, Path::new("/tmp"))
    }

    #[test]
    fn an_editor_that_says_nothing_is_served_where_it_started_us() {
        for params in
            [Value::Null, json!({}), json!({"processId": null, "workspaceFolders": null, "rootUri": null})]
        {
            let client = read(params);
            assert_eq!(client.roots, [PathBuf::from("/tmp")]);
            assert_eq!((client.process_id, client.protocol, client.encoding), (None, None, Encoding::Utf16));
        }
    }

    #[test]
    fn roots_are_folders_first_and_tidy() {
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
    fn the_repository_around_a_root_is_the_project_unless_a_plugin_says_what_it_means() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let below = dir.path().join("a/b");
        assert_eq!(read(json!({"rootPath": below})).roots, [dir.path().to_owned()]);
        let plugin = json!({"rootPath": below, "initializationOptions": {"alongside": {"protocol": 1}}});
        assert_eq!(read(plugin).roots, [below]);
    }

    #[test]
    fn positions_are_counted_as_the_editor_can() {
        let offered = |names: &[&str]| {
            read(json!({"capabilities": {"general": {"positionEncodings": names}}})).encoding
        };
        assert_eq!(offered(&["utf-16", "utf-8"]), Encoding::Utf8);
        assert_eq!(offered(&["utf-32", "utf-16"]), Encoding::Utf32);
        assert_eq!(offered(&["utf-16"]), Encoding::Utf16);
    }
}
