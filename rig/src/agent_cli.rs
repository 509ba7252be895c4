//! The whole agents, as a person starts them: Gemini CLI, Qwen Code, Claude Code, OpenCode and Codex.
//!
//! Settings files in the sandbox's home and a launcher in its `bin` set an agent up. Then a test types the
//! agent's name into a pane. No variable names a companion: the agent finds it by itself.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use alongside_agent::settings::hooks::{self, OurHook, WantedHook};
use alongside_contract::agent::HookAgent;
use alongside_platform::Os;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::install::{self, InstallError, Rig};
use crate::model::{FakeModel, ModelReply};
use crate::program::alongside_bin;
use crate::sandbox::Sandbox;

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cli {
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// Claude Code.
    Claude,
    /// OpenCode.
    OpenCode,
    /// Codex, which searches for no companion and runs hooks.
    Codex,
}

impl Cli {
    /// The command that starts the agent.
    pub fn command(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Claude => "claude",
            Self::OpenCode => "opencode",
            Self::Codex => "codex",
        }
    }

    /// Installs the agent, if it is missing.
    pub fn install(self) -> Result<(), InstallError> {
        match self {
            Self::Gemini | Self::Qwen => install::install().map(drop),
            Self::Claude => install::claude_code().map(drop),
            Self::OpenCode => install::opencode().map(drop),
            Self::Codex => install::codex().map(drop),
        }
    }

    /// The text on the agent's screen while it waits for a message.
    pub(crate) fn input_hint(self) -> &'static str {
        match self {
            Self::Gemini | Self::Qwen => "Type your message",
            Self::Claude => "? for shortcuts",
            // The name of the model: OpenCode sends no message before it shows it.
            Self::OpenCode => "fake rig",
            Self::Codex => "? for shortcuts",
        }
    }

    /// The text on the agent's screen while it asks whether to apply a change.
    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Gemini | Self::Qwen => "Apply this change?",
            Self::Claude => "Do you want to",
            Self::OpenCode => "Permission required",
            Self::Codex => "Would you like to",
        }
    }

    /// Writes the settings of an agent in use (signed in, hints seen, folder trusted, IDE mode on, updates
    /// and statistics off) and a launcher that connects it to `model`. The releases are Gemini CLI 0.61.0,
    /// Qwen Code 0.24.4, Claude Code 2.1.332 and OpenCode 1.18.33, which has no IDE mode to switch on.
    pub fn set_up(self, sandbox: &Sandbox, rig: &Rig, model: &FakeModel) -> Result<()> {
        // Qwen's own default, "auto", never opens a diff.
        let asking = if self == Self::Qwen { "--approval-mode default" } else { "" };
        self.set_up_with(sandbox, rig, model, Some(json!({ "enabled": true, "hasSeenNudge": true })), asking)
    }

    /// As [`set_up`](Self::set_up) for an agent that is signed in and otherwise new: no setting decides
    /// whether IDE mode is on, or whether the agent asks before edits.
    pub fn set_up_as_new(self, sandbox: &Sandbox, rig: &Rig, model: &FakeModel) -> Result<()> {
        self.set_up_with(sandbox, rig, model, None, "")
    }

    fn set_up_with(
        self,
        sandbox: &Sandbox,
        rig: &Rig,
        model: &FakeModel,
        ide: Option<Value>,
        more: &str,
    ) -> Result<()> {
        if self == Self::Claude {
            let launch = format!("'{}'", install::claude_code()?.display());
            return set_claude_up(sandbox, model, &launch, ide.is_some());
        }
        if self == Self::OpenCode {
            return set_opencode_up(sandbox, model);
        }
        if self == Self::Codex {
            return set_codex_up(sandbox, model);
        }
        let (program, environment, arguments) = match self {
            Self::Claude | Self::OpenCode | Self::Codex => unreachable!("it was set up above"),
            Self::Gemini => {
                gemini_settings(sandbox, ide);
                let variables = [
                    ("GEMINI_API_KEY", "fake".to_owned()),
                    ("GOOGLE_GEMINI_BASE_URL", model.url()),
                    ("NO_BROWSER", "1".to_owned()),
                ];
                (rig.gemini_cli("0.61.0").join("bundle/gemini.js"), variables, "-m gemini-2.5-flash")
            }
            Self::Qwen => {
                qwen_settings(sandbox, ide);
                let variables = [
                    ("OPENAI_API_KEY", "fake".to_owned()),
                    ("OPENAI_BASE_URL", model.url() + "/v1"),
                    ("QWEN_CODE_NO_RELAUNCH", "1".to_owned()),
                ];
                (rig.qwen_code("0.24.4").join("cli-entry.js"), variables, "-m fake")
            }
        };
        let exports: String =
            environment.iter().map(|(name, value)| format!("export {name}='{value}'\n")).collect();
        let guard = crate::node_script("loopback-only.cjs");
        write_program(
            sandbox,
            self.command(),
            &format!(
                "{exports}export NODE_OPTIONS=\"$NODE_OPTIONS --require={}\"\n\
                 exec '{}' '{}' {arguments} {more} \"$@\"",
                guard.display(),
                rig.node().display(),
                program.display(),
            ),
        )
    }

    /// Returns the replies of a model that writes `content` to the existing file at `path`, and then says
    /// `done`.
    pub fn overwrite(self, path: &Path, content: &str, done: &str) -> Vec<ModelReply> {
        let tool = match self {
            Self::Gemini | Self::Qwen => "write_file",
            Self::Claude => "Write",
            Self::OpenCode => "write",
            Self::Codex => {
                let lines: String = content.split_inclusive('\n').map(|line| format!("+{line}")).collect();
                let patch =
                    format!("*** Begin Patch\n*** Add File: {}\n{lines}*** End Patch", path.display());
                return vec![
                    ModelReply::call("apply_patch", json!({ "input": patch })),
                    ModelReply::say(done),
                ];
            }
        };
        let file = self.file_argument();
        self.change(tool, json!({ file: path, "content": content }), done)
    }

    /// Returns the replies of a model that replaces every `old` in the file at `path`, and then says `done`.
    pub fn replace_all(self, path: &Path, old: &str, new: &str, done: &str) -> Vec<ModelReply> {
        let (tool, from, to, all) = match self {
            Self::Gemini => ("replace", "old_string", "new_string", "allow_multiple"),
            Self::Qwen => ("edit", "old_string", "new_string", "replace_all"),
            Self::Claude => ("Edit", "old_string", "new_string", "replace_all"),
            Self::OpenCode => ("edit", "oldString", "newString", "replaceAll"),
            Self::Codex => unreachable!("a patch has no such edit"),
        };
        let file = self.file_argument();
        let instruction = format!("Replace every {old} by {new}.");
        let arguments = json!({
            file: path,
            "instruction": instruction,
            from: old,
            to: new,
            all: true,
        });
        self.change(tool, arguments, done)
    }

    /// The name of a tool's argument for the path of the file.
    fn file_argument(self) -> &'static str {
        if self == Self::OpenCode { "filePath" } else { "file_path" }
    }

    /// Returns the replies for a change. Most agents refuse to change a file that they have not read.
    fn change(self, tool: &str, arguments: Value, done: &str) -> Vec<ModelReply> {
        let reader = match self {
            Self::Gemini | Self::Codex => None,
            Self::Qwen => Some("read_file"),
            Self::Claude => Some("Read"),
            Self::OpenCode => Some("read"),
        };
        let file = self.file_argument();
        let read = reader.map(|reader| ModelReply::call(reader, json!({ file: arguments[file] })));
        read.into_iter().chain([ModelReply::call(tool, arguments), ModelReply::say(done)]).collect()
    }
}

