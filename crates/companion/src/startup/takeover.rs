//! The plan of a start: the journal, the port and the token that a companion takes over from an interrupted
//! one.

use std::io;
use std::time::Duration;

use alongside_desk::Problem;
use alongside_platform::ports::PortHold;
use tokio::time::Instant;

use super::adoption::unusable_journal;
use crate::mcp::listening::ports::Predecessor;
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::drafts::Drafts;
use crate::persistence::journal::Journal;
use crate::persistence::recovery_store::RecoveryStore;

/// The time between two attempts to take the journal while a predecessor holds it.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The state that a companion takes over at its start.
#[derive(Debug, Default)]
pub(super) struct Takeover {
    /// The journal of the predecessor; `None` without one.
    pub(super) journal: Option<Journal>,
    /// The problems for every desk.
    pub(super) problems: Vec<Problem>,
    /// The news for the first desk only.
    pub(super) news: Vec<Problem>,
}

impl Takeover {
    fn plan(journal: io::Result<Option<Journal>>, drafts: &Drafts) -> Self {
        match journal {
            Ok(journal) => Self { journal, ..Self::default() },
            Err(error) => {
                Self { news: vec![unusable_journal(&error.to_string(), drafts)], ..Self::default() }
            }
        }
    }

    /// Returns the predecessor, whose port the companion takes over. `hold` is the hold on that port.
    pub(super) fn predecessor<'t>(&'t self, hold: Option<&'t PortHold>) -> Option<Predecessor<'t>> {
        let journal = self.journal.as_ref()?;
        Some(Predecessor { port: journal.port, addresses: &journal.addresses, hold })
    }

    /// Returns the predecessor's token, if its port was held, so that no other user can have received it.
    pub(super) fn token(&self, was_held: bool) -> Option<&str> {
        self.journal.as_ref().filter(|_| was_held).map(|journal| journal.token.as_str())
    }
}

/// Opens the journal of this name, if the companion keeps one. Waits until `until` for a killed predecessor
/// to release it.
pub(super) async fn begin(
    dirs: &AppDirs,
    drafts: &Drafts,
    name: Option<&str>,
    until: Instant,
) -> (Option<RecoveryStore>, Takeover) {
    let Some(name) = name else { return (None, Takeover::default()) };
    match take_store(dirs, name, until).await {
        Ok(store) => {
            let takeover = Takeover::plan(store.left_behind(), drafts);
            (Some(store), takeover)
        }
        Err(problem) => (None, Takeover { problems: vec![problem], ..Takeover::default() }),
    }
}

/// Opens the journal as soon as the process of a killed predecessor has ended.
async fn take_store(dirs: &AppDirs, name: &str, until: Instant) -> Result<RecoveryStore, Problem> {
    loop {
        match RecoveryStore::take(&dirs.state, name) {
            Ok(Some(store)) => return Ok(store),
            Ok(None) if until <= Instant::now() => {
                return Err(Problem::new(
                    "another companion of this project is running and keeps the journal",
                    "A crash of this one would leave agents waiting. End one of them: `alongside status` \
                     shows both.",
                ));
            }
            Ok(None) => tokio::time::sleep(RETRY_INTERVAL).await,
            Err(error) => {
                return Err(Problem::new(
                    format!("no journal can be kept in {}: {error}", dirs.state.display()),
                    "After a crash, connected agents would have to be reconnected with `/ide enable`.",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_token_stays_only_if_its_port_was_held() {
        let directory = tempfile::tempdir().unwrap();
        let plan = |journal| Takeover::plan(journal, &Drafts::open(&AppDirs::below(directory.path())));
        let crashed = plan(Ok(Some(Journal { port: 7, token: "t".into(), ..Journal::default() })));
        assert_eq!([true, false].map(|was_held| crashed.token(was_held)), [Some("t"), None]);
        assert_eq!(crashed.predecessor(None).map(|predecessor| predecessor.port), Some(7));
        let first = plan(Ok(None));
        assert!(first.token(true).is_none() && first.predecessor(None).is_none() && first.news.is_empty());
        let unusable = plan(Err(io::Error::other("no port")));
        assert!(unusable.token(true).is_none() && unusable.news[0].what.ends_with("no port"));
    }
}
