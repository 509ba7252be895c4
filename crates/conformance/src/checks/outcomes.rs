//! Checks of the person's decisions. Several checks judge one scene, which is played once.

use std::path::Path;

use serde_json::Value;

use crate::action::Action;
use crate::check::Clause::{Advice, Shipped, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, NotPassed, ensure, fail, skip};
use crate::driver::Reply;
use crate::harness::case::Case;
use crate::harness::connect;
use crate::harness::diff_calls;
use crate::harness::received_outcomes;
use crate::harness::received_outcomes::OUTCOMES;
use crate::harness::scenes::{Accepting, Closing};
use crate::http::stream_listener::Listener;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "diffs.accepted",
        title: "An acceptance is reported with its content",
        clause: Spec(Must, "ide/diffAccepted carries the full content of the file after acceptance"),
        harm: "the agent waits, or writes another text than was accepted",
        needs: &["accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(accepted(case)))
    },
    Check {
        id: "diffs.echo",
        title: "The path comes back byte for byte",
        clause: Shipped {
            says: "paths are compared as strings",
            breaks: "every release: the outcome of a path that is spelled otherwise is ignored",
        },
        harm: "the agent waits for ever for the outcome of its diff",
        needs: &["accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(echo(case)))
    },
    Check {
        id: "diffs.once",
        title: "An outcome is reported once",
        clause: Shipped {
            says: "an outcome ends whichever diff of the file is open when it arrives",
            breaks: "every release: a second one ends the next diff",
        },
        harm: "the next proposal for the file is accepted though nobody decided",
        needs: &["accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(once(case)))
    },
    Check {
        id: "diffs.target-untouched",
        title: "The companion leaves the file to the agent",
        clause: Shipped {
            says: "the agent writes what was accepted, after it has looked at the file again",
            breaks: "every release: a file that has changed meanwhile is an error, or is written twice",
        },
        harm: "the agent says that the file was changed by somebody else",
        needs: &["accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(target_untouched(case)))
    },
    Check {
        id: "diffs.edited",
        title: "An accepted text contains the person's edits",
        clause: Spec(
            Must,
            "the content may differ from newContent if the user made manual edits in the diff view",
        ),
        harm: "the person's edits are lost",
        needs: &["edit", "accept"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(edited(case)))
    },
    Check {
        id: "diffs.rejected",
        title: "A rejection is reported as one",
        clause: Spec(
            Must,
            "when the user rejects the changes, ide/diffRejected is sent with the file path \
             (or ide/diffClosed, its older name, which agents still take)",
        ),
        harm: "the agent waits for ever for the outcome of its diff",
        needs: &["reject"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(rejected(case)))
    },
    Check {
        id: "diffs.rejected-name",
        title: "A rejection has the name of the specification",
        clause: Advice(
            "it is ide/diffRejected; agents take ide/diffClosed only for companions that were not updated",
        ),
        harm: "an agent that drops the older name waits for ever for the outcome of its diff",
        needs: &["reject"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(rejected_name(case)))
    },
    Check {
        id: "diffs.view-closed",
        title: "Closing the view without accepting is a rejection",
        clause: Spec(
            Must,
            "ide/diffRejected is sent when the user rejects, e.g. by closing the diff view without accepting",
        ),
        harm: "the agent waits for ever for the outcome of its diff, or writes what nobody accepted",
        needs: &["close-view"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(view_closed(case)))
    },
    Check {
        id: "diffs.close-edits",
        title: "closeDiff answers with the person's edits",
        clause: Spec(Must, "closeDiff answers with the file's final content before closing"),
        harm: "the person's edits are lost when they answer in the agent's prompt",
        needs: &["edit"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(close_edits(case)))
    },
    Check {
        id: "diffs.close-view",
        title: "closeDiff closes the view",
        clause: Spec(Must, "closeDiff instructs the IDE to close an open diff view for a specific file"),
        harm: "the person decides on a diff that is closed already",
        needs: &["is-shown"],
        ..Check::of(Group::Diffs, When::InTurn, |case| Box::pin(close_view(case)))
    },
];

async fn accepting(case: &Case<'_>) -> Checked<Accepting> {
    case.scene(&case.fixture.scenes.accepting, async {
        let peer = connect::join(case).await?;
        let listener = Listener::of(&peer).await?;
        // A spelling that a companion which normalises paths would change.
        let path = case.proposal("odd//./sp\u{e4}lling \u{1f600}.txt");
        let content = "Accept this.\n".to_owned();
        diff_calls::open_diff(case, &peer, &path, &content).await?;
        let mark = listener.mark();
        case.act(Action::Accept { path: path.clone() }).await?;
        received_outcomes::wait_for_outcome(case, &listener, mark).await;
        case.quiet().await;
        let outcomes = listener.messages(mark, &OUTCOMES).into_iter().map(|(_, message)| message).collect();
        let written = Path::new(&path).exists();
        Ok(Accepting { path, content, outcomes, written })
    })
    .await
}

async fn accepted(case: &Case<'_>) -> Checked {
    let seen = accepting(case).await?;
    let Some(outcome) = seen.outcomes.first() else {
        return case.nothing_came("no outcome came when the proposal was accepted");
    };
    ensure(outcome["method"] == "ide/diffAccepted", || format!("the outcome is {}", outcome["method"]))?;
    ensure(outcome["params"]["filePath"].is_string(), || "the outcome names no file".into())?;
    let content = &outcome["params"]["content"];
    ensure(*content == seen.content.as_str(), || format!("its content is {content}"))
}

async fn echo(case: &Case<'_>) -> Checked {
    let seen = accepting(case).await?;
    let Some(outcome) = seen.outcomes.first() else {
        return skip("no outcome came when the proposal was accepted");
    };
    let path = &outcome["params"]["filePath"];
    ensure(*path == seen.path.as_str(), || format!("{:?} came back as {path}", seen.path))
}

async fn once(case: &Case<'_>) -> Checked {
    let seen = accepting(case).await?;
    match seen.outcomes.len() {
        0 => skip("no outcome came when the proposal was accepted"),
        1 => Ok(()),
        times => fail(format!("one decision caused {times} outcomes")),
    }
}

async fn target_untouched(case: &Case<'_>) -> Checked {
    let seen = accepting(case).await?;
    ensure(!seen.written, || format!("accepting wrote {}", seen.path))
}

/// Opens a diff, asks for an action in the editor, and waits for the outcome.
async fn outcome_of(
    case: &Case<'_>,
    name: &str,
    actions: impl FnOnce(String) -> Vec<Action>,
) -> Checked<(String, Value)> {
    let peer = connect::join(case).await?;
    let listener = Listener::of(&peer).await?;
    let path = case.proposal(name);
    diff_calls::open_diff(case, &peer, &path, "What becomes of this?\n").await?;
    let mark = listener.mark();
    for action in actions(path.clone()) {
        case.act(action).await?;
    }
    match received_outcomes::wait_for_outcome(case, &listener, mark).await {
        Some(outcome) => Ok((path, outcome)),
        None => case.nothing_came("no outcome came"),
    }
}

async fn edited(case: &Case<'_>) -> Checked {
    let text = "Typed by a person.\nTwo lines of it.\n";
    let edit_and_accept =
        |path: String| vec![Action::Edit { path: path.clone(), text: text.into() }, Action::Accept { path }];
    let (_, outcome) = outcome_of(case, "edited.txt", edit_and_accept).await?;
    if outcome["method"] != "ide/diffAccepted" || !outcome["params"]["content"].is_string() {
        return skip(format!("accepting was reported as {outcome}"));
    }
    let content = &outcome["params"]["content"];
    ensure(*content == text, || format!("the person typed {text:?}, and the outcome says {content}"))
}

async fn rejecting(case: &Case<'_>) -> Checked<(String, Value)> {
    let play = outcome_of(case, "rejected.txt", |path| vec![Action::Reject { path }]);
    case.scene(&case.fixture.scenes.rejecting, play).await
}

async fn rejected(case: &Case<'_>) -> Checked {
    let (path, outcome) = rejecting(case).await?;
    ensure(outcome["method"] != "ide/diffAccepted", || format!("the outcome is {}", outcome["method"]))?;
    let told = &outcome["params"]["filePath"];
    ensure(*told == path.as_str(), || format!("{path:?} came back as {told}"))
}

async fn rejected_name(case: &Case<'_>) -> Checked {
    // The check before this one judges whether any outcome comes.
    let (_, outcome) = rejecting(case).await.or_else(|stop| match stop {
        NotPassed::Fail(why) => skip(why),
        other => Err(other),
    })?;
    if outcome["method"] == "ide/diffAccepted" {
        return skip("the proposal was reported as accepted");
    }
    ensure(outcome["method"] == "ide/diffRejected", || format!("the outcome is {}", outcome["method"]))
}

async fn view_closed(case: &Case<'_>) -> Checked {
    let (_, outcome) = outcome_of(case, "view-closed.txt", |path| vec![Action::CloseView { path }]).await?;
    // Another check judges the method of the rejection.
    ensure(outcome["method"] != "ide/diffAccepted", || "the proposal was reported as accepted".into())
}

async fn closing(case: &Case<'_>) -> Checked<Closing> {
    let is_shown = async |path: &str| {
        let reply = case.act(Action::IsShown { path: path.to_owned() }).await?;
        Ok(reply == Reply::Done)
    };
    case.scene(&case.fixture.scenes.closing, async {
        let peer = connect::join(case).await?;
        let _listener = Listener::of(&peer).await?;
        let path = case.proposal("closing.txt");
        let typed = "Typed, and then answered in the terminal.\n";
        diff_calls::open_diff(case, &peer, &path, "Proposed.\n").await?;
        // Each of the two checks needs only one of these observations.
        let edited = case.act(Action::Edit { path: path.clone(), text: typed.into() }).await;
        let before = is_shown(&path).await;
        let text = diff_calls::closed_text(&peer, &path).await?;
        let mut after = before.clone();
        if before == Ok(true) {
            case.quiet().await;
            after = is_shown(&path).await;
        }
        Ok(Closing { typed: edited.map(|_| typed), text, before, after })
    })
    .await
}

async fn close_edits(case: &Case<'_>) -> Checked {
    let seen = closing(case).await?;
    let typed = seen.typed?;
    match seen.text {
        Some(text) => {
            ensure(text == typed, || format!("the person typed {typed:?}, and closeDiff answered {text:?}"))
        }
        None => skip("closeDiff answers no text"),
    }
}

async fn close_view(case: &Case<'_>) -> Checked {
    let seen = closing(case).await?;
    if !seen.before? {
        return skip("the proposal was not shown");
    }
    ensure(!seen.after?, || "after closeDiff, the proposal is still shown".into())
}