/// Sets up Claude Code: onboarded, with a key, in a trusted folder. With `in_use`, it connects to an editor
/// and asks before edits; a new Claude Code does neither.
pub(crate) fn set_claude_up(sandbox: &Sandbox, model: &FakeModel, launch: &str, in_use: bool) -> Result<()> {
    let key = "sk-ant-fake-0123456789-0123456789";
    let trusted = json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
    let mut settings = json!({
        "hasCompletedOnboarding": true,
        "lastOnboardingVersion": "2.1.332",
        "numStartups": 9,
        "theme": "dark",
        "customApiKeyResponses": { "approved": [&key[key.len() - 20..]], "rejected": [] },
        "projects": { sandbox.project().to_string_lossy(): trusted },
    });
    if in_use {
        settings["autoConnectIde"] = true.into();
    }
    let asking = if in_use { "--permission-mode default" } else { "" };
    sandbox.write_home(".claude.json", settings.to_string());
    // The proxy is a closed port, so that no request leaves this machine.
    let body = format!(
        "export ANTHROPIC_BASE_URL='{}' ANTHROPIC_API_KEY='{key}'\n\
         export DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1\n\
         export HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1,localhost\n\
         export DISABLE_INSTALLATION_CHECKS=1 CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false\n\
         export CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1\n\
         exec {launch} {asking} \"$@\"",
        model.url(),
    );
    write_program(sandbox, Cli::Claude.command(), &body)
}

/// Sets up OpenCode with the fake model as its only provider, and with its own question before each edit.
fn set_opencode_up(sandbox: &Sandbox, model: &FakeModel) -> Result<()> {
    let program = install::opencode()?;
    let settings = json!({
        "model": "rig/fake",
        "enabled_providers": ["rig"],
        "provider": { "rig": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": model.url() + "/v1", "apiKey": "fake" },
            "models": { "fake": {} },
        } },
        "permission": { "edit": "ask" },
        // The script would take the request for a title for the person's prompt.
        "agent": { "title": { "disable": true } },
    });
    sandbox.write_home(".config/opencode/opencode.json", settings.to_string());
    // The proxy is a closed port: OpenCode would install a library for plugins from npm.
    let body = format!(
        "export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1\n\
         export HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1,localhost\n\
         exec '{}' \"$@\"",
        program.display(),
    );
    write_program(sandbox, Cli::OpenCode.command(), &body)
}

