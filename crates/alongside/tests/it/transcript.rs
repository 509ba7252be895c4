//! The transcript in docs/desk-protocol.md consists of the messages of this test, with placeholders for parts
//! that differ between runs. After a change of the protocol, `ALONGSIDE_BLESS=1 cargo test -p alongside
//! --test it transcript` writes it again.

use lsp_server::Message;
use serde_json::{Value, json};

use crate::editor::Editor;
use crate::support::{Home, accepted, propose, soon};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/desk-protocol.md");
const BEGIN: &str = "<!-- transcript -->\n";
const END: &str = "<!-- end of the transcript -->\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_transcript_is_real() {
    let (home, file) = Home::with_file("notes.txt", "one\ntwo\nthree\n");
    let (_process, mut editor) = Editor::opened(&home);
    let mut statuses = vec![editor.hears("alongside/didChangeStatus", |status| status["desks"] == 1)];
    let active = json!({"path": file, "cursor": {"line": 1, "character": 3}, "selectedText": "two"});
    let open = json!([{"path": file}]);
    editor.says("alongside/didChangeContext", json!({"active": active, "openFiles": open}));
    let agent = home.agent().await;
    statuses.push(editor.hears("alongside/didChangeStatus", |status| {
        status["agents"][0]["listening"] == true && status["context"][0]["selected"] == 3
    }));
    let diff = propose(&agent, &file, "One\ntwo\nThree\nfour\n").await;
    editor.hears("alongside/didOpenReview", |_| true);
    let range = json!({"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 0}});
    let edit = json!({"id": 1, "revision": 1, "changes": [{"range": range, "text": "4\n"}]});
    editor.asks("alongside/editReview", edit.clone()).unwrap();
    editor.asks("alongside/keepHunks", json!({"id": 1, "revision": 2, "hunks": [0], "keep": false})).unwrap();
    editor.asks("alongside/editReview", edit).unwrap_err();
    editor.asks("alongside/decideReview", json!({"id": 1, "revision": 3, "decision": "accept"})).unwrap();
    editor.hears("alongside/didCloseReview", |_| true);
    let accepted = accepted("one\ntwo\nThree\n4\n");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted);
    let diff = propose(&agent, &file, "1\n").await;
    editor.hears("alongside/didOpenReview", |review| review["id"] == 2);
    // The person answers in the prompt of the agent.
    let (closed, editor) = {
        let flush = tokio::task::spawn_blocking(move || {
            editor.hears("alongside/flushReview", |_| true);
            editor.hears("alongside/didCloseReview", |closed| closed["id"] == 2);
            editor
        });
        let closing = soon("closeDiff", agent.close_diff(&file, true)).await;
        (closing.unwrap(), flush.await.unwrap())
    };
    assert_eq!(closed, Some("1\n".into()));
    drop(diff);
    let said = editor.quits();

    let transcript = write(&home, &said, &statuses);
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once(BEGIN).expect("the document has a transcript");
    let (written, after) = rest.split_once(END).expect("the transcript has an end");
    if std::env::var_os("ALONGSIDE_BLESS").is_some() {
        std::fs::write(DOCUMENT, format!("{before}{BEGIN}{transcript}{END}{after}")).unwrap();
    } else {
        assert_eq!(written, transcript, "see the top of this file for how to write it anew");
    }
}

/// Returns all messages in Markdown. Of the status messages, only `statuses` are included, once each, because
/// the number of others depends on timing.
fn write(home: &Home, said: &[(bool, Message)], statuses: &[Value]) -> String {
    let (mut text, mut statuses) = (String::new(), statuses.iter().peekable());
    for (by_editor, message) in said {
        let direction = if *by_editor { "editor → server" } else { "server → editor" };
        let (title, body) = match message {
            Message::Notification(it)
                if it.method.ends_with("didChangeStatus")
                    && statuses.next_if(|status| **status == it.params).is_none() =>
            {
                continue;
            }
            Message::Notification(it) => (format!("notification `{}`", it.method), it.params.clone()),
            Message::Request(it) => (format!("request {} `{}`", it.id, it.method), it.params.clone()),
            Message::Response(it) => match &it.response_result {
                Ok(result) => (format!("answer to {}", it.id), result.clone()),
                Err(error) => (format!("error to {}", it.id), serde_json::to_value(error).unwrap()),
            },
        };
        let body = match timeless(home, body) {
            Value::Null => String::new(),
            body => format!("\n```json\n{}\n```\n", shown(&body, 0)),
        };
        text += &format!("**{direction}**: {title}\n{body}\n");
    }
    text
}

/// Formats JSON, with each value on one line if it fits.
fn shown(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    let (inner, pad) = (indent + 2, " ".repeat(indent + 2));
    let (open, items, close): (_, Vec<String>, _) = match value {
        _ if line.len() + indent <= 110 => return line,
        Value::Array(items) => ('[', items.iter().map(|item| shown(item, inner)).collect(), ']'),
        Value::Object(fields) => {
            let field =
                |(key, value)| format!("{}: {}", Value::from(String::as_str(key)), shown(value, inner));
            ('{', fields.iter().map(field).collect(), '}')
        }
        _ => return line,
    };
    let items: Vec<_> = items.iter().map(|item| format!("{pad}{item}")).collect();
    format!("{open}\n{}\n{}{close}", items.join(",\n"), " ".repeat(indent))
}

/// Replaces the parts of a message that differ between runs.
fn timeless(home: &Home, value: Value) -> Value {
    let base = home.path("").to_string_lossy().trim_end_matches('/').to_owned();
    match value {
        Value::String(text) => text.replace(&base, "/home/you").into(),
        Value::Array(items) => items.into_iter().map(|item| timeless(home, item)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| {
                let value = match key.as_str() {
                    "processId" => 4242.into(),
                    "pid" => 4711.into(),
                    "port" => 40123.into(),
                    "since" => 1_795_000_000_000_u64.into(),
                    "environment" => json!({
                        "GEMINI_CLI_IDE_SERVER_PORT": "40123",
                        "GEMINI_CLI_IDE_WORKSPACE_PATH": "/home/you/project",
                        "…": "…",
                    }),
                    _ => timeless(home, value),
                };
                (key, value)
            });
            Value::Object(fields.collect())
        }
        value => value,
    }
}
