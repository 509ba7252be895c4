//! `alongside demo`.

mod project;

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use alongside_agent::{Endpoint, Identity, Outcome, Session};
use alongside_companion::{Companion, Places};
use alongside_desk::{Closing, Desk, Event, Review, ReviewId};
use anyhow::Context;

use super::desk;
use crate::failure::Hint;
use crate::line::{Ending, Ink, Inks, LineDesk, Policy};
use crate::signals::{self, Signals};
use crate::unified::hunks;
use alongside_desk::harmless;
use project::{PROPOSALS, Proposal};

/// Try everything with a built-in agent, in a project made for the purpose
///
/// An agent proposes three changes over the real wire: one in several places of a file, a new file, and one
/// in a file with CRLF line endings. You decide them at the terminal desk, as with `alongside`, or line by
/// line, as with `alongside review`; the agent writes what you accepted, and the result is shown. Nothing
/// outside a temporary directory is touched, and no model is asked.
///
/// Without a terminal it decides by itself and prints the transcript.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0; 1 if a file is not what was decided; 130, 143 or 129 after Ctrl-C, SIGTERM or SIGHUP."
)]
pub(crate) struct Args {
    /// Decide line by line, also where a screen can be drawn
    #[arg(long)]
    line: bool,
}

/// How long the last thing that happened stays on the screen.
const LAST_LOOK: Duration = Duration::from_millis(800);

/// What the demo answers where nobody can.
const SCRIPT: &str = "k\nd\nk\na\nr\nk\na\n";

pub(crate) async fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen()?;
    let scratch = tempfile::Builder::new()
        .prefix("alongside-demo-")
        .tempdir()
        .context("cannot make a temporary directory")
        .hint("set TMPDIR to a directory that can be written")?;
    let root = scratch.path().canonicalize()?.join("shop");
    project::write(&root)?;
    let places = Places::below(&scratch.path().join("private"));
    for directory in places.tmp.iter().chain([&places.home]) {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    }
    let companion = Companion::builder()
        .places(places)
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
    let signal = if desk::can_draw() && !args.line {
        demo.on_screen(companion).await?
    } else {
        demo.in_lines(companion, &mut signals).await?
    };
    if let Some(signal) = signal {
        return Ok(signals::exit_code(signal));
    }
    let wrong = demo.differences()?;
    super::print(&demo.result(&wrong)?)?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Demo {
    root: PathBuf,
    /// What was decided for each file: its text, or none if it was rejected.
    decided: HashMap<String, Option<String>>,
    reviews: HashMap<ReviewId, Review>,
    /// A second desk, to know what was decided at the first without asking it.
    observer: Desk,
}

impl Demo {
    /// At the terminal desk, until everything is decided or the person leaves; the signal that ended it, if
    /// one did.
    async fn on_screen(&mut self, companion: Companion) -> anyhow::Result<Option<i32>> {
        let options = alongside_terminal::Options {
            roots: vec![self.root.clone()],
            rehearsal: true,
            ..Default::default()
        };
        let ending = {
            let shown = alongside_terminal::run(companion.join(), options);
            tokio::pin!(shown);
            let played = tokio::select! {
                ending = &mut shown => Err(ending?),
                played = self.play_alone(&companion) => Ok(played),
            };
            match played {
                Err(ending) => {
                    companion.stop().await;
                    ending
                }
                Ok(played) => {
                    // The desk goes on while the last decision is read, and ends with the companion.
                    let stopped = async {
                        tokio::time::sleep(LAST_LOOK).await;
                        companion.stop().await;
                    };
                    let (ending, ()) = tokio::join!(shown, stopped);
                    played?;
                    ending?
                }
            }
        };
        Ok(match ending {
            alongside_terminal::Ending::Signal(signal) => Some(signal),
            _ => None,
        })
    }

    /// Lets the agent propose one change after the other, and write what is accepted.
    async fn play_alone(&mut self, companion: &Companion) -> anyhow::Result<()> {
        let session = connect(companion).await?;
        for proposal in PROPOSALS {
            let outcome = self.propose(&session, proposal).await?;
            self.write_outcome(proposal.file, &outcome)?;
        }
        session.end().await.context("the built-in agent cannot leave")
    }

    /// What the agent does when it hears an outcome; a sentence about it.
    fn write_outcome(&self, file: &str, outcome: &Outcome) -> anyhow::Result<String> {
        match outcome {
            Outcome::Accepted { content } => {
                write(&self.root.join(file), content)?;
                Ok(format!("The agent writes {file} ({} bytes).", content.len()))
            }
            Outcome::Rejected => Ok(format!("The agent leaves {file} alone.")),
            Outcome::Closed { .. } | Outcome::Lost => anyhow::bail!("the agent lost sight of {file}"),
        }
    }

