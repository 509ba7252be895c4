//! `alongside hook`: the program that an agent runs before a tool writes a file.
//!
//! Most agents continue without a review if their hook dies, fails or is late. So this program does little,
//! answers after each failure, and answers before the agent's limit.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use alongside_common::signals::Signals;
use alongside_companion::real_path;
use alongside_contract::agent::HookAgent;
use alongside_contract::agents::with_hook;
use alongside_contract::hook::{AnsweredBy, Arguments, Hook, Tool, ToolArguments};
use alongside_desk::socket::{JoinError, PROTOCOL};
use alongside_desk::{HookProposal, Operation, Reasons, Verdict, without_error_codes};
use alongside_hook::{Answer, Change, HookInput, NoChange, TextFile, ToolCall, answer, refusal};
use alongside_host::{Restarting, Reviewer};
use alongside_platform::process;
use alongside_platform::stdout::reader_gone;
use alongside_platform::untrusted::{self, Whose};
use alongside_platform::{directories, files};
use futures_util::future::join_all;

use super::output::{note, print};
use reviewing_hosts::ReviewingHosts;

mod reviewing_hosts;

/// The exit code that every agent takes for a refusal, if standard error has a text.
pub(crate) const REFUSAL_CODE: u8 = 2;
/// The largest input, in bytes. A larger change could not be reviewed.
const MAX_INPUT_BYTES: u64 = 48 << 20;
/// The largest file to which an edit is applied, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// The time after the companion's timeout at which the hook gives up.
const GRACE: Duration = Duration::from_secs(2);

const TOO_LATE: &str = "Nothing was written: the review takes too long.";
const BROKEN_OFF: &str = "Nothing was written: the review was broken off.";

/// Answer an agent's hook: have the file that it is about to write reviewed
///
/// An agent runs it before a tool writes a file, and obeys its answer. Where a companion serves the file, or
/// the agent's directory, the change opens at your desks, and the agent waits for your decision; anywhere
/// else nothing changes. `alongside install agent` enters it into the settings of the agents.
///
/// It reads the agent's call as JSON from standard input and writes the answer to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "Most agents go on without a review if this command is killed: see docs/hooks.md.")]
pub(crate) struct Args {
    /// The agent that runs it
    #[arg(value_parser = with_hook().map(|agent| agent.id).collect::<Vec<_>>())]
    agent: String,

    /// The seconds that the agent waits, if its settings say another time than alongside enters
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,

    /// Look for companions in this directory only. For tests: the agent decides on the variables of its hook,
    /// and the person on its command line
    #[arg(long, value_name = "DIR", hide = true)]
    runtime_dir: Option<PathBuf>,
}

/// Makes a panic refuse the change. Without it, a panic would end the process with a signal, which agents
/// take for permission.
pub(crate) fn refuse_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        note(&format!("the review failed, and nothing was written: {panic}"));
        std::process::exit(i32::from(REFUSAL_CODE));
    }));
}

pub(crate) async fn run(args: Args) -> ExitCode {
    let Some(agent) = HookAgent::named(&args.agent) else { return ExitCode::from(REFUSAL_CODE) };
    let wait = agent.hook.wait;
    let limit = args.timeout.map_or(wait.limit, Duration::from_secs);
    let until = Instant::now() + wait.patience_within(limit);
    let call = Call { agent, until, runtime_dir: args.runtime_dir };
    let late = tokio::time::sleep_until((call.until + GRACE).into());
    let answer = tokio::select! {
        answer = call.answer() => answer,
        () = late => refusal(&agent.hook.before_tool, TOO_LATE),
        // The agent has ended the hook, but may still obey an answer.
        () = ending_signal() => refusal(&agent.hook.before_tool, BROKEN_OFF),
        // Standard output is closed, because the agent was killed or has aborted the call.
        () = reader_gone() => return ExitCode::SUCCESS,
    };
    match answer {
        Answer::Silence => ExitCode::SUCCESS,
        Answer::Line(line) => match print(&format!("{line}\n")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                note(&format!("the answer of the hook cannot be written: {error}"));
                ExitCode::from(REFUSAL_CODE)
            }
        },
    }
}

/// Waits for a signal that asks the process to end.
async fn ending_signal() {
    match Signals::listen() {
        Ok(mut signals) => drop(signals.next().await),
        Err(_) => std::future::pending().await,
    }
}

/// A call of the hook.
struct Call {
    agent: HookAgent,
    /// The time until which the agent waits for the answer.
    until: Instant,
    /// The only directory in which to search for hosts, if it is given.
    runtime_dir: Option<PathBuf>,
}

