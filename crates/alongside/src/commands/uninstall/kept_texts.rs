//! Deletes the drafts, with a consent of their own: they are texts that the person typed.

use std::process::ExitCode;

use alongside_adapters::change;
use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use alongside_desk::harmless;
use anyhow::Context as _;

use crate::commands::consent::{Consent, No};
use crate::commands::{note, print, print_lines};

/// Lists and deletes the drafts. `is_named` is whether the person named them with `--drafts`; without it they
/// are asked, and `--yes` keeps the drafts.
pub(super) async fn delete(consent: Consent, is_named: bool) -> anyhow::Result<ExitCode> {
    let drafts = Drafts::open(&AppDirs::of_this_process());
    drafts.settle();
    let all = drafts.list().with_context(|| format!("cannot read {}", drafts.directory().display()))?;
    if all.is_empty() || (consent.dry_run && !is_named) {
        return Ok(ExitCode::SUCCESS);
    }
    let count = all.len();
    let (many, stay) = match count {
        1 => ("1 draft".to_owned(), "stays"),
        _ => (format!("{count} drafts"), "stay"),
    };
    let otherwise = format!("{many} {stay}: `alongside drafts` shows what you typed, --drafts deletes it");
    if consent.yes && !is_named {
        note(&otherwise);
        return Ok(ExitCode::SUCCESS);
    }
    print("Texts that you typed and no agent took:\n")?;
    for draft in &all {
        let (file, agent) = (harmless::name(&draft.file), harmless::name(&draft.agent));
        print_lines(&format!("  draft    {file} ({agent})\n"))?;
    }
    if consent.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !consent.yes {
        let question = format!("Delete {many} for good (see `alongside drafts`)?");
        match consent.obtain_or_note(&question, &otherwise).await {
            Ok(()) => {}
            // Everything else was removed.
            Err(No::Declined) => return Ok(ExitCode::SUCCESS),
            Err(no) => return Ok(no.exit_code()),
        }
    }
    for draft in &all {
        drafts.delete(&draft.id).with_context(|| format!("cannot delete {}", draft.path.display()))?;
    }
    let directory = drafts.directory();
    change::remove_empty(&[directory.parent().unwrap_or(&directory).to_owned(), directory]);
    print(&format!("Deleted {many}.\n"))?;
    Ok(ExitCode::SUCCESS)
}
