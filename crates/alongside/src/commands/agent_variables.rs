//! The variables that lead agents to one companion: the variables of every family, and the proxy exceptions.

use alongside_contract::discovery::Record;
use alongside_contract::environment;
use alongside_host::companions::Serving;

/// The hosts that agents must reach without a proxy.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// Returns names and values in the order of the table of agents, the proxy exceptions last.
pub(super) fn all(
    record: &Record,
    pid: Option<u32>,
    current: impl Fn(&str) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let mut variables = environment::variables(record, pid);
    variables.extend(proxy_exceptions(current));
    variables
}

/// Returns the variables of every family, without the proxy exceptions.
pub(super) fn of_families(serving: &Serving) -> Vec<(String, String)> {
    let variables = environment::variables(&serving.record, serving.pid);
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the variables of the proxy exceptions, with the loopback added.
pub(super) fn proxy_exceptions(current: impl Fn(&str) -> Option<String>) -> [(&'static str, String); 2] {
    ["NO_PROXY", "no_proxy"].map(|name| (name, with_loopback(current(name).as_deref())))
}

/// Adds the loopback to a list of proxy exceptions.
fn with_loopback(current: Option<&str>) -> String {
    let current = current.map(str::trim).unwrap_or_default().trim_end_matches(',');
    let listed: Vec<_> = current.split(',').map(str::trim).collect();
    if listed.contains(&"*") {
        return current.to_owned();
    }
    let missing = LOOPBACK.into_iter().filter(|host| !listed.contains(host));
    Some(current).into_iter().filter(|list| !list.is_empty()).chain(missing).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_exceptions_keep_existing_entries() {
        assert_eq!(with_loopback(None), "127.0.0.1,localhost,::1");
        assert_eq!(with_loopback(Some("")), "127.0.0.1,localhost,::1");
        assert_eq!(with_loopback(Some("example.org, localhost,")), "example.org, localhost,127.0.0.1,::1");
        assert_eq!(with_loopback(Some("*")), "*");
    }
}
