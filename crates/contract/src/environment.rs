//! The environment variables that lead every agent to a companion without discovery files.

use crate::agent::FamilyAgent;
use crate::agents::with_family;
use crate::discovery::{Record, Stdio, WRITER};

/// The option of our stdio server for the agent that starts it. In a file, the agent's identifier follows.
const AGENT_OPTION: &str = "--agent";

/// Returns the names and values for all agents, including the token. `pid` is the editor's PID.
pub fn variables(record: &Record, pid: Option<u32>) -> Vec<(&'static str, String)> {
    let mut variables = Vec::new();
    for agent in with_family() {
        let env = &agent.family.env;
        let workspace = Some(&record.workspace_path).filter(|path| !path.is_empty());
        let stdio = stdio_for(record, agent);
        let args = stdio.as_ref().and_then(|stdio| serde_json::to_string(&stdio.args).ok());
        let values = [
            (env.port.filter(|_| !agent.family.dials_without_token()), Some(record.port.to_string())),
            (env.workspace_path, workspace.cloned()),
            (env.auth_token, record.token_for(agent)),
            (env.pid, pid.map(|pid| pid.to_string())),
            (env.stdio_command, stdio.map(|stdio| stdio.command)),
            (env.stdio_args, args),
        ];
        variables.extend(values.into_iter().filter_map(|(name, value)| Some((name?, value?))));
    }
    variables
}

/// Returns the stdio server for an agent, from a record for any agent.
fn stdio_for(record: &Record, agent: FamilyAgent) -> Option<Stdio> {
    let mut stdio = record.stdio.as_ref()?.for_agent(agent);
    if record.writer.as_deref() == Some(WRITER) {
        let option = stdio.args.iter().position(|arg| arg == AGENT_OPTION);
        if let Some(named) = option.and_then(|option| stdio.args.get_mut(option + 1)) {
            agent.id.clone_into(named);
        }
    }
    Some(stdio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(json: &str) -> Record {
        serde_json::from_str(json).unwrap()
    }

    fn value<'a>(variables: &'a [(&str, String)], name: &str) -> Option<&'a str> {
        variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn every_family_gets_its_own_variables() {
        let record = record(
            r#"{"port":7,"workspacePath":"/p","authToken":"t",
                "stdio":{"command":"/a b","args":["stdio","--agent","{agent}"]}}"#,
        );
        let variables = variables(&record, Some(42));
        let value = |name: &str| value(&variables, name);
        assert_eq!(value("GEMINI_CLI_IDE_SERVER_PORT"), Some("7"));
        assert_eq!(value("GEMINI_CLI_IDE_PID"), Some("42"));
        assert_eq!(value("GEMINI_CLI_IDE_AUTH_TOKEN"), Some("t"));
        assert_eq!(value("QWEN_CODE_IDE_WORKSPACE_PATH"), Some("/p"));
        assert_eq!(value("QWEN_CODE_IDE_SERVER_STDIO_ARGS"), Some(r#"["stdio","--agent","qwen"]"#));
        assert_eq!(value("HOPCODE_IDE_SERVER_PORT"), Some("7"));
        let ports = variables.iter().map(|(name, _)| *name).filter(|name| name.ends_with("_PORT"));
        // OpenCode would dial that port without the token.
        let with_token = with_family().filter(|agent| agent.id != "opencode");
        let expected = with_token.filter_map(|agent| agent.family.env.port);
        assert_eq!(ports.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_record_of_another_agent_gets_each_agents_identifier() {
        let file = |writer: &str| {
            record(&format!(
                r#"{{"port":7,"authToken":"t.gemini","writer":"{writer}",
                    "stdio":{{"command":"/a","args":["stdio","--agent","gemini"]}}}}"#
            ))
        };
        let ours = variables(&file("alongside"), None);
        let args = |variables: &[(&str, String)], name| value(variables, name).map(str::to_owned);
        let qwen = "QWEN_CODE_IDE_SERVER_STDIO_ARGS";
        assert_eq!(args(&ours, qwen).as_deref(), Some(r#"["stdio","--agent","qwen"]"#));
        let gemini = args(&ours, "GEMINI_CLI_IDE_SERVER_STDIO_ARGS");
        assert_eq!(gemini.as_deref(), Some(r#"["stdio","--agent","gemini"]"#));
        let foreign = args(&variables(&file("other"), None), qwen);
        assert_eq!(foreign.as_deref(), Some(r#"["stdio","--agent","gemini"]"#), "nobody knows what it means");
    }
}
