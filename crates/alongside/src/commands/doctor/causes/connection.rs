//! Causes in the connection: the agent dials the port that it has found, and fails.

use std::path::{Path, PathBuf};

use alongside_contract::agent::Agent;
use alongside_desk::harmless;

use crate::commands::doctor::message::{Fix, Message};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum ConnectionCause {
    /// The editor runs, but the companion in it does not listen.
    PortClosed { path: PathBuf, port: u16, pid: u32 },
    /// The agent dials out of its container. With `is_carried` it then starts our program, which connects it,
    /// and nothing is wrong.
    ContainerHost { host: &'static str, port: u16, obeys_variable: bool, is_carried: bool },
    /// The agent dials through a proxy.
    Proxy { variable: &'static str, host: &'static str },
    /// The file holds no token, and the companion requires one.
    NoToken { path: Option<PathBuf> },
    /// The companion refuses the token.
    WrongToken { path: Option<PathBuf> },
    /// The companion does not answer in time.
    Hangs { port: u16 },
    /// The program that listens is not the companion, or not this user's.
    Stranger { port: u16, path: Option<PathBuf> },
    /// The program that answers speaks another protocol.
    NotACompanion { port: u16, answer: String },
}

impl ConnectionCause {
    pub(super) fn message(&self, agent: &Agent) -> Message {
        match self {
            Self::PortClosed { path, port, pid } => Message::fails(
                "port-closed",
                format!(
                    "the companion in process {pid} has stopped: nothing answers on port {port} ({})",
                    harmless::path(path)
                ),
                [Fix::advice("restart the companion in that editor, or the editor")],
            ),
            Self::ContainerHost { host, port, obeys_variable, is_carried } => {
                if *is_carried {
                    let text = "it runs in a container, so it connects through `alongside stdio`, which it \
                                starts by itself; nothing to do";
                    return Message::note("container-host", text, []);
                }
                let fixes = match obeys_variable {
                    true => [
                        Fix::advice("make it dial 127.0.0.1:"),
                        Fix::Command(format!("REMOTE_CONTAINERS=1 {}", agent.command())),
                    ],
                    false => [
                        Fix::advice("make that name lead to this machine, as root:"),
                        Fix::command("echo '127.0.0.1 host.docker.internal' >> /etc/hosts"),
                    ],
                };
                let text = format!(
                    "it runs in a container, so it dials {host}:{port}, and nothing answers: \
                     the companion listens on 127.0.0.1"
                );
                Message::fails("container-host", text, fixes)
            }
            Self::Proxy { variable, host } => Message::fails(
                "proxy",
                format!("{variable} makes it reach {host} through a proxy"),
                [Fix::Command(format!("NO_PROXY=\"$NO_PROXY,{host}\" {}", agent.command()))],
            ),
            Self::NoToken { path } => Message::fails(
                "no-token",
                format!(
                    "the companion requires a token, and {} has none",
                    file_or_environment(path.as_deref())
                ),
                [Fix::advice("restart the companion, so that it writes its file again")],
            ),
            Self::WrongToken { path } => Message::fails(
                "wrong-token",
                format!("the companion refuses the token in {}", file_or_environment(path.as_deref())),
                match path {
                    Some(file) => vec![
                        Fix::delete(file),
                        Fix::advice("then restart the companion, so that it writes its file again"),
                    ],
                    None => vec![renew_variables()],
                },
            ),
            Self::Hangs { port } => Message::fails(
                "hangs",
                format!("the program that listens on port {port} does not answer"),
                [Fix::advice("restart the editor, or its companion")],
            ),
            Self::Stranger { port, path } => Message::fails(
                "stranger",
                format!(
                    "another program has port {port} now, and agents would send it the token of the \
                     companion that is \
                     gone"
                ),
                [path.as_deref().map_or_else(renew_variables, Fix::delete)],
            ),
            Self::NotACompanion { port, answer } => Message::fails(
                "not-a-companion",
                format!("the program on port {port} is not a companion: {}", harmless::name(answer)),
                [Fix::advice("update or restart the program that wrote the file")],
            ),
        }
    }
}

fn file_or_environment(file: Option<&Path>) -> String {
    file.map_or("the environment".into(), harmless::path)
}

fn renew_variables() -> Fix {
    Fix::command("eval \"$(alongside env)\"")
}
