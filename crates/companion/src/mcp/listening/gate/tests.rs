//! Tests of the admission and the token proofs.

use super::*;
use crate::endpoint::Endpoint;

fn gate_at(addresses: &[&str], token: &str) -> Gate {
    let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
    let endpoint = Endpoint { addresses, ..Endpoint::at(80, token) };
    Gate::new(endpoint.hosts(), endpoint.token, false)
}

fn admit_headers(headers: &[(&str, &str)]) -> Result<Credential, u16> {
    admit("/mcp", headers)
}

fn admit(uri: &str, headers: &[(&str, &str)]) -> Result<Credential, u16> {
    let gate = gate_at(&["127.0.0.1:80", "172.17.0.1:4000"], "secret");
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    gate.admit(&Method::POST, &uri.parse().unwrap(), &map).map_err(|(status, _)| status.as_u16())
}

#[test]
fn local_hosts_with_our_port_and_the_token_are_admitted() {
    let token = ("authorization", "Bearer secret");
    for host in [
        "127.0.0.1:80",
        "localhost:80",
        "[::1]:80",
        "host.docker.internal:80",
        "172.17.0.1:4000",
        "host.docker.internal:4000",
    ] {
        assert_eq!(admit_headers(&[("host", host), token]), Ok(Credential::Token(None)), "{host}");
    }
    for host in
        ["127.0.0.1", "127.0.0.1:81", "172.17.0.1:80", "evil.example:80", "localhost.evil.example:80", ""]
    {
        assert_eq!(admit_headers(&[("host", host), token]), Err(403), "{host}");
    }
    assert_eq!(admit_headers(&[token]), Err(403));
}

#[test]
fn a_host_in_the_request_line_is_checked_like_the_header() {
    let headers = [("host", "127.0.0.1:80"), ("authorization", "Bearer secret")];
    for uri in ["http://127.0.0.1:80/mcp", "http://LOCALHOST:80/mcp"] {
        assert_eq!(admit(uri, &headers), Ok(Credential::Token(None)), "{uri}");
    }
    for uri in [
        "http://evil.example/mcp",
        "http://evil.example:80/mcp",
        "http://127.0.0.1:80@evil.example/mcp",
        "http://evil@127.0.0.1:80/mcp",
        "http://127.0.0.1:81/mcp",
        "evil.example:80",
    ] {
        assert_eq!(admit(uri, &headers), Err(403), "{uri}");
    }
    let elsewhere = [("host", "evil.example"), ("authorization", "Bearer secret")];
    assert_eq!(admit("http://127.0.0.1:80/mcp", &elsewhere), Err(403));
}

#[test]
fn any_origin_and_any_other_token_are_refused() {
    let host = ("host", "127.0.0.1:80");
    let (token, origin) = (("authorization", "Bearer secret"), ("origin", "http://localhost:80"));
    assert_eq!(admit_headers(&[host, token, origin]), Err(403));
    for wrong in ["Bearer secre", "Bearer secret2", "Basic secret", "secret", "Bearer "] {
        assert_eq!(admit_headers(&[host, ("authorization", wrong)]), Err(401), "{wrong}");
    }
    assert_eq!(admit_headers(&[host]), Err(401));
}

#[test]
fn a_repeated_host_or_token_counts_as_none() {
    let (host, token) = (("host", "127.0.0.1:80"), ("authorization", "Bearer secret"));
    assert_eq!(admit_headers(&[host, ("host", "evil.example"), token]), Err(403));
    assert_eq!(admit_headers(&[host, host, token]), Err(403));
    assert_eq!(admit_headers(&[host, token, ("authorization", "Bearer wrong")]), Err(401));
}

#[test]
fn the_nonce_header_is_that_of_the_contract() {
    assert_eq!(NONCE, token_proof::NONCE_HEADER.to_ascii_lowercase());
}

