//! The messages of each editor, as observed, and the context that they must produce.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const TEXT: &str = "fn one() {}\nfn two() {}\n";

fn document(stage: &Stage) -> Value {
    json!({"uri": stage.uri("a.rs")})
}

/// The request of an editor when the cursor rests.
fn highlight(stage: &mut Stage, line: u32, character: u32) {
    let document = document(stage);
    assert!(stage.ask(
        "textDocument/documentHighlight",
        json!({"textDocument": document, "position": at(line, character)})
    ));
}

fn actions(stage: &mut Stage, range: Value, trigger: Value) {
    let document = document(stage);
    let context = json!({"diagnostics": [], "triggerKind": trigger});
    assert!(stage.ask(
        "textDocument/codeAction",
        json!({"textDocument": document, "range": range, "context": context})
    ));
}

fn change(stage: &mut Stage, changes: Value) {
    let document = json!({"uri": stage.uri("a.rs"), "version": null});
    stage.tell("didChange", json!({"textDocument": document, "contentChanges": changes}));
}

#[tokio::test(start_paused = true)]
async fn vs_code_reveals_cursor_and_selection() {
    let mut stage = Stage::new("Visual Studio Code", &["utf-16"]);
    stage.open("a.rs", TEXT);
    highlight(&mut stage, 0, 3);
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(0, 3)}));
    actions(&mut stage, range((0, 3), (0, 6)), json!(2));
    let selected = |cursor: Value, anchor: Value| {
        let mut active = json!({"path": "a.rs", "cursor": cursor, "selectedText": "one"});
        active["anchor"] = anchor;
        active
    };
    assert_eq!(stage.active(), selected(at(0, 6), at(0, 3)));
    // The cursor is at the start of a selection made backwards.
    highlight(&mut stage, 0, 3);
    assert_eq!(stage.active(), selected(at(0, 3), at(0, 6)));
    // A quick fix from elsewhere comes with the range of its diagnostic.
    actions(&mut stage, range((1, 0), (1, 2)), json!(1));
    assert_eq!(stage.reported(), Value::Null);
    highlight(&mut stage, 1, 1);
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(1, 1)}));
    actions(&mut stage, range((1, 1), (1, 1)), json!(2));
    assert_eq!(stage.reported(), Value::Null, "nothing new");
}

#[tokio::test(start_paused = true)]
async fn helix_selects_cells_and_its_cursor_is_one_cell() {
    let mut stage = Stage::new("helix", &["utf-8", "utf-32", "utf-16"]);
    stage.open("a.rs", "e\u{301}x\r\ny\r\n");
    // One cell of two characters.
    actions(&mut stage, range((0, 0), (0, 3)), json!(2));
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(0, 0)}));
    actions(&mut stage, range((0, 0), (0, 4)), json!(2));
    let active = stage.active();
    assert_eq!((&active["anchor"], &active["cursor"]), (&at(0, 0), &at(0, 3)));
    assert_eq!(active["selectedText"], "e\u{301}x");
    // On a line ending.
    actions(&mut stage, range((0, 4), (1, 0)), json!(2));
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(0, 3)}));
    // Helix may send no automatic requests; then those of the person carry the selection.
    actions(&mut stage, range((1, 0), (1, 1)), json!(1));
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(1, 0)}));
}

#[tokio::test(start_paused = true)]
async fn with_edits_alone_the_cursor_is_at_their_end() {
    let mut stage = Stage::new("helix", &["utf-8"]);
    stage.open("a.rs", TEXT);
    assert_eq!(stage.active(), json!({"path": "a.rs"}));
    change(&mut stage, json!([{"range": range((1, 3), (1, 6)), "text": "zwei😀"}]));
    let report = stage.reported();
    assert_eq!(report["active"]["cursor"], at(1, 9), "two UTF-16 units");
    assert_eq!(report["openFiles"][0]["dirty"], true);
    let uri = stage.uri("a.rs");
    stage.tell("didSave", json!({"textDocument": {"uri": uri}}));
    let path = stage.path("a.rs").to_str().unwrap().to_owned();
    assert_eq!(stage.asked().map(|call| call.request), Some(Request::Saved { path }));
    assert_eq!(stage.reported()["openFiles"][0].get("dirty"), None);
}

