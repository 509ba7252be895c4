//! Helix: a language server in `languages.toml`, and in newer releases two settings in `config.toml` that
//! make Helix send the cursor. Both files are the user's, so every other line in them stays.

mod config_toml;
mod languages_removal;
#[cfg(test)]
mod languages_tests;
mod languages_toml;
mod server_lookup;
mod text_form;
mod toml_lists;

use std::path::{Path, PathBuf};

use alongside_common::failure::Hint as _;
use alongside_desk::harmless;
use anyhow::Context as _;
use toml_edit::DocumentMut;

use super::change;
use super::editor::{Editor, TerminalVariable};
use super::installation::{Installation, InstalledFile};
use super::plan::{AdapterState, EditorProgram, Plan, Remainder};
use super::user_environment::{self, UserEnvironment};
use server_lookup::{Language, TEXT};
use text_form::TextForm;

pub(super) const EDITOR: Editor = Editor {
    id: "helix",
    name: "Helix",
    commands: &["hx", "helix"],
    process_prefix: None,
    terminal: TerminalVariable::None,
    oldest: "25.01",
    // Helix starts language servers when it opens the first file.
    restart: "Restart Helix with a file of your project",
    state: |_, user, installed| state(user, installed),
    plan: |request| Box::pin(plan(request.user, request.program, request.languages)),
    remove: remove_adapter,
    package_of: None,
    missing_program: |_| None,
    own_directory: None,
    directories_made_by_queries: Some(directories_made_by_queries),
    extensions: None,
};

/// Returns the directories that Helix creates when it runs to list its servers.
fn directories_made_by_queries(user: &UserEnvironment) -> Vec<PathBuf> {
    let base = |variable, below| user.directory(variable, below);
    // Other programs use the directories above these two.
    [base("XDG_CONFIG_HOME", ".config"), base("XDG_CACHE_HOME", ".cache")]
        .map(|base| base.join("helix"))
        .to_vec()
}

/// The first release that lists the names of servers. Older releases list their programs.
const FIRST_THAT_LISTS_NAMES: (u64, u64) = (25, 7);

/// The hint for a file whose form cannot be edited.
const BY_HAND: &str = "add by hand: [language-server.alongside] with command and args, and \"alongside\" to \
the language-servers of your languages; `alongside lsp --help` shows the \
                       first";

fn directory(user: &UserEnvironment) -> PathBuf {
    user.directory("XDG_CONFIG_HOME", ".config").join("helix")
}

fn languages_file(user: &UserEnvironment) -> PathBuf {
    directory(user).join("languages.toml")
}

