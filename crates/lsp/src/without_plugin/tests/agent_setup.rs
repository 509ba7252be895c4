//! Agents with IDE mode off: a message once, and a code action that names each change.

use alongside_desk::agent_setup::{AgentSetup, SettingsOffer, SetupFuture};

use super::*;

/// Every change is made, and each call is an offer less.
#[derive(Debug, Default)]
struct Agents(std::sync::Mutex<Vec<String>>);

impl AgentSetup for Agents {
    fn offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        let made = self.0.lock().unwrap().clone();
        let offers: Vec<_> = offers().into_iter().filter(|offer| !made.contains(&offer.id)).collect();
        Box::pin(async { offers })
    }

    fn has_agent(&self) -> bool {
        true
    }

    fn make(&self, id: &str, preview: &str) -> SetupFuture<Result<String, String>> {
        assert_eq!(preview, "+ on\n");
        self.0.lock().unwrap().push(id.to_owned());
        let message = format!("{id} is on.");
        Box::pin(async { Ok(message) })
    }
}

fn offers() -> Vec<SettingsOffer> {
    let offer = |id: &str, agent: &str| SettingsOffer {
        id: id.into(),
        agent: agent.into(),
        connects: true,
        fact: String::new(),
        question: format!("Switch on IDE mode in {agent}?"),
        preview: "+ on\n".into(),
        summary: format!("ide.enabled = true in ~/.{id}/settings.json"),
    };
    vec![offer("gemini", "Gemini CLI"), offer("qwen", "Qwen Code")]
}

fn titles(stage: &mut Stage, trigger: u64) -> Vec<String> {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let document = json!({ "uri": stage.uri("a.txt") });
    let context = json!({ "triggerKind": trigger, "diagnostics": [] });
    stage.ask(
        "textDocument/codeAction",
        json!({ "textDocument": document, "range": range, "context": context }),
    );
    let sent = stage.sent();
    let Some(Message::Response(response)) = sent.last() else { panic!("{sent:?}") };
    let actions = response.response_result.clone().unwrap();
    let titles =
        actions.as_array().unwrap().iter().map(|action| action["title"].as_str().unwrap().to_owned());
    titles.collect()
}

#[tokio::test(start_paused = true)]
async fn a_code_action_names_the_change_and_makes_it() {
    let mut stage = Stage::new("helix", &["utf-8"]);
    let agents = std::sync::Arc::new(Agents::default());
    stage.io.set_agents(agents.clone());
    stage.open("a.txt", "one\n");
    stage.io.look_for_agents();
    stage.hear().await;
    let sent = stage.sent();
    let said = format!("{sent:?}");
    assert!(said.contains("IDE mode is off in Gemini CLI and Qwen Code: space a"), "{said}");

    assert_eq!(titles(&mut stage, 2), Vec::<String>::new(), "no mark for a request that nobody made");
    let title = "alongside: IDE mode on: ide.enabled = true in ~/.gemini/settings.json";
    assert_eq!(titles(&mut stage, 1)[0], title);
    assert!(agents.0.lock().unwrap().is_empty(), "looking changes nothing");

    let arguments = json!([{ "offer": "gemini" }]);
    stage.ask("workspace/executeCommand", json!({ "command": "alongside.setUp", "arguments": arguments }));
    stage.hear().await;
    assert_eq!(*agents.0.lock().unwrap(), ["gemini"]);
    let said = format!("{:?}", stage.sent());
    assert!(said.contains("gemini is on.") && !said.contains("IDE mode is off"), "said once: {said}");
    assert_eq!(titles(&mut stage, 1).len(), 1);
}