impl Call {
    async fn answer(&self) -> Answer {
        let read = tokio::task::spawn_blocking(read_input).await;
        let input = match read.map_err(std::io::Error::other).flatten() {
            Ok(Some(bytes)) => HookInput::read(self.agent.hook, &bytes).map_err(|error| error.to_string()),
            Ok(None) => Err(format!("the change is larger than {} MB", MAX_INPUT_BYTES >> 20)),
            Err(error) => Err(without_error_codes(&format!("the input of the hook cannot be read: {error}"))),
        };
        let answer = match input {
            Ok(input) if input.event(self.agent.hook).is_none() || input.is_of_a_plan() => {
                return Answer::Silence;
            }
            Ok(input) => self.review(&input).await,
            Err(why) => match self.hosts("").await.of_directory().await {
                Ok(None) => Ok(Answer::Silence),
                Ok(Some(_)) => {
                    Ok(refusal(&self.agent.hook.before_tool, &format!("Nothing was written: {why}.")))
                }
                Err(restarting) => Err(restarting),
            },
        };
        answer.unwrap_or_else(|Restarting| {
            let why =
                "Nothing was written: the companion of this project is starting again. Call the tool again.";
            refusal(&self.agent.hook.before_tool, why)
        })
    }

    /// Returns the search for hosts that may review a call in the directory that the agent names.
    async fn hosts(&self, named: &str) -> ReviewingHosts {
        ReviewingHosts::of(directory(named), self.runtime_dir.clone()).await
    }

    async fn review(&self, input: &HookInput) -> Result<Answer, Restarting> {
        let hosts = self.hosts(&input.cwd).await;
        let cwd = hosts.directory().to_owned();
        let read = |path: &str| read_file(&cwd.join(path));
        let call = ToolCall::read(self.agent.hook, input);
        let changes = call.as_ref().map_err(Clone::clone).and_then(|call| call.changes(read));
        let (call, changes) = match (call, changes) {
            (Ok(call), Ok(changes)) => (call, changes),
            (Err(no_change), _) | (_, Err(no_change)) => {
                return self.without_change(input, &hosts, no_change).await;
            }
        };
        let mut reviewers = Vec::new();
        for change in &changes {
            let file = cwd.join(&change.path);
            let own = hosts.of_file(&file).await?;
            if own.is_none() && self.is_agents_note(&file) {
                return Ok(Answer::Silence);
            }
            // The companion of the source of a move, or of the agent's directory, refuses a file that is
            // outside of each project.
            reviewers.push(match own {
                Some(own) => Some(own),
                None => hosts.of_any(change.removes()).await?,
            });
        }
        if let Some(why) = unreviewable(&changes, &reviewers, &cwd) {
            return Ok(refuse(self.agent.hook, input, &why));
        }
        // A file without a host goes to the host of another file of the patch, which refuses it. Otherwise a
        // rule could accept the other file, although the patch is not written.
        let other_host = reviewers.iter().flatten().next();
        let verdicts = changes.iter().zip(&reviewers);
        let verdicts = verdicts.map(async |(change, reviewer)| match reviewer.as_ref().or(other_host) {
            Some(reviewer) => self.verdict(input, change, changes.len(), (&cwd, reviewer)).await,
            None => Verdict::NotReviewed,
        });
        let verdicts = join_all(verdicts).await;
        Ok(answer(self.agent.hook, input, &call, &changes, &verdicts, read))
    }

    /// Returns the answer to a call without a change to review.
    async fn without_change(
        &self,
        input: &HookInput,
        hosts: &ReviewingHosts,
        no_change: NoChange,
    ) -> Result<Answer, Restarting> {
        match no_change {
            NoChange::NotATool => Ok(Answer::Silence),
            NoChange::Refused { why } => {
                let home = directories::home();
                let files = ToolCall::files(self.agent.hook, input, home.as_deref());
                Ok(match hosts.of_any(&files).await? {
                    Some(_) => refuse(self.agent.hook, input, &why),
                    None => Answer::Silence,
                })
            }
        }
    }

    /// Whether the agent is about to ask its person, and shows a diff if the hook is silent. An agent does
    /// not ask for a subagent in the background, whose call it denies, and has no diff of a notebook.
    fn asks_itself(&self, input: &HookInput) -> bool {
        let hook = self.agent.hook;
        let event = input.event_or_first(hook);
        let has_diff =
            |tool: &Tool| tool.name == input.tool_name && !matches!(tool.arguments, ToolArguments::Cell);
        hook.before_question.as_ref().is_some_and(|question| question.name == event.name)
            && input.agent_id.is_none()
            && hook.tools.iter().any(has_diff)
    }

