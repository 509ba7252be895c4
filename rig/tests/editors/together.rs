//! Two Neovims in two projects with two real agents each: each agent belongs to the Neovim of its project,
//! and the other project is undisturbed when one Neovim is killed.

use std::fs;
use std::time::{Duration, Instant};

use alongside_agent::Outcome;
use alongside_rig::agent::Agent;
use alongside_rig::agent_cli::Cli;
use alongside_rig::sandbox::files_below;
use alongside_rig::tmux::Pane;
use alongside_rig::wait::{self, PATIENCE};
use alongside_rig::{Generation, Proposer, adapters};
use alongside_testing::Lateness;
use anyhow::Result;

use crate::script::{CLOSING_LINE, IN_CAPITALS, ORIGINAL, REQUEST, capitalise_three_lines};
use crate::stage::Stage;

/// The longest time for which the agents of a killed editor may stay blocked: twice the two seconds that are
/// promised, for a busy machine.
const MAX_BLOCKED: Duration = Duration::from_secs(4);

/// A status line that shows the number of reviews twice. The two numbers come by different messages, and the
/// story waits for both.
const STATUSLINE: &str = "\
function waiting()
  local told = 0
  for _, status in ipairs(require('alongside').status()) do
    told = told + status.reviews
  end
  return told .. ' told, ' .. require('alongside').statusline()
end
vim.o.statusline = '%{v:lua.waiting()}'";

/// A project: its editor, and its agents with the file that each changes.
struct Project {
    name: &'static str,
    editor: Pane,
    agents: Vec<Agent>,
}

#[test]
#[ignore = "cargo xtask test --all"]
fn killed_editor_frees_only_its_own_agents() -> Result<()> {
    let Some(stage) = Stage::new_or_skip(Generation::Newest)? else { return Ok(()) };
    adapters::neovim(&stage.sandbox, STATUSLINE)?;
    let mut projects = Vec::new();
    for (number, name) in ["one", "two"].into_iter().enumerate() {
        match open(&stage, name, number + 1)? {
            Some(project) => projects.push(project),
            None => return Ok(()),
        }
    }
    stage.wait_until_connected(4)?;

    for project in &projects {
        for agent in &project.agents {
            agent.ask_for_change(REQUEST)?;
        }
    }
    let [one, two] = &projects[..] else { unreachable!("there are two") };
    // Each editor has its own two proposals.
    for (project, other) in [(one, two), (two, one)] {
        project.editor.wait_for("the summary of both reviews", |screen| {
            screen.contains("2 told, ") && screen.contains("2 reviews")
        })?;
        project.editor.enter(":Alongside status")?;
        project.editor.wait_for("its two reviews", |screen| {
            let parts = [
                &format!("project/{}: ", project.name),
                "2 waiting",
                "gemini.md (Gemini CLI,",
                "qwen.md (Qwen Code,",
            ];
            parts.iter().all(|part| screen.contains(*part))
        })?;
        assert!(!project.editor.screen()?.contains(&format!("project/{}: ", other.name)));
        project.editor.press("Enter")?;
    }

    // One more agent, whose outcome is read directly, because real agents draw their prompts late.
    let file = stage.sandbox.write("one/mine.md", ORIGINAL);
    let agent = Proposer::gemini_in(&stage.sandbox, &stage.sandbox.project().join(one.name))?;
    let proposal = agent.propose(&file, IN_CAPITALS)?;
    let port = port_of(&stage, one.name)?;
    let killed = Instant::now();
    let machine = Lateness::begin();
    let outcome = one.editor.kill().and_then(|()| proposal.outcome());
    let (elapsed, lateness) = (killed.elapsed(), machine.so_far());
    assert_eq!(outcome?, Outcome::Rejected);
    assert!(
        elapsed < MAX_BLOCKED + lateness,
        "the review ended after {elapsed:?} where sleepers were {lateness:?} late"
    );
    for agent in &one.agents {
        agent.wait_until_free()?;
    }
    wait::until("the removal of the discovery files", PATIENCE, || match files_with_port(&stage, port) {
        files if files.is_empty() => Ok(()),
        files => Err(files.join(", ")),
    })?;
    for agent in &two.agents {
        agent.wait_until_it_asks()?;
    }
    two.editor.enter(":Alongside review")?;
    two.editor.wait_for("a choice of two", |screen| screen.contains("1:") && screen.contains("2:"))?;
    two.editor.enter_and_see("1", "the review", "3 kept")?;
    let file = if two.editor.screen()?.contains("gemini.md") { 0 } else { 1 };
    two.editor.enter(":Alongside accept")?;
    two.agents[file].wait_until_it_says(CLOSING_LINE)?;
    let written = ["of-gemini.md", "of-qwen.md"].map(|name| stage.sandbox.project().join("two").join(name));
    assert_eq!(fs::read_to_string(&written[file])?, IN_CAPITALS);
    assert_eq!(fs::read_to_string(&written[1 - file])?, ORIGINAL);
    Ok(())
}

fn open(stage: &Stage, name: &'static str, companions: usize) -> Result<Option<Project>> {
    fs::create_dir_all(stage.sandbox.project().join(name).join(".git"))?;
    let editor = stage.window_in("nvim", name)?;
    editor.enter("nvim")?;
    stage.wait_until_served(companions)?;
    let mut agents = Vec::new();
    for cli in [Cli::Gemini, Cli::Qwen] {
        let file = stage.sandbox.write(format!("{name}/of-{}.md", cli.command()), ORIGINAL);
        let pane = stage.window_in(cli.command(), name)?;
        let Some(agent) = stage.install_agent(cli, capitalise_three_lines(cli, &file), pane)? else {
            return Ok(None);
        };
        agent.start()?;
        agents.push(agent);
    }
    Ok(Some(Project { name, editor, agents }))
}

fn port_of(stage: &Stage, name: &str) -> Result<u64> {
    let root = stage.sandbox.project().join(name);
    stage.port(|companion| {
        companion["roots"][0].as_str().is_some_and(|path| root.ends_with(path) || path.ends_with(name))
    })
}

/// Returns the discovery files that name this port.
fn files_with_port(stage: &Stage, port: u64) -> Vec<String> {
    let (tmp, home, named) = (stage.sandbox.tmp(), stage.sandbox.home(), format!("\"port\":{port}"));
    let mut files = [tmp, home.join(".qwen"), home.join(".ola")].map(files_below).concat();
    files.retain(|path| fs::read_to_string(path).is_ok_and(|text| text.contains(&named)));
    files.iter().map(|path| path.display().to_string()).collect()
}
