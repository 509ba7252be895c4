//! `alongside hook`: what an agent runs before a tool writes a file.
//!
//! Most agents go on without a review if their hook dies, fails or is late. So this program does little, has
//! an answer for everything that can go wrong, and gives it before the agent's limit.

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
use alongside_platform::output::abandoned;
use alongside_platform::process;
use alongside_platform::untrusted::{self, Whose};
use alongside_platform::{directories, files};
use futures_util::future::join_all;

use super::output::{note, print};
use reviewers::Reviewers;

mod reviewers;

/// The exit code that every agent takes for a refusal, if there is a text on standard error.
pub(crate) const FAILURE: u8 = 2;
/// The largest input, in bytes. Nobody reviews a larger change.
const MAX_INPUT: u64 = 48 << 20;
/// The largest file in bytes that is read to find out what an edit makes of it.
const MAX_FILE: u64 = 256 << 20;
/// How much later than the companion the hook itself gives up.
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

/// Makes a panic a refusal: by itself it would end the process with a signal, which agents take for a yes.
pub(crate) fn refuse_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        note(&format!("the review failed, and nothing was written: {panic}"));
        std::process::exit(i32::from(FAILURE));
    }));
}

pub(crate) async fn run(args: Args) -> ExitCode {
    let Some(agent) = HookAgent::named(&args.agent) else { return ExitCode::from(FAILURE) };
    let wait = agent.hook.wait;
    let limit = args.timeout.map_or(wait.limit, Duration::from_secs);
    let until = Instant::now() + wait.patience_within(limit);
    let call = Call { agent, until, runtime_dir: args.runtime_dir };
    let late = tokio::time::sleep_until((call.until + GRACE).into());
    let answer = tokio::select! {
        answer = call.answer() => answer,
        () = late => refusal(&agent.hook.before_tool, TOO_LATE),
        // The agent has lost interest, but may still obey.
        () = asked_to_end() => refusal(&agent.hook.before_tool, BROKEN_OFF),
        // Nobody reads an answer any more: the agent was killed, or has broken off the call.
        () = abandoned() => return ExitCode::SUCCESS,
    };
    match answer {
        Answer::Silence => ExitCode::SUCCESS,
        Answer::Line(line) => match print(&format!("{line}\n")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                note(&format!("the answer of the hook cannot be written: {error}"));
                ExitCode::from(FAILURE)
            }
        },
    }
}

async fn asked_to_end() {
    match Signals::listen() {
        Ok(mut signals) => drop(signals.next().await),
        Err(_) => std::future::pending().await,
    }
}

/// A call of the hook.
struct Call {
    agent: HookAgent,
    /// When the agent must have its answer.
    until: Instant,
    /// The only directory in which hosts are looked for, if there is one.
    runtime_dir: Option<PathBuf>,
}

