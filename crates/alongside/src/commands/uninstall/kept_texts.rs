//! Deletes the drafts and the unread comments, after a consent of their own, because most of them are texts
//! that the person typed.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use alongside_adapters::change;
use alongside_adapters::user_environment::UserEnvironment;
use alongside_companion::AppDirs;
use alongside_companion::drafts::{Draft, Drafts};
use alongside_desk::harmless;
use alongside_turns::TurnDirs;
use anyhow::Context as _;

use super::own_files::{STORE_TIMEOUT, in_stores};
use crate::commands::consent::{ConsentOptions, NoConsent};
use crate::commands::{drafts, note, print, print_lines, waiting_host};

/// The texts that only alongside keeps.
struct KeptTexts {
    drafts: Vec<Draft>,
    /// The unread comments by working tree. A working tree without comments has a message about an undo.
    comments: Vec<(PathBuf, Vec<String>)>,
}

/// Lists and deletes the texts. `is_named`: whether the person gave `--drafts`. Without it, the person is
/// asked, and `--yes` keeps the texts.
pub(super) async fn delete(
    consent: ConsentOptions,
    is_named: bool,
    user: &UserEnvironment,
) -> anyhow::Result<ExitCode> {
    let drafts = Drafts::open(&AppDirs::of_this_process());
    drafts.settle();
    let texts = KeptTexts::find(&drafts).await?;
    if texts.is_empty() || (consent.dry_run && !is_named) {
        return Ok(ExitCode::SUCCESS);
    }
    let counts = texts.counts();
    let declined_message = texts.declined_message(&counts);
    if consent.yes && !is_named {
        note(&declined_message);
        return Ok(ExitCode::SUCCESS);
    }
    print_lines(&texts.list(user))?;
    if consent.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !consent.yes {
        match consent.obtain(&format!("Delete {counts} for good?"), &declined_message).await {
            Ok(()) => {}
            // All other files were removed.
            Err(NoConsent::Declined) => return Ok(ExitCode::SUCCESS),
            Err(no) => return Ok(no.exit_code()),
        }
    }
    for draft in &texts.drafts {
        drafts.delete(&draft.id).with_context(|| format!("cannot delete {}", draft.path.display()))?;
    }
    if !texts.comments.is_empty() {
        let delete = |places: TurnDirs| alongside_turns::delete_all(&places, Instant::now() + STORE_TIMEOUT);
        in_stores(delete).await.context("cannot delete the comments")?;
    }
    let directory = drafts.directory();
    change::remove_empty(&[directory.parent().unwrap_or(&directory).to_owned(), directory]);
    print(&format!("Deleted {counts}.\n"))?;
    Ok(ExitCode::SUCCESS)
}

impl KeptTexts {
    /// Finds the texts. The comments of a running companion are left out, because it keeps them.
    async fn find(drafts: &Drafts) -> anyhow::Result<Self> {
        let directory = drafts.directory();
        let all_drafts = drafts.list().with_context(|| format!("cannot read {}", directory.display()))?;
        let is_running = !alongside_host::reports().await.iter().all(waiting_host::only_waits);
        let comments = match is_running {
            true => Vec::new(),
            false => in_stores(|places| alongside_turns::unread(&places))
                .await
                .context("cannot read the comments on turns")?,
        };
        Ok(Self { drafts: all_drafts, comments })
    }

    fn is_empty(&self) -> bool {
        self.drafts.is_empty() && self.comments.is_empty()
    }

    /// Describes the numbers of texts: `1 draft and 2 comments`.
    fn counts(&self) -> String {
        let comments = self.comments.iter().map(|(_, comments)| comments.len()).sum();
        let messages = self.comments.iter().filter(|(_, comments)| comments.is_empty()).count();
        let all = [(self.drafts.len(), "draft"), (comments, "comment"), (messages, "message")];
        let counts = all.into_iter().filter(|(count, _)| *count > 0);
        let counts =
            counts.map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
        counts.collect::<Vec<_>>().join(" and ")
    }

    /// Returns the sentence for a person who keeps the texts.
    fn declined_message(&self, counts: &str) -> String {
        let stay = if counts.starts_with("1 ") && !counts.contains(" and ") { "stays" } else { "stay" };
        let commands = match (self.drafts.is_empty(), self.comments.is_empty()) {
            (false, true) => "`alongside drafts` shows",
            (true, _) => "`alongside comments` shows",
            (false, false) => "`alongside drafts` and `alongside comments` show",
        };
        format!("{counts} {stay}: {commands} what there is, --drafts deletes it")
    }

    /// Returns a line for each text.
    fn list(&self, user: &UserEnvironment) -> String {
        let mut text = "Texts that only alongside keeps:\n".to_owned();
        for line in drafts::lines(&self.drafts).lines() {
            text.push_str(&format!("  {line}\n"));
        }
        for (top, comments) in &self.comments {
            let top = user.shown(top);
            for comment in comments {
                let words = harmless::name(comment.lines().next().unwrap_or_default()).into_owned();
                text.push_str(&format!("  comment  {words} (not read, in {top})\n"));
            }
            if comments.is_empty() {
                text.push_str(&format!("  message  of what was undone (not read, in {top})\n"));
            }
        }
        text
    }
}
