//! One check while it runs: its evidence, its sessions and files, and the actions in the editor.

use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;

use tokio::sync::OnceCell;

use crate::action::Action;
use crate::check_ending::{Checked, NotPassed, fail, skip, unseen};
use crate::driver::{Refusal, Reply};
use crate::evidence::Evidence;
use crate::harness::fixture::Fixture;
use crate::harness::scenes::Played;
use crate::http::peer::Peer;
use crate::http::request::Request;
use crate::http::response::{NoResponse, Response};
use crate::mutex::lock;
use crate::time::clock;
use crate::time::timeouts::Timeouts;

/// One check while it runs.
pub(crate) struct Case<'b> {
    pub(crate) fixture: &'b Fixture<'b>,
    pub(crate) evidence: Evidence,
    number: usize,
    /// The session of the agent that joined last.
    pub(crate) newest: Mutex<Option<String>>,
}

impl<'b> Case<'b> {
    pub(crate) fn new(fixture: &'b Fixture<'_>) -> Case<'b> {
        // The fixture outlives its cases, whatever it borrows.
        let evidence = Evidence::new(fixture.target.record.auth_token.as_deref());
        let number = fixture.next_case();
        Case { fixture, evidence, number, newest: Mutex::default() }
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.fixture.timeouts
    }

    /// Records a session, or a diff, that must be closed at the end.
    pub(crate) fn took(&self, peer: &Peer, diff: Option<&str>) {
        self.fixture.cleanup.add(self.number, peer, diff);
    }

    /// Sends a request that may begin a session, and records the session.
    pub(crate) async fn begin(&self, peer: &Peer, request: Request) -> Result<Response, NoResponse> {
        self.fixture.cleanup.begin(self.number, peer, request).await
    }

    /// Closes the diffs and ends the sessions of this check.
    pub(crate) async fn ends(&self) {
        self.fixture.cleanup.give_back(self.number, self.fixture.patience()).await;
        self.fixture.connections.have_ended(self.fixture.patience()).await;
    }

    /// Has the driver do an action in the editor.
    pub(crate) async fn act(&self, action: Action) -> Checked<Reply> {
        let arguments = action.arguments();
        self.evidence.note(format!("→ editor: {} {}", action.name(), arguments.join(" ")));
        let Some(driver) = self.fixture.driver else {
            return unseen("it needs somebody at the editor; run it in a terminal or with --drive");
        };
        self.fixture.editor_cleanup.begins(&action);
        let outcome = driver.act(&action).await;
        match outcome {
            Ok(reply) => {
                self.fixture.editor_cleanup.is_done(&action);
                if matches!(action, Action::IsShown { .. }) {
                    self.evidence.note(if reply == Reply::Done {
                        "← editor: yes"
                    } else {
                        "← editor: no"
                    });
                }
                Ok(reply)
            }
            Err(Refusal::Cannot(why)) => {
                unseen(format!("the editor could not be made to {}: {why}", action.name()))
            }
            Err(Refusal::Failed(why)) => {
                self.evidence.note(format!("← driver: {}", why.trim_end().replace('\n', "⏎")));
                let brief = format!("the driver failed to {}: {}", action.name(), brief(&why, &arguments));
                let mut failures = lock(&self.fixture.failures);
                failures.push(brief.clone());
                unseen(brief)
            }
            Err(Refusal::Skip) => skip("you skipped it"),
        }
    }

    /// Skips the check unless the driver has certainly done the action in the editor.
    pub(crate) fn certain(&self, why: &str) -> Checked {
        match self.nothing_came(why) {
            Err(NotPassed::Fail(_)) => Ok(()),
            otherwise => otherwise,
        }
    }

    /// Ends a check for which no message followed an action in the editor: the rule is broken if the driver
    /// did the action for certain.
    pub(crate) fn nothing_came<T>(&self, why: impl fmt::Display) -> Checked<T> {
        match self.fixture.driver {
            Some(driver) if !driver.is_certain() => unseen(format!(
                "nothing was seen of it; run the check again if you answered too early ({why})"
            )),
            _ => fail(why.to_string()),
        }
    }

    /// Returns a path for a proposal, below a directory that does not exist.
    pub(crate) fn proposal(&self, name: &str) -> String {
        self.fixture.nowhere().join(name).to_string_lossy().into_owned()
    }

    /// Writes a file that the editor may open.
    pub(crate) fn file(&self, name: &str, text: &str) -> Checked<PathBuf> {
        let path = self.fixture.scratch().join(name);
        match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => skip(format!("cannot write {}: {error}", path.display())),
        }
    }

    /// Plays a scene once for all checks that judge it. The evidence of each of them has the messages of the
    /// scene.
    pub(crate) async fn scene<T: Clone>(
        &self,
        scene: &OnceCell<Played<T>>,
        play: impl Future<Output = Checked<T>>,
    ) -> Checked<T> {
        let mut is_ours = false;
        let playing = async || {
            is_ours = true;
            (play.await, self.evidence.lines())
        };
        let (outcome, lines) = scene.get_or_init(playing).await;
        if !is_ours {
            lines.iter().for_each(|line| self.evidence.note(line));
        }
        outcome.clone()
    }

    /// Waits for the time in which a forbidden message would arrive.
    pub(crate) async fn quiet(&self) {
        clock::pass(self.timeouts().quiet).await;
    }
}

/// Returns the first line of a driver's failure, without the arguments of the action.
fn brief(why: &str, arguments: &[String]) -> String {
    let line = why.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let names = arguments.iter().filter(|argument| argument.len() > 3);
    names.fold(line.to_owned(), |line, name| line.replace(name.as_str(), "…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_failures_that_differ_in_the_path_only_count_as_one() {
        let tell = |path: &str| {
            let why = format!("it failed with 2: no proposal for {path}\n\t[C]: in function");
            brief(&why, &[path.to_owned()])
        };
        assert_eq!(tell("/a/one.txt"), "it failed with 2: no proposal for …");
        assert_eq!(tell("/a/one.txt"), tell("/a/other.txt"));
    }
}
