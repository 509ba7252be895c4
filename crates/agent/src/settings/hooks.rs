//! The hook of alongside in the agents' settings: its entries are found, added and removed, and not a byte of
//! anything else changes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::{EntryShape, HookEvent, HookFile, OffSwitch};
use alongside_contract::settings::Release;
use alongside_platform::paths::real;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::json::{self, Reader};
use super::{paths, read};
use crate::find::Surroundings;
use command_line::CommandLine;

pub use command_line::{command, has_guard, is_ours};
pub use others::other_hooks;

mod command_line;
mod others;

/// The name of our entries, for the agents that name theirs.
const NAME: &str = "alongside";

/// Whose settings hold a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookScope {
    /// The person's own, for every project.
    User,
    /// Those of the current project.
    Project,
}

/// An entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundHook {
    /// The event that it is registered for.
    pub event: String,
    /// The pattern of the tools; without one it is called for all.
    pub matcher: Option<String>,
    /// The command line.
    pub command: String,
    /// The timeout in the agent's unit.
    pub timeout: Option<u64>,
    /// The word to the agent about a hook that fails, if there is one.
    pub on_failure: Option<String>,
}

/// The key of that word, and the word that makes the agent refuse the change.
const ON_FAILURE: (&str, &str) = ("onFailure", "block");

impl FoundHook {
    fn wanted(event: &HookEvent, agent: HookAgent, command: &str) -> Self {
        let refuses = event.on_failure.can_refuse() && has_guard(command, agent);
        Self {
            event: event.name.to_owned(),
            matcher: Some(event.matcher.to_owned()),
            command: command.to_owned(),
            timeout: Some(agent.hook.wait.timeout),
            on_failure: refuses.then(|| ON_FAILURE.1.to_owned()),
        }
    }

    /// Whether it asks the agent to refuse a change if it fails, and a missing program lets the change
    /// through.
    pub fn asks_to_refuse(&self, agent: HookAgent) -> bool {
        self.on_failure.as_deref() == Some(ON_FAILURE.1) && has_guard(&self.command, agent)
    }

    /// Whether an installation would make it ask.
    pub fn can_ask_to_refuse(&self, event: &HookEvent, agent: HookAgent, command: &str) -> bool {
        self.updated(event, agent, command).asks_to_refuse(agent)
    }

    /// The program in the command line, as it is written there.
    pub fn program(&self, agent: HookAgent) -> Option<&str> {
        CommandLine::of(&self.command, agent).map(|line| line.program)
    }

    /// How long it waits for a decision: an option of the command line may say another time than ours.
    pub fn patience(&self, agent: HookAgent) -> Duration {
        let limit = CommandLine::of(&self.command, agent).and_then(|line| line.timeout());
        agent.hook.wait.patience_within(limit.unwrap_or(agent.hook.wait.limit))
    }

    /// The entry for an event: as [`Self::wanted`], but a person's words in the command line stay.
    fn updated(&self, event: &HookEvent, agent: HookAgent, command: &str) -> Self {
        let mut wanted = Self::wanted(event, agent, command);
        let new = CommandLine::of(command, agent);
        let line = CommandLine::of(&self.command, agent).filter(CommandLine::is_changed);
        if let (Some(line), Some(new)) = (line, new) {
            wanted = Self::wanted(event, agent, &line.with_program_of(&new, agent));
            // Theirs, too, if it does not cut the hook off.
            if line.timeout().is_some() && self.patience(agent) <= self.limit(agent) {
                wanted.timeout = self.timeout;
            }
        }
        if self.on_failure.is_some() {
            wanted.on_failure.clone_from(&self.on_failure);
        }
        wanted
    }

    /// Whether it is called for all tools of `event`.
    pub fn has_tools_of(&self, event: &HookEvent) -> bool {
        self.matcher.as_deref().is_none_or(|matcher| ["", "*", event.matcher].contains(&matcher))
    }

    /// How long the agent waits for it.
    pub fn limit(&self, agent: HookAgent) -> Duration {
        agent.hook.wait.limit_of(self.timeout)
    }
}

/// The files of one agent that may hold hooks.
struct Files {
    user: PathBuf,
    /// None in the home directory, whose file is the person's own.
    project: Option<PathBuf>,
    /// The file in the project that is one person's own.
    local: Option<PathBuf>,
}

