//! Helix: a language server more in `languages.toml`, and in newer releases two settings that make it tell
//! where the cursor is. Both files are the user's own; what they hold stays as it is.

mod languages;
mod lists;
mod servers;
mod settings;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use toml_edit::DocumentMut;

use super::change::{self, Change};
use super::ledger::{Ledger, Written};
use super::machine::{self, Machine};
use super::{Found, Plan, Rest, State};
use crate::failure::Hint as _;

/// What our server is called in Helix's files.
const SERVER: &str = "alongside";

/// The first release that tells the names of servers, and not their programs.
const TELLS_NAMES: (u64, u64) = (25, 7);

fn directory(machine: &Machine) -> PathBuf {
    machine.directory("XDG_CONFIG_HOME", ".config").join("helix")
}

fn languages_file(machine: &Machine) -> PathBuf {
    directory(machine).join("languages.toml")
}

pub(super) fn state(machine: &Machine, ledger: &Ledger) -> anyhow::Result<State> {
    let path = languages_file(machine);
    let text = change::read(&path)?.unwrap_or_default();
    if !servers::has_ours(&parse(&path, &text)?) {
        return Ok(State::NotInstalled);
    }
    Ok(match ledger.get("helix") {
        None => State::ByHand { at: path },
        Some(installed) if installed.version == env!("CARGO_PKG_VERSION") => State::Current,
        Some(installed) => State::Outdated { by: installed.version.clone() },
    })
}

/// What has to be written so that Helix starts alongside for the usual languages, those the user's file has,
/// and `more`.
///
/// # Errors
/// When a file of Helix's is not what it should be, or Helix does not say what it starts by itself.
pub(crate) async fn plan(machine: &Machine, helix: &Found, more: &[String]) -> anyhow::Result<Plan> {
    let path = languages_file(machine);
    let before = change::read(&path)?;
    let document = parse(&path, before.as_deref().unwrap_or_default())?;
    let by_hand = "add by hand: [language-server.alongside] with command and args, and \"alongside\" to the \
                   language-servers of your languages; `alongside lsp --help` shows the first";

    let named = servers::languages_in(&document).chain(more.iter().cloned());
    let wanted = languages::wanted(named);
    let tells_programs =
        helix.version.as_deref().and_then(machine::major_minor).is_some_and(|version| version < TELLS_NAMES);
    let programs = servers::programs(&document);
    let known = languages::ask(&helix.program, tells_programs, wanted, &programs)
        .await
        .with_context(|| format!("{} does not say which servers it starts", machine.shown(&helix.program)))
        .hint("`hx --health rust` should list them")?;
    if known.iter().all(|language| language.servers.is_none()) {
        return Err(anyhow::anyhow!("{} says of no language what it starts", machine.shown(&helix.program)))
            .hint("`hx --health rust` should list its servers; if it does, please report this");
    }

    let mut plan = Plan::default();
    let unknown = more.iter().filter(|name| {
        known.iter().any(|language| language.name == **name && language.servers.is_none())
            && *name != languages::TEXT
            && !servers::languages_in(&document).any(|known| known == **name)
    });
    for name in unknown {
        plan.notes.push(format!("This Helix knows no language {name:?}; it is left out."));
    }
    let text = Ends::taken_off(before.as_deref().unwrap_or_default());
    let after = servers::merged(&text.1, &document, &known, &machine.call())
        .with_context(|| format!("cannot put alongside into {}", path.display()))
        .hint(by_hand)?;
    plan.summary = summary(&document, &parse(&path, &after)?, &machine.shown(&path));
    plan.add(path, before, text.0.put_on(after));

    let path = directory(machine).join("config.toml");
    let before = change::read(&path)?;
    let document = parse(&path, before.as_deref().unwrap_or_default())?;
    let ends = Ends::taken_off(before.as_deref().unwrap_or_default()).0;
    let after = ends.put_on(settings::merged(&document));
    if before.as_deref().unwrap_or_default() != after {
        match settings::are_known(machine, helix).await {
            Some(true) => {
                let settings = format!("{}: two settings tell agents where the cursor is.", machine.shown(&path));
                plan.summary = Some(plan.summary.map_or(settings.clone(), |summary| format!("{summary}\n{settings}")));
                plan.add(path, before, after);
            }
            Some(false) => plan.notes.push(
                "This Helix tells agents where you type; newer ones also where the cursor is and what is selected.".into(),
            ),
            None => plan.notes.push(
                "Whether this Helix can tell where the cursor is could not be found out; editors/helix/README.md says \
                 which two settings make it."
                    .into(),
            ),
        }
    }
    Ok(plan)
}

/// What comes into `languages.toml`, in a line: it is long.
fn summary(before: &DocumentMut, after: &DocumentMut, path: &str) -> Option<String> {
    let had = servers::languages_with_ours(before);
    let mut new = servers::languages_with_ours(after);
    new.retain(|name| !had.contains(name));
    let theirs: Vec<_> = servers::languages_in(before).filter(|name| new.contains(name)).collect();
    let theirs = match theirs[..] {
        [] => "none of them in your file until now".to_owned(),
        [ref one] => format!("{one} of them in your file"),
        _ => format!("{} of them in your file: {}", theirs.len(), theirs.join(", ")),
    };
    let languages = if new.len() == 1 { "language" } else { "languages" };
    let text = format!("{path}: one server more for {} {languages}, {theirs}.", new.len());
    (!new.is_empty()).then(|| alongside_desk::harmless::name(&text).into_owned())
}

/// How the lines of a file end. TOML is edited with `\n`, and the person's ends are put on again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Unix,
    Windows,
}

impl Ends {
    fn taken_off(text: &str) -> (Self, String) {
        let windows = text.matches("\r\n").count();
        match windows > 0 && windows == text.matches('\n').count() {
            true => (Self::Windows, text.replace("\r\n", "\n")),
            false => (Self::Unix, text.to_owned()),
        }
    }

    fn put_on(self, text: String) -> String {
        match self {
            Self::Windows => text.replace('\n', "\r\n"),
            Self::Unix => text,
        }
    }
}

impl Plan {
    fn add(&mut self, path: PathBuf, before: Option<String>, after: String) {
        if before.as_deref().unwrap_or_default() != after {
            self.changes.push(Change { path, before, after: Some(after), is_theirs: true });
        }
    }
}

/// What is left of one of the two files, which others have changed since.
pub(super) fn take_out(written: &Written, now: &str) -> anyhow::Result<Rest> {
    let texts = [written.before.as_deref().unwrap_or_default(), &written.after, now];
    let [(_, before), (_, after), (ends, mut now)] = texts.map(Ends::taken_off);
    let is_settings = written.path.file_name().is_some_and(|name| name == "config.toml");
    if !is_settings {
        now = servers::without_ours(&after, &now);
    }
    let [before, after] = [before, after].map(|text| parse(&written.path, &text));
    let (before, after, mut now) = (before?, after?, parse(&written.path, &now)?);
    if is_settings {
        settings::take_out(&before, &mut now);
    } else {
        servers::take_out(&before, &after, &mut now);
    }
    let rest = ends.put_on(now.to_string());
    Ok(if written.before.is_none() && rest.trim().is_empty() { Rest::Nothing } else { Rest::Text(rest) })
}

fn parse(path: &Path, text: &str) -> anyhow::Result<DocumentMut> {
    text.parse::<DocumentMut>()
        .with_context(|| format!("{} is not valid TOML", path.display()))
        .hint("nothing is changed; Helix cannot read it either: correct it, then try again")
}
