//! Downloads packages of any release of Debian, by an apt-get with a configuration of its own.
//!
//! Only the mirror and the transport settings (proxies, timeouts) come from the machine's configuration. A
//! failed download is a fault of the machine or of the network: [`InstallError::Unavailable`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::install::InstallError;

/// Debian's public mirror.
const PUBLIC_MIRROR: &str = "http://deb.debian.org/debian";

/// The keyring of Debian's releases, under its present and its former name.
const KEYRINGS: [&str; 2] =
    ["/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp"];

/// The names of Debian's suites, which other distributions do not use.
const DEBIAN_SUITES: [&str; 12] = [
    "oldoldstable",
    "oldstable",
    "stable",
    "testing",
    "unstable",
    "sid",
    "bullseye",
    "bookworm",
    "trixie",
    "forky",
    "duke",
    "experimental",
];

/// The prefixes of the machine's settings for reaching mirrors.
const TRANSPORT_PREFIXES: [&str; 3] = ["Acquire::http", "Acquire::Force", "Acquire::Check-Date"];

/// apt-get with the configuration for one suite.
#[derive(Debug)]
pub(super) struct Apt {
    configuration: PathBuf,
    archives: PathBuf,
}

impl Apt {
    /// Writes the configuration for a suite, with all of its files, into `directory`.
    pub(super) fn new(directory: &Path, suite: &str) -> Result<Self, InstallError> {
        let keyring = KEYRINGS.iter().find(|path| Path::new(path).is_file());
        let keyring = keyring.ok_or_else(|| {
            InstallError::Unavailable("Debian's keys are missing (package debian-archive-keyring)".into())
        })?;
        let apt =
            Self { configuration: directory.join("apt.conf"), archives: directory.join("cache/archives") };
        let source = format!("deb [signed-by={keyring}] {} {suite} main\n", mirror());
        let write = || -> io::Result<()> {
            for empty in ["state/lists/partial", "cache/archives/partial", "none"] {
                fs::create_dir_all(directory.join(empty))?;
            }
            fs::write(directory.join("status"), "")?;
            fs::write(directory.join("sources.list"), source)?;
            fs::write(&apt.configuration, transport_settings() + &configuration(directory))
        };
        write().map_err(|error| InstallError::Broken(format!("{}: {error}", directory.display())))?;
        Ok(apt)
    }

    /// Downloads packages and all of their dependencies, and returns the paths of their archives.
    pub(super) fn download(&self, packages: &[&str]) -> Result<Vec<PathBuf>, InstallError> {
        self.run("update", &[])?;
        self.run("install", packages)?;
        let broken = |error: io::Error| InstallError::Broken(format!("{}: {error}", self.archives.display()));
        let mut archives = Vec::new();
        for entry in fs::read_dir(&self.archives).map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            if path.extension().is_some_and(|extension| extension == "deb") {
                archives.push(path);
            }
        }
        archives.sort();
        Ok(archives)
    }

    fn run(&self, verb: &str, packages: &[&str]) -> Result<(), InstallError> {
        let mut apt = Command::new("apt-get");
        apt.env("APT_CONFIG", &self.configuration)
            .env("LC_ALL", "C")
            .env("DEBIAN_FRONTEND", "noninteractive");
        let output = apt.args(["--quiet", verb]).args(packages).stdin(Stdio::null()).output();
        let output =
            output.map_err(|error| InstallError::Unavailable(format!("apt-get does not start: {error}")))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(InstallError::Unavailable(format!("apt-get {verb} failed: {}", messages(&output)))),
        }
    }
}

/// Returns the first errors that apt printed, or else its first warnings, or else its exit status.
fn messages(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let of_kind =
        |kind: &str| stderr.lines().filter(|line| line.starts_with(kind)).take(4).collect::<Vec<_>>();
    let (errors, warnings) = (of_kind("E: "), of_kind("W: "));
    match (errors.is_empty(), warnings.is_empty()) {
        (false, _) => errors.join("; "),
        (true, false) => warnings.join("; "),
        (true, true) => output.status.to_string(),
    }
}

/// Returns the settings of a machine that has its state in `directory`, has no package installed, and only
/// downloads.
fn configuration(directory: &Path) -> String {
    let here = directory.display();
    format!(
        r#"Dir::State "{here}/state";
Dir::State::status "{here}/status";
Dir::Cache "{here}/cache";
Dir::Etc::main "{here}/none/apt.conf";
Dir::Etc::Parts "{here}/none";
Dir::Etc::SourceList "{here}/sources.list";
Dir::Etc::SourceParts "{here}/none";
Dir::Etc::Preferences "{here}/none/preferences";
Dir::Etc::PreferencesParts "{here}/none";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Install-Recommends "false";
APT::Get::Assume-Yes "true";
APT::Get::Download-Only "true";
APT::Update::Error-Mode "any";
// The cache may be where only its owner can write.
APT::Sandbox::User "root";
Acquire::Languages "none";
// Mirrors lag.
Acquire::Check-Valid-Until "false";
Acquire::Retries "2";
Debug::NoLocking "true";
"#
    )
}

