//! The variables that lead agents to one companion: those of every family, and the proxy exceptions.

use alongside_contract::discovery::Record;
use alongside_contract::environment;
use alongside_host::companions::Serving;

/// Addresses that must never go through a proxy.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// Names and values in the order of the table of families, the proxy exceptions last.
pub(super) fn all(
    record: &Record,
    pid: Option<u32>,
    current: impl Fn(&str) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let mut variables = environment::variables(record, pid);
    variables.extend(proxy_exceptions(current));
    variables
}

/// The variables of every family, without the proxy exceptions.
pub(super) fn of_families(serving: &Serving) -> Vec<(String, String)> {
    let variables = environment::variables(&serving.record, serving.pid);
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The proxy exceptions, which include the loopback.
pub(super) fn proxy_exceptions(current: impl Fn(&str) -> Option<String>) -> [(&'static str, String); 2] {
    ["NO_PROXY", "no_proxy"].map(|name| (name, with_loopback(current(name).as_deref())))
}

/// A list of proxy exceptions with the loopback added.
fn with_loopback(current: Option<&str>) -> String {
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
    fn proxy_exceptions_keep_existing_entries() {
        assert_eq!(with_loopback(None), "127.0.0.1,localhost,::1");
        assert_eq!(with_loopback(Some("")), "127.0.0.1,localhost,::1");
        assert_eq!(with_loopback(Some("example.org, localhost,")), "example.org, localhost,127.0.0.1,::1");
        assert_eq!(with_loopback(Some("*")), "*");
    }
}
