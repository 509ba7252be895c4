//! A program of another user that takes the port of a killed companion and records the requests.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alongside_agent::{Endpoint, find, prove};
use alongside_contract::discovery::Record;
use insta::assert_snapshot;
use rustix::process::Signal;

use crate::recovery::kill_everybody;
use crate::support::{Home, files_below, proposed, serving, until};

/// A server on both loopback addresses that answers every request with 200 and records it.
struct Squatter {
    heard: Arc<Mutex<String>>,
}

impl Squatter {
    async fn on(port: u16) -> Self {
        let heard = Arc::<Mutex<String>>::default();
        for address in ["127.0.0.1", "::1"] {
            let bind = || match TcpListener::bind((address, port)) {
                Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => None,
                bound => Some(bound),
            };
            let Ok(listener) = until("the port to be free", bind).await else { continue };
            let heard = heard.clone();
            std::thread::spawn(move || {
                for mut stream in listener.incoming().flatten() {
                    let heard = heard.clone();
                    std::thread::spawn(move || {
                        let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
                        let mut piece = [0; 4096];
                        while let Ok(read @ 1..) = stream.read(&mut piece) {
                            *heard.lock().unwrap() += &String::from_utf8_lossy(&piece[..read]);
                            let yes = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                                       Content-Length: 2\r\n\r\n{}";
                            if stream.write_all(yes.as_bytes()).is_err() {
                                break;
                            }
                        }
                    });
                }
            });
        }
        Self { heard }
    }

    /// Returns the requests so far.
    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }
}