#[tokio::test(start_paused = true)]
async fn neovim_reveals_open_files_only() {
    let mut stage = Stage::new("Neovim", &["utf-8"]);
    stage.open("b.rs", TEXT);
    stage.open("a.rs", TEXT);
    let report = stage.reported();
    let files: Vec<_> = report["openFiles"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(files, [stage.path("a.rs").to_str().unwrap(), stage.path("b.rs").to_str().unwrap()]);
    assert_eq!(report["active"], json!({"path": stage.path("a.rs")}));
}

#[tokio::test(start_paused = true)]
async fn eglot_opens_twice_and_reveals_the_point() {
    let mut stage = Stage::new("Eglot", &["utf-32", "utf-8", "utf-16"]);
    stage.open("a.rs", TEXT);
    let uri = stage.uri("a.rs");
    stage.tell(
        "didOpen",
        json!({"textDocument": {"uri": uri, "languageId": null, "version": 0, "text": TEXT}}),
    );
    highlight(&mut stage, 1, 3);
    let hover = json!({"textDocument": {"uri": uri}, "position": at(1, 4)});
    assert!(stage.ask("textDocument/hover", hover));
    assert_eq!(stage.seen().result(), &Value::Null);
    let report = stage.reported();
    assert_eq!(report["active"]["cursor"], at(1, 4));
    assert_eq!(report["openFiles"].as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn lsp_mode_and_kakoune_reveal_the_region() {
    for (name, trigger) in [("emacs", Value::Null), ("kakoune-lsp", json!(2))] {
        let mut stage = Stage::new(name, &[]);
        stage.open("a.rs", TEXT);
        actions(&mut stage, range((0, 0), (1, 2)), trigger);
        let active = stage.active();
        assert_eq!((&active["anchor"], &active["cursor"]), (&at(0, 0), &at(1, 2)));
        assert_eq!(active["selectedText"], "fn one() {}\nfn");
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_vim_lsps_ranges_is_ignored() {
    let mut stage = Stage::new("vim-lsp", &[]);
    stage.open("a.rs", TEXT);
    actions(&mut stage, range((0, 3), (0, 11)), Value::Null);
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(0, 3)}));
    highlight(&mut stage, 0, 7);
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(0, 7)}));
}

#[tokio::test(start_paused = true)]
async fn a_resent_buffer_is_active_and_not_unsaved() {
    let mut stage = Stage::new("Vim", &[]);
    stage.open("a.rs", TEXT);
    stage.open("b.rs", TEXT);
    change(&mut stage, json!([{"text": TEXT}]));
    let report = stage.reported();
    assert_eq!(report["active"]["path"], json!(stage.path("a.rs")));
    assert_eq!(report["openFiles"][0].get("dirty"), None);
    change(&mut stage, json!([{"text": "other"}]));
    assert_eq!(stage.reported()["openFiles"][0]["dirty"], true);
}

#[tokio::test(start_paused = true)]
async fn kate_reveals_no_selection_and_has_no_name() {
    let mut stage = Stage::introduced(json!({"capabilities": {}}));
    stage.open("a.rs", TEXT);
    highlight(&mut stage, 0, 5);
    assert_eq!(stage.active(), json!({"path": "a.rs", "cursor": at(0, 5)}));
}

