//! Checks of proposals: a call of `openDiff` stays open until the person has decided, and its answer is the
//! decision.

use std::time::Duration;

use serde_json::{Value, json};

use super::agent::{Proposal, is_accepting, texts};
use super::rule_source::measured;
use crate::action::Action;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::claude::connecting;
use crate::driver::Reply;
use crate::harness::case::Case;
use crate::time::clock::pass;

/// The wait after an agent's greeting, and after a proposal, before the next step: by then the companion has
/// sent the context, and the editor shows the proposal.
const SETTLED: Duration = Duration::from_millis(700);
const UNDECIDED: &str = "a proposal is written though nobody accepted it";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "claude-diffs.blocks",
        title: "openDiff is not answered while nobody has decided",
        clause: measured("the answer to openDiff is the decision"),
        harm: "the agent goes on without a decision, or writes what nobody accepted",
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(blocks(case)))
    },
    Check {
        id: "claude-diffs.accepted",
        title: "An acceptance is answered FILE_SAVED and the final text",
        clause: measured("two text items: FILE_SAVED, and the text that the agent writes"),
        harm: "the agent writes another text than was accepted, or none",
        needs: &["accept"],
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(accepted(case)))
    },
    Check {
        id: "claude-diffs.edited",
        title: "The final text holds the person's edits",
        clause: measured("the agent writes the text of the answer, and not its own proposal"),
        harm: "the person's edits are lost",
        needs: &["edit", "accept"],
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(edited(case)))
    },
    Check {
        id: "claude-diffs.rejected",
        title: "A rejection is answered DIFF_REJECTED and the name of the tab",
        clause: measured("two text items: DIFF_REJECTED, and the tab_name of the call"),
        harm: "the agent does not learn that the person rejected its proposal",
        needs: &["reject"],
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(rejected(case)))
    },
    Check {
        id: "claude-diffs.view-closed",
        title: "Closing the view without accepting is not an acceptance",
        clause: measured("FILE_SAVED as the answer to openDiff accepts, and so does TAB_CLOSED"),
        harm: UNDECIDED,
        needs: &["close-view"],
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(view_closed(case)))
    },
    Check {
        id: "claude-diffs.close-tab",
        title: "close_tab is answered TAB_CLOSED, however often it comes",
        clause: measured("close_tab comes twice when the person has answered in the agent's prompt"),
        harm: "the agent sees an error whenever the person answers in its prompt",
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(close_tab(case)))
    },
    Check {
        id: "claude-diffs.closed-call",
        title: "A diff that close_tab has ended is never accepted",
        clause: measured("the person has answered in the agent's prompt: another answer contradicts them"),
        harm: UNDECIDED,
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(closed_call(case)))
    },
    Check {
        id: "claude-diffs.close-view",
        title: "close_tab closes the view",
        clause: measured("close_tab says that the person has answered in the agent's prompt"),
        harm: "the person decides on a diff that is closed already",
        needs: &["is-shown"],
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(close_view(case)))
    },
    Check {
        id: "claude-diffs.close-all",
        title: "closeAllDiffTabs closes all diffs of the agent, counts them, and accepts none",
        clause: measured("closeAllDiffTabs comes with each prompt, and is answered CLOSED_n_DIFF_TABS"),
        harm: "diffs that nobody waits for stay in the editor, or are written though nobody accepted them",
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(close_all(case)))
    },
    Check {
        id: "claude-diffs.own-tabs",
        title: "closeAllDiffTabs leaves the diffs of other agents",
        clause: measured("several agents run in one project, and each closes all its diffs at each prompt"),
        harm: "an agent's diff vanishes whenever another agent is asked something",
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(own_tabs(case)))
    },
    Check {
        id: "claude-diffs.own-outcome",
        title: "A decision is answered to the agent that asked, and to no other",
        clause: measured("the ids of calls count from the same number in every agent"),
        harm: UNDECIDED,
        needs: &["accept"],
        ..Check::of(Group::ClaudeDiffs, When::InTurn, |case| Box::pin(own_outcome(case)))
    },
];

async fn blocks(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    pass(SETTLED).await;
    let proposal = agent.propose(case.proposal("claude-blocks.txt"), "Undecided.\n");
    case.quiet().await;
    match agent.wait_for_response(proposal.call, Duration::ZERO).await {
        Some(answer) => fail(format!("nobody has decided, and openDiff was answered with {answer}")),
        None => Ok(()),
    }
}

/// Returns the answer to a proposal after an action in the editor.
async fn answer_to(
    case: &Case<'_>,
    name: &str,
    actions: impl FnOnce(String) -> Vec<Action>,
) -> Checked<(Proposal, Value)> {
    let agent = connecting::claude_joins(case).await?;
    let proposal = connecting::claude_proposes(case, &agent, name, PROPOSED).await?;
    for action in actions(proposal.path.clone()) {
        case.act(action).await?;
    }
    match agent.wait_for_response(proposal.call, case.timeouts().answer).await {
        Some(answer) => Ok((proposal, answer)),
        None => case.nothing_came("openDiff was not answered"),
    }
}

/// The text that is proposed.
const PROPOSED: &str = "What becomes of this?\n";

async fn accepted(case: &Case<'_>) -> Checked {
    let (_, answer) = answer_to(case, "claude-accepted.txt", |path| vec![Action::Accept { path }]).await?;
    ensure(texts(&answer) == ["FILE_SAVED", PROPOSED], || format!("openDiff was answered with {answer}"))
}