fn state(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<AdapterState> {
    let path = languages_file(user);
    let text = change::read(&path)?.unwrap_or_default();
    if !languages_toml::has_ours(&parse(&path, &text)?) {
        return Ok(AdapterState::NotInstalled);
    }
    Ok(AdapterState::of_part(path, installed))
}

/// Returns the changes that make Helix start alongside for the default languages, those of the user's file,
/// and `more`.
///
/// # Errors
/// When one of the two files is not valid, or Helix does not list its servers.
async fn plan(user: &UserEnvironment, helix: &EditorProgram, more: &[String]) -> anyhow::Result<Plan> {
    let mut plan = Plan::default();
    plan_languages(user, helix, more, &mut plan).await?;
    plan_config(user, helix, &mut plan).await?;
    Ok(plan)
}

async fn plan_languages(
    user: &UserEnvironment,
    helix: &EditorProgram,
    more: &[String],
    plan: &mut Plan,
) -> anyhow::Result<()> {
    let path = languages_file(user);
    let before = change::read(&path)?;
    let document = parse(&path, before.as_deref().unwrap_or_default())?;
    let languages = look_up_languages(user, helix, &document, more).await?;
    let is_unknown = |name: &&String| {
        let known = languages.iter().find(|language| language.name == **name);
        known.is_some_and(|language| language.servers.is_none())
            && *name != TEXT
            && !languages_toml::languages_in(&document).any(|known| known == **name)
    };
    for name in more.iter().filter(is_unknown) {
        plan.notes.push(format!("This Helix knows no language {name:?}, so it is left out."));
    }
    let (form, text) = TextForm::strip(before.as_deref().unwrap_or_default());
    let after = languages_toml::merge(&text, &document, &languages, &user.own_command())
        .with_context(|| format!("cannot add alongside to {}", path.display()))
        .hint(BY_HAND)?;
    plan.summary = summary(&document, &parse(&path, &after)?, &user.shown(&path));
    plan.change_person_file(path, before, form.restore(after));
    Ok(())
}

/// Returns the default languages, those of the user's file and `more`, each with the servers that Helix
/// starts.
async fn look_up_languages(
    user: &UserEnvironment,
    helix: &EditorProgram,
    document: &DocumentMut,
    more: &[String],
) -> anyhow::Result<Vec<Language>> {
    let names = server_lookup::languages(languages_toml::languages_in(document).chain(more.iter().cloned()));
    let version = helix.version.as_deref().and_then(user_environment::major_minor);
    let lists_programs = version.is_some_and(|version| version < FIRST_THAT_LISTS_NAMES);
    let programs = languages_toml::programs(document);
    let program = user.shown(&helix.path);
    let languages = server_lookup::look_up_servers(&helix.path, lists_programs, names, &programs)
        .await
        .with_context(|| format!("{program} does not list its language servers"))
        .hint("`hx --health rust` should list them")?;
    if languages.iter().all(|language| language.servers.is_none()) {
        return Err(anyhow::anyhow!("{program} lists a language server for no language"))
            .hint("`hx --health rust` should list its servers; if it does, please report this");
    }
    Ok(languages)
}

async fn plan_config(user: &UserEnvironment, helix: &EditorProgram, plan: &mut Plan) -> anyhow::Result<()> {
    let path = directory(user).join("config.toml");
    let before = change::read(&path)?;
    let document = parse(&path, before.as_deref().unwrap_or_default())?;
    let (form, _) = TextForm::strip(before.as_deref().unwrap_or_default());
    let after = form.restore(config_toml::merged(&document));
    if before.as_deref().unwrap_or_default() == after {
        return Ok(());
    }
    match config_toml::are_accepted(user, helix).await {
        Some(true) => {
            let config = format!("{}: two settings send the cursor to agents.", user.shown(&path));
            let summary = plan.summary.take();
            plan.summary = Some(summary.map_or(config.clone(), |summary| format!("{summary}\n{config}")));
            plan.change_person_file(path, before, after);
        }
        Some(false) => plan.notes.push(
            "This Helix tells agents where you type. Newer releases also send the cursor and the selection."
                .into(),
        ),
        None => plan.notes.push(
            "alongside could not find out whether this Helix can send the cursor. The two settings for it \
             are in \
             editors/helix/README.md."
                .into(),
        ),
    }
    Ok(())
}

/// Returns the addition to `languages.toml` in one sentence, because the change is long.
fn summary(before: &DocumentMut, after: &DocumentMut, path: &str) -> Option<String> {
    let had = languages_toml::languages_with_ours(before);
    let mut new = languages_toml::languages_with_ours(after);
    new.retain(|name| !had.contains(name));
    let in_file: Vec<_> = languages_toml::languages_in(before).filter(|name| new.contains(name)).collect();
    let in_file = match in_file[..] {
        [] => "none of them in your file until now".to_owned(),
        [ref one] => format!("{one} of them in your file"),
        _ => format!("{} of them in your file: {}", in_file.len(), in_file.join(", ")),
    };
    let languages = if new.len() == 1 { "language" } else { "languages" };
    let text = format!("{path}: one more server for {} {languages}, {in_file}.", new.len());
    (!new.is_empty()).then(|| harmless::name(&text).into_owned())
}

/// Returns the rest of one of the two files, which was changed after the installation and now holds `now`.
fn remove_adapter(file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    let texts = [file.before.as_deref().unwrap_or_default(), &file.after, now];
    let [(_, before), (_, after), (form, mut now)] = texts.map(TextForm::strip);
    let is_config = file.path.file_name().is_some_and(|name| name == "config.toml");
    if !is_config {
        now = languages_removal::without_our_tables(&after, &now);
    }
    let [before, after] = [before, after].map(|text| parse(&file.path, &text));
    let (before, after, mut now) = (before?, after?, parse(&file.path, &now)?);
    if is_config {
        config_toml::remove(&before, &mut now);
    } else {
        languages_removal::remove(&before, &after, &mut now);
    }
    let rest = form.restore(now.to_string());
    let is_gone = file.before.is_none() && rest.trim_start_matches('\u{feff}').trim().is_empty();
    Ok(if is_gone { Remainder::Nothing } else { Remainder::Text(rest) })
}

fn parse(path: &Path, text: &str) -> anyhow::Result<DocumentMut> {
    text.parse::<DocumentMut>()
        .with_context(|| format!("{} is not valid TOML", path.display()))
        .hint("nothing is changed; Helix cannot read the file either: correct it and try again")
}
