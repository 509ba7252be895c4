//! An IDE companion to embed: agents such as Gemini CLI and Qwen Code find it by themselves, learn what the
//! person has open, and get their proposed changes decided hunk by hunk.
//!
//! ```no_run
//! use alongside_companion::Companion;
//! use alongside_companion::desk::{ActiveFile, ContextReport, Decision, Event, Request};
//!
//! # async fn host() -> Result<(), Box<dyn std::error::Error>> {
//! let builder = Companion::builder().editor("my-editor", "My Editor").root("/home/me/project");
//! let companion = builder.start().await?;
//! let mut desk = companion.join();
//!
//! // Whenever the person moves to another file:
//! let active = ActiveFile { path: "/home/me/project/main.rs".into(), ..ActiveFile::default() };
//! desk.send(Request::ChangeContext(ContextReport { active: Some(active), ..ContextReport::default() }));
//!
//! // Whenever an agent proposes something:
//! while let Ok(event) = desk.next().await {
//!     if let Event::Opened(review) = event {
//!         let decision = if ask_the_person(&review.current) { Decision::Accept } else { Decision::Reject };
//!         desk.request(Request::DecideReview { id: review.id, revision: review.revision, decision }).await?;
//!     }
//! }
//! companion.stop().await;
//! # Ok(()) }
//! # fn ask_the_person(_: &str) -> bool { true }
//! ```
//!
//! The library prints nothing, reads the environment only in [`AppDirs::of_this_process`], installs no signal
//! handlers and keeps no globals. It never writes the files that are reviewed: the agent does. Only the
//! program writes what a person undoes in a turn review, with the [`TurnSource`](turns::source::TurnSource)
//! that it gives.
//!
//! A program that agents start as their hook has no session. Its proposals go to [`Companion::review`], which
//! resolves to a [`desk::Verdict`]: the text that the person accepted, or the words for the agent's model.
//! The call waits as long as [`desk::HookProposal::patience_ms`] says, and 30 s where no desk shows reviews.
//!
//! Three journeys cross the library. *Context*: a desk's report → `context` → debounce → every session's
//! outbox → its stream. *Review*: `openDiff` → `reviews` → every desk → the first decision → the one session
//! that asked. *Hook*: [`Companion::review`] → `hook_calls` → `reviews` → every desk → `calls` → the verdict
//! for the hook that asked. One loop, `main_loop`, owns all state.

mod agents;
mod background;
mod calls;
mod companion;
mod config;
mod context;
mod desks;
mod discovery;
mod disk_watch;
mod endpoint;
mod events;
mod folded_name;
#[doc(hidden)]
pub mod fuzzing;
pub mod git_config;
mod hook_calls;
mod ids;
mod last_words;
mod long_work;
mod main_loop;
mod mcp;
mod persistence;
pub mod real_path;
mod reviews;
mod rule;
mod rules;
mod startup;
pub mod turns;
mod workspace_roots;
mod writer;

/// Makes a named pipe that has no writer.
#[cfg(all(test, unix))]
pub(crate) fn make_pipe(path: &std::path::Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().is_ok_and(|made| made.success()));
}

/// Returns an absolute path of this system, which begins with a drive on Windows.
#[cfg(test)]
pub(crate) fn rooted(path: &str) -> std::path::PathBuf {
    let top = std::path::absolute("/").unwrap();
    top.join(path.trim_start_matches('/'))
}

pub use alongside_desk as desk;
pub use alongside_platform::ports::PortHold;

pub use companion::Companion;
pub use config::{BadGlob, Builder, Editor, StartError, Workspace};
pub use context::git_ignore_file::ignore_file as git_ignore_file;
pub use context::privacy::DEFAULT_EXCLUDES;
pub use desks::profile::DeskProfile;
pub use discovery::sweep::{remove_empty_directories, remove_stale_files};
pub use ids::DeskId;
pub use persistence::app_dirs::AppDirs;
pub use persistence::{drafts, private_files as private};
pub use rule::{Rule, RulesOf, Ruling};
pub use rules::evaluation::{Judgement, Why, check_pattern, explain};
