//! `alongside demo`: a built-in agent proposes changes to a scratch project, and the person reviews them.

mod project;
mod report;

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_agent::{Endpoint, Identity, Outcome, Session};
use alongside_common::failure::Hint;
use alongside_common::signals::{self, Signals};
use alongside_companion::{AppDirs, Companion};
use alongside_desk::harmless;
use alongside_desk::{Closing, Desk, Event, Review, ReviewId};
use alongside_platform::paths::Canonical as _;
use anyhow::Context;

use super::output;
use crate::line_mode::{Ending, LineDesk, Policy};
use project::PROPOSALS;

/// Try alongside with a built-in agent in a scratch project
///
/// An agent proposes three changes over the real protocol: several hunks in one file, a new file, and a file
/// with CRLF line endings. You review them at the terminal desk, as with `alongside`, or line by line, as
/// with `alongside review`. The agent writes what you accept, and the demo shows the result. It uses no
/// model, and changes nothing outside a temporary directory.
///
/// Without a terminal, the demo answers for you and prints the transcript.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0; 1 if a file differs from your decision; 130, 143 or 129 after Ctrl-C, \
    SIGTERM or SIGHUP."
)]
pub(crate) struct Args {
    /// Review line by line, even where the desk could draw
    #[arg(long)]
    line: bool,
}

/// The time for which the desk stays open after the last decision.
const TIME_AFTER_LAST_DECISION: Duration = Duration::from_millis(800);

/// The longest wait for the last word on a file.
const LAST_WORD_TIMEOUT: Duration = Duration::from_secs(5);

/// The answers of the demo without a terminal.
const SCRIPTED_ANSWERS: &str = "y\nn\ny\na\nr\ny\na\n";

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen()?;
    let scratch = tempfile::Builder::new()
        .prefix("alongside-demo-")
        .tempdir()
        .context("cannot make a temporary directory")
        .hint("set TMPDIR to a directory that you can write to")?;
    let root = scratch.path().canonical()?.join("shop");
    project::write(&root)?;
    let dirs = AppDirs::below(&scratch.path().join("private"));
    for directory in dirs.tmp.iter().chain([&dirs.home]) {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    }
    let companion = Companion::builder()
        .app_dirs(dirs)
        .aliases(false)
        .root(&root)
        .start()
        .await
        .context("cannot start a companion")?;
    let mut demo = Demo {
        root: root.clone(),
        decided: HashMap::new(),
        reviews: HashMap::new(),
        observer: companion.observe(),
    };
    let signal = if output::can_draw() && !args.line {
        demo.run_terminal_desk(companion).await?
    } else {
        demo.run_line_desk(companion, &mut signals).await?
    };
    if let Some(signal) = signal {
        return Ok(signals::exit_code(signal));
    }
    let wrong = report::wrong_files(&demo.root, &demo.decided)?;
    super::print(&report::text(&demo.root, &wrong)?)?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The demo, with its project and its second desk.
struct Demo {
    root: PathBuf,
    /// The accepted text of each file; `None` if it was rejected.
    decided: HashMap<String, Option<String>>,
    reviews: HashMap<ReviewId, Review>,
    /// A second desk, which sees the decisions made at the first.
    observer: Desk,
}

impl Demo {
    /// Runs the terminal desk until the person has decided on each proposal or leaves. Returns the signal
    /// that ended the desk, if any.
    async fn run_terminal_desk(&mut self, companion: Companion) -> anyhow::Result<Option<i32>> {
        let options = alongside_terminal::Options {
            roots: vec![self.root.clone()],
            rehearsal: true,
            ..Default::default()
        };
        let ending = {
            let desk = alongside_terminal::run(companion.join(), options);
            tokio::pin!(desk);
            let result = tokio::select! {
                ending = &mut desk => Err(ending?),
                result = self.play_agent(&companion) => Ok(result),
            };
            match result {
                Err(ending) => {
                    companion.stop().await;
                    ending
                }
                Ok(result) => {
                    // The desk stays open for the person to read the last decision, and ends with the
                    // companion.
                    let stop = async {
                        tokio::time::sleep(TIME_AFTER_LAST_DECISION).await;
                        companion.stop().await;
                    };
                    let (ending, ()) = tokio::join!(desk, stop);
                    result?;
                    ending?
                }
            }
        };
        Ok(match ending {
            alongside_terminal::Ending::Signal(signal) => Some(signal),
            _ => None,
        })
    }

    /// Lets the agent propose one change after the other, and write the accepted ones.
    async fn play_agent(&mut self, companion: &Companion) -> anyhow::Result<()> {
        let session = connect(companion).await?;
        for &(file, text) in PROPOSALS {
            let outcome = self.propose(&session, file, text).await?;
            self.write_outcome(file, &outcome)?;
        }
        session.end().await.context("the built-in agent cannot end its session")
    }

