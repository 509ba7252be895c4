//! Tests the answers for each agent, after every verdict.

use alongside_contract::agent::HookAgent;
use serde_json::json;

use super::*;
use crate::FILE;

fn asked(agent: &str, event: &str, verdict: &Verdict) -> Answer {
    let hook = HookAgent::named(agent).unwrap().hook;
    let (tool, arguments) = match agent {
        "claude" => ("Write", json!({"file_path": FILE, "content": "new\n"})),
        "codex" => {
            let command = format!("*** Begin Patch\n*** Update File: {FILE}\n@@\n-old\n+new\n*** End Patch");
            ("apply_patch", json!({ "command": command }))
        }
        _ => ("write_file", json!({"file_path": FILE, "content": "new\n"})),
    };
    let input = HookInput {
        hook_event_name: event.into(),
        tool_name: tool.into(),
        tool_input: arguments.as_object().unwrap().clone(),
        ..HookInput::default()
    };
    let call = ToolCall::read(hook, &input).unwrap();
    let read = |_: &str| TextFile::Text("old\n".into());
    let changes = call.changes(read).unwrap();
    answer(hook, &input, &call, &changes, std::slice::from_ref(verdict), read)
}

fn json_of(answer: Answer) -> Value {
    let Answer::Line(line) = answer else { panic!("silence") };
    serde_json::from_str(&line).unwrap()
}

fn accepted(text: &str, message: Option<&str>) -> Verdict {
    Verdict::Accepted { text: text.into(), message: message.map(str::to_owned) }
}

/// With several hooks, an agent uses the arguments of a hook that returns some.
#[test]
fn the_agents_own_text_is_allowed_with_its_arguments() {
    let allowed = accepted("new\n", None);
    let write = json!({"file_path": FILE, "content": "new\n"});
    let patch = format!("*** Begin Patch\n*** Update File: {FILE}\n@@\n-old\n+new\n*** End Patch");
    let patch = json!({ "command": patch });
    for (agent, arguments) in [("claude", &write), ("codex", &patch)] {
        let output = json!({
            "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": arguments,
        });
        assert_eq!(
            json_of(asked(agent, "PreToolUse", &allowed)),
            json!({ "hookSpecificOutput": output }),
            "{agent}"
        );
    }
    let gemini = json_of(asked("gemini", "BeforeTool", &allowed));
    let output = json!({"hookEventName": "BeforeTool", "tool_input": write});
    assert_eq!(gemini, json!({"decision": "allow", "hookSpecificOutput": output}));
    let qwen = json_of(asked("qwen", "PermissionRequest", &allowed));
    let decision = &qwen["hookSpecificOutput"]["decision"];
    assert_eq!(decision, &json!({"behavior": "allow", "updatedInput": write}));
    let said = json_of(asked("codex", "PreToolUse", &accepted("new\n", Some("good"))));
    assert_eq!(said["hookSpecificOutput"]["additionalContext"], "good");
}

#[test]
fn an_event_that_takes_no_arguments_gets_none() {
    let allowed = accepted("new\n", None);
    assert_eq!(asked("qwen", "PreToolUse", &allowed), Answer::Silence);
    // At this event, Codex treats an answer with arguments as a failure of the hook.
    let codex = json_of(asked("codex", "PermissionRequest", &allowed));
    assert_eq!(codex["hookSpecificOutput"]["decision"], json!({"behavior": "allow"}));
}

#[test]
fn the_persons_text_replaces_the_arguments() {
    let mine = accepted("mine\n", Some("changed"));
    let claude = &json_of(asked("claude", "PreToolUse", &mine))["hookSpecificOutput"];
    assert_eq!(claude["updatedInput"], json!({"file_path": FILE, "content": "mine\n"}));
    assert_eq!(
        (&claude["permissionDecision"], &claude["additionalContext"]),
        (&json!("allow"), &json!("changed"))
    );
    let gemini = json_of(asked("gemini", "BeforeTool", &mine));
    assert_eq!(gemini["decision"], "allow");
    assert_eq!(gemini["hookSpecificOutput"]["tool_input"]["content"], "mine\n");
    let codex = &json_of(asked("codex", "PreToolUse", &mine))["hookSpecificOutput"];
    let patch = format!("*** Begin Patch\n*** Update File: {FILE}\n@@\n-old\n+mine\n*** End Patch\n");
    assert_eq!(codex["updatedInput"], json!({ "command": patch }));
    let qwen = json_of(asked("qwen", "PermissionRequest", &mine));
    assert_eq!(qwen["hookSpecificOutput"]["decision"]["updatedInput"]["content"], "mine\n");
}

#[test]
fn an_agent_that_accepts_no_arguments_is_asked_to_propose_the_text() {
    let qwen = json_of(asked("qwen", "PreToolUse", &accepted("mine\n", Some("Dropped 1."))));
    let output = &qwen["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.starts_with("Dropped 1.\nNothing was written yet. Call the tool again"), "{reason}");
    assert!(reason.ends_with("Replace\n```\nold\n```\nby\n```\nmine\n```"), "{reason}");
}

#[test]
fn every_other_verdict_is_a_refusal_in_the_format_of_the_agent() {
    let draft = Some("/drafts/f".into());
    let undecided = Verdict::Undecided { message: "Broken off.".into(), draft };
    let whole = "Broken off. Nothing was written. A text that the person typed is in /drafts/f.";
    let gemini = json_of(asked("gemini", "BeforeTool", &undecided));
    assert_eq!(gemini, json!({"decision": "deny", "reason": whole}));
    for agent in ["claude", "codex", "qwen"] {
        let output = &json_of(asked(agent, "PreToolUse", &undecided))["hookSpecificOutput"];
        assert_eq!(
            (&output["permissionDecision"], &output["permissionDecisionReason"]),
            (&json!("deny"), &json!(whole))
        );
    }
    let open =
        &json_of(asked("qwen", "PermissionRequest", &Verdict::StillOpen))["hookSpecificOutput"]["decision"];
    assert!(open["behavior"] == "deny" && open["message"].as_str().unwrap().contains("still open"));
    assert_eq!(asked("claude", "PreToolUse", &Verdict::NotReviewed), Answer::Silence);
    let long = Verdict::Rejected { message: "ä".repeat(20_000) };
    let refused = json_of(asked("claude", "PreToolUse", &long));
    let reason = refused["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert_eq!(reason.chars().count(), MAX_REASON + 1);
}
