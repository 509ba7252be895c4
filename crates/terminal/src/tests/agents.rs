//! Tests of the set-up of agents: the desk names agents that do not connect, and changes their settings after
//! a yes.

use std::sync::Mutex;

use alongside_desk::agent_setup::{AgentSetup, SettingsOffer, SetupFuture};

use super::*;

/// The settings of two agents, in which everything is off. Each change is one offer.
#[derive(Debug, Default)]
struct Settings {
    /// The ids of the changes that were made.
    made_changes: Mutex<Vec<String>>,
    /// The duration of a thorough search.
    delay: Duration,
    /// For each search so far, whether it was thorough.
    searches: Mutex<Vec<bool>>,
    /// Whether no agent is installed.
    no_agents: bool,
    /// Whether the settings cannot be written.
    write_protected: bool,
}

/// All offers: the id, the agent, whether the change lets the agent connect, and the question.
const OFFERS: [(&str, &str, bool, &str); 3] = [
    ("gemini:ide-mode", "Gemini CLI", true, "Switch on IDE mode in Gemini CLI?"),
    ("qwen:ide-mode", "Qwen Code", true, "Switch on IDE mode in Qwen Code?"),
    ("qwen:approval-mode", "Qwen Code", false, "Make Qwen Code ask before it edits?"),
];

#[derive(Debug, Clone, Default)]
struct Agents(Arc<Settings>);

impl Agents {
    /// Returns the offers whose changes were not made.
    fn open_offers(&self) -> Vec<SettingsOffer> {
        let made = self.0.made_changes.lock().unwrap().clone();
        let offers: &[_] = if self.0.no_agents { &[] } else { &OFFERS };
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
    fn searches(&self) -> Vec<bool> {
        std::mem::take(&mut *self.0.searches.lock().unwrap())
    }
}

impl AgentSetup for Agents {
    fn offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        self.0.searches.lock().unwrap().push(true);
        let (offers, delay) = (self.open_offers(), self.0.delay);
        Box::pin(async move {
            sleep(delay).await;
            offers
        })
    }

    fn quick_offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        self.0.searches.lock().unwrap().push(false);
        let offers = self.open_offers();
        Box::pin(async { offers })
    }

    fn has_agent(&self) -> bool {
        !self.0.no_agents
    }

    fn make(&self, id: &str, preview: &str) -> SetupFuture<Result<String, String>> {
        assert!(preview.contains("+  \"new\": 1"));
        let reply = if self.0.write_protected {
            Err("cannot write settings.json: it is write-protected".into())
        } else {
            self.0.made_changes.lock().unwrap().push(id.to_owned());
            Ok(format!("{id} is changed."))
        };
        Box::pin(async { reply })
    }
}

async fn desk(settings: Settings) -> (TestDesk, Agents) {
    let agents = Agents(Arc::new(settings));
    let options = Options { agent_setup: Some(Arc::new(agents.clone())), ..Options::default() };
    let mut desk = TestDesk::with_options(80, 24, "false", options);
    desk.deliver_all().await;
    (desk, agents)
}

#[tokio::test(start_paused = true)]
async fn each_change_is_shown_and_made_after_a_yes() {
    let (mut desk, agents) = desk(Settings::default()).await;
    desk.assert_shows("IDE mode is off in Gemini CLI and Qwen Code.");
    desk.assert_shows("i set up agents");
    desk.press_expecting("i", "Switch on IDE mode in Gemini CLI?").await;
    desk.assert_shows("This is why: gemini:ide-mode.");
    desk.assert_shows("+ \"new\": 1");
    assert!(agents.0.made_changes.lock().unwrap().is_empty(), "looking changes nothing");
    desk.press_expecting("y", "gemini:ide-mode is changed.").await;
    desk.assert_shows("Switch on IDE mode in Qwen Code?");
    desk.press_expecting("n", "Make Qwen Code ask before it edits?").await;
    desk.press_expecting("y", "IDE mode is off in Qwen Code.").await;
    desk.assert_shows("qwen:approval-mode is changed.");
    assert_eq!(*agents.0.made_changes.lock().unwrap(), ["gemini:ide-mode", "qwen:approval-mode"]);

    // After another `i`, the declined offer comes back.
    desk.press_expecting("iy", "No agent is connected yet.").await;
    desk.assert_hides("set up agents");
    desk.press_expecting("i", "The installed agents are set up already. Start one in this project.").await;
    desk.connect().await;
    desk.press_expecting("i", "The installed agents are set up already.").await;
    desk.assert_hides("Start one");
}

#[tokio::test(start_paused = true)]
async fn no_search_for_agents_delays_the_first_frame() {
    let agents = Agents::default();
    let options = Options { agent_setup: Some(Arc::new(agents.clone())), ..Options::default() };
    let mut desk = TestDesk::with_options(80, 24, "false", options);
    desk.shared.stuck.store(true, Ordering::Relaxed);
    desk.deliver_all().await;
    assert_eq!(*desk.shared.frames.lock().unwrap(), 1, "the frame is drawn, and not on the screen yet");
    assert!(agents.searches().is_empty());
    desk.shared.stuck.store(false, Ordering::Relaxed);
    desk.deliver_all().await;
    assert_eq!(agents.searches(), [true]);
}

#[tokio::test(start_paused = true)]
async fn the_desk_says_that_no_known_agent_is_installed() {
    let (mut desk, _) = desk(Settings { no_agents: true, ..Settings::default() }).await;
    desk.press("i").await;
    desk.assert_shows(
        "No agent is installed that alongside knows: Gemini CLI, Qwen Code, Claude Code or Codex.",
    );
    desk.assert_hides("set up already");
}

