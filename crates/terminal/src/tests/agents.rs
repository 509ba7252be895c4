//! Tests of the set-up of agents: the desk names agents that do not connect, and changes their settings after
//! a yes.

use std::sync::Mutex;

use alongside_desk::agent_setup::{AgentSetup, SettingsOffer, SetupFuture};

use super::*;

/// The settings of two agents, in which everything is off. Each change is one offer.
#[derive(Debug, Default)]
struct Settings {
    /// The ids of the changes that were made.
    made: Mutex<Vec<String>>,
    /// The duration of a thorough search.
    delay: Duration,
    /// For each search so far, whether it was thorough.
    looks: Mutex<Vec<bool>>,
    /// Whether no agent is installed.
    none: bool,
    /// Whether the settings cannot be written.
    protected: bool,
}

const OFFERS: [(&str, &str, bool, &str); 3] = [
    ("gemini:ide-mode", "Gemini CLI", true, "Switch on IDE mode in Gemini CLI?"),
    ("qwen:ide-mode", "Qwen Code", true, "Switch on IDE mode in Qwen Code?"),
    ("qwen:approval-mode", "Qwen Code", false, "Make Qwen Code ask before it edits?"),
];

#[derive(Debug, Clone, Default)]
struct Agents(Arc<Settings>);

impl Agents {
    fn found(&self) -> Vec<SettingsOffer> {
        let made = self.0.made.lock().unwrap().clone();
        let offers: &[_] = if self.0.none { &[] } else { &OFFERS };
        let open = offers.iter().filter(|(id, ..)| !made.iter().any(|made| made == id));
        let offers = open.map(|(id, agent, connects, question)| SettingsOffer {
            id: (*id).into(),
            agent: (*agent).into(),
            connects: *connects,
            fact: format!("This is why: {id}."),
            question: (*question).into(),
            summary: String::new(),
            preview: "--- a\n+++ b\n-  \"old\": 1\n+  \"new\": 1\n".into(),
        });
        offers.collect()
    }

    /// Takes the searches since the last call: for each, whether it was thorough.
    fn looks(&self) -> Vec<bool> {
        std::mem::take(&mut *self.0.looks.lock().unwrap())
    }
}

impl AgentSetup for Agents {
    fn offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        self.0.looks.lock().unwrap().push(true);
        let (found, delay) = (self.found(), self.0.delay);
        Box::pin(async move {
            sleep(delay).await;
            found
        })
    }

    fn quick_offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        self.0.looks.lock().unwrap().push(false);
        let found = self.found();
        Box::pin(async { found })
    }

    fn has_agent(&self) -> bool {
        !self.0.none
    }

    fn make(&self, id: &str, preview: &str) -> SetupFuture<Result<String, String>> {
        assert!(preview.contains("+  \"new\": 1"));
        let reply = if self.0.protected {
            Err("cannot write settings.json: it is write-protected".into())
        } else {
            self.0.made.lock().unwrap().push(id.to_owned());
            Ok(format!("{id} is changed."))
        };
        Box::pin(async { reply })
    }
}

async fn stage(settings: Settings) -> (Stage, Agents) {
    let agents = Agents(Arc::new(settings));
    let options = Options { agent_setup: Some(Arc::new(agents.clone())), ..Options::default() };
    let mut stage = Stage::with_options(80, 24, "false", options);
    stage.moment().await;
    (stage, agents)
}

#[tokio::test(start_paused = true)]
async fn each_change_is_shown_and_made_after_a_yes() {
    let (mut stage, agents) = stage(Settings::default()).await;
    stage.shows("IDE mode is off in Gemini CLI and Qwen Code.");
    stage.shows("i set up agents");
    stage.shows_on("i", "Switch on IDE mode in Gemini CLI?").await;
    stage.shows("This is why: gemini:ide-mode.");
    stage.shows("+ \"new\": 1");
    assert!(agents.0.made.lock().unwrap().is_empty(), "looking changes nothing");
    stage.shows_on("y", "gemini:ide-mode is changed.").await;
    stage.shows("Switch on IDE mode in Qwen Code?");
    stage.shows_on("n", "Make Qwen Code ask before it edits?").await;
    stage.shows_on("y", "IDE mode is off in Qwen Code.").await;
    stage.shows("qwen:approval-mode is changed.");
    assert_eq!(*agents.0.made.lock().unwrap(), ["gemini:ide-mode", "qwen:approval-mode"]);

    // After another `i`, the declined offer comes back.
    stage.shows_on("iy", "No agent is connected yet.").await;
    stage.does_not_show("set up agents");
    stage.shows_on("i", "The installed agents are set up already. Start one in this project.").await;
    stage.connect().await;
    stage.shows_on("i", "The installed agents are set up already.").await;
    stage.does_not_show("Start one");
}

#[tokio::test(start_paused = true)]
async fn without_an_agent_the_desk_says_so() {
    let (mut stage, _) = stage(Settings { none: true, ..Settings::default() }).await;
    stage.press("i").await;
    stage.shows("No agent is installed that alongside knows: Gemini CLI, Qwen Code, Claude Code or Codex.");
    stage.does_not_show("set up already");
}