async fn edited(case: &Case<'_>) -> Checked {
    let text = "Typed by a person.\nTwo lines of it.\n";
    let actions =
        |path: String| vec![Action::Edit { path: path.clone(), text: text.into() }, Action::Accept { path }];
    let (_, answer) = answer_to(case, "claude-edited.txt", actions).await?;
    match texts(&answer).as_slice() {
        ["FILE_SAVED", last] => {
            ensure(*last == text, || format!("the person typed {text:?}, and the answer says {last:?}"))
        }
        _ => skip(format!("accepting was answered with {answer}")),
    }
}

async fn rejected(case: &Case<'_>) -> Checked {
    let reject = |path| vec![Action::Reject { path }];
    let (proposal, answer) = answer_to(case, "claude-rejected.txt", reject).await?;
    ensure(texts(&answer) == ["DIFF_REJECTED", &proposal.tab], || {
        format!("openDiff was answered with {answer}")
    })
}

async fn view_closed(case: &Case<'_>) -> Checked {
    let close = |path| vec![Action::CloseView { path }];
    let (_, answer) = answer_to(case, "claude-view-closed.txt", close).await?;
    // Another check judges the form of the rejection.
    ensure(!is_accepting(&answer), || format!("openDiff was answered with {answer}"))
}

async fn close_tab(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let proposal = connecting::claude_proposes(case, &agent, "claude-close-tab.txt", PROPOSED).await?;
    for time in ["first", "second"] {
        let answer = agent.call_tool("close_tab", &json!({ "tab_name": proposal.tab })).await?;
        ensure(texts(&answer) == ["TAB_CLOSED"], || {
            format!("the {time} close_tab was answered with {answer}")
        })?;
    }
    Ok(())
}

async fn closed_call(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    pass(SETTLED).await;
    let proposal = connecting::claude_proposes(case, &agent, "claude-closed-call.txt", PROPOSED).await?;
    agent.call_tool("close_tab", &json!({ "tab_name": proposal.tab })).await?;
    case.quiet().await;
    match agent.wait_for_response(proposal.call, Duration::ZERO).await {
        Some(answer) if is_accepting(&answer) => fail(format!("openDiff was answered with {answer}")),
        _ => Ok(()),
    }
}

async fn close_view(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let proposal = connecting::claude_proposes(case, &agent, "claude-close-view.txt", PROPOSED).await?;
    // No message reports that the editor shows the proposal, because the answer to openDiff is the decision.
    pass(SETTLED).await;
    let is_shown = || case.act(Action::IsShown { path: proposal.path.clone() });
    if is_shown().await? != Reply::Done {
        return skip("the proposal was not shown");
    }
    agent.call_tool("close_tab", &json!({ "tab_name": proposal.tab })).await?;
    case.quiet().await;
    ensure(is_shown().await? == Reply::No, || "after close_tab, the proposal is still shown".into())
}

async fn close_all(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    pass(SETTLED).await;
    let calls = [
        connecting::claude_proposes(case, &agent, "claude-close-all.txt", PROPOSED).await?.call,
        connecting::claude_proposes(case, &agent, "claude-close-all-too.txt", PROPOSED).await?.call,
    ];
    for expected in ["CLOSED_2_DIFF_TABS", "CLOSED_0_DIFF_TABS"] {
        let answer = agent.call_tool("closeAllDiffTabs", &json!({})).await?;
        ensure(texts(&answer) == [expected], || {
            format!("instead of {expected}, closeAllDiffTabs was answered with {answer}")
        })?;
    }
    case.quiet().await;
    for call in calls {
        let answer = agent.wait_for_response(call, Duration::ZERO).await.unwrap_or_default();
        ensure(!is_accepting(&answer), || format!("openDiff was answered with {answer}"))?;
    }
    Ok(())
}

async fn own_tabs(case: &Case<'_>) -> Checked {
    let (one, other) = (connecting::claude_joins(case).await?, connecting::claude_joins(case).await?);
    connecting::claude_proposes(case, &one, "claude-own-tabs.txt", PROPOSED).await?;
    other.call_tool("closeAllDiffTabs", &json!({})).await?;
    let answer = one.call_tool("closeAllDiffTabs", &json!({})).await?;
    // `close_all` judges whether an agent's own diffs are counted.
    ensure(texts(&answer) != ["CLOSED_0_DIFF_TABS"], || "another agent closed the diff".into())
}

async fn own_outcome(case: &Case<'_>) -> Checked {
    let (one, other) = (connecting::claude_joins(case).await?, connecting::claude_joins(case).await?);
    pass(SETTLED).await;
    let of_one = connecting::claude_proposes(case, &one, "claude-of-one.txt", PROPOSED).await?;
    let of_other = connecting::claude_proposes(case, &other, "claude-of-other.txt", PROPOSED).await?;
    case.act(Action::Accept { path: of_other.path.clone() }).await?;
    if other.wait_for_response(of_other.call, case.timeouts().answer).await.is_none() {
        return skip("the agent that asked was not answered");
    }
    case.quiet().await;
    match one.wait_for_response(of_one.call, Duration::ZERO).await {
        Some(answer) => fail(format!("another agent was answered with {answer}")),
        None => Ok(()),
    }
}
