//! `alongside review --json`, with a program as the desk.

use serde_json::{Value, json};

use crate::support::{Home, Running, accepted, propose, soon, until};

/// Waits for the first message for which `is` is true. `what` names it in a failure.
async fn wait_for(desk: &Running, what: &str, is: impl Fn(&Value) -> bool) -> Value {
    until(&format!("{what}; there was {:?}", desk.out.text()), || messages(desk).into_iter().find(|m| is(m)))
        .await
}

/// Waits for the first message of this method for whose parameters `is` is true. Returns the parameters.
pub(crate) async fn wait_for_message(desk: &Running, method: &str, is: impl Fn(&Value) -> bool) -> Value {
    let is_it = |message: &Value| message["method"] == method && is(&message["params"]);
    wait_for(desk, method, is_it).await["params"].take()
}

/// Waits for the first review of a turn that comes after this one and for which `is` is true.
pub(crate) async fn wait_for_later_review(
    desk: &Running,
    before: &Value,
    is: impl Fn(&Value) -> bool,
) -> Value {
    let later_review = || {
        let reviews = messages(desk).into_iter().filter(|it| it["method"] == "alongside/didChangeTurn");
        let mut later = reviews.map(|it| it["params"].clone()).skip_while(|it| it != before).skip(1);
        later.find(|it| is(it))
    };
    until(&format!("a later list; there was {:?}", desk.out.text()), later_review).await
}

/// Returns the messages so far.
fn messages(desk: &Running) -> Vec<Value> {
    let text = desk.out.text();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parsed = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
    whole.lines().map(parsed).collect()
}

/// Sends a request to the desk.
pub(crate) fn send_request(desk: &mut Running, method: &str, params: Value) {
    desk.types(&json!({ "method": format!("alongside/{method}"), "params": params }).to_string());
}

/// Waits for the response to a request and returns its result.
async fn wait_for_result(desk: &Running, id: Value) -> Value {
    wait_for(desk, "a result", |m| m["method"] == "result" && m["id"] == id).await
}

#[tokio::test]
async fn a_program_drops_a_change_and_accepts() {
    let (home, file) = Home::with_file("a.txt", "a\nb\nc\nd\ne\n");
    let (mut desk, _agent, diff) = home.proposal(&file, "A\nb\nc\nd\nE\n", home.review(&["--json"])).await;

    let review = wait_for_message(&desk, "alongside/didOpenReview", |_| true).await;
    assert_eq!(review["file"], file.as_str());
    assert_eq!(review["hunks"].as_array().unwrap().len(), 2);
    let (id, revision) = (review["id"].clone(), review["revision"].clone());
    let keep = json!({"id": 1, "method": "alongside/keepHunks",
        "params": {"id": id, "revision": revision, "hunks": [1], "keep": false}});
    desk.types(&keep.to_string());
    let kept = wait_for_result(&desk, json!(1)).await["result"]["revision"].clone();
    let changed = wait_for_message(&desk, "alongside/didChangeReview", |it| it["revision"] == kept).await;
    assert_eq!(changed["current"], "A\nb\nc\nd\ne\n");

    let decide = |id: &str, revision: &Value| {
        json!({"id": id, "method": "alongside/decideReview",
            "params": {"id": review["id"], "revision": revision, "decision": "accept"}})
        .to_string()
    };
    desk.types(&decide("stale", &revision));
    let refused = wait_for_result(&desk, json!("stale")).await;
    assert_eq!(refused["error"]["why"], "stale");
    assert_eq!(refused["error"]["revision"], kept);
    desk.types(&decide("now", &kept));
    assert_eq!(wait_for_result(&desk, json!("now")).await["result"]["revision"], kept);
    let accepted = accepted("A\nb\nc\nd\ne\n");
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted);
    let closed = wait_for_message(&desk, "alongside/didCloseReview", |_| true).await;
    assert_eq!(closed["closing"], "accepted");

    desk.types("{\"method\":\"nonsense\",\"id\":9}");
    assert_eq!(wait_for_result(&desk, json!(9)).await["error"]["why"], "notUnderstood");
    desk.types("nonsense");
    wait_for(&desk, "what is wrong with it", |m| {
        m["error"]["message"].as_str().is_some_and(|text| text.starts_with("this is not JSON"))
    })
    .await;
}