/// Returns the machine's transport settings, as lines of a configuration.
fn transport_settings() -> String {
    let dump = Command::new("apt-config").arg("dump").stderr(Stdio::null()).output();
    // Without apt there are no settings, and the next call of `apt-get` reports that.
    let dump = dump.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let settings =
        dump.lines().filter(|line| TRANSPORT_PREFIXES.iter().any(|prefix| line.starts_with(prefix)));
    settings.map(|line| format!("{line}\n")).collect()
}

/// Returns the machine's own Debian mirror, or else the public one.
fn mirror() -> String {
    let etc = Path::new("/etc/apt");
    let parts = fs::read_dir(etc.join("sources.list.d")).into_iter().flatten().flatten();
    let mut parts: Vec<_> = parts.map(|entry| entry.path()).collect();
    parts.sort();
    let files = [etc.join("sources.list")].into_iter().chain(parts);
    let mirrors = files.filter_map(|path| {
        let sources = fs::read_to_string(&path).ok()?;
        match path.extension()?.to_str()? {
            "list" => sources.lines().find_map(mirror_of_line),
            "sources" => sources.split("\n\n").find_map(mirror_of_stanza),
            _ => None,
        }
    });
    mirrors.into_iter().next().unwrap_or_else(|| PUBLIC_MIRROR.to_owned())
}

/// Returns the mirror in a line such as `deb [signed-by=…] http://… trixie main`.
fn mirror_of_line(line: &str) -> Option<String> {
    let source = line.trim().strip_prefix("deb ")?.trim_start();
    let (options, source) = match source.strip_prefix('[') {
        Some(source) => source.split_once(']')?,
        None => ("", source),
    };
    let keys = options.split_whitespace().find_map(|option| option.strip_prefix("signed-by="));
    let mut words = source.split_whitespace();
    let (uri, suite) = (words.next()?, words.next()?);
    is_mirror(uri, &[suite], &words.collect::<Vec<_>>(), keys).then(|| uri.to_owned())
}

/// Returns the mirror in a deb822 stanza.
fn mirror_of_stanza(stanza: &str) -> Option<String> {
    let field = |name: &str| {
        let mut fields = stanza.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    let words = |name: &str| field(name).unwrap_or_default().split_whitespace().collect::<Vec<_>>();
    if field("Enabled").is_some_and(|enabled| enabled.eq_ignore_ascii_case("no"))
        || !words("Types").contains(&"deb")
    {
        return None;
    }
    let (suites, components) = (words("Suites"), words("Components"));
    let uri = words("URIs").into_iter().find(|uri| is_mirror(uri, &suites, &components, field("Signed-By")));
    uri.map(str::to_owned)
}

/// Whether a source is Debian's own. Third parties publish for Debian's suites too, but sign with other keys.
fn is_mirror(uri: &str, suites: &[&str], components: &[&str], keys: Option<&str>) -> bool {
    !uri.starts_with("cdrom:")
        && suites.iter().any(|suite| DEBIAN_SUITES.contains(suite))
        && components.contains(&"main")
        && keys.is_none_or(|keys| keys.contains("debian-archive-keyring"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_is_found_in_lists_and_stanzas() {
        let line = "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
                    http://mirror.example/debian trixie main";
        assert_eq!(mirror_of_line(line).as_deref(), Some("http://mirror.example/debian"));
        assert_eq!(
            mirror_of_line("deb http://mirror.example/d/ sid main").as_deref(),
            Some("http://mirror.example/d/")
        );
        let stanza = "Types: deb deb-src\n# a comment: here\nURIs: http://mirror.example/debian\n\
                      Suites: trixie trixie-updates\nComponents: main contrib\n\
                      Signed-By: /usr/share/keyrings/debian-archive-keyring.pgp\n";
        assert_eq!(mirror_of_stanza(stanza).as_deref(), Some("http://mirror.example/debian"));
    }

    #[test]
    fn third_party_sources_are_no_mirror() {
        for line in [
            "# deb http://mirror.example/debian trixie main",
            "deb-src http://mirror.example/debian trixie main",
            "deb http://mirror.example/debian-security trixie-security main",
            "deb cdrom:[Debian]/ trixie main",
            "deb http://mirror.example/ubuntu noble main",
            "deb http://vendor.example/debian trixie stable",
            "deb [signed-by=/usr/share/keyrings/vendor.gpg] http://vendor.example/debian trixie main",
            "deb",
            "",
        ] {
            assert_eq!(mirror_of_line(line), None, "{line}");
        }
        let stanza = "Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie\nComponents: main\n";
        assert!(mirror_of_stanza(stanza).is_some());
        assert_eq!(mirror_of_stanza(&format!("Enabled: no\n{stanza}")), None);
        assert_eq!(mirror_of_stanza(&format!("{stanza}Signed-By: /etc/apt/keyrings/vendor.asc\n")), None);
        assert_eq!(mirror_of_stanza(&stanza.replace("deb\n", "deb-src\n")), None);
    }
}
