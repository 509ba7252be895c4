//! Benches of the wire: reading requests of agents, and writing frames for agents.

#[path = "../../desk/benches/inputs/mod.rs"]
mod inputs;

use alongside_companion::fuzzing;
use alongside_contract::context::{Cursor, IdeContext, OpenFile, WorkspaceState};
use bytes::Bytes;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use inputs::{few_in_tests, source};

const TEXT_BYTES: &[usize] = &[1 << 10, 1 << 20, 10 << 20];

/// Reads an `openDiff`, from the body of its request to path and text.
#[divan::bench(args = few_in_tests(TEXT_BYTES), max_time = 1)]
fn open_diff_in(bencher: Bencher<'_, '_>, bytes: usize) {
    let arguments = serde_json::json!({ "filePath": "/project/src/basket.rs", "newContent": source(bytes) });
    // Agents write the name first, and `json!` would sort the keys.
    let params = format!(r#"{{"name":"openDiff","arguments":{arguments}}}"#);
    let body = format!(r#"{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":7}}"#);
    let read = fuzzing::read_open_diff(body.clone().into_bytes());
    assert_eq!(read.map(|(_, text)| text), Some(source(bytes)));
    bencher
        .counter(BytesCount::of_str(&body))
        .with_inputs(|| body.clone().into_bytes())
        .bench_values(hot_open_diff_in);
}

#[inline(never)]
fn hot_open_diff_in(body: Vec<u8>) -> Option<(String, String)> {
    black_box(fuzzing::read_open_diff(body))
}

/// Writes a `contextUpdate` of ten files as a frame. One file is active, with this many bytes selected.
#[divan::bench(args = [0, 200, 16_384])]
fn context_out(bencher: Bencher<'_, '_>, selected: usize) {
    let file = |number: u64| OpenFile {
        path: format!("/home/somebody/projects/shop/src/basket/{number}.rs"),
        timestamp: 1_790_000_000_000 - number,
        is_active: (number == 0).then_some(true),
        cursor: (number == 0).then_some(Cursor { line: 120, character: 14 }),
        anchor: None,
        selected_text: (number == 0 && selected > 0).then(|| source(selected)),
    };
    let open_files = Some((0..10).map(file).collect());
    let context = IdeContext { workspace_state: Some(WorkspaceState { open_files, is_trusted: None }) };
    bencher.bench(|| hot_context_out(&context));
}

#[inline(never)]
fn hot_context_out(context: &IdeContext) -> Bytes {
    black_box(fuzzing::context_frame(context))
}

/// Writes an accepted text as the frame that is streamed to the agent.
#[divan::bench(args = few_in_tests(TEXT_BYTES), max_time = 1)]
fn outcome_out(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = source(bytes);
    bencher.counter(BytesCount::of_str(&text)).bench(|| hot_outcome_out(&text));
}

#[inline(never)]
fn hot_outcome_out(text: &str) -> Option<Bytes> {
    black_box(fuzzing::accepted_frame("/project/src/basket.rs", text))
}

fn main() {
    divan::main();
}
