//! Checks of `openDiff` that need no look at the editor.

use std::time::Duration;

use serde_json::{Value, json};

use crate::check::Clause::{Advice, Shipped, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, NotPassed, ensure, fail, skip};
use crate::checks::outcome_delivery::cut;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls;
use crate::harness::received_outcomes::OUTCOMES;
use crate::http::stream_listener::Listener;
use crate::time::clock::within;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "diffs.immediate",
        title: "openDiff is answered at once, while nobody has decided",
        clause: Spec(
            Must,
            "the tool immediately returns a CallToolResult; the outcome is communicated by notifications",
        ),
        harm: "the agent hangs until it gives up, ten minutes later",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(immediate(case)))
    },
    Check {
        id: "diffs.empty-content",
        title: "A diff that was opened is answered with empty content",
        clause: Spec(Must, "on success the response contains empty content (content: [])"),
        harm: "the agent takes the answer for a result",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(empty_content(case)))
    },
    Check {
        id: "diffs.arguments",
        title: "openDiff without its arguments is an error",
        clause: Spec(Must, "arguments are an OpenDiffRequest; on failure the response has isError: true"),
        harm: "a diff of nothing is shown",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(arguments(case)))
    },
    Check {
        id: "diffs.relative",
        title: "openDiff of a relative path is an error",
        clause: Spec(Must, "filePath is an absolute path; on failure the response has isError: true"),
        harm: "another file is shown than the agent means",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(relative(case)))
    },
    Check {
        id: "diffs.directory",
        title: "openDiff of a directory is an error",
        clause: Spec(Must, "if an error prevents the diff view from opening, the response has isError: true"),
        harm: "the agent waits for the outcome of a diff that nobody sees",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(directory(case)))
    },
    Check {
        id: "diffs.error-text",
        title: "An error says why",
        clause: Spec(Must, "on failure the content includes a TextContent block describing the error"),
        harm: "neither the person nor the agent learns what was wrong",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(error_text(case)))
    },
    Check {
        id: "diffs.again",
        title: "The same file proposed again takes the place of the first proposal",
        clause: Shipped {
            says: "an agent has one diff of a file, and proposes it again when it has changed its mind",
            breaks: "every release: the outcome of the first proposal ends the second one",
        },
        harm: "the person decides on an outdated text",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(again(case)))
    },
    Check {
        id: "diffs.of-each-agent",
        title: "Two agents that propose the same file have a diff each",
        clause: Shipped {
            says: "closeDiff ends the agent's own diff and answers its text",
            breaks: "every release, where several agents run in one project",
        },
        harm: "an agent writes the text of another one, or waits for a diff that is gone",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(of_each_agent(case)))
    },
    Check {
        id: "diffs.outlive-stream",
        title: "A diff stays open when the stream breaks and comes back",
        clause: Advice(
            "a stream that is cut says nothing about the agent, which opens it again a second later",
        ),
        harm: "the person's edits are gone, and the agent waits",
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(outlive_stream(case)))
    },
];

async fn immediate(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let path = case.proposal("immediate.txt");
    let limit = case.timeouts().answer.min(Duration::from_secs(5));
    let opened = within(limit, diff_calls::try_open(case, &peer, &path, "At once.\n")).await;
    let late = || fail(format!("openDiff was not answered within {} s", limit.as_secs_f32()));
    match opened.unwrap_or_else(late) {
        Ok(reply) => {
            ensure(reply["result"]["isError"] != true, || format!("openDiff failed: {}", reply["result"]))?;
            ensure(reply["result"].is_object(), || format!("openDiff was answered with {reply}"))
        }
        Err(NotPassed::Skip(why)) => fail(why),
        Err(other) => Err(other),
    }
}

async fn empty_content(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let reply =
        diff_calls::try_open(case, &peer, &case.proposal("empty-content.txt"), "Nothing to say.\n").await?;
    if reply["result"]["isError"] == true {
        return skip("openDiff failed");
    }
    let content = &reply["result"]["content"];
    ensure(*content == json!([]), || format!("content is {content}"))
}

/// Returns the reply to an `openDiff` that must fail.
async fn refused(case: &Case<'_>, arguments: Value) -> Checked<Value> {
    let peer = connect::join(case).await?;
    connect::may_open(case, &peer)?;
    if let Some(path) = arguments["filePath"].as_str() {
        case.took(&peer, Some(path));
    }
    peer.call("openDiff", arguments).await
}

