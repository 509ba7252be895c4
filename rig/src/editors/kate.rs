//! Kate from Debian, and a screen in memory for it: keys go in through xdotool, titles of windows come out.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::fonts;
use super::tree::{Generation, Recipe, Tree, install_trees};
use crate::agent_cli::{self, write_program};
use crate::install::InstallError;
use crate::sandbox::Sandbox;
use crate::wait::{self, PATIENCE};

const RECIPE: Recipe = Recipe {
    name: "kate",
    editors: "Kate",
    packages: &["kate", "xvfb", "xdotool", "x11-xkb-utils", "dbus-daemon", "fonts-dejavu-core", "patchelf"],
    programs: &[],
    tools: &["usr/bin/kate", "usr/bin/Xvfb", "usr/bin/xdotool", "usr/bin/xkbcomp", "usr/bin/dbus-daemon"],
    libraries: &["usr/lib/x86_64-linux-gnu/libproxy", "usr/lib/x86_64-linux-gnu/pulseaudio"],
    misleads: true,
    version: "",
};

/// The screen, in pixels.
const SCREEN: (u32, u32) = (1024, 768);

/// Kate's window, in pixels.
const WINDOW: (u32, u32) = (900, 460);

/// How long the menu of code actions may take before it is opened again.
const MENU: Duration = Duration::from_secs(1);
/// How long a step in the menu may take before the next key.
const STEP: Duration = Duration::from_secs(1);

/// An entry of a menu is a little higher than this, in pixels.
const LEAST_ENTRY: u32 = 20;

/// The entries `Loading...` and `No Actions` are narrower than this, in pixels, and every action is wider.
const LEAST_ACTION: u32 = 150;

/// How long nothing must be drawn before a picture is taken. The cursor blinks faster.
const STILL: Duration = Duration::from_millis(700);

/// Kate on disk.
#[derive(Debug, Clone)]
pub struct Kate {
    tree: Tree,
    /// The X server, which looks for its compiler of keyboards in PATH.
    server: PathBuf,
}

impl Kate {
    /// Its version, as Debian writes it.
    pub fn version(&self) -> String {
        self.tree.version("kate")
    }

    /// Puts `kate` on the sandbox's PATH.
    pub fn put_on_path(&self, sandbox: &Sandbox) -> Result<()> {
        let path = |relative: &str| self.tree.path(relative).display().to_string();
        let variables = [
            ("QT_PLUGIN_PATH", path("usr/lib/x86_64-linux-gnu/qt6/plugins")),
            ("QT_QPA_PLATFORM", "${QT_QPA_PLATFORM:-xcb}".into()),
            ("XDG_DATA_DIRS", path("usr/share")),
            ("XDG_CONFIG_DIRS", path("etc/xdg")),
            ("FONTCONFIG_FILE", fonts::settings_file(sandbox).display().to_string()),
            ("XKB_CONFIG_ROOT", path("usr/share/X11/xkb")),
        ];
        let exports: String =
            variables.iter().map(|(name, value)| format!("export {name}=\"{value}\"\n")).collect();
        fonts::write_settings(sandbox, &self.tree.path("usr/share/fonts"))?;
        write_program(sandbox, "kate", &format!("{exports}exec '{}' \"$@\"", path("usr/bin/kate")))
    }

    /// Starts a screen and a message bus, over which `kate --pid` reaches a running Kate.
    pub fn screen(&self, sandbox: &Sandbox) -> Result<KateScreen> {
        let frames = sandbox.run().join("screen");
        fs::create_dir(&frames)?;
        let bin = agent_cli::bin(sandbox);
        fs::create_dir_all(&bin)?;
        std::os::unix::fs::symlink(self.tree.path("usr/bin/xkbcomp"), bin.join("xkbcomp"))?;
        let path = agent_cli::path_variable(sandbox)?;
        let command = |program: &Path| {
            let mut command = Command::new(program);
            command.env_clear().envs(sandbox.env()).env(path.0.as_str(), &path.1);
            command.current_dir(sandbox.project()).stdin(Stdio::null()).stderr(Stdio::null());
            command
        };
        let mut x = command(&self.server);
        let (width, height) = SCREEN;
        x.args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24")]);
        // Drawing with LLVM would load libraries of the machine, and a key released late would repeat.
        x.args(["-nolisten", "tcp", "-noreset", "-extension", "GLX", "-r", "-xkbdir"])
            .arg(self.tree.path("usr/share/X11/xkb"));
        let (x, number) = started(x.arg("-fbdir").arg(&frames))?;
        let configuration = sandbox.run().join("bus.conf");
        fs::write(&configuration, bus_configuration(&sandbox.run()))?;
        let mut bus = command(&self.tree.path("usr/bin/dbus-daemon"));
        bus.arg(format!("--config-file={}", configuration.display()));
        let (bus, address) = started(bus.args(["--nofork", "--print-address=1"]))?;
        Ok(KateScreen {
            xdotool: self.tree.path("usr/bin/xdotool"),
            display: format!(":{number}"),
            bus_address: address,
            frames: frames.join("Xvfb_screen0"),
            _processes: [x, bus],
        })
    }
}