#[tokio::test]
async fn harmful_characters_are_escaped_and_mean_the_same() {
    let (home, file) = Home::with_file("a.txt", "a\n");
    let desk = home.review(&["--json"]);
    let agent = home.agent().await;
    let text = "\u{202e}\u{9b}\u{7f}\x1b\n";
    let _diff = propose(&agent, &file, text).await;
    let opened = wait_for_message(&desk, "alongside/didOpenReview", |_| true).await;
    assert_eq!(opened["proposed"], text);
    assert!(!desk.out.text().contains(['\u{202e}', '\u{9b}', '\u{7f}', '\x1b']));
}

/// Without a reported cursor, the companion takes the file that was saved last for the active file. A program
/// that reports a cursor has better information.
#[tokio::test]
async fn a_reported_cursor_survives_a_save() {
    let (home, file) = Home::with_file("a.txt", "a\nb\n");
    let mut desk = home.review(&["--json"]);
    let agent = home.agent().await;
    let tell = json!({"id": 1, "method": "alongside/didChangeContext",
        "params": {"active": {"path": file, "cursor": {"line": 1, "character": 0}}}});
    desk.types(&tell.to_string());
    wait_for_result(&desk, json!(1)).await;
    let cursor = |context: &alongside_contract::context::IdeContext| context.open_files().first()?.cursor;
    let mut context = agent.context();
    let holds = context.wait_for(|context| context.as_ref().and_then(cursor).is_some());
    soon("the cursor", holds).await.unwrap();
    std::fs::write(&file, "a\nb\nc\n").unwrap();
    // The companion collects saves for 100 ms and tells agents within 200 ms.
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let told = context.borrow().clone().expect("a context");
    assert_eq!(cursor(&told).map(|cursor| cursor.line), Some(2), "{told:?}");
}

/// Characters that a terminal obeys, and characters that hide or reorder others.
const HARMFUL: &str = "a\x1b[2J\x1b]52;c;b3duZWQ=\x07\x1b]8;;evil:x\x1b\\\x1bP0|x\x1b\\\u{9b}31m\
    \u{9d}0;x\u{9c}\x07\x08\r\n\x7f\u{202e}\u{2066}\
    \u{200b}\u{feff}\u{ad}\u{3164}\u{2028}\u{e0041}\
        \u{fe0f}\u{e0100}\u{2800}\u{13430}\u{16fe4}\u{1d159}\u{fff0}z";

#[tokio::test(flavor = "multi_thread")]
async fn names_of_agents_and_files_are_harmless_everywhere() {
    let (home, file) = Home::with_file(&format!("{HARMFUL}/{HARMFUL}.txt"), "one\ntwo\n");
    let mut desk = home.start(home.alongside(&["review"]).env("ALONGSIDE_LOG_LEVEL", "trace"));
    let known = home.agent().await;
    let found = alongside_agent::find::all_records(&home.surroundings());
    let record = &found[0].1;
    let identity = alongside_agent::Identity::new(format!("gemini-cli-{HARMFUL}"), HARMFUL);
    let endpoint = alongside_agent::Endpoint::local(record.port);
    let agent = alongside_agent::Session::connect(endpoint, record.auth_token.as_deref(), identity);
    let agent = soon("the agent to come in", agent).await.expect("whatever it calls itself");
    let diff = propose(&agent, &file, &format!("{HARMFUL}\ntwo\n")).await;
    desk.shows("(1/1) keep").await;

    let harmful = |c: char| c != '\n' && alongside_desk::harmless::is_harmful(c);
    let mut seen = 0;
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["doctor", "--verbose"],
        &["doctor", "--json"],
        &["log", "-n", "100000"],
        &["drafts"],
        &["check", "--only", "access"],
        &["install", HARMFUL],
        &["host", HARMFUL],
    ] {
        let ran = home.run(args);
        for said in [&ran.out, &ran.err] {
            let at = said.find(harmful);
            assert_eq!(
                at,
                None,
                "{args:?}: {:?}",
                at.map(|at| said[at..].chars().take(60).collect::<String>())
            );
            seen += usize::from(said.contains("x1b") || said.contains("u001b"));
        }
        if args.contains(&"--json") {
            ran.json();
        }
    }
    assert!(seen > 0, "it is shown");
    desk.types("a");
    let accepted = accepted(&format!("{HARMFUL}\ntwo\n"));
    assert_eq!(soon("the outcome", diff.outcome()).await, accepted);
    desk.shows("accepted").await;
    let said = desk.out.text();
    let at = said.find(|c| c != '\t' && harmful(c));
    assert_eq!(at, None, "{:?}", at.map(|at| said[at..].chars().take(60).collect::<String>()));
    drop(known);
}