fn files(agent: HookAgent, release: Option<Release>, here: &Surroundings) -> Files {
    let file = match &agent.hook.file {
        HookFile::Settings(table) => {
            let paths = paths::of(table, release, here);
            let is_home = paths.project.is_none();
            return Files {
                user: paths.user,
                local: paths.local.filter(|_| !is_home),
                project: paths.project,
            };
        }
        HookFile::Own(file) => file,
    };
    let own = file.directory_variable.and_then(|name| here.variables.get(name));
    let own = own.filter(|value| !value.is_empty()).map(|value| here.cwd.join(value));
    let is_home = real(&here.home) == real(&here.cwd);
    Files {
        user: own.unwrap_or_else(|| here.home.join(file.directory)).join(file.name),
        project: (!is_home).then(|| here.cwd.join(file.directory).join(file.name)),
        local: None,
    }
}

/// The file that a new hook is written to. In a project, it is one person's own if the agent has such a file.
/// `None` for a project that is the home directory.
pub fn file(
    agent: HookAgent,
    scope: HookScope,
    release: Option<Release>,
    here: &Surroundings,
) -> Option<PathBuf> {
    let files = files(agent, release, here);
    match scope {
        HookScope::User => Some(files.user),
        HookScope::Project => files.local.or(files.project),
    }
}

/// Whether others who work on the project get the file that [`file`] names there.
pub fn is_shared(agent: HookAgent) -> bool {
    match &agent.hook.file {
        HookFile::Settings(table) => table.local_file.is_none(),
        HookFile::Own(_) => true,
    }
}

/// Every file from which the agent reads hooks here, whether it exists or not; the person's first.
pub fn all_files(
    agent: HookAgent,
    release: Option<Release>,
    here: &Surroundings,
) -> Vec<(HookScope, PathBuf)> {
    let Files { user, project, local } = files(agent, release, here);
    let of_project = [project, local].into_iter().flatten().map(|path| (HookScope::Project, path));
    std::iter::once((HookScope::User, user)).chain(of_project).collect()
}

/// The hooks of others in every file that the agent reads here, each with its file: see [`other_hooks`]. A
/// file that cannot be read has none.
pub fn all_other_hooks(
    agent: HookAgent,
    release: Option<Release>,
    here: &Surroundings,
) -> Vec<(PathBuf, String)> {
    let files = all_files(agent, release, here).into_iter().map(|(_, path)| path);
    let others = files.flat_map(|path| {
        let text = text(&path).ok().flatten().unwrap_or_default();
        let found = other_hooks(&text, agent).unwrap_or_default();
        found.into_iter().map(move |command| (path.clone(), command))
    });
    others.collect()
}

/// The text of a file; `None` if there is none.
///
/// # Errors
/// When it cannot be read, or is no regular file.
pub fn text(path: &Path) -> std::io::Result<Option<String>> {
    match read::text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Our entries in the text of a file.
///
/// # Errors
/// When it is not what the agent reads.
pub fn find_hook(text: &str, agent: HookAgent) -> Result<Vec<FoundHook>, String> {
    if json::is_blank(text) {
        return Ok(Vec::new());
    }
    let reader = Reader::of_hooks(&agent.hook.file);
    reader.object(text)?;
    let entries = entries(&reader.document(text)?.root, agent, Which::Effective);
    Ok(entries.into_iter().map(|entry| entry.found).collect())
}

/// The setting in the text of a file that switches our hook off.
pub fn switched_off_by(text: &str, agent: HookAgent) -> Option<&'static str> {
    let content = Reader::of_hooks(&agent.hook.file).object(text).ok()?;
    let config = |key: &str| content.get("hooksConfig").and_then(|config| config.get(key));
    let disabled = || config("disabled").and_then(Value::as_array).into_iter().flatten();
    let names_ours = |value: &Value| value.as_str().is_some_and(|name| name == NAME || is_ours(name, agent));
    let is = |value: Option<&Value>, truth: bool| value == Some(&Value::Bool(truth));
    match agent.hook.off_switch {
        OffSwitch::None => None,
        OffSwitch::DisableAllHooks => is(content.get("disableAllHooks"), true).then_some("disableAllHooks"),
        OffSwitch::HooksConfig if is(config("enabled"), false) => Some("hooksConfig.enabled"),
        OffSwitch::HooksConfig => disabled().any(names_ours).then_some("hooksConfig.disabled"),
    }
}