#[tokio::test(start_paused = true)]
async fn documents_without_a_file_are_not_reported() {
    let mut stage = Stage::new("Neovim", &[]);
    for uri in ["untitled:Untitled-1", "file:///not/there", "vscode-notebook-cell:/a.rs", "", "/etc/hosts"] {
        stage.tell("didOpen", json!({"textDocument": {"uri": uri, "text": "x"}}));
    }
    assert_eq!(stage.reported(), json!({"openFiles": []}));
    stage.open("a.rs", TEXT);
    assert_eq!(stage.active(), json!({"path": "a.rs"}));
    let closed = json!({"textDocument": document(&stage)});
    stage.tell("didClose", closed);
    assert_eq!(stage.reported(), json!({"openFiles": []}));
}

#[tokio::test(start_paused = true)]
async fn reports_are_spaced_and_repeated_to_a_new_companion() {
    let mut stage = Stage::new("Neovim", &[]);
    let start = tokio::time::Instant::now();
    stage.open("a.rs", TEXT);
    assert_eq!(stage.desk.deadline(), Some(start), "the first one goes at once");
    assert_eq!(stage.active()["path"], "a.rs");
    for character in 0..9 {
        highlight(&mut stage, 0, character);
    }
    let due = stage.desk.deadline().unwrap();
    assert!(due >= start + std::time::Duration::from_millis(50));
    stage.desk.handle_deadline(&mut stage.io, start);
    assert!(stage.asked().is_none(), "too soon");
    assert_eq!(stage.active()["cursor"], at(0, 8));
    highlight(&mut stage, 0, 8);
    assert_eq!(stage.reported(), Value::Null);
    stage.desk.connected(&mut stage.io);
    assert_eq!(stage.active()["cursor"], at(0, 8));
}

/// JSON that means anything or nothing.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..4_u64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        proptest::sample::select(vec!["", "x\ny\n", "é😀", "file:///a", "file:///tmp", "untitled:1"])
            .prop_map(Value::from),
    ];
    let names = "textDocument uri version text contentChanges range start end line character \
                 position context triggerKind command arguments only review";
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(
                proptest::sample::select(names.split(' ').collect::<Vec<_>>()).prop_map(String::from),
                inner,
                0..6
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Returns a message that is nearly right: the shape is, and some of the values are not.
fn nearly(method: &'static str) -> impl Strategy<Value = (String, Value)> {
    (any_json(), any_json(), any_json(), proptest::sample::select(vec!["file:///a", "untitled:x"])).prop_map(
        move |(one, two, three, uri)| {
            let document = json!({"uri": uri, "version": one, "text": two});
            let range = json!({"start": {"line": 0, "character": one}, "end": two});
            let params = json!({
                "textDocument": document,
                "contentChanges": [{"text": "x\n"}, {"range": range, "text": "y"}, three],
                "range": range, "position": one, "context": two,
                "command": "alongside.accept", "arguments": [three],
            });
            (method.to_owned(), params)
        },
    )
}

const METHODS: &str = "textDocument/didOpen textDocument/didChange textDocument/didSave \
                       textDocument/didClose textDocument/documentHighlight textDocument/codeAction \
                       textDocument/codeLens textDocument/hover workspace/executeCommand \
                       workspace/textDocumentContent $/cancelRequest no/such";

fn message() -> impl Strategy<Value = (String, Value)> {
    let method = proptest::sample::select(METHODS.split(' ').collect::<Vec<_>>());
    prop_oneof![
        (method.clone(), any_json()).prop_map(|(method, params)| (method.to_owned(), params)),
        method.prop_flat_map(nearly),
    ]
}

proptest! {
    #[test]
    fn any_message_is_handled(messages in proptest::collection::vec(message(), 1..12)) {
        let runtime = paused_runtime();
        let _inside = runtime.enter();
        let mut stage = Stage::new("helix", &["utf-8"]);
        for (method, params) in messages {
            stage.desk.handle_notification(&mut stage.io, &method, params.clone());
            let answered = stage.ask(&method, params);
            let answers = stage.sent().iter().filter(|sent| matches!(sent, Message::Response(_))).count();
            prop_assert_eq!(answers, usize::from(answered));
            stage.wait();
        }
    }
}