/// Returns the secret part of the token in a record.
fn secret(record: &Record) -> String {
    let token = record.auth_token.as_deref().unwrap();
    alongside_contract::token::split(token).0.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_shows_a_token_to_whoever_has_a_freed_port() {
    let (home, _desk) = serving().await;
    let before = home.record();
    kill_everybody(&home);
    let squatter = Squatter::on(before.port).await;
    // No command treats the squatter as the companion.
    for args in
        [&["status"][..], &["doctor", "--container", "no"], &["env"], &["stdio"], &["doctor", "--fix"]]
    {
        home.run(args);
    }
    // A companion of another project removes stale discovery files.
    let other = home.directory("other");
    let mut elsewhere = home.start(home.alongside(&["review"]).current_dir(&other));
    elsewhere.shows("alongside serves").await;
    let name = format!("-{}.json", before.port);
    let left = || files_below(home.path("tmp")).iter().any(|path| path.to_string_lossy().ends_with(&name));
    until("the stale files to be swept", || (!left()).then_some(())).await;
    // The companion of the same project returns on another port.
    let _next = home.serving().await;
    let heard = squatter.heard();
    assert!(heard.contains("GET /status"), "they asked who listens: {heard}");
    assert!(!heard.contains(&secret(&before)), "{heard}");
    let records = find::all_records(&home.surroundings());
    assert!(!records.is_empty());
    for (_, record) in records {
        assert_ne!(record.port, before.port);
        assert_ne!(secret(&record), secret(&before), "agents that come back show the old token");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_nobody_held_comes_back_with_another_token() {
    let (home, mut desk, _agent, _diff) = proposed("a.txt", "a\n", "A\n").await;
    desk.shows("(1/1) keep").await;
    let before = home.record();
    kill_everybody(&home);
    let mut next = home.review(&[]);
    next.shows("Problem: ").await;
    assert_snapshot!(home.stable(next.shows("/ide enable").await), @"
    the companion was interrupted and no desk was left to hold its port, so it has a new token: Gemini
      ↪ CLI cannot reach it any more
      `/ide enable
    ");
    next.shows("a.txt").await;
    let now = until("new files", || {
        find::all_records(&home.surroundings())
            .into_iter()
            .map(|(_, record)| record)
            .find(|record| secret(record) != secret(&before))
    })
    .await;
    let endpoint = Endpoint::local(now.port);
    prove(&endpoint, &secret(&now)).await.unwrap();
    prove(&endpoint, &secret(&before)).await.unwrap_err();
}

/// A script that tries every way to bind a port and prints whether it succeeded. The test runs it as another
/// user.
const BIND_SCRIPT: &str = r#"
    use Socket;
    for my $address ("127.0.0.1", "0.0.0.0") {
        for my $options ([], [SO_REUSEADDR], [SO_REUSEPORT], [SO_REUSEADDR, SO_REUSEPORT]) {
            socket(my $socket, PF_INET, SOCK_STREAM, 0) or die;
            setsockopt($socket, SOL_SOCKET, $_, 1) or die for @$options;
            print "has it" if bind($socket, sockaddr_in($ARGV[0], inet_aton($address))) && listen($socket, 1);
        }
    }
    print "tried as $<";
"#;

#[tokio::test(flavor = "multi_thread")]
async fn another_user_cannot_have_the_port_while_a_desk_holds_it() {
    if !rustix::process::geteuid().is_root() {
        return alongside_testing::skip("only root can act as another user");
    }
    let home = Home::new();
    let mut desk = home.review(&[]);
    let _agent = home.agent().await;
    desk.shows("Gemini CLI is connected.").await;
    let before = home.record();
    // The stopped desk holds the port and cannot restart the host.
    desk.signal(Signal::STOP);
    home.kill_hosts();
    until("the host to be gone", || {
        let dialled = std::net::TcpStream::connect(("127.0.0.1", before.port));
        dialled.is_err().then_some(())
    })
    .await;
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e", BIND_SCRIPT]);
    let tried = other.arg(before.port.to_string()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&tried.stdout), "tried as 65534", "{tried:?}");
    desk.signal(Signal::CONT);
    until("the host to be back", || {
        let record = find::all_records(&home.surroundings()).into_iter().next()?.1;
        std::net::TcpStream::connect(("127.0.0.1", record.port)).ok()
    })
    .await;
    assert_eq!((home.record().port, secret(&home.record())), (before.port, secret(&before)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_says_that_another_users_file_leads_agents_astray() {
    let home = Home::new();
    let editor = std::process::id();
    home.name_number("-ide-server-", editor, "EDITOR");
    let planted = home.path(&format!("tmp/qwen-code-ide-server-{editor}.json"));
    std::fs::write(&planted, "{}").unwrap();
    if std::os::unix::fs::chown(&planted, Some(12_345), None).is_err() {
        return alongside_testing::skip("only root can give a file away");
    }
    let mut desk = home.review(&[]);
    desk.shows("Problem: ").await;
    assert_snapshot!(home.stable(desk.shows("TMPDIR").await), @"
    [TMP]/qwen-code-ide-server-[EDITOR].json belongs to another user and can lead agents to a program
      ↪ of theirs
      This affects Qwen Code 0.0.13 and newer, without variables. Do not use their IDE mode here until
      ↪ the file is gone: ask that user or root to remove it. Or set TMPDIR
    ");
}

/// A script that relays one challenge and its response between two ports, and prints later requests.
const RELAY: &str = r#"
    use Socket;
    $| = 1;
    socket(my $server, PF_INET, SOCK_STREAM, 0) or die;
    bind($server, sockaddr_in(0, INADDR_LOOPBACK)) && listen($server, 1) or die;
    print +(sockaddr_in(getsockname($server)))[0], "\n";
    accept(my $client, $server) or die;
    socket(my $prover, PF_INET, SOCK_STREAM, 0) or die;
    connect($prover, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die;
    sub head {
        my ($from, $said) = (@_, "");
        $said .= $_ while $said !~ /\r\n\r\n/ && sysread($from, $_, 1);
        $said
    }
    syswrite($prover, head($client));
    syswrite($client, head($prover));
    print "then: ", head($client) =~ /(authorization|nonce)/i ? $1 : "nothing", "\n";
"#;

/// Machines and containers that share a home have separate loopback networks, so that a program could relay a
/// proof from one to another.
#[tokio::test(flavor = "multi_thread")]
async fn a_proof_that_another_user_passes_on_is_not_believed() {
    use std::io::{BufRead as _, BufReader};
    if !rustix::process::geteuid().is_root() {
        return alongside_testing::skip("only root can act as another user");
    }
    const TOKEN: &str = "5ec3e75ec3e7.gemini";
    let prover = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e", RELAY]);
    other.arg(prover.local_addr().unwrap().port().to_string()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut relay = other.spawn().unwrap();
    let mut said = BufReader::new(relay.stdout.take().unwrap()).lines().map_while(Result::ok);
    let port: u16 = said.next().unwrap().parse().unwrap();
    // The real companion, which can prove its identity for that address.
    std::thread::spawn(move || {
        let mut stream = prover.accept().unwrap().0;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(char::from(byte[0]));
        }
        let mut headers = head.lines().filter_map(|line| line.split_once(": "));
        let is_nonce = |name: &str| name.eq_ignore_ascii_case(alongside_contract::token_proof::NONCE_HEADER);
        let (_, nonce) = headers.find(|(name, _)| is_nonce(name)).unwrap();
        let proof = alongside_contract::token_proof::prove(TOKEN, nonce, ([127, 0, 0, 1], port).into());
        write!(stream, "HTTP/1.1 204 No Content\r\nAlongside-Proof: {proof}\r\n\r\n").unwrap();
    });
    let asked = alongside_agent::get_status(&Endpoint::local(port), TOKEN).await;
    assert!(matches!(asked, Err(alongside_agent::Error::Unproven { .. })), "{asked:?}");
    assert_eq!(said.next().as_deref(), Some("then: nothing"));
    relay.wait().unwrap();
}
