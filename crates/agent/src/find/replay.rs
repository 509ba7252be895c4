//! Replays a release of an agent, step by step, from its start until it dials. Each step gives what the agent
//! saw and why it continued; if it would fail, the last step gives the reason.

use alongside_contract::agent::FamilyAgent;
use alongside_contract::behaviour::{NEWEST, Release, Terminal, Value};
use alongside_platform::process::Processes;

use super::agent_environment::{Surroundings, editor_pid};
use super::dialled_addresses;
use super::record_search::{FileSearch, SearchedFiles};
use super::trace::{End, Step, StepResult, Trace};
use super::workspace::holds;

/// Replays the discovery of a release, or of the newest. `in_container` is whether the agent runs in a
/// container; see [`in_container`](super::in_container).
pub fn replay(
    agent: FamilyAgent,
    release: Option<Release>,
    here: &Surroundings,
    in_container: bool,
) -> Trace {
    let family = agent.family;
    let mut trace = Trace {
        agent,
        release,
        ancestors: Vec::new(),
        editor: None,
        files: Vec::new(),
        taken: None,
        end: None,
        attempts: Vec::new(),
        steps: Vec::new(),
    };
    let number = release.unwrap_or(NEWEST);
    if !family.behaviour.connects.hold(number) {
        let why = format!("IDE mode came with {}", family.behaviour.connects);
        trace.steps.push(Step::new(agent.display_name, StepResult::Fails, why));
        trace.end = Some(End::NoIdeMode);
        return trace;
    }
    walk(&mut trace, here, number);
    variables(&mut trace, here);

    let file_search =
        FileSearch { family, release: number, here, port: here.port(family), pid: trace.editor };
    let SearchedFiles { files, taken, steps } = file_search.run();
    (trace.files, trace.taken) = (files, taken);
    trace.steps.extend(steps);

    trace.end = end(&mut trace, here, number);
    if trace.end.is_none() {
        trace.attempts = dialled_addresses::attempts(&trace, number, here, in_container);
        for attempt in &trace.attempts {
            trace.steps.push(attempt.step());
        }
    }
    trace
}

/// Follows the processes up to the one that the agent takes for the editor.
fn walk(trace: &mut Trace, here: &Surroundings, release: Release) {
    let variable =
        trace.agent.family.env.pid.filter(|_| trace.agent.family.behaviour.pid_variable.hold(release));
    let said = variable.and_then(|name| Some((name, here.variables.get(name)?)));
    if let Some((name, value)) = said {
        match value.parse().ok().filter(|pid| *pid > 0) {
            Some(pid) => {
                trace.editor = Some(pid);
                let why = "the variable names the editor's process";
                trace.steps.push(Step::new(format!("{name}={pid}"), StepResult::Good, why));
                return;
            }
            None => trace.steps.push(Step::new(name, StepResult::PassedOver, "it holds no process number")),
        }
    }
    let processes = Processes::now();
    let mut pid = here.pid;
    while let Some(process) = processes.get(pid).filter(|_| trace.ancestors.len() < 32) {
        let parent = process.parent;
        trace.ancestors.push((pid, process));
        if parent <= 1 {
            break;
        }
        pid = parent;
    }
    trace.editor = editor_pid(here);
    let chain: Vec<_> =
        trace.ancestors.iter().map(|(pid, process)| format!("{} ({pid})", process.name)).collect();
    let step = match trace.editor {
        Some(editor) => Step::new(
            format!("process {editor}"),
            StepResult::Good,
            format!(
                "taken for the editor: two above the nearest shell, or the topmost; {}",
                chain.join(" < ")
            ),
        ),
        None => Step::new(
            format!("process {}", here.pid),
            StepResult::PassedOver,
            "it is gone; no editor is known",
        ),
    };
    trace.steps.push(step);
}

fn variables(trace: &mut Trace, here: &Surroundings) {
    let env = &trace.agent.family.env;
    let names = [env.port, env.workspace_path, env.auth_token, env.stdio_command];
    let set: Vec<_> = names.into_iter().flatten().filter(|name| here.variables.contains_key(*name)).collect();
    if set.is_empty() {
        trace.steps.push(Step::new("variables", StepResult::PassedOver, "none of the family's is set"));
    } else {
        trace.steps.push(Step::new("variables", StepResult::Good, format!("set: {}", set.join(", "))));
    }
}

/// Returns the reason why the agent stops before it dials, if it does.
fn end(trace: &mut Trace, here: &Surroundings, release: Release) -> Option<End> {
    let behaviour = &trace.agent.family.behaviour;
    let path = trace.seen().map(|seen| seen.path.clone());
    let variable = |name: Option<&str>| {
        name.and_then(|name| here.variables.get(name)).filter(|_| behaviour.reads_variables.hold(release))
    };
    let workspace = match trace.record() {
        Some(record) => Some(record.workspace_path.clone()),
        None => variable(trace.agent.family.env.workspace_path).cloned(),
    };
    let can_dial = trace.record().is_some()
        || here.port(trace.agent.family).is_some()
        || variable(trace.agent.family.env.stdio_command).is_some();
    let Some(workspace) = workspace.filter(|_| can_dial) else {
        let why = "no file fits, and the variables do not say enough";
        trace.steps.push(Step::new("companion", StepResult::Fails, why));
        return Some(End::NothingFound);
    };
    let introduced = trace
        .record()
        .and_then(|record| record.ide_info.as_ref())
        .filter(|info| !info.name.is_empty() && !info.display_name.is_empty())
        .filter(|_| behaviour.reads_editor_name.hold(release));
    let terminal = behaviour.terminals.iter().find(|terminal| {
        terminal.releases.hold(release) && marks(terminal, here.variables.get(terminal.variable))
    });
    match (introduced, terminal) {
        (Some(info), _) => {
            let why = "the file introduces the editor";
            trace.steps.push(Step::new(info_name(&info.display_name), StepResult::Good, why));
        }
        (None, Some(terminal)) => {
            let why = "marks the terminal of a supported editor";
            trace.steps.push(Step::new(terminal.variable, StepResult::Good, why));
        }
        (None, None) => {
            let why =
                "nothing says which editor this is: no file with ideInfo, no terminal of a supported one";
            trace.steps.push(Step::new("editor", StepResult::Fails, why));
            return Some(End::UnknownEditor);
        }
    }
    if workspace.is_empty() {
        let why = "the editor has no folder open";
        trace.steps.push(Step::new("workspace", StepResult::Fails, why));
        return Some(End::NoFolder { path });
    }
    if !holds(&workspace, &here.cwd) {
        let why = format!("does not hold {}", here.cwd.display());
        trace.steps.push(Step::new(format!("workspace {workspace}"), StepResult::Fails, why));
        return Some(End::OtherWorkspace { workspace, path });
    }
    let why = format!("holds {}", here.cwd.display());
    trace.steps.push(Step::new(format!("workspace {workspace}"), StepResult::Good, why));
    None
}

fn info_name(name: &str) -> String {
    format!("editor {name}")
}

fn marks(terminal: &Terminal, value: Option<&String>) -> bool {
    match (&terminal.value, value) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(Value::Is(wanted)), Some(value)) => value == wanted,
        (Some(Value::Contains(part)), Some(value)) => value.to_lowercase().contains(part),
    }
}
