//! An editor whose own program shows files and messages.

use std::sync::Mutex;

use futures_util::future::BoxFuture;

use super::companion::Companion;
use super::showing::{NEW, OLD};
use super::*;
use crate::editor_remote::EditorRemote;
use crate::editors;
use crate::without_plugin::editor::Editor;

/// Records what the editor is to do, and does it.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap().to_string_lossy().into_owned()
}

impl EditorRemote for Recorder {
    fn show(&self, file: &Path, line: Option<usize>) -> BoxFuture<'static, bool> {
        self.add(format!("show {} {line:?}", name_of(file)));
        Box::pin(async { true })
    }

    fn say(&self, message: &str, is_warning: bool) -> bool {
        self.add(format!("say {message} {is_warning}"));
        true
    }

    fn count(&self, waiting: usize) {
        self.add(format!("count {waiting}"));
    }

    fn decided(&self, file: &Path) {
        self.add(format!("decided {}", name_of(file)));
    }
}

/// Kakoune with its adapter.
fn kakoune() -> (Stage, Arc<Recorder>) {
    let mut stage = Stage::new("kakoune-lsp", &[]);
    let remote = Arc::<Recorder>::default();
    stage.io.set_remote(Some(remote.clone()));
    stage.desk.editor = Editor::new(Client {
        kind: editors::find("alongside.kak"),
        has_remote: true,
        roots: vec![stage.dir.path().to_owned()],
        ..stage.desk.editor.client().clone()
    });
    (stage, remote)
}

/// kakoune-lsp ends at such names.
#[tokio::test(start_paused = true)]
async fn a_file_name_that_uris_escape_is_not_shown() {
    let (mut stage, remote) = kakoune();
    std::fs::write(stage.path("a|[b].txt"), OLD).unwrap();
    let mut companion = Companion::proposes(&mut stage, "a|[b].txt", OLD, NEW).await;
    stage.ask("workspace/executeCommand", json!({"command": "alongside.review"}));
    stage.hear().await;
    assert!(remote.take().contains(&"show a__b_.txt Some(1)".to_owned()));
    let proposal = stage.path("own/1-0-1/a__b_.txt");
    stage.tell("didOpen", json!({"textDocument": {"uri": uri(&proposal), "version": 1, "text": NEW}}));
    stage.ask("workspace/executeCommand", json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    let done = remote.take();
    assert_eq!(done.last().map(String::as_str), Some("decided a__b_.txt"), "{done:?}");
}

#[tokio::test(start_paused = true)]
async fn the_editors_program_shows_what_its_client_cannot() {
    let (mut stage, remote) = kakoune();
    stage.open("notes.txt", OLD);
    let mut companion = Companion::proposes(&mut stage, "notes.txt", OLD, NEW).await;
    let said = "say Gemini CLI proposes notes.txt: :alongside-review false";
    assert_eq!(remote.take(), ["count 1", said]);

    stage.ask("workspace/executeCommand", json!({"command": "alongside.review"}));
    stage.hear().await;
    assert_eq!(remote.take(), ["show notes.txt Some(1)"]);
    let proposal = stage.path("own/1-0-1/notes.txt");
    stage.tell("didOpen", json!({"textDocument": {"uri": uri(&proposal), "version": 1, "text": NEW}}));
    assert_eq!(remote.take(), ["say :alongside-drop, -next, -diff, -accept or -reject false"]);

    stage.ask("workspace/executeCommand", json!({"command": "alongside.accept"}));
    companion.serve(&mut stage).await;
    let accepted = "say notes.txt: accepted; Gemini CLI writes it. false";
    assert_eq!(remote.take(), ["count 0", accepted, "decided notes.txt", "show notes.txt None"]);
    let seen = stage.seen();
    let is_show = |message: &Message| match message {
        Message::Request(request) => request.method.starts_with("window/"),
        _ => false,
    };
    assert!(!seen.0.iter().any(is_show), "{:?}", seen.0);
}