    async fn verdict(
        &self,
        input: &HookInput,
        change: &Change,
        parts: usize,
        (cwd, reviewer): (&Path, &Reviewer),
    ) -> Verdict {
        let Ok(file) = cwd.join(&change.path).into_os_string().into_string() else {
            return Verdict::Refused { message: "Nothing was written: the path is not text.".into() };
        };
        if change.remark.is_none() && read_file(Path::new(&file)) == TextFile::Text(change.proposed.clone()) {
            // The file has the proposed text already, so there is no change to review.
            return Verdict::Accepted { text: change.proposed.as_str().into(), message: None };
        }
        let patience = self.until.saturating_duration_since(Instant::now());
        let event = input.event_or_first(self.agent.hook);
        let proposal = HookProposal {
            agent: self.agent.display_name.into(),
            session: input.session_id.clone(),
            file,
            proposed: change.proposed.as_str().into(),
            operation: match change.removes() {
                Some(from) => Operation::Move { from: cwd.join(from).to_string_lossy().into_owned() },
                None => change.operation.clone(),
            },
            remark: change.remark.clone(),
            agent_pid: process::caller(),
            parts,
            patch: (parts > 1).then(|| format!("{}-{}", std::process::id(), input.session_id)),
            patience_ms: u64::try_from(patience.as_millis()).unwrap_or(u64::MAX),
            comes_twice: self.agent.hook.comes_twice,
            calls_again: self.agent.hook.calls_again,
            asks_itself: self.asks_itself(input),
            asks_afterwards: self.agent.hook.asks_afterwards,
            only_if_decided: event.answered_by == AnsweredBy::EarlierDecision,
            takes_text: event.arguments == Arguments::Taken,
            reasons: if self.agent.hook.hears_acceptances { Reasons::Always } else { Reasons::WithRejection },
        };
        let undecided = |message: &str| Verdict::Undecided { message: message.into(), draft: None };
        match tokio::time::timeout(patience + GRACE, reviewer.review(&proposal)).await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(JoinError::Mismatch { host, .. })) if host.protocol > PROTOCOL => undecided(
                "The companion of this project runs a newer alongside than this hook; ask the person to run \
                 `alongside install agent` with the newer program.",
            ),
            Ok(Err(JoinError::Refused(_) | JoinError::Mismatch { .. })) => undecided(
                "The companion of this project runs another version of alongside; ask the person to run \
                 `alongside host --replace`.",
            ),
            Ok(Err(JoinError::Broken(_))) => undecided(
                "The companion has gone away during the review. If the person typed something, `alongside \
                 drafts` lists it.",
            ),
            Err(_) => undecided("The companion does not answer in time."),
        }
    }

    /// Whether a file is one of the agent's own notes, such as a plan.
    fn is_agents_note(&self, file: &Path) -> bool {
        let Some(directory) = agent_directory(self.agent) else { return false };
        // The agent creates the directory with its first note, so the path is resolved as far as it exists.
        let Some(parent) = file.parent().map(real_path::resolve) else { return false };
        let is_plain = !file.components().any(|part| part == std::path::Component::ParentDir);
        let mut notes = self.agent.hook.notes.iter().map(|notes| real_path::resolve(&directory.join(notes)));
        is_plain && !file.is_symlink() && notes.any(|notes| parent.starts_with(notes))
    }
}

/// Returns the directory that an agent names, or else the current directory.
fn directory(named: &str) -> PathBuf {
    match Path::new(named).is_absolute() {
        true => PathBuf::from(named),
        false => std::env::current_dir().unwrap_or_default(),
    }
}

/// Returns the refusal of a tool call for this reason.
fn refuse(hook: &Hook, input: &HookInput, why: &str) -> Answer {
    refusal(input.event_or_first(hook), &format!("Nothing was written: {why}."))
}

/// Returns the reason why these changes cannot be reviewed separately, if there is one.
fn unreviewable(changes: &[Change], reviewers: &[Option<Reviewer>], cwd: &Path) -> Option<String> {
    let (mut paths, mut identities) = (HashSet::new(), HashSet::new());
    for (change, reviewer) in changes.iter().zip(reviewers) {
        let Some(reviewer) = reviewer else { continue };
        for path in [Some(&*change.path), change.removes()].into_iter().flatten() {
            let file = cwd.join(path);
            let identity = files::identity(&file);
            let has_own_identity = identity.is_none_or(|identity| identities.insert(identity));
            if !(paths.insert(real_path::resolve(&file)) && has_own_identity) {
                return Some(format!("{path} is the same file as another one of the patch"));
            }
            if change.removes() == Some(path) && !reviewer.serves(&file) {
                return Some(format!("{path} is outside the project"));
            }
        }
    }
    None
}

/// Returns the directory of the agent's own files.
fn agent_directory(agent: HookAgent) -> Option<PathBuf> {
    let (directory, variable) = agent.hook.file.directory();
    let variable = variable.and_then(std::env::var_os).filter(|value| !value.is_empty());
    let home = || directories::home().map(|home| home.join(directory));
    variable.map(PathBuf::from).or_else(home)
}

/// Reads the whole input; returns `None` if it is too large. The excess is read as well, because the agent
/// writes all of it before it reads the answer.
fn read_input() -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut stdin = std::io::stdin().lock();
    stdin.by_ref().take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= MAX_INPUT_BYTES {
        return Ok(Some(bytes));
    }
    std::io::copy(&mut stdin, &mut std::io::sink())?;
    Ok(None)
}

/// Reads a file as a tool would find it. Opens regular files only, because opening a device can have effects.
fn read_file(path: &Path) -> TextFile {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => return TextFile::Special,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return TextFile::Absent,
        _ => {}
    }
    match untrusted::read(path, MAX_FILE_BYTES, Whose::Anybodys) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => TextFile::Text(text),
            Err(error) => TextFile::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
        Err(error) => TextFile::Unreadable(without_error_codes(&format!("it cannot be read ({error})"))),
    }
}