#[tokio::test(start_paused = true)]
async fn a_yes_typed_before_the_change_was_shown_is_ignored() {
    let (mut desk, agents) = desk(Settings::default()).await;
    desk.shared.stuck.store(true, Ordering::Relaxed);
    desk.press("iy").await;
    assert!(agents.0.made_changes.lock().unwrap().is_empty());
    desk.shared.stuck.store(false, Ordering::Relaxed);
    desk.deliver_all().await;
    desk.assert_shows("Ignored: you typed that before this was on the screen.");
    desk.press_expecting("⎋", "IDE mode is off in Gemini CLI and Qwen Code.").await;
    assert!(agents.0.made_changes.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_change_that_fails_says_why_and_is_not_asked_about_twice() {
    let (mut desk, agents) = desk(Settings { write_protected: true, ..Settings::default() }).await;
    desk.press_expecting("iy", "cannot write settings.json: it is write-protected").await;
    desk.assert_shows("Switch on IDE mode in Qwen Code?");
    desk.press_expecting("nn", "IDE mode is off in Gemini CLI and Qwen Code.").await;
    assert!(agents.0.made_changes.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_review_that_arrives_meanwhile_is_not_decided_blindly() {
    let (mut desk, _) = desk(Settings::default()).await;
    desk.press("i").await;
    desk.connect().await;
    desk.propose_and_wait(1, "/shop/basket.py").await;
    desk.assert_shows("Switch on IDE mode in Gemini CLI?");
    desk.press_expecting("nnn", "change 1 of 3").await;
    desk.press("a").await;
    assert_eq!(desk.requests(), [], "the review has not been on the screen long enough");
    desk.wait_until_keys_count().await;
    desk.press("ay").await;
    assert_eq!(desk.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_connected_agent_that_edits_without_asking_is_named() {
    let (mut desk, _) = desk(Settings::default()).await;
    desk.connect().await;
    desk.assert_shows("Nothing to review.");
    desk.assert_shows("This is why: qwen:approval-mode. Press i to see the change that makes it ask.");
}

#[tokio::test(start_paused = true)]
async fn settings_that_change_elsewhere_are_shown_without_a_key() {
    let (mut desk, agents) = desk(Settings::default()).await;
    desk.press_expecting("iynn", "IDE mode is off in Qwen Code.").await;
    desk.press_expecting("iy", "qwen:ide-mode is changed.").await;
    desk.press_expecting("n", "No agent is connected yet.").await;
    desk.press_expecting("iy", "qwen:approval-mode is changed.").await;
    agents.searches();
    // The running agent overwrites its settings, without the changes.
    agents.0.made_changes.lock().unwrap().clear();
    sleep(Duration::from_secs(6)).await;
    desk.deliver_all().await;
    desk.assert_shows("IDE mode is off in Gemini CLI and Qwen Code.");
    desk.assert_hides("is changed.");
    assert_eq!(agents.searches(), [false], "the search in the background runs no program");

    let frames = *desk.shared.frames.lock().unwrap();
    sleep(Duration::from_secs(60)).await;
    desk.deliver_all().await;
    assert_eq!(agents.searches().len(), 12);
    assert_eq!(*desk.shared.frames.lock().unwrap(), frames, "nothing has changed on the screen");
    desk.connect().await;
    sleep(Duration::from_secs(60)).await;
    assert!(agents.searches().is_empty(), "an agent is connected");
}

#[tokio::test(start_paused = true)]
async fn settings_are_read_again_before_an_offer_is_shown() {
    let (mut desk, agents) = desk(Settings::default()).await;
    desk.assert_shows("IDE mode is off in Gemini CLI and Qwen Code.");
    agents.0.made_changes.lock().unwrap().push("gemini:ide-mode".into());
    desk.press_expecting("i", "Switch on IDE mode in Qwen Code?").await;
}

#[tokio::test(start_paused = true)]
async fn a_key_that_cancels_a_search_shows_no_offer() {
    let second = Duration::from_secs(1);
    let (mut desk, agents) = desk(Settings { delay: second, ..Settings::default() }).await;
    sleep(2 * second).await;
    desk.deliver_all().await;
    for key in [KeyCode::Esc, KeyCode::Char('q'), KeyCode::Char('?')] {
        desk.press_expecting("i", "Looking for agents…").await;
        desk.assert_hides("Switch on IDE mode");
        desk.wait_until_keys_count().await;
        desk.key(key).await;
        desk.assert_hides("Looking for agents…");
        sleep(2 * second).await;
        desk.key(KeyCode::Esc).await;
        desk.assert_hides("Switch on IDE mode");
        desk.assert_shows("IDE mode is off in Gemini CLI and Qwen Code.");
    }
    desk.press_expecting("iy", "Ignored: you typed that before this was on the screen.").await;
    sleep(2 * second).await;
    desk.deliver_all().await;
    desk.assert_shows("Switch on IDE mode in Gemini CLI?");
    desk.assert_hides("Looking for agents…");
    assert!(agents.0.made_changes.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_search_that_began_before_a_change_is_repeated() {
    let second = Duration::from_secs(1);
    let (mut desk, _) = desk(Settings { delay: second, ..Settings::default() }).await;
    sleep(2 * second).await;
    desk.press("i").await;
    sleep(2 * second).await;
    desk.deliver_all().await;
    desk.assert_shows("Switch on IDE mode in Gemini CLI?");
    // This search reads the settings before the yes.
    desk.send_input(TerminalEvent::FocusGained);
    desk.press("y").await;
    sleep(3 * second).await;
    desk.deliver_all().await;
    desk.assert_shows("gemini:ide-mode is changed.");
    desk.assert_shows("Switch on IDE mode in Qwen Code?");
    desk.press_expecting("⎋", "IDE mode is off in Qwen Code.").await;
}