    /// Line by line; the signal that ended it, if one did.
    async fn in_lines(&mut self, companion: Companion, signals: &mut Signals) -> anyhow::Result<Option<i32>> {
        let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let (desk, roots) = (companion.join(), vec![self.root.clone()]);
        let mut desk = match terminal {
            true => LineDesk::new(desk, roots, Policy::Ask),
            false => LineDesk::scripted(desk, roots, SCRIPT),
        };
        desk.say(&format!(
            "This is a scratch project with a built-in agent, in {}.\n\
             The agent proposes three changes. Nothing else on this machine is touched.{}",
            harmless::path(&self.root),
            if terminal {
                " Type ? for help."
            } else {
                " Nobody is at a terminal, so the answers are played too."
            }
        ));
        let ending = self.play(&mut desk, &companion, signals).await;
        tokio::join!(companion.stop(), desk.finish(*ending.as_ref().unwrap_or(&Ending::Done)));
        Ok(match ending? {
            Ending::Signal(signal) => Some(signal),
            _ => None,
        })
    }

    /// Lets the agent propose one change after the other at a line desk, and write what is accepted.
    async fn play(
        &mut self,
        desk: &mut LineDesk,
        companion: &Companion,
        signals: &mut Signals,
    ) -> anyhow::Result<Ending> {
        let session = connect(companion).await?;
        for proposal in PROPOSALS {
            let mut outcome = None;
            let ending = {
                let proposed = async { outcome = Some(self.propose(&session, proposal).await) };
                desk.run(signals, proposed).await
            };
            if ending != Ending::Done {
                return Ok(ending);
            }
            let outcome = outcome.context("the agent was not heard")??;
            desk.say(&self.write_outcome(proposal.file, &outcome)?);
        }
        session.end().await.context("the built-in agent cannot leave")?;
        Ok(Ending::Done)
    }

    /// Lets the agent propose a change, until it has been decided.
    async fn propose(&mut self, session: &Session, proposal: &Proposal) -> anyhow::Result<Outcome> {
        let path = self.root.join(proposal.file);
        // Agents listen before they propose; whoever listens is told of the files first. Without it the
        // proposal fails, which is said.
        let _ = session.context().wait_for(Option::is_some).await;
        let outcome = session.open_diff(&path.to_string_lossy(), proposal.text).await?.outcome().await;
        self.hear(&path).await;
        Ok(outcome)
    }

    /// Waits until the decision about a file is known here too.
    async fn hear(&mut self, path: &Path) {
        let path = path.to_string_lossy();
        while !self.decided.contains_key(path.as_ref()) {
            match self.observer.next().await {
                Ok(Event::Opened(review)) => {
                    self.reviews.insert(review.id, review);
                }
                Ok(Event::Changed(changed)) => {
                    // Out of step it is not what was decided, which the end of the demo says.
                    self.reviews.get_mut(&changed.id).map(|review| review.take(changed));
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

    /// Files that are not what was decided.
    fn differences(&self) -> anyhow::Result<Vec<String>> {
        let mut wrong = Vec::new();
        for (file, before) in project::FILES.iter().chain(&[(PROPOSALS[1].file, "")]) {
            let path = self.root.join(file);
            let decided = self.decided.get(path.to_string_lossy().as_ref()).cloned().flatten();
            let expected = decided.or_else(|| Some((*before).to_owned()).filter(|text| !text.is_empty()));
            if read(&path)? != expected {
                wrong.push((*file).to_owned());
            }
        }
        Ok(wrong)
    }

    /// What has become of the project, as a diff.
    fn result(&self, wrong: &[String]) -> anyhow::Result<String> {
        let inks = Inks::for_stdout();
        let mut text = format!("\n{}\n", inks.ink(Ink::Mark, "The project now, against how it began:"));
        let mut changed = false;
        for (file, before) in project::FILES.iter().chain(&[(PROPOSALS[1].file, "")]) {
            let after = read(&self.root.join(file))?.unwrap_or_default();
            if after == *before {
                continue;
            }
            changed = true;
            let mut unified = format!("--- {file}\n+++ {file}\n");
            for hunk in hunks(before, &after, 1) {
                unified += &format!("{}\n", hunk.header);
                unified.extend(hunk.lines.iter().map(|line| format!("{}{}", line.tag(), line.value())));
            }
            for line in unified.lines() {
                let line = harmless::line(line);
                text += &match line.as_bytes().first() {
                    Some(b'+') => inks.ink(Ink::Added, &line),
                    Some(b'-') => inks.ink(Ink::Removed, &line),
                    _ => line.into_owned(),
                };
                text.push('\n');
            }
        }
        if !changed {
            text += "Nothing has changed.\n";
        }
        text += &match wrong {
            [] => "Every file is exactly what was decided.\n".to_owned(),
            wrong => {
                format!("NOT what was decided: {}. This is a defect; please report it.\n", wrong.join(", "))
            }
        };
        text += "\nNow start `alongside` in a project of yours, and an agent in another terminal there.\n";
        Ok(text)
    }
}

async fn connect(companion: &Companion) -> anyhow::Result<Session> {
    let identity = Identity::new("alongside-demo", env!("CARGO_PKG_VERSION"));
    let connected = Session::connect(Endpoint::local(companion.port()), Some(companion.token()), identity);
    connected.await.context("the built-in agent cannot connect")
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}
