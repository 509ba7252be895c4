//! The variables that lead agents of every family to one companion, whatever they make of the files.

use alongside_contract::discovery::Record;
use alongside_contract::family::FAMILIES;

/// Addresses that must never go through a proxy.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// Names and values, in the order of the table of families; the proxy exceptions last.
pub(super) fn all(
    record: &Record,
    pid: Option<u32>,
    current: impl Fn(&str) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let mut variables = Vec::new();
    for family in FAMILIES {
        let env = &family.env;
        let workspace = Some(&record.workspace_path).filter(|path| !path.is_empty());
        let args = record.stdio.as_ref().and_then(|stdio| serde_json::to_string(&stdio.args).ok());
        let values = [
            (Some(env.port), Some(record.port.to_string())),
            (env.workspace_path, workspace.cloned()),
            (env.auth_token, record.token_for(family)),
            (env.pid, pid.map(|pid| pid.to_string())),
            (env.stdio_command, record.stdio.as_ref().map(|stdio| stdio.command.clone())),
            (env.stdio_args, args),
        ];
        variables.extend(values.into_iter().filter_map(|(name, value)| Some((name?, value?))));
    }
    variables.extend(["NO_PROXY", "no_proxy"].map(|name| (name, without_proxy(current(name).as_deref()))));
    variables
}

/// A list of proxy exceptions that holds the loopback too.
fn without_proxy(current: Option<&str>) -> String {
    let current = current.map(str::trim).unwrap_or_default().trim_end_matches(',');
    let there: Vec<_> = current.split(',').map(str::trim).collect();
    if there.contains(&"*") {
        return current.to_owned();
    }
    let missing = LOOPBACK.into_iter().filter(|address| !there.contains(address));
    Some(current).into_iter().filter(|list| !list.is_empty()).chain(missing).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_exceptions_keep_what_is_there() {
        assert_eq!(without_proxy(None), "127.0.0.1,localhost,::1");
        assert_eq!(without_proxy(Some("")), "127.0.0.1,localhost,::1");
        assert_eq!(without_proxy(Some("example.org, localhost,")), "example.org, localhost,127.0.0.1,::1");
        assert_eq!(without_proxy(Some("*")), "*");
    }

    #[test]
    fn every_family_gets_its_own_names() {
        let record: Record = serde_json::from_str(
            r#"{"port":7,"workspacePath":"/p","authToken":"t","stdio":{"command":"/a b","args":["stdio"]}}"#,
        )
        .unwrap();
        let variables = all(&record, Some(42), |_| None);
        let value = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str());
        assert_eq!(value("GEMINI_CLI_IDE_SERVER_PORT"), Some("7"));
        assert_eq!(value("GEMINI_CLI_IDE_PID"), Some("42"));
        assert_eq!(value("GEMINI_CLI_IDE_AUTH_TOKEN"), Some("t"));
        assert_eq!(value("QWEN_CODE_IDE_WORKSPACE_PATH"), Some("/p"));
        assert_eq!(value("QWEN_CODE_IDE_SERVER_STDIO_ARGS"), Some(r#"["stdio"]"#));
        assert_eq!(value("HOPCODE_IDE_SERVER_PORT"), Some("7"));
        assert_eq!(
            variables.iter().filter(|(name, _)| name.ends_with("SERVER_PORT")).count(),
            FAMILIES.len()
        );
    }
}