/// The text with our hook for every event of the agent. An entry of ours that differs is changed where it is:
/// Codex knows the hooks that it trusts by their place. `text` is `None` if there is no file.
///
/// # Errors
/// When it cannot be changed without guessing.
pub fn with_hook(text: Option<&str>, agent: HookAgent, command: &str) -> Result<String, String> {
    let text = text.filter(|text| !json::is_blank(text)).unwrap_or("{}\n");
    let reader = Reader::of_hooks(&agent.hook.file);
    reader.object(text)?;
    let document = reader.document(text)?;
    let root = &document.root;
    let mut missing: Vec<&HookEvent> = agent.hook.events().collect();
    let mut emptied = Vec::new();
    for entry in entries(root, agent, Which::Effective) {
        let wanted = |event: &&HookEvent| event.name == entry.found.event && entry.can_be_for(event);
        let place = missing.iter().position(wanted);
        match place {
            Some(place) => entry.change(missing.swap_remove(place), agent, command),
            None => emptied.extend(entry.remove()),
        }
    }
    // In the order of the table.
    for event in agent.hook.events().filter(|event| missing.contains(event)) {
        let object = root.object_value_or_create().ok_or("it is not a JSON object")?;
        let groups = CstInputValue::Array(vec![group(event, agent, command)]);
        if json::property(&object, "hooks").is_none() {
            object.append("hooks", CstInputValue::Object(vec![(event.name.to_owned(), groups)]));
            continue;
        }
        let hooks = json::object(&object, "hooks").ok_or_else(|| is_not("hooks", "an object"))?;
        if json::property(&hooks, event.name).is_none() {
            hooks.append(event.name, groups);
            continue;
        }
        let list = json::array(&hooks, event.name).ok_or_else(|| is_not(event.name, "a list"))?;
        list.append(group(event, agent, command));
    }
    tidy(root, &emptied, &Value::Null);
    Ok(document.to_string())
}

fn is_not(key: &str, kind: &str) -> String {
    format!("{key:?} in it should be {kind}, and is not")
}

/// The text without our hook, and without the lists and objects around it that held nothing else. Those that
/// are in `before` stay.
///
/// # Errors
/// When it cannot be changed without guessing.
pub fn without_hook(text: &str, agent: HookAgent, before: Option<&str>) -> Result<String, String> {
    if json::is_blank(text) {
        return Ok(text.to_owned());
    }
    Reader::ANY.object(text)?;
    let was = before.and_then(|before| Reader::ANY.object(before).ok()).unwrap_or_default();
    let document = Reader::ANY.document(text)?;
    let entries = entries(&document.root, agent, Which::All);
    if entries.is_empty() {
        return Ok(text.to_owned());
    }
    let emptied: Vec<String> = entries.into_iter().filter_map(Entry::remove).collect();
    tidy(&document.root, &emptied, &was);
    Ok(document.to_string())
}

/// Whether a text is an object without anything in it.
pub fn is_empty(text: &str) -> bool {
    Reader::ANY.object(text).is_ok_and(|content| content.as_object().is_some_and(|object| object.is_empty()))
}

/// An entry of ours in a file.
struct Entry {
    found: FoundHook,
    /// The object with the matcher and the list.
    group: CstObject,
    /// The list in the group, which may hold hooks of others.
    list: CstArray,
    hook: CstObject,
}

impl Entry {
    /// Whether no other hook is in its group.
    fn is_alone(&self) -> bool {
        self.list.elements().len() == 1 && json::all(&self.group, "hooks").len() == 1
    }

    /// Whether it can be changed for an event without a change of others.
    fn can_be_for(&self, event: &HookEvent) -> bool {
        self.is_alone() || self.found.matcher.as_deref() == Some(event.matcher)
    }

    /// Makes it what a new one would be, but for what a person has added.
    fn change(&self, event: &HookEvent, agent: HookAgent, command: &str) {
        let wanted = self.found.updated(event, agent, command);
        if self.found.matcher != wanted.matcher {
            json::set(&self.group, "matcher", event.matcher.into());
        }
        if self.found.command != wanted.command {
            json::set(&self.hook, "command", wanted.command.as_str().into());
        }
        if self.found.timeout != wanted.timeout {
            json::set(&self.hook, "timeout", agent.hook.wait.timeout.into());
        }
        if let Some(word) = wanted.on_failure.filter(|_| self.found.on_failure.is_none()) {
            json::set(&self.hook, ON_FAILURE.0, word.as_str().into());
        }
    }