impl Call {
    async fn answer(&self) -> Answer {
        let read = tokio::task::spawn_blocking(read_input).await;
        let input = match read.map_err(std::io::Error::other).flatten() {
            Ok(Some(bytes)) => HookInput::read(self.agent.hook, &bytes).map_err(|error| error.to_string()),
            Ok(None) => Err(format!("the change is larger than {} MB", MAX_INPUT >> 20)),
            Err(error) => Err(without_error_codes(&format!("the input of the hook cannot be read: {error}"))),
        };
        let answer = match input {
            Ok(input) if input.event(self.agent.hook).is_none() || input.is_of_a_plan() => {
                return Answer::Silence;
            }
            Ok(input) => self.review(&input).await,
            Err(why) => match self.reviewers("").await.of_directory().await {
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

    /// The hosts that may review a call in the directory that the agent names.
    async fn reviewers(&self, named: &str) -> Reviewers {
        Reviewers::of(directory(named), self.runtime_dir.clone()).await
    }

    async fn review(&self, input: &HookInput) -> Result<Answer, Restarting> {
        let hosts = self.reviewers(&input.cwd).await;
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
            if own.is_none() && self.is_own_note(&file) {
                return Ok(Answer::Silence);
            }
            // A file outside of every project is refused by the companion of the project that it leaves, or
            // by that of the agent's directory.
            reviewers.push(match own {
                Some(own) => Some(own),
                None => hosts.of_any(change.removes()).await?,
            });
        }
        if let Some(why) = wrong_files(&changes, &reviewers, &cwd) {
            return Ok(refused(self.agent.hook, input, &why));
        }
        // A file that no host serves is refused by the host of another file of the patch: a rule may accept
        // that other file, which is not written then.
        let of_another = reviewers.iter().flatten().next();
        let verdicts = changes.iter().zip(&reviewers);
        let verdicts = verdicts.map(async |(change, reviewer)| match reviewer.as_ref().or(of_another) {
            Some(reviewer) => self.verdict(input, change, changes.len(), (&cwd, reviewer)).await,
            None => Verdict::NotReviewed,
        });
        let verdicts = join_all(verdicts).await;
        Ok(answer(self.agent.hook, input, &call, &changes, &verdicts, read))
    }

    /// The answer to a call without a change to review.
    async fn without_change(
        &self,
        input: &HookInput,
        hosts: &Reviewers,
        no_change: NoChange,
    ) -> Result<Answer, Restarting> {
        match no_change {
            NoChange::NotATool => Ok(Answer::Silence),
            NoChange::Refused { why } => {
                let home = directories::home();
                let files = ToolCall::files(self.agent.hook, input, home.as_deref());
                Ok(match hosts.of_any(&files).await? {
                    Some(_) => refused(self.agent.hook, input, &why),
                    None => Answer::Silence,
                })
            }
        }
    }

    /// Whether the agent is about to ask its person, and does so by a diff where the hook says nothing. It
    /// asks for no subagent in the background, which would be denied, and has no diff of a notebook.
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
            // There is nothing to see.
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

    /// Whether a file is one of the agent's own notes, such as plans.
    fn is_own_note(&self, file: &Path) -> bool {
        let Some(directory) = own_directory(self.agent) else { return false };
        // The agent makes the directory with its first note.
        let Some(place) = file.parent().map(real_path::resolve) else { return false };
        let is_plain = !file.components().any(|part| part == std::path::Component::ParentDir);
        let mut notes = self.agent.hook.notes.iter().map(|notes| real_path::resolve(&directory.join(notes)));
        is_plain && !file.is_symlink() && notes.any(|notes| place.starts_with(notes))
    }
}

/// The directory that an agent names, or else that of this process.
fn directory(named: &str) -> PathBuf {
    match Path::new(named).is_absolute() {
        true => PathBuf::from(named),
        false => std::env::current_dir().unwrap_or_default(),
    }
}

/// The refusal of a tool call, for this reason.
fn refused(hook: &Hook, input: &HookInput, why: &str) -> Answer {
    refusal(input.event_or_first(hook), &format!("Nothing was written: {why}."))
}

/// The reason why these changes cannot be reviewed one by one, if there is one.
fn wrong_files(changes: &[Change], reviewers: &[Option<Reviewer>], cwd: &Path) -> Option<String> {
    let (mut seen, mut identities) = (HashSet::new(), HashSet::new());
    for (change, reviewer) in changes.iter().zip(reviewers) {
        let Some(reviewer) = reviewer else { continue };
        for path in [Some(&*change.path), change.removes()].into_iter().flatten() {
            let file = cwd.join(path);
            let identity = files::identity(&file);
            let has_own_identity = identity.is_none_or(|identity| identities.insert(identity));
            if !(seen.insert(real_path::resolve(&file)) && has_own_identity) {
                return Some(format!("{path} is the same file as another one of the patch"));
            }
            if change.removes() == Some(path) && !reviewer.serves(&file) {
                return Some(format!("{path} is outside the project"));
            }
        }
    }
    None
}

/// The directory of the agent's own files.
fn own_directory(agent: HookAgent) -> Option<PathBuf> {
    let (directory, variable) = agent.hook.file.directory();
    let variable = variable.and_then(std::env::var_os).filter(|value| !value.is_empty());
    let home = || directories::home().map(|home| home.join(directory));
    variable.map(PathBuf::from).or_else(home)
}

/// The whole input; `None` if it is too large. The rest is read as well: the agent writes all of it.
fn read_input() -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut stdin = std::io::stdin().lock();
    stdin.by_ref().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= MAX_INPUT {
        return Ok(Some(bytes));
    }
    std::io::copy(&mut stdin, &mut std::io::sink())?;
    Ok(None)
}

/// A file as a tool finds it. Opens ordinary files only: opening can act on a device.
fn read_file(path: &Path) -> TextFile {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => return TextFile::Special,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return TextFile::Absent,
        _ => {}
    }
    match untrusted::read(path, MAX_FILE, Whose::Anybodys) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => TextFile::Text(text),
            Err(error) => TextFile::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
        Err(error) => TextFile::Unreadable(without_error_codes(&format!("it cannot be read ({error})"))),
    }
}
