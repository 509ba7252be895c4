//! The hooks of alongside in the agents' settings: finds, adds and removes their entries, and leaves every
//! other byte of a file as it is.

use std::path::PathBuf;

use alongside_contract::agent::HookAgent;
use alongside_contract::hook::{EntryShape, OffSwitch};
use alongside_contract::settings::Release;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::json::{self, Reader};
use crate::find::Surroundings;
use hook_entry::ON_FAILURE_KEY;

pub use command_line::{has_guard, hook_of};
pub use hook_entry::HookEntry;
pub use hook_files::{HookScope, all_files, file, is_shared, text};
pub use other_hooks::other_hooks;
pub use registration::{OurHook, Registration};
pub use wanted_hook::WantedHook;

mod command_line;
mod guard;
mod hook_entry;
mod hook_files;
mod other_hooks;
mod registration;
mod wanted_hook;

/// Returns the hooks of others in every file that the agent reads here, each with its file: see
/// [`other_hooks`]. A file that cannot be read adds none.
pub fn all_other_hooks(
    agent: HookAgent,
    hook: OurHook,
    release: Option<Release>,
    here: &Surroundings,
) -> Vec<(PathBuf, String)> {
    let files = all_files(agent, release, here).into_iter().map(|(_, path)| path);
    let others = files.flat_map(|path| {
        let text = text(&path).ok().flatten().unwrap_or_default();
        let found = other_hooks(&text, agent, hook, release).unwrap_or_default();
        found.into_iter().map(move |command| (path.clone(), command))
    });
    others.collect()
}

/// Finds our entries in the text of a file.
///
/// # Errors
/// If the agent cannot read the text.
pub fn find_hook(text: &str, agent: HookAgent) -> Result<Vec<HookEntry>, String> {
    if json::is_blank(text) {
        return Ok(Vec::new());
    }
    let reader = Reader::of_hooks(&agent.hook.file);
    reader.object(text)?;
    let entries = entries(&reader.document(text)?.root, agent, Which::Effective);
    Ok(entries.into_iter().map(|entry| entry.found).collect())
}

/// Returns the setting in the text of a file that switches a hook of ours off, if there is one.
pub fn switched_off_by(text: &str, agent: HookAgent, hook: OurHook) -> Option<&'static str> {
    let content = Reader::of_hooks(&agent.hook.file).object(text).ok()?;
    let config = |key: &str| content.get("hooksConfig").and_then(|config| config.get(key));
    let disabled = || config("disabled").and_then(Value::as_array).into_iter().flatten();
    let is_ours = |name: &str| name == hook.name() || hook_of(name, agent) == Some(hook);
    let names_ours = |value: &Value| value.as_str().is_some_and(is_ours);
    let is = |value: Option<&Value>, truth: bool| value == Some(&Value::Bool(truth));
    match agent.hook.off_switch {
        OffSwitch::None => None,
        OffSwitch::DisableAllHooks => is(content.get("disableAllHooks"), true).then_some("disableAllHooks"),
        OffSwitch::HooksConfig if is(config("enabled"), false) => Some("hooksConfig.enabled"),
        OffSwitch::HooksConfig => disabled().any(names_ours).then_some("hooksConfig.disabled"),
    }
}