    /// Writes an accepted file, as an agent does. Returns a sentence about it.
    fn write_outcome(&self, file: &str, outcome: &Outcome) -> anyhow::Result<String> {
        match outcome {
            Outcome::Accepted { content } => {
                project::write_file(&self.root.join(file), content)?;
                Ok(format!("The agent writes {file} ({} bytes).", content.len()))
            }
            Outcome::Rejected => Ok(format!("The agent leaves {file} alone.")),
            Outcome::Closed { .. } | Outcome::Lost => anyhow::bail!("the agent got no decision about {file}"),
        }
    }

    /// Runs the line-mode desk. Returns the signal that ended it, if any.
    async fn run_line_desk(
        &mut self,
        companion: Companion,
        signals: &mut Signals,
    ) -> anyhow::Result<Option<i32>> {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let (desk, roots) = (companion.join(), vec![self.root.clone()]);
        let mut desk = match is_terminal {
            true => LineDesk::new(desk, roots, Policy::Ask, None),
            false => LineDesk::scripted(desk, roots, SCRIPTED_ANSWERS),
        };
        desk.say(&format!(
            "This is a demo: a scratch project with a built-in agent, in {}.\n\
             The agent proposes three changes. Nothing else on this machine changes.{}",
            harmless::path(&self.root),
            if is_terminal {
                "\nFirst type y and Enter: it keeps a change. ? lists the commands."
            } else {
                "\nThere is no terminal, so the demo answers for you."
            }
        ));
        let ending = self.play_at_desk(&mut desk, &companion, signals).await;
        tokio::join!(companion.stop(), desk.finish(*ending.as_ref().unwrap_or(&Ending::Done)));
        Ok(match ending? {
            Ending::Signal(signal) => Some(signal),
            _ => None,
        })
    }

    /// Lets the agent propose one change after the other at a line-mode desk, and write the accepted ones.
    async fn play_at_desk(
        &mut self,
        desk: &mut LineDesk,
        companion: &Companion,
        signals: &mut Signals,
    ) -> anyhow::Result<Ending> {
        let session = connect(companion).await?;
        for &(file, text) in PROPOSALS {
            let mut outcome = None;
            let ending = {
                let propose = async { outcome = Some(self.propose(&session, file, text).await) };
                desk.run(signals, propose).await
            };
            if ending != Ending::Done {
                return Ok(ending);
            }
            let outcome = outcome.context("the agent got no answer")??;
            desk.say(&self.write_outcome(file, &outcome)?);
            if let Outcome::Accepted { .. } = outcome {
                let ending = desk.run(signals, self.wait_for_last_word(file)).await;
                if ending != Ending::Done {
                    return Ok(ending);
                }
            }
        }
        session.end().await.context("the built-in agent cannot end its session")?;
        Ok(Ending::Done)
    }

    /// Lets the agent propose a change, and waits for the decision.
    async fn propose(&mut self, session: &Session, file: &str, text: &str) -> anyhow::Result<Outcome> {
        let path = self.root.join(file);
        // An agent listens before it proposes. Without a context, the proposal fails, and its error is
        // printed.
        let _ = session.context().wait_for(Option::is_some).await;
        let outcome = session.open_diff(&path.to_string_lossy(), text).await?.outcome().await;
        self.wait_for_decision(&path).await;
        Ok(outcome)
    }

    /// Waits until the second desk gets the last word on a file.
    async fn wait_for_last_word(&mut self, file: &str) {
        let path = self.root.join(file);
        let last_word = async {
            loop {
                match self.observer.next().await {
                    Ok(Event::LastWord(last_word)) if Path::new(&last_word.file) == path => return,
                    Ok(_) => {}
                    Err(alongside_desk::Gone) => return,
                }
            }
        };
        // The demo continues without a last word.
        let _ = tokio::time::timeout(LAST_WORD_TIMEOUT, last_word).await;
    }

    /// Waits until the second desk gets the decision on a file.
    async fn wait_for_decision(&mut self, path: &Path) {
        let path = path.to_string_lossy();
        while !self.decided.contains_key(path.as_ref()) {
            match self.observer.next().await {
                Ok(Event::Opened(review)) => {
                    self.reviews.insert(review.id, review);
                }
                Ok(Event::Changed(changed)) => {
                    // After an error the text is wrong, which the report of the demo shows.
                    if let Some(review) = self.reviews.get_mut(&changed.id) {
                        let _ = review.take(changed);
                    }
                }
                Ok(Event::Closed(closed)) => {
                    let Some(review) = self.reviews.remove(&closed.id) else {
                        continue;
                    };
                    let text = (closed.closing == Closing::Accepted).then(|| review.current.to_string());
                    self.decided.insert(review.file, text);
                }
                Ok(_) => {}
                Err(alongside_desk::Gone) => return,
            }
        }
    }
}

async fn connect(companion: &Companion) -> anyhow::Result<Session> {
    let identity = Identity::new("alongside-demo", env!("CARGO_PKG_VERSION"));
    let connection = Session::connect(Endpoint::local(companion.port()), Some(companion.token()), identity);
    connection.await.context("the built-in agent cannot connect")
}