/// Starts a process that prints one line once it is ready.
fn started(command: &mut Command) -> Result<(Process, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?;
    let mut line = String::new();
    let stdout = child.stdout.take().context("piped")?;
    let process = Process(child);
    BufReader::new(stdout).read_line(&mut line)?;
    match line.trim() {
        "" => bail!("{command:?} ends at once"),
        line => Ok((process, line.to_owned())),
    }
}

/// A process that ends when it is dropped.
#[derive(Debug)]
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bus_configuration(directory: &Path) -> String {
    format!(
        "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" \
         \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\"><busconfig><type>session</type>\
         <listen>unix:dir={}</listen><auth>EXTERNAL</auth><policy context=\"default\">\
         <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>\
         </policy></busconfig>\n",
        directory.display()
    )
}

/// A visible window of Kate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KateWindow {
    id: String,
    /// Its title.
    pub title: String,
    /// Its width and height in pixels.
    pub size: (u32, u32),
}

/// The screen on which Kate runs.
#[derive(Debug)]
pub struct KateScreen {
    xdotool: PathBuf,
    display: String,
    bus_address: String,
    /// The screen's content, in X's own format.
    frames: PathBuf,
    /// The screen and the bus.
    _processes: [Process; 2],
}

impl KateScreen {
    /// The variables by which programs find the screen and the bus.
    pub fn variables(&self) -> [(String, std::ffi::OsString); 2] {
        [
            ("DISPLAY".to_owned(), self.display.clone().into()),
            ("DBUS_SESSION_BUS_ADDRESS".to_owned(), self.bus_address.clone().into()),
        ]
    }

