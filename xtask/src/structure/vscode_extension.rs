//! Checks two rules of the extension for VS Code: texts reach VS Code through one file, which escapes links
//! and icons, and a repository can set none of its settings.

use alongside_rig::sandbox::files_below;
use alongside_testing::chores::checkout;
use serde_json::Value;

use crate::rust_sources::shown;

/// The file that may use [`SINKS`].
const WINDOW: &str = "/window.ts";

/// The functions by which a text reaches VS Code, some of which interpret links and icons. `Uri.from` creates
/// the names of documents.
const SINKS: &str = "\
    showInformationMessage showWarningMessage showErrorMessage showQuickPick createQuickPick \
    showInputBox createInputBox showWorkspaceFolderPick setStatusBarMessage createStatusBarItem \
    withProgress createTreeView registerTreeDataProvider .TreeItem( .CodeLens( .InlayHint( .Hover( \
    .FileDecoration( MarkdownString .Diagnostic( createTextEditorDecorationType createOutputChannel \
    createWebview createTerminal sendText createComment vscode.diff Uri.from( Uri.parse(";

#[test]
fn the_extension_gives_vscode_texts_in_one_file() {
    let sources: Vec<_> = files_below(checkout().join("editors/vscode/src"))
        .into_iter()
        .map(|path| (shown(&path), std::fs::read_to_string(&path).expect("a source that can be read")))
        .collect();
    let users = |sink| {
        let names = sources.iter().filter(move |(_, text): &&(String, String)| text.contains(sink));
        names.map(|(path, _)| path.as_str())
    };
    assert!(users("showInformationMessage").any(|path| path.ends_with(WINDOW)), "{WINDOW} is not there");
    let mut found = Vec::new();
    for sink in SINKS.split(' ') {
        found
            .extend(users(sink).filter(|path| !path.ends_with(WINDOW)).map(|path| format!("{path}: {sink}")));
    }
    assert!(found.is_empty(), "texts that pass no `escapeMarkup`; use {WINDOW}:\n{}", found.join("\n"));
}

/// `machine`: the settings of the machine where the program runs. `application`: the person's, in all
/// windows. VS Code ignores a repository's value for both; a repository may set `machine-overridable`,
/// `window` and `resource`.
#[test]
fn a_repository_sets_no_setting_of_vscode() {
    let manifest =
        std::fs::read_to_string(checkout().join("editors/vscode/package.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let settings = manifest["contributes"]["configuration"]["properties"].as_object().expect("settings");
    assert!(!settings.is_empty());
    for (name, setting) in settings {
        let scope = setting["scope"].as_str().unwrap_or("window");
        assert!(["machine", "application"].contains(&scope), "{name}: a repository sets it ({scope})");
    }
}
