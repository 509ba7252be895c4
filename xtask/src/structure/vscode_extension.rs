//! Holds the extension for VS Code to two rules: a text reaches VS Code through one file, which breaks links
//! and icons in it, and no setting is one that a repository can set.

use alongside_rig::sandbox::files_below;
use alongside_testing::chores::checkout;
use serde_json::Value;

use crate::rust_sources::shown;

/// The file that may use [`SINKS`].
const WINDOW: &str = "/window.ts";

/// Where a text reaches VS Code, which obeys links and icons in some of these. `Uri.from` makes the names of
/// documents.
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

/// `machine`: the settings of the machine where the program runs. `application`: the person's, everywhere. VS
/// Code ignores a repository's value for both; `machine-overridable`, `window` and `resource` are a
/// repository's to set.
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
