//! The addresses that an agent dials when it knows the port of a companion: hosts inside and outside of
//! containers, proxies, and the token.

use std::path::PathBuf;

use alongside_contract::behaviour::{CONTAINER_HOST, Hosts, Release, Unproxied};

use super::agent_environment::Surroundings;
use super::search_result::SkipReason;
use super::trace::{Attempt, ExaminedFile, NamedBy, To, Trace};

/// Returns the attempts, in the agent's order.
pub(super) fn attempts(
    trace: &Trace,
    release: Release,
    here: &Surroundings,
    in_container: bool,
) -> Vec<Attempt> {
    let dialler = Dialler { trace, release, here, in_container };
    let mut attempts = Vec::new();
    let token = dialler.token();
    if let (Some(record), Some(seen)) = (trace.record(), trace.seen()) {
        let named_by = NamedBy::File(seen.path.clone());
        if record.port != 0 {
            dialler.dial(record.port, &token, &named_by, &mut attempts);
            if trace.agent.family.behaviour.tries_others.hold(release) {
                for (port, token, path) in dialler.others(record.port) {
                    dialler.dial(port, &token, &NamedBy::OtherFile(path), &mut attempts);
                }
            }
        }
        if let Some(stdio) = &record.stdio {
            attempts.push(Attempt {
                to: To::Stdio { command: stdio.command.clone() },
                named_by,
                token: None,
            });
        }
    }
    if let Some(port) = here.port(trace.agent.family).filter(|port| !dialler.keeps_off(*port)) {
        dialler.dial(port, &token, &NamedBy::Variables, &mut attempts);
    }
    if let Some(command) = trace.agent.family.env.stdio_command.and_then(|name| here.variables.get(name)) {
        let to = To::Stdio { command: command.clone() };
        attempts.push(Attempt { to, named_by: NamedBy::Variables, token: None });
    }
    attempts
}

struct Dialler<'a> {
    trace: &'a Trace,
    release: Release,
    here: &'a Surroundings,
    in_container: bool,
}

impl Dialler<'_> {
    /// Returns the token of the record, or of the variable.
    fn token(&self) -> Option<String> {
        let behaviour = &self.trace.agent.family.behaviour;
        if !behaviour.sends_token.hold(self.release) {
            return None;
        }
        let variable =
            self.trace.agent.family.env.auth_token.filter(|_| behaviour.token_variable.hold(self.release));
        let of_variable = variable.and_then(|name| self.here.variables.get(name)).cloned();
        let of_record = self.trace.record().and_then(|record| record.auth_token.clone());
        of_record.or(of_variable).filter(|token| !token.is_empty())
    }

    /// Adds an attempt for every host that the agent tries for a port.
    fn dial(&self, port: u16, token: &Option<String>, named_by: &NamedBy, attempts: &mut Vec<Attempt>) {
        let hosts: &[&'static str] =
            match (self.trace.agent.family.behaviour.hosts(self.release), self.in_container) {
                (Hosts::OneOf(host), false) => &[host],
                (Hosts::OneOf(_), true) => &[CONTAINER_HOST],
                (Hosts::UnlessSet(variables), true)
                    if !variables.iter().any(|name| self.here.variables.contains_key(*name)) =>
                {
                    &[CONTAINER_HOST]
                }
                (Hosts::BothInTurn, true) => &["127.0.0.1", CONTAINER_HOST],
                (Hosts::UnlessSet(_) | Hosts::BothInTurn, _) => &["127.0.0.1"],
            };
        for host in hosts {
            let to = To::Http { host, port, proxy: self.proxy(host) };
            // Agents try a port again that did not answer. The replay lists it once.
            if !attempts.iter().any(|attempt| attempt.to == to) {
                attempts.push(Attempt { to, named_by: named_by.clone(), token: token.clone() });
            }
        }
    }

    /// Returns the variable that sets a proxy for this host.
    fn proxy(&self, host: &str) -> Option<&'static str> {
        let exempt = match self.trace.agent.family.behaviour.unproxied(self.release) {
            Unproxied::Everything | Unproxied::Dialled => return None,
            Unproxied::Host(exempt) => exempt,
        };
        // Agents add their host to the upper-case list if there is one. The proxy is read in both cases.
        let list = self.here.variables.get("NO_PROXY").map_or("", String::as_str);
        let is_exempt = list.split([',', ' ']).chain([exempt]).any(|entry| {
            let entry = entry.trim().split(':').next().unwrap_or_default();
            match entry.strip_prefix(['*', '.']) {
                Some(end) => host.ends_with(end.trim_start_matches('.')),
                None => !entry.is_empty() && entry == host,
            }
        });
        let proxies = ["http_proxy", "HTTP_PROXY"];
        proxies.into_iter().find(|name| self.here.variables.contains_key(*name)).filter(|_| !is_exempt)
    }

    /// Returns the other locks that fit, the newest first.
    fn others(&self, but: u16) -> Vec<(u16, Option<String>, PathBuf)> {
        let fits = |seen: &&ExaminedFile| {
            seen.passed_over.is_none() && seen.path.extension().is_some_and(|e| e == "lock")
        };
        let files = self.trace.files.iter().filter(fits);
        files
            .filter_map(|seen| {
                let record = seen.record.as_ref().filter(|record| record.port != but)?;
                Some((record.port, record.auth_token.clone(), seen.path.clone()))
            })
            .collect()
    }

    /// Whether the port in the variable is known to belong to another workspace.
    fn keeps_off(&self, port: u16) -> bool {
        self.trace.agent.family.behaviour.keeps_off_misfits.hold(self.release)
            && self.trace.files.iter().any(|seen| {
                matches!(seen.passed_over, Some(SkipReason::OtherWorkspace { .. }))
                    && seen.record.as_ref().is_some_and(|record| record.port == port)
            })
    }
}
