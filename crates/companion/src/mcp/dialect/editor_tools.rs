//! The tools that ask about the editor: problems in files, selection, open files, roots. Agents learn from
//! them only what the privacy rules allow, and the tools change nothing.

use std::path::Path;

use alongside_contract::mcp::CallToolResult;
use alongside_contract::websocket::tools::{
    self, DocumentCall, FileDiagnostics, GetDiagnosticsCall, OpenEditor,
};
use alongside_contract::websocket::{FilePosition, SelectedRange};
use alongside_desk as desk;
use alongside_platform::paths::Canonical as _;

use crate::agents::context_frames;
use crate::events::{EditorState, Event, Events};

/// The largest number of problems in an answer; errors come first.
const MAX_DIAGNOSTICS: usize = 1_000;

/// A call of a tool that asks about the editor.
pub(super) enum Question {
    Diagnostics(GetDiagnosticsCall),
    Selection,
    OpenEditors,
    Folders,
    IsDirty(DocumentCall),
    /// Whether a file is saved. Only the person saves it.
    Save(DocumentCall),
    /// A request to open a file, which is always refused. Only the person opens files.
    Open,
}

impl Question {
    /// Computes the answer. Waits for editors at most 400 ms.
    pub(super) async fn answer(self, events: &Events) -> CallToolResult {
        if let Self::Diagnostics(GetDiagnosticsCall { uri }) = self {
            let found = events.ask(Event::DiagnosticsWanted).await.unwrap_or_default();
            // The conversion reads the real paths of files from the disk.
            let files = tokio::task::spawn_blocking(|| diagnostics(found, uri)).await.unwrap_or_default();
            return tools::diagnostics(&files);
        }
        let state = events.ask(Event::EditorStateWanted).await.unwrap_or_default();
        match self {
            Self::Selection => tools::current_selection(&context_frames::selection(&state.context)),
            Self::OpenEditors => tools::open_editors(&open_editors(&state)),
            Self::Folders => {
                let folders: Vec<_> = state.roots.iter().map(|root| folder(root)).collect();
                tools::workspace_folders(&folders)
            }
            Self::IsDirty(DocumentCall { file_path }) => match state.is_open(&file_path) {
                true => tools::document_dirty(&file_path, state.dirty.contains(&file_path)),
                false => tools::failed(&format!("Document not open: {file_path}")),
            },
            Self::Save(DocumentCall { file_path }) => match state.is_open(&file_path) {
                true if !state.dirty.contains(&file_path) => tools::nothing_to_save(&file_path),
                true => tools::failed("Only the person saves a file in their editor"),
                false => tools::failed(&format!("Document not open: {file_path}")),
            },
            Self::Open => CallToolResult::error("Only the person opens files in their editor"),
            Self::Diagnostics(_) => CallToolResult::default(),
        }
    }
}

impl EditorState {
    fn is_open(&self, path: &str) -> bool {
        self.context.open_files().iter().any(|file| file.path == path)
    }
}

fn open_editors(state: &EditorState) -> Vec<OpenEditor> {
    let editor = |file: &alongside_contract::context::OpenFile| OpenEditor {
        uri: file_url(&file.path),
        file_name: file.path.clone(),
        label: last_part(Path::new(&file.path)),
        is_active: file.is_active == Some(true),
        is_dirty: state.dirty.contains(&file.path),
    };
    state.context.open_files().iter().map(editor).collect()
}

/// Returns name, URL and path of a root.
fn folder(root: &Path) -> (String, String, String) {
    let path = root.to_string_lossy();
    (last_part(root), file_url(&path), path.into_owned())
}