/// Sets up Codex with the fake model as its only provider, in a trusted folder. The model's name is one of
/// Codex's catalogue: for others, Codex has no tool `apply_patch`.
fn set_codex_up(sandbox: &Sandbox, model: &FakeModel) -> Result<()> {
    let program = install::codex()?;
    let settings = format!(
        "model = \"gpt-5.5\"\nmodel_provider = \"rig\"\ncheck_for_update_on_startup = false\n\
         [analytics]\nenabled = false\n\
         [model_providers.rig]\nname = \"rig\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"RIG_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        model.url(),
        sandbox.project().display(),
    );
    sandbox.write_home(".codex/config.toml", settings);
    // The proxy is a closed port, so that no request leaves this machine.
    let body = format!(
        "export RIG_KEY=fake HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1,localhost\n\
         exec '{}' \"$@\"",
        program.display(),
    );
    write_program(sandbox, Cli::Codex.command(), &body)
}

/// Enters alongside's hook into the agent's settings, as an installation does.
pub fn set_hook_up(sandbox: &Sandbox, id: &str) -> Result<()> {
    // A variable only adds a registry to those that a hook searches, so an option keeps the hook in the
    // sandbox.
    let hosts = format!(" --runtime-dir {}", sandbox.hosts().display());
    add_hook(sandbox, id, (OurHook::Write, None), (&format!("alongside hook {id}"), &hosts))
}

/// Enters alongside's turn hooks into the agent's settings, as an installation does.
pub fn set_turns_up(sandbox: &Sandbox, id: &str) -> Result<()> {
    // The release that the rig runs.
    let release = (id == Cli::Claude.command()).then_some((2, 1, 332));
    // No variable names the store of turns for a hook, so an option keeps the hook in the sandbox.
    let state = format!(" --state-dir {}", sandbox.home().join(".local/state/alongside").display());
    add_hook(sandbox, id, (OurHook::Turn, release), (&format!("alongside turn {id}"), &state))
}

/// Enters a hook into the settings of an agent of this release, with an option after its command.
fn add_hook(
    sandbox: &Sandbox,
    id: &str,
    (hook, release): (OurHook, Option<(u64, u64, u64)>),
    (line, option): (&str, &str),
) -> Result<()> {
    let agent = HookAgent::named(id).with_context(|| format!("{id} runs no hooks"))?;
    let file = &agent.hook.file;
    let path = sandbox.home().join(file.directory().0).join(file.name());
    let before = hooks::text(&path)?;
    let wanted = WantedHook::new(hook, agent, release, Os::HERE, "alongside");
    let text = hooks::with_hook(before.as_deref(), &wanted).map_err(anyhow::Error::msg)?;
    // The settings may already have the hook with the option.
    let with_option = format!("{line}{option}");
    let text = text.replace(&with_option, line).replace(line, &with_option);
    fs::create_dir_all(path.parent().context("the file has no parent directory")?)?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a shell script with this name and body into the sandbox's `bin`.
pub fn write_program(sandbox: &Sandbox, name: &str, body: &str) -> Result<()> {
    let path = bin(sandbox).join(name);
    fs::create_dir_all(bin(sandbox))?;
    fs::write(&path, format!("#!/bin/sh\n{body}\n"))?;
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// The PATH of a person who has the agents and `alongside` installed.
pub fn path_variable(sandbox: &Sandbox) -> Result<(String, OsString)> {
    let alongside = alongside_bin()?.parent().map(Path::to_owned);
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = [bin(sandbox)].into_iter().chain(alongside).chain(std::env::split_paths(&others));
    Ok(("PATH".to_owned(), std::env::join_paths(all)?))
}

/// The directory of the sandbox's own programs, which is on its PATH.
pub fn bin(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join("bin")
}

/// Returns the settings of Gemini CLI or Qwen Code: `auth` is the way of signing in, `folder_trust` whether
/// the agent asks which folders to trust.
fn settings(auth: &str, folder_trust: bool, ide: Option<Value>) -> Value {
    let mut settings = json!({
        "security": { "auth": { "selectedType": auth }, "folderTrust": { "enabled": folder_trust } },
        "general": { "disableAutoUpdate": true, "enableAutoUpdate": false, "disableUpdateNag": true },
        "privacy": { "usageStatisticsEnabled": false },
    });
    if let Some(ide) = ide {
        settings["ide"] = ide;
    }
    settings
}

fn gemini_settings(sandbox: &Sandbox, ide: Option<Value>) {
    sandbox.write_home(".gemini/settings.json", settings("gemini-api-key", true, ide).to_string());
    let trusted = json!({ sandbox.project().to_string_lossy(): "TRUST_FOLDER" });
    sandbox.write_home(".gemini/trustedFolders.json", trusted.to_string());
    sandbox.write_home(".gemini/state.json", json!({ "terminalSetupPromptShown": true }).to_string());
}

fn qwen_settings(sandbox: &Sandbox, ide: Option<Value>) {
    let mut settings = settings("openai", false, ide);
    settings["ui"] = json!({ "enableFollowupSuggestions": false });
    sandbox.write_home(".qwen/settings.json", settings.to_string());
}