#[test]
fn only_a_local_request_for_a_proof_gets_one() {
    let gate = gate_at(&["127.0.0.1:80"], "secret");
    let dialled = "127.0.0.1:80".parse().unwrap();
    let nonce = "0".repeat(64);
    let ask_for_proof = |method: Method, uri: &str, headers: &[(&str, &str)]| {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(axum::body::Body::empty()).unwrap();
        request.extensions_mut().insert(Connection::new(Some(dialled)));
        gate.prove(&request)
    };
    let (host, asked) = (("host", "127.0.0.1:80"), (NONCE, nonce.as_str()));
    let proof = ask_for_proof(Method::GET, "/status", &[host, asked]).expect("a proof is given");
    assert!(token_proof::is_proven("secret", &nonce, dialled, &proof));
    for (method, uri, headers) in [
        (Method::POST, "/status", vec![host, asked]),
        (Method::GET, "/mcp", vec![host, asked]),
        (Method::GET, "/status", vec![asked]),
        (Method::GET, "/status", vec![("host", "evil.example:80"), asked]),
        (Method::GET, "/status", vec![host, asked, asked]),
        (Method::GET, "/status", vec![host, asked, ("origin", "http://localhost:80")]),
        (Method::GET, "/status", vec![host, asked, ("authorization", "Bearer wrong")]),
        (Method::GET, "/status", vec![host, (NONCE, "short")]),
    ] {
        assert_eq!(ask_for_proof(method.clone(), uri, &headers), None, "{method} {uri} {headers:?}");
    }
}

#[test]
fn a_token_identifies_its_family() {
    let host = ("host", "127.0.0.1:80");
    for agent in alongside_contract::agents::with_family() {
        let bearer = format!("Bearer {}", token::for_agent("secret", agent));
        assert_eq!(admit_headers(&[host, ("authorization", &bearer)]), Ok(Credential::Token(Some(agent))));
    }
    assert_eq!(admit_headers(&[host, ("authorization", "Bearer wrong.qwen")]), Err(401));
}

#[test]
fn an_agent_with_a_websocket_sends_the_bare_token() {
    let (host, header) = (("host", "127.0.0.1:80"), websocket::TOKEN_HEADER);
    assert_eq!(admit_headers(&[host, (header, "secret")]), Ok(Credential::Token(None)));
    for headers in [
        vec![host, (header, "wrong")],
        vec![host, (header, "secret"), (header, "secret")],
        vec![host, (header, "secret"), ("authorization", "Bearer wrong")],
    ] {
        assert_eq!(admit_headers(&headers), Err(401), "{headers:?}");
    }
    assert_eq!(admit_headers(&[host, (header, "secret"), ("origin", "http://localhost:80")]), Err(403));
}

const OWN_TOKEN: &str = "5ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3e75ec3";
/// The variable with the guess, set by the test that counts the instructions of a check.
const GUESS: &str = "ALONGSIDE_GUESS";

#[test]
fn the_guess_of_the_environment_is_checked() {
    let guess = std::env::var(GUESS).unwrap_or_else(|_| OWN_TOKEN.into());
    let gate = gate_at(&["127.0.0.1:80"], OWN_TOKEN);
    assert_eq!(gate.check_token(&guess).is_some(), guess == OWN_TOKEN);
}

/// Returns the number of instructions that checking a guess takes; `None` without valgrind.
#[cfg(target_os = "linux")]
fn instructions(guess: &str) -> Option<u64> {
    let mut valgrind = std::process::Command::new("valgrind");
    valgrind.args([
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        "--toggle-collect=*Gate*check_token*",
    ]);
    valgrind
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "mcp::listening::gate::tests::the_guess_of_the_environment_is_checked"]);
    let ran = valgrind.env(GUESS, guess).output().ok()?;
    assert!(ran.status.success(), "{ran:?}");
    let report = String::from_utf8_lossy(&ran.stderr).into_owned();
    let counted = report.lines().find_map(|line| line.split_once("Collected :"));
    Some(counted.expect("valgrind reports the number").1.trim().parse().expect("a number"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_partly_right_token_takes_the_same_number_of_instructions() {
    let wrong_from = |at: usize| format!("{}{}", &OWN_TOKEN[..at], "0".repeat(OWN_TOKEN.len() - at));
    let Some(nothing_right) = instructions(&wrong_from(0)) else {
        return alongside_testing::skip("valgrind is not installed");
    };
    assert!(nothing_right > 64, "the comparison is counted: {nothing_right}");
    for at in [1, 32, 63] {
        assert_eq!(instructions(&wrong_from(at)), Some(nothing_right), "{at} characters are right");
    }
}
