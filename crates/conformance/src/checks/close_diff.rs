//! Checks of `closeDiff`, which agents call when the person has decided in the agent's own prompt.

use serde_json::{Value, json};

use crate::check::Clause::{Shipped, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls::{self, text_in};
use crate::harness::received_outcomes::OUTCOMES;
use crate::http::json::parse;
use crate::http::stream_listener::Listener;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "diffs.close-block",
        title: "closeDiff answers with a single text block",
        clause: Spec(
            Must,
            "the response includes a single TextContent block with the file's final content before closing",
        ),
        harm: "what the person typed in the diff is lost when they answer in the agent's prompt",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(block(case)))
    },
    Check {
        id: "diffs.close-json",
        title: "The text block holds JSON with the content",
        clause: Shipped {
            says: "the block is parsed as JSON, {\"content\": \"…\"}, whatever the specification says of \
                plain text",
            breaks: "every release of Gemini CLI and Qwen Code: with plain text they write their own \
                proposal",
        },
        harm: "what the person typed in the diff is lost when they answer in the agent's prompt",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(json_content(case)))
    },
    Check {
        id: "diffs.close-quiet",
        title: "No notification follows on closeDiff",
        clause: Shipped {
            says: "the answer to closeDiff ends the diff; agents that send suppressNotification say so",
            breaks: "every release: a late notification answers the next diff of the same file",
        },
        harm: "the next proposal for the file is accepted or rejected though nobody decided",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(quiet(case)))
    },
    Check {
        id: "diffs.close-twice",
        title: "closeDiff may come twice, and answers the same text",
        clause: Shipped {
            says: "agents close a diff again when they are not sure that it is closed",
            breaks: "releases of Gemini CLI and Qwen Code that close on answering and on leaving",
        },
        harm: "the person's edits are lost, or the agent stops with an error",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(twice(case)))
    },
    Check {
        id: "diffs.close-unknown",
        title: "closeDiff of an unknown diff is answered with {}, and is not an error",
        clause: Shipped {
            says: "one text block holding {}; an error of closeDiff is not expected, whatever the \
                specification says",
            breaks: "Qwen Code 0.1.4 to 0.12 wedges on isError, Gemini CLI logs an error",
        },
        harm: "the agent's prompt hangs",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(unknown(case)))
    },
];

/// Opens a diff and closes it. Returns the result.
async fn closed(case: &Case<'_>, name: &str, text: &str) -> Checked<Value> {
    let peer = connect::join(case).await?;
    let path = case.proposal(name);
    diff_calls::open_diff(case, &peer, &path, text).await?;
    diff_calls::close_diff(&peer, &path).await
}

async fn block(case: &Case<'_>) -> Checked {
    let result = closed(case, "close-block.txt", "One block.\n").await?;
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    ensure(result["isError"] != true, || format!("closeDiff failed: {result}"))?;
    ensure(blocks.len() == 1 && blocks[0]["type"] == "text" && blocks[0]["text"].is_string(), || {
        format!("closeDiff was answered with {result}")
    })
}

async fn json_content(case: &Case<'_>) -> Checked {
    let proposed = "{\"is\": \"this JSON?\"}\n";
    let result = closed(case, "close-json.txt", proposed).await?;
    let Some(text) = result["content"][0]["text"].as_str() else {
        return skip("closeDiff answers no text");
    };
    match parse(text) {
        Some(closed) if closed["content"] == proposed => Ok(()),
        _ => fail(format!("the block holds {text:?}, and not {{\"content\": …}} with the text")),
    }
}

async fn quiet(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let mut listener = Listener::of(&peer).await?;
    let path = case.proposal("close-quiet.txt");
    for arguments in [json!({ "filePath": path, "suppressNotification": true }), json!({ "filePath": path })]
    {
        diff_calls::open_diff(case, &peer, &path, "Not a word.\n").await?;
        let mark = listener.mark();
        peer.call("closeDiff", arguments.clone()).await?;
        case.quiet().await;
        let newer = listener.read_out(&peer).await;
        let told = listener.messages(mark, &OUTCOMES);
        ensure(told.is_empty(), || format!("closeDiff with {arguments} was followed by {}", told[0].1))?;
        listener = newer.unwrap_or(listener);
    }
    Ok(())
}

async fn twice(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let path = case.proposal("close-twice.txt");
    let text = "Twice the same.\n";
    diff_calls::open_diff(case, &peer, &path, text).await?;
    diff_calls::final_text(&peer, &path).await?;
    let again = diff_calls::close_diff(&peer, &path).await?;
    ensure(again["isError"] != true, || format!("the second closeDiff failed: {again}"))?;
    ensure(text_in(&again).as_deref() == Some(text), || {
        format!("the second closeDiff was answered with {again}")
    })
}

async fn unknown(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let result = diff_calls::close_diff(&peer, &case.proposal("never-opened.txt")).await?;
    ensure(result["isError"] != true, || format!("closeDiff was answered with an error: {result}"))?;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let is_empty = parse(text).is_some_and(|closed| closed == json!({}));
    ensure(is_empty, || format!("closeDiff was answered with {result}"))
}