fn last_part(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn file_url(path: &str) -> String {
    url::Url::from_file_path(Path::new(path)).map_or_else(|()| format!("file://{path}"), String::from)
}

/// Returns the problems for the agent: those of the file for which it asks, or all problems. Problems that
/// two editors report of a file are listed once. Blocks.
fn diagnostics(found: Vec<desk::FileDiagnostics>, uri: Option<String>) -> Vec<FileDiagnostics> {
    let wanted = uri.as_deref().map(paths);
    let real = |path: &Path| path.canonical().unwrap_or_else(|_| path.to_owned());
    let mut files: Vec<(String, Vec<desk::Diagnostic>)> = Vec::new();
    for file in found {
        let path = Path::new(&file.path);
        let uri = match (&wanted, &uri) {
            (Some(wanted), Some(uri)) => {
                let is_wanted = wanted
                    .iter()
                    .any(|wanted| Path::new(wanted) == path || real(Path::new(wanted)) == real(path));
                if !is_wanted {
                    continue;
                }
                uri.clone()
            }
            _ => file_url(&file.path),
        };
        let index = files.iter().position(|(known, _)| *known == uri).unwrap_or_else(|| {
            files.push((uri, Vec::new()));
            files.len() - 1
        });
        let known = &mut files[index].1;
        let new: Vec<_> =
            file.diagnostics.into_iter().filter(|diagnostic| !known.contains(diagnostic)).collect();
        known.extend(new);
    }
    // An agent that asks for a file also learns that the file has no problem.
    if let (Some(uri), true) = (uri, files.is_empty()) {
        files.push((uri, Vec::new()));
    }
    let mut answer: Vec<FileDiagnostics> = Vec::new();
    let mut ranked = Vec::new();
    for (index, (uri, all)) in files.into_iter().enumerate() {
        answer.push(FileDiagnostics { uri, diagnostics: Vec::new() });
        ranked.extend(all.into_iter().map(|found| (index, found)));
    }
    ranked.sort_by_key(|(_, found)| severity(found));
    ranked.truncate(MAX_DIAGNOSTICS);
    for (index, found) in ranked {
        answer[index].diagnostics.push(diagnostic(found));
    }
    answer
}

/// Returns the paths that a URL may mean: agents put bare paths behind `file://`.
fn paths(uri: &str) -> Vec<String> {
    let bare = uri.strip_prefix("file://").unwrap_or(uri).to_owned();
    let decoded = url::Url::parse(uri).ok().and_then(|url| url.to_file_path().ok());
    let decoded = decoded.map(|path| path.to_string_lossy().into_owned());
    std::iter::once(bare).chain(decoded).collect()
}

fn severity(diagnostic: &desk::Diagnostic) -> u8 {
    diagnostic.severity.filter(|severity| (1..=4).contains(severity)).unwrap_or(1)
}

fn diagnostic(found: desk::Diagnostic) -> tools::Diagnostic {
    let name = match severity(&found) {
        2 => "Warning",
        3 => "Info",
        4 => "Hint",
        _ => "Error",
    };
    let position = |at: desk::Position| FilePosition { line: at.line, character: at.character };
    let (start, end) = (position(found.range.start), position(found.range.end));
    tools::Diagnostic {
        message: found.message,
        severity: name.into(),
        range: SelectedRange { start, end, is_empty: start == end },
        source: found.source,
        code: found.code.map(|code| code.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, severities: &[u8]) -> desk::FileDiagnostics {
        let diagnostic = |(at, severity): (usize, &u8)| desk::Diagnostic {
            message: format!("problem {at}"),
            severity: Some(*severity),
            ..desk::Diagnostic::default()
        };
        let diagnostics = severities.iter().enumerate().map(diagnostic).collect();
        desk::FileDiagnostics { path: path.into(), diagnostics }
    }

    #[test]
    fn an_agent_gets_the_url_that_it_has_sent() {
        let [one, other] = ["/a b.rs", "/c.rs"].map(crate::rooted);
        let found = || vec![file(one.to_str().unwrap(), &[1]), file(other.to_str().unwrap(), &[2])];
        let encoded = url::Url::from_file_path(&one).unwrap().to_string();
        assert!(encoded.ends_with("/a%20b.rs"), "{encoded}");
        for uri in [format!("file://{}", one.display()), encoded.clone()] {
            let [file] = diagnostics(found(), Some(uri.clone())).try_into().unwrap();
            assert_eq!((file.uri, file.diagnostics.len()), (uri, 1));
        }
        let [none] = diagnostics(found(), Some("file:///d.rs".into())).try_into().unwrap();
        assert_eq!((none.uri.as_str(), none.diagnostics.len()), ("file:///d.rs", 0));
        let [all, _] = diagnostics(found(), None).try_into().unwrap();
        assert_eq!(all.uri, encoded);
    }

    #[test]
    fn problems_that_two_editors_report_are_listed_once() {
        let [both] = diagnostics(vec![file("/a", &[1, 2]), file("/a", &[1, 2, 4])], None).try_into().unwrap();
        let severities: Vec<_> =
            both.diagnostics.iter().map(|diagnostic| diagnostic.severity.as_str()).collect();
        assert_eq!(severities, ["Error", "Warning", "Hint"]);
    }

    #[test]
    fn errors_precede_other_problems_beyond_the_limit() {
        let found = vec![file("/a", &[4; 900]), file("/b", &[2; 300]), file("/c", &[1; 300])];
        let counts: Vec<_> = diagnostics(found, None).iter().map(|file| file.diagnostics.len()).collect();
        assert_eq!(counts, [400, 300, 300]);
    }
}