    fn xdotool(&self, args: &[&str]) -> Result<String> {
        let output =
            Command::new(&self.xdotool).env_clear().env("DISPLAY", &self.display).args(args).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Kate's visible windows.
    pub fn windows(&self) -> Result<Vec<KateWindow>> {
        let ids = self.xdotool(&["search", "--onlyvisible", "--class", "kate"])?;
        let mut windows = Vec::new();
        for id in ids.split_whitespace() {
            let said = self.xdotool(&["getwindowname", id, "getwindowgeometry", "--shell", id])?;
            let pixels = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)?.parse().ok());
            // It may have gone meanwhile.
            let (Some(width), Some(height)) = (pixels("WIDTH="), pixels("HEIGHT=")) else { continue };
            let title = said.lines().next().unwrap_or_default().to_owned();
            windows.push(KateWindow { id: id.to_owned(), title, size: (width, height) });
        }
        Ok(windows)
    }

    /// Waits until no window of another program is visible; a menu of Kate's may be about to go.
    pub fn wait_for_no_other_window(&self) -> Result<()> {
        wait::until("no window of another program", PATIENCE, || {
            let ids = |selection: &[&str]| self.xdotool(&[&["search", "--onlyvisible"], selection].concat());
            let problem = |error: anyhow::Error| error.to_string();
            let all = ids(&["--any", "--class", "--name", "."]).map_err(problem)?;
            let kates = ids(&["--class", "kate"]).map_err(problem)?;
            let mut others = all.lines().filter(|id| !kates.lines().any(|kate| kate == *id));
            let describe = |id| self.xdotool(&["getwindowname", id]).unwrap_or_default();
            others.next().map_or(Ok(()), |id| Err(format!("{id} {}", describe(id))))
        })
    }

    /// Waits until a window has such a title.
    pub fn wait_for_title(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> Result<KateWindow> {
        wait::until(what, PATIENCE, || {
            let windows = self.windows().map_err(|error| error.to_string())?;
            let found = windows.iter().find(|window| is_wanted(&window.title));
            found.cloned().ok_or_else(|| format!("{windows:?}"))
        })
    }

    /// Waits for Kate's window with this file and for its question whether it may start a server, answers
    /// yes, and gives the window the keyboard and its size.
    pub fn allow_server(&self, file: &str) -> Result<()> {
        let window = self.wait_for_title("Kate", |title| title.contains(file))?;
        let question = self.wait_for_title("the question", |title| title.starts_with("LSP server start"))?;
        self.focus(&question, false)?;
        self.press(&["Return"])?;
        self.wait_for_windows(1)?;
        self.focus(&window, true)
    }

    /// Gives a window the keyboard, and with `resize` the size of the pictures.
    pub fn focus(&self, window: &KateWindow, resize: bool) -> Result<()> {
        let [width, height] = [WINDOW.0, WINDOW.1].map(|pixels| pixels.to_string());
        if resize {
            self.xdotool(&["windowsize", "--sync", &window.id, &width, &height])?;
        }
        // The pointer waits outside.
        let (right, bottom) = (SCREEN.0 - 1, SCREEN.1 - 1);
        self.xdotool(&["mousemove", &right.to_string(), &bottom.to_string()])?;
        self.xdotool(&["windowfocus", "--sync", &window.id]).map(drop)
    }

    /// Presses keys, as X names them: `ctrl+s`.
    pub fn press(&self, keys: &[&str]) -> Result<()> {
        self.xdotool(&[&["key"], keys].concat()).map(drop)
    }

    /// Types a text.
    pub fn type_text(&self, text: &str) -> Result<()> {
        self.xdotool(&["type", text]).map(drop)
    }

    /// Waits until so many windows are visible.
    pub fn wait_for_windows(&self, count: usize) -> Result<()> {
        wait::until(&format!("{count} windows"), PATIENCE, || match self.windows() {
            Ok(windows) if windows.len() == count => Ok(()),
            windows => Err(format!("{windows:?}")),
        })
    }

    /// Opens the menu of code actions until it has at least so many entries.
    pub fn open_menu(&self, entries: u32) -> Result<()> {
        wait::until(&format!("a menu of {entries} entries"), PATIENCE, || {
            let problem = |error: anyhow::Error| error.to_string();
            self.press(&["alt+Return"]).map_err(problem)?;
            let is_open =
                wait::until("the menu", MENU, || match self.windows().map_err(problem)?.as_slice() {
                    [_, KateWindow { size: (width, height), .. }]
                        if *width > LEAST_ACTION && *height > entries * LEAST_ENTRY =>
                    {
                        Ok(())
                    }
                    windows => Err(format!("{windows:?}")),
                });
            is_open.map_err(|error| {
                // The server has not got so far.
                let _ = self.press(&["Escape"]);
                error.to_string()
            })
        })
    }

    /// Presses a key, and gives Kate a moment to draw what it does, such as a step in a menu.
    pub fn press_and_see(&self, key: &str) -> Result<()> {
        // A menu may reach out of the window.
        let before = fs::read(&self.frames)?;
        self.press(&[key])?;
        let changes = || match fs::read(&self.frames) {
            Ok(now) if now != before => Ok(()),
            Ok(_) => Err("it is the same".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        // Not every key changes the screen.
        let _ = wait::until("another picture", STEP, changes);
        Ok(())
    }

    /// Waits until nothing is drawn for a while.
    pub fn wait_until_still(&self) -> Result<()> {
        let mut last = self.picture()?;
        wait::until("a still picture", PATIENCE, || {
            std::thread::sleep(STILL);
            let now = self.picture().map_err(|error| error.to_string())?;
            let is_still = now == last;
            last = now;
            if is_still { Ok(()) } else { Err("it changes".into()) }
        })
    }

    /// Kate's window as rows of red, green and blue bytes, with its width and height.
    ///
    /// # Errors
    /// When the screen has another format.
    pub fn picture(&self) -> Result<(Vec<u8>, u32, u32)> {
        let frame = fs::read(&self.frames)?;
        let field = |index: usize| -> Result<usize> {
            let bytes = frame.get(index * 4..index * 4 + 4).context("a whole header")?;
            Ok(u32::from_be_bytes(bytes.try_into()?) as usize)
        };
        // As XWDFile.h has them: the header's size, bits and bytes, and the colours that follow it.
        let (header, bits, row, colours) = (field(0)?, field(11)?, field(12)?, field(19)?);
        anyhow::ensure!(bits == 32, "a pixel has {bits} bits");
        let mut pixels = Vec::new();
        for y in 0..WINDOW.1 as usize {
            let at = header + colours * 12 + y * row;
            let line = frame.get(at..at + WINDOW.0 as usize * 4).context("a whole line")?;
            pixels.extend(line.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]));
        }
        Ok((pixels, WINDOW.0, WINDOW.1))
    }
}

/// Kate, installed now if it is missing.
pub fn install_kate() -> Result<Kate, InstallError> {
    install_trees(|cache| {
        let tree = Tree::install(cache, Generation::Newest.suite(), &RECIPE)?;
        let server = tree.path("usr/bin/Xvfb.patched");
        let broken = |error: std::io::Error| InstallError::Broken(format!("{}: {error}", server.display()));
        if !server.exists() {
            let new = server.with_extension("new");
            fs::copy(tree.path("usr/bin/Xvfb"), &new).map_err(broken)?;
            let program = fs::read(&new).map_err(broken)?;
            fs::write(&new, without_directory(program)).map_err(broken)?;
            fs::rename(&new, &server).map_err(broken)?;
        }
        Ok(Kate { tree, server })
    })
}

/// The X server without the directory of its compiler of keyboards, which then comes from PATH.
fn without_directory(mut program: Vec<u8>) -> Vec<u8> {
    const DIRECTORY: &[u8] = b"\0/usr/bin\0";
    if let Some(at) = program.windows(DIRECTORY.len()).position(|bytes| bytes == DIRECTORY) {
        program[at + 1] = 0;
    }
    program
}
