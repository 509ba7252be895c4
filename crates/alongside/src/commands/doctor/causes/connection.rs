//! Causes in the connection: the agent dials the port that it has found, and fails.

use alongside_contract::agent::Agent;

use crate::commands::doctor::diagnosis::{Diagnosis, Fix, ShownPath};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum ConnectionCause {
    /// The editor runs, but its companion does not listen.
    PortClosed { path: ShownPath, port: u16, pid: u32 },
    /// The companion runs in another network namespace, and its port cannot be reached from this one.
    OtherNetwork { path: ShownPath, port: u16 },
    /// The agent dials the host of its container in vain. With `connects_by_stdio` nothing is wrong, because
    /// the agent then starts our `stdio` program, which connects it.
    ContainerHost { host: &'static str, port: u16, obeys_variable: bool, connects_by_stdio: bool },
    /// The agent dials through a proxy.
    Proxy { variable: &'static str, host: &'static str },
    /// The file holds no token, and the companion requires one.
    NoToken { path: Option<ShownPath> },
    /// The companion refuses the token.
    WrongToken { path: Option<ShownPath> },
    /// The companion does not answer in time.
    Hangs { port: u16 },
    /// The program that listens is not the companion, or not this user's.
    Stranger { port: u16, path: Option<ShownPath> },
    /// The program that answers speaks another protocol.
    NotACompanion { port: u16, answer: String },
}

impl ConnectionCause {
    pub(super) fn diagnosis(&self, agent: &Agent) -> Diagnosis {
        match self {
            Self::PortClosed { path, port, pid } => Diagnosis::fails(
                "port-closed",
                format!(
                    "the companion in process {pid} has stopped: nothing answers on port {port} ({path})"
                ),
                [Fix::advice("restart the companion in that editor, or the editor")],
            ),
            Self::OtherNetwork { path, port } => Diagnosis::fails(
                "other-network",
                format!(
                    "the companion that wrote {path} runs in another network namespace, as a container has \
                     one: from here nobody reaches its port {port}"
                ),
                [
                    Fix::advice("start the agent where the companion runs, or a companion here:"),
                    Fix::command("alongside"),
                ],
            ),
            Self::ContainerHost { connects_by_stdio: true, .. } => Diagnosis::note(
                "container-host",
                "it runs in a container, so it connects through `alongside stdio`, which it starts by \
                 itself; nothing to do",
                [],
            ),
            Self::ContainerHost { host, port, obeys_variable, .. } => Diagnosis::fails(
                "container-host",
                format!(
                    "it runs in a container, so it dials {host}:{port}, and nothing answers: the companion \
                     listens on 127.0.0.1"
                ),
                match obeys_variable {
                    true => [
                        Fix::advice("make it dial 127.0.0.1:"),
                        Fix::command(format!("REMOTE_CONTAINERS=1 {}", agent.command())),
                    ],
                    false => [
                        Fix::advice("make that name lead to this machine, as root:"),
                        Fix::command("echo '127.0.0.1 host.docker.internal' >> /etc/hosts"),
                    ],
                },
            ),
            Self::Proxy { variable, host } => Diagnosis::fails(
                "proxy",
                format!("{variable} makes it reach {host} through a proxy"),
                [Fix::command(format!("NO_PROXY=\"$NO_PROXY,{host}\" {}", agent.command()))],
            ),
            Self::NoToken { path } => Diagnosis::fails(
                "no-token",
                format!("the companion requires a token, and {} has none", file_or_environment(path)),
                [Fix::advice("restart the companion, so that it writes its file again")],
            ),
            Self::WrongToken { path } => Diagnosis::fails(
                "wrong-token",
                format!("the companion refuses the token in {}", file_or_environment(path)),
                match path {
                    Some(file) => vec![
                        Fix::delete(file),
                        Fix::advice("then restart the companion, so that it writes its file again"),
                    ],
                    None => vec![renew_variables()],
                },
            ),
            Self::Hangs { port } => Diagnosis::fails(
                "hangs",
                format!("the program that listens on port {port} does not answer"),
                [Fix::advice("restart the editor, or its companion")],
            ),
            Self::Stranger { port, path } => Diagnosis::fails(
                "stranger",
                format!(
                    "another program has port {port} now, and agents would send it the token of the \
                     companion that is gone"
                ),
                [path.as_deref().map_or_else(renew_variables, Fix::delete)],
            ),
            Self::NotACompanion { port, answer } => Diagnosis::fails(
                "not-a-companion",
                format!("the program on port {port} is not a companion: {answer}"),
                [Fix::advice("update or restart the program that wrote the file")],
            ),
        }
    }
}

/// Returns the path of a discovery file, or without one the words for the variables.
fn file_or_environment(file: &Option<ShownPath>) -> String {
    file.as_ref().map_or("the environment".into(), ToString::to_string)
}

fn renew_variables() -> Fix {
    Fix::command("eval \"$(alongside env)\"")
}