#[tokio::test(start_paused = true)]
async fn a_yes_typed_before_the_change_was_shown_makes_nothing() {
    let (mut stage, agents) = stage(Settings::default()).await;
    stage.shared.stuck.store(true, Ordering::Relaxed);
    stage.press("iy").await;
    assert!(agents.0.made.lock().unwrap().is_empty());
    stage.shared.stuck.store(false, Ordering::Relaxed);
    stage.moment().await;
    stage.shows("Ignored: you typed that before this was on the screen.");
    stage.shows_on("⎋", "IDE mode is off in Gemini CLI and Qwen Code.").await;
    assert!(agents.0.made.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_change_that_fails_says_why_and_is_not_asked_about_twice() {
    let (mut stage, agents) = stage(Settings { protected: true, ..Settings::default() }).await;
    stage.shows_on("iy", "cannot write settings.json: it is write-protected").await;
    stage.shows("Switch on IDE mode in Qwen Code?");
    stage.shows_on("nn", "IDE mode is off in Gemini CLI and Qwen Code.").await;
    assert!(agents.0.made.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_review_that_arrives_meanwhile_is_not_decided_blindly() {
    let (mut stage, _) = stage(Settings::default()).await;
    stage.press("i").await;
    stage.connect().await;
    stage.propose_and_read(1, "/shop/basket.py").await;
    stage.shows("Switch on IDE mode in Gemini CLI?");
    stage.shows_on("nnn", "change 1 of 3").await;
    stage.press("a").await;
    assert_eq!(stage.asked(), [], "the review has not been on the screen long enough");
    stage.a_while().await;
    stage.press("ay").await;
    assert_eq!(stage.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_connected_agent_that_edits_without_asking_is_named() {
    let (mut stage, _) = stage(Settings::default()).await;
    stage.connect().await;
    stage.shows("Nothing to review.");
    stage.shows("This is why: qwen:approval-mode. Press i to see the change that makes it ask.");
}

#[tokio::test(start_paused = true)]
async fn settings_that_change_elsewhere_are_shown_without_a_key() {
    let (mut stage, agents) = stage(Settings::default()).await;
    stage.shows_on("iynn", "IDE mode is off in Qwen Code.").await;
    stage.shows_on("iy", "qwen:ide-mode is changed.").await;
    stage.shows_on("n", "No agent is connected yet.").await;
    stage.shows_on("iy", "qwen:approval-mode is changed.").await;
    agents.looks();
    // The running agent overwrites its settings, without the changes.
    agents.0.made.lock().unwrap().clear();
    sleep(Duration::from_secs(6)).await;
    stage.moment().await;
    stage.shows("IDE mode is off in Gemini CLI and Qwen Code.");
    stage.does_not_show("is changed.");
    assert_eq!(agents.looks(), [false], "the search in the background runs no program");

    let frames = *stage.shared.frames.lock().unwrap();
    sleep(Duration::from_secs(60)).await;
    stage.moment().await;
    assert_eq!(agents.looks().len(), 12);
    assert_eq!(*stage.shared.frames.lock().unwrap(), frames, "nothing has changed on the screen");
    stage.connect().await;
    sleep(Duration::from_secs(60)).await;
    assert!(agents.looks().is_empty(), "an agent is connected");
}

#[tokio::test(start_paused = true)]
async fn settings_are_read_again_before_an_offer_is_shown() {
    let (mut stage, agents) = stage(Settings::default()).await;
    stage.shows("IDE mode is off in Gemini CLI and Qwen Code.");
    agents.0.made.lock().unwrap().push("gemini:ide-mode".into());
    stage.shows_on("i", "Switch on IDE mode in Qwen Code?").await;
}

#[tokio::test(start_paused = true)]
async fn a_key_that_cancels_a_search_shows_no_offer() {
    let second = Duration::from_secs(1);
    let (mut stage, agents) = stage(Settings { delay: second, ..Settings::default() }).await;
    sleep(2 * second).await;
    stage.moment().await;
    for leaves in [KeyCode::Esc, KeyCode::Char('q'), KeyCode::Char('?')] {
        stage.shows_on("i", "Looking for agents…").await;
        stage.does_not_show("Switch on IDE mode");
        stage.a_while().await;
        stage.key(leaves).await;
        stage.does_not_show("Looking for agents…");
        sleep(2 * second).await;
        stage.key(KeyCode::Esc).await;
        stage.does_not_show("Switch on IDE mode");
        stage.shows("IDE mode is off in Gemini CLI and Qwen Code.");
    }
    stage.shows_on("iy", "Ignored: you typed that before this was on the screen.").await;
    sleep(2 * second).await;
    stage.moment().await;
    stage.shows("Switch on IDE mode in Gemini CLI?");
    stage.does_not_show("Looking for agents…");
    assert!(agents.0.made.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_search_that_began_before_a_change_is_repeated() {
    let second = Duration::from_secs(1);
    let (mut stage, _) = stage(Settings { delay: second, ..Settings::default() }).await;
    sleep(2 * second).await;
    stage.press("i").await;
    sleep(2 * second).await;
    stage.moment().await;
    stage.shows("Switch on IDE mode in Gemini CLI?");
    // This search reads the settings before the yes.
    stage.types(Typed::FocusGained);
    stage.press("y").await;
    sleep(3 * second).await;
    stage.moment().await;
    stage.shows("gemini:ide-mode is changed.");
    stage.shows("Switch on IDE mode in Qwen Code?");
    stage.shows_on("⎋", "IDE mode is off in Qwen Code.").await;
}