/// Adds a hook of ours to the text, for each of its events. An entry that differs is changed in its place,
/// because Codex recognises the hooks that it trusts by their place. `text` is `None` if there is no file.
///
/// # Errors
/// If the text cannot be changed without guessing.
pub fn with_hook(text: Option<&str>, wanted: &WantedHook) -> Result<String, String> {
    if let Some(why) = wanted.refusal() {
        return Err(why.into());
    }
    let text = text.filter(|text| !json::is_blank(text)).unwrap_or("{}\n");
    let reader = Reader::of_hooks(&wanted.agent.hook.file);
    reader.object(text)?;
    let document = reader.document(text)?;
    let root = &document.root;
    let registrations = wanted.registrations();
    let mut missing: Vec<&Registration> = registrations.iter().collect();
    let mut emptied = Vec::new();
    let entries = entries(root, wanted.agent, Which::Effective).into_iter();
    for entry in entries.filter(|entry| entry.found.hook == wanted.hook) {
        let is_for =
            |registration: &&Registration| entry.found.is_for(registration) && entry.can_be_for(registration);
        match missing.iter().position(is_for) {
            Some(index) => entry.change(missing.swap_remove(index), wanted),
            None => emptied.extend(entry.remove()),
        }
    }
    // New entries are added in the order of the table.
    for registration in registrations.iter().filter(|registration| missing.contains(registration)) {
        let object = root.object_value_or_create().ok_or("it is not a JSON object")?;
        let groups = CstInputValue::Array(vec![group(registration, wanted)]);
        if json::property(&object, "hooks").is_none() {
            object.append("hooks", CstInputValue::Object(vec![(registration.event.to_owned(), groups)]));
            continue;
        }
        let hooks = json::object(&object, "hooks").ok_or_else(|| is_not("hooks", "an object"))?;
        if json::property(&hooks, registration.event).is_none() {
            hooks.append(registration.event, groups);
            continue;
        }
        let list =
            json::array(&hooks, registration.event).ok_or_else(|| is_not(registration.event, "a list"))?;
        list.append(group(registration, wanted));
    }
    tidy(root, &emptied, &Value::Null);
    Ok(document.to_string())
}

fn is_not(key: &str, kind: &str) -> String {
    format!("{key:?} in it should be {kind}, and is not")
}

/// Removes our hooks from the text, and the lists and objects around them that held nothing else. Lists and
/// objects that are in `before` stay.
///
/// # Errors
/// If the text cannot be changed without guessing.
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

/// Whether a text is an object without properties.
pub fn is_empty(text: &str) -> bool {
    Reader::ANY.object(text).is_ok_and(|content| content.as_object().is_some_and(|object| object.is_empty()))
}

/// An entry of ours in a file.
struct Entry {
    found: HookEntry,
    /// The object with the matcher and the list.
    group: CstObject,
    /// The list in the group, which may hold hooks of others.
    list: CstArray,
    hook: CstObject,
}

impl Entry {
    /// Whether its group holds no other hook.
    fn is_alone(&self) -> bool {
        self.list.elements().len() == 1 && json::all(&self.group, "hooks").len() == 1
    }

    /// Whether it can be changed for a registration without a change to other hooks.
    fn can_be_for(&self, registration: &Registration) -> bool {
        self.is_alone() || self.found.matcher.as_deref() == registration.matcher
    }

    /// Changes it to what an installation would write, but keeps what a person has added.
    fn change(&self, registration: &Registration, wanted: &WantedHook) {
        let new = self.found.updated(registration, wanted.agent, &wanted.command);
        // For an event without a tool, the agent ignores the pattern.
        if let Some(matcher) =
            registration.matcher.filter(|matcher| self.found.matcher.as_deref() != Some(matcher))
        {
            json::set(&self.group, "matcher", matcher.into());
        }
        let apart = command_line::apart(&new.command, wanted.agent).filter(|_| wanted.has_argument_list());
        let is_the_same = self.found.command == new.command;
        match apart {
            Some((program, arguments)) if !self.found.has_argument_list || !is_the_same => {
                json::set(&self.hook, "command", program.into());
                json::set(&self.hook, ARGUMENTS, list_of(arguments));
            }
            None if !is_the_same => {
                json::set(&self.hook, "command", new.command.as_str().into());
                for arguments in json::all(&self.hook, ARGUMENTS) {
                    arguments.remove();
                }
            }
            _ => {}
        }
        if self.found.timeout != new.timeout {
            json::set(&self.hook, "timeout", registration.timeout.into());
        }
        if let Some(field) =
            registration.background_field.filter(|field| json::property(&self.hook, field).is_none())
        {
            json::set(&self.hook, field, true.into());
        }
        if let Some(word) = new.on_failure.filter(|_| self.found.on_failure.is_none()) {
            json::set(&self.hook, ON_FAILURE_KEY, word.as_str().into());
        }
    }