async fn arguments(case: &Case<'_>) -> Checked {
    let path = case.proposal("arguments.txt");
    for arguments in [
        json!({}),
        json!({ "filePath": path }),
        json!({ "newContent": "text" }),
        json!({ "filePath": 7, "newContent": "text" }),
    ] {
        let reply = refused(case, arguments.clone()).await?;
        // MCP allows a server to report the error in either way.
        let is_error = reply["result"]["isError"] == true || reply["error"].is_object();
        ensure(is_error, || format!("the arguments {arguments} were answered {reply}"))?;
    }
    Ok(())
}

async fn relative(case: &Case<'_>) -> Checked {
    for path in ["alongside-check.txt", "./alongside-check/a.txt"] {
        let reply = refused(case, json!({ "filePath": path, "newContent": "text" })).await?;
        ensure(reply["result"]["isError"] == true, || format!("{path:?} was answered with {reply}"))?;
    }
    Ok(())
}

async fn directory(case: &Case<'_>) -> Checked {
    let path = case.fixture.scratch().to_string_lossy().into_owned();
    let reply = refused(case, json!({ "filePath": path, "newContent": "text" })).await?;
    ensure(reply["result"]["isError"] == true, || format!("{path:?} was answered with {reply}"))
}

async fn error_text(case: &Case<'_>) -> Checked {
    let scratch = case.fixture.scratch().to_string_lossy().into_owned();
    let mut judged = false;
    for path in ["alongside-check.txt", scratch.as_str()] {
        let reply = refused(case, json!({ "filePath": path, "newContent": "text" })).await?;
        if reply["result"]["isError"] == true {
            judged = true;
            let blocks = reply["result"]["content"].as_array().cloned().unwrap_or_default();
            let said = |block: &Value| {
                block["type"] == "text" && block["text"].as_str().is_some_and(|text| !text.trim().is_empty())
            };
            ensure(blocks.iter().any(said), || format!("the error has no text: {}", reply["result"]))?;
        }
    }
    if judged { Ok(()) } else { skip("no call that should fail did fail") }
}

async fn again(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let listener = Listener::of(&peer).await?;
    let path = case.proposal("again.txt");
    let (first, second) = ("The first idea.\n", "The second idea.\n");
    diff_calls::open_diff(case, &peer, &path, first).await?;
    let reply = diff_calls::try_open(case, &peer, &path, second).await?;
    ensure(diff_calls::is_opened(&reply), || format!("the second openDiff was answered with {reply}"))?;
    case.quiet().await;
    let _newer = listener.read_out(&peer).await;
    let told = listener.messages(0, &OUTCOMES);
    ensure(told.is_empty(), || {
        "the first proposal was reported as decided, which ends the second one".into()
    })?;
    for attempt in ["", " once more"] {
        let back = diff_calls::closed_text(&peer, &path).await?;
        ensure(back.as_deref() != Some(first), || format!("closeDiff{attempt} answered the first proposal"))?;
        if attempt.is_empty() && back.is_none() {
            return fail("closeDiff answered no text, with a diff open");
        }
    }
    Ok(())
}

async fn of_each_agent(case: &Case<'_>) -> Checked {
    let (one, other) = (connect::join(case).await?, connect::join(case).await?);
    let path = case.proposal("of-each-agent.txt");
    let (of_one, of_other) = ("By the first agent.\n", "By the second agent.\n");
    // Another check judges whether the first call is answered; another agent could close an open diff in any
    // case.
    let first = diff_calls::open_diff(case, &one, &path, of_one).await;
    diff_calls::open_diff(case, &other, &path, of_other).await?;
    let third = connect::join(case).await?;
    let stranger = diff_calls::closed_text(&third, &path).await?;
    ensure(stranger.is_none_or(|text| text != of_one && text != of_other), || {
        "an agent that proposed nothing was answered another's text".into()
    })?;
    first?;
    for (peer, text, name) in [(&one, of_one, "first"), (&other, of_other, "second")] {
        let back = diff_calls::closed_text(peer, &path).await?;
        ensure(back.as_deref() == Some(text), || {
            format!("the {name} agent closed its diff and got {back:?}")
        })?;
    }
    Ok(())
}

async fn outlive_stream(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let path = case.proposal("outlive-stream.txt");
    let listener = Listener::of(&peer).await?;
    let text = "Still here?\n";
    diff_calls::open_diff(case, &peer, &path, text).await?;
    cut(case, &peer, listener).await?;
    case.quiet().await;
    let listener = Listener::of(&peer).await?;
    case.quiet().await;
    let told = listener.messages(0, &OUTCOMES);
    ensure(told.is_empty(), || format!("nobody decided, and yet this came: {}", told[0].1))?;
    let back = diff_calls::closed_text(&peer, &path).await?;
    ensure(back.as_deref() == Some(text), || format!("afterwards, closeDiff answered {back:?}"))
}