    /// Takes it out, and its group if that has no other hook. Returns its event if the group is gone.
    fn remove(self) -> Option<String> {
        if self.is_alone() {
            self.group.remove();
            return Some(self.found.event);
        }
        self.hook.remove();
        None
    }
}

/// The entries that are meant, where a key is twice in one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those that the agent reads.
    Effective,
    /// Also those that the agent overlooks.
    All,
}

impl Which {
    /// Of the properties of an object, those that are meant.
    fn of(self, object: &CstObject) -> Vec<CstObjectProp> {
        let mut properties = object.properties();
        let names: Vec<_> = properties.iter().map(CstObjectProp::decoded_name).collect();
        let mut index = 0;
        properties.retain(|_| {
            index += 1;
            self == Self::All || !names[index..].contains(&names[index - 1])
        });
        properties
    }

    fn named(self, object: &CstObject, key: &str) -> Vec<CstObjectProp> {
        let mut properties = self.of(object);
        properties.retain(|property| property.decoded_name().as_deref() == Some(key));
        properties
    }
}

/// Our entries, in the order of the file.
fn entries(root: &CstRootNode, agent: HookAgent, which: Which) -> Vec<Entry> {
    let EntryShape::Groups { .. } = agent.hook.entries;
    let hooks = root.object_value().into_iter().flat_map(|object| which.named(&object, "hooks"));
    let hooks = hooks.filter_map(|property| property.object_value());
    let mut entries = Vec::new();
    for property in hooks.flat_map(|hooks| which.of(&hooks)) {
        let (Some(event), Some(groups)) = (property.decoded_name(), property.array_value()) else { continue };
        for group in groups.elements().iter().filter_map(|element| element.as_object()) {
            let lists = which.named(&group, "hooks").into_iter().filter_map(|list| list.array_value());
            for (list, element) in
                lists.flat_map(|list| list.elements().into_iter().map(move |it| (list.clone(), it)))
            {
                let Some(hook) = element.as_object() else { continue };
                let command = string(&hook, "command").filter(|command| is_ours(command, agent));
                let Some(command) = command else { continue };
                let found = FoundHook {
                    event: event.clone(),
                    matcher: string(&group, "matcher"),
                    command,
                    timeout: number(&hook, "timeout"),
                    on_failure: string(&hook, ON_FAILURE.0),
                };
                entries.push(Entry { found, group: group.clone(), list, hook });
            }
        }
    }
    entries
}

fn string(object: &CstObject, key: &str) -> Option<String> {
    json::property(object, key)?.value()?.as_string_lit()?.decoded_value().ok()
}

fn number(object: &CstObject, key: &str) -> Option<u64> {
    json::property(object, key)?.value()?.as_number_lit()?.to_string().trim().parse().ok()
}

/// A group with our hook and no other.
fn group(event: &HookEvent, agent: HookAgent, command: &str) -> CstInputValue {
    let named = |key: &str, value: CstInputValue| (key.to_owned(), value);
    let EntryShape::Groups { is_named } = agent.hook.entries;
    let mut hook = vec![named("type", "command".into())];
    hook.extend(is_named.then(|| named("name", NAME.into())));
    hook.push(named("command", command.into()));
    hook.push(named("timeout", agent.hook.wait.timeout.into()));
    let word = FoundHook::wanted(event, agent, command).on_failure;
    hook.extend(word.map(|word| named(ON_FAILURE.0, word.as_str().into())));
    CstInputValue::Object(vec![
        named("matcher", event.matcher.into()),
        named("hooks", CstInputValue::Array(vec![CstInputValue::Object(hook)])),
    ])
}

/// Takes the lists of these events out that are empty, and the object around them if nothing is left in it,
/// unless they were there before.
fn tidy(root: &CstRootNode, events: &[String], was: &Value) {
    let Some(object) = root.object_value() else { return };
    let was = was.get("hooks");
    for property in json::all(&object, "hooks") {
        let Some(hooks) = property.object_value() else { continue };
        for event in events.iter().filter(|event| was.is_none_or(|hooks| hooks.get(event.as_str()).is_none()))
        {
            let lists = json::all(&hooks, event).into_iter();
            let is_empty =
                |list: &CstObjectProp| list.array_value().is_some_and(|list| list.elements().is_empty());
            lists.filter(is_empty).for_each(CstObjectProp::remove);
        }
        if !events.is_empty() && was.is_none() && hooks.properties().is_empty() {
            property.remove();
        }
    }
}

#[cfg(test)]
mod tests;