    /// Removes it, and its group if that holds no other hook. Returns its event if the group was removed.
    fn remove(self) -> Option<String> {
        if self.is_alone() {
            self.group.remove();
            return Some(self.found.event);
        }
        self.hook.remove();
        None
    }
}

/// The entries to search, where an object has a key twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// The entries that the agent reads.
    Effective,
    /// Also the entries that the agent ignores.
    All,
}

impl Which {
    /// Returns the properties of an object that this selects.
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

/// Returns our entries, in the order of the file.
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
                let Some(command) = line(&hook) else { continue };
                let Some(ours) = hook_of(&command, agent) else { continue };
                let found = HookEntry {
                    hook: ours,
                    event: event.clone(),
                    is_waiter: command_line::is_waiter(&command, agent),
                    matcher: string(&group, "matcher"),
                    command,
                    has_argument_list: json::array(&hook, ARGUMENTS).is_some(),
                    timeout: number(&hook, "timeout"),
                    on_failure: string(&hook, ON_FAILURE_KEY),
                };
                entries.push(Entry { found, group: group.clone(), list, hook });
            }
        }
    }
    entries
}

/// The key of the arguments, in an entry that has them in a field of their own.
const ARGUMENTS: &str = "args";

/// Returns the command line of an entry, also of one that no shell reads.
fn line(hook: &CstObject) -> Option<String> {
    let command = string(hook, "command")?;
    let Some(arguments) = json::array(hook, ARGUMENTS) else { return Some(command) };
    let arguments = arguments.elements().into_iter().map(|word| word.as_string_lit()?.decoded_value().ok());
    Some(command_line::line_of(&command, &arguments.collect::<Option<Vec<_>>>()?))
}

fn list_of(arguments: Vec<String>) -> CstInputValue {
    CstInputValue::Array(arguments.into_iter().map(CstInputValue::String).collect())
}

fn string(object: &CstObject, key: &str) -> Option<String> {
    json::property(object, key)?.value()?.as_string_lit()?.decoded_value().ok()
}

fn number(object: &CstObject, key: &str) -> Option<u64> {
    json::property(object, key)?.value()?.as_number_lit()?.to_string().trim().parse().ok()
}

/// Makes a group with our hook and no other.
fn group(registration: &Registration, wanted: &WantedHook) -> CstInputValue {
    let named = |key: &str, value: CstInputValue| (key.to_owned(), value);
    let WantedHook { agent, hook: ours, command, .. } = wanted;
    let EntryShape::Groups { is_named } = agent.hook.entries;
    let mut hook = vec![named("type", "command".into())];
    hook.extend(is_named.then(|| named("name", ours.name().into())));
    let apart = wanted.has_argument_list();
    let wanted = HookEntry::wanted(registration, *ours, *agent, command);
    match command_line::apart(&wanted.command, *agent).filter(|_| apart) {
        Some((program, arguments)) => {
            hook.push(named("command", program.into()));
            hook.push(named(ARGUMENTS, list_of(arguments)));
        }
        None => hook.push(named("command", wanted.command.as_str().into())),
    }
    hook.push(named("timeout", registration.timeout.into()));
    hook.extend(registration.background_field.map(|field| named(field, true.into())));
    hook.extend(wanted.on_failure.map(|word| named(ON_FAILURE_KEY, word.as_str().into())));
    let matcher = registration.matcher.map(|matcher| named("matcher", matcher.into()));
    let list = named("hooks", CstInputValue::Array(vec![CstInputValue::Object(hook)]));
    CstInputValue::Object(matcher.into_iter().chain([list]).collect())
}

/// Removes the empty lists of these events, and the object around them if it is empty then. What `was`
/// already held stays.
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
            for list in lists.filter(is_empty) {
                list.remove();
            }
        }
        if !events.is_empty() && was.is_none() && hooks.properties().is_empty() {
            property.remove();
        }
    }
}

#[cfg(test)]
mod tests;
