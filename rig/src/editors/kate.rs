//! Installs Kate from Debian, and runs it on an X screen in memory. Keys are sent by xdotool, which also
//! reads the titles of windows.

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
    removes_rpaths: true,
    version_argument: "",
};

/// The width and height of the screen, in pixels.
const SCREEN_SIZE: (u32, u32) = (1024, 768);

/// The width and height of Kate's window, in pixels.
const WINDOW_SIZE: (u32, u32) = (900, 460);

/// The longest wait for the menu of code actions before it is opened again.
const MENU_TIMEOUT: Duration = Duration::from_secs(1);
/// The longest wait until the screen changes after a key.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(1);

/// A little less than the height of a menu's entry, in pixels.
const MIN_ENTRY_HEIGHT: u32 = 20;

/// Less than the width of a menu with actions, in pixels, and more than that of a menu with the entry
/// `Loading...` or `No Actions`.
const MIN_ACTION_WIDTH: u32 = 150;

/// The time between two pictures that have to be the same. The cursor blinks at shorter intervals.
const STILL_TIME: Duration = Duration::from_millis(700);

/// An installed Kate.
#[derive(Debug, Clone)]
pub struct Kate {
    tree: Tree,
    /// The path of the X server, which is patched to find its keyboard compiler, `xkbcomp`, in PATH.
    server: PathBuf,
}

impl Kate {
    /// Returns its version, as Debian writes it.
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

    /// Starts a screen, and a message bus, over which `kate --pid` reaches a running Kate.
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
        let (width, height) = SCREEN_SIZE;
        x.args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24")]);
        // Without GLX, because it would draw with LLVM and load libraries of the machine. Without repetition
        // of keys (`-r`), because a key that is released late would repeat.
        x.args(["-nolisten", "tcp", "-noreset", "-extension", "GLX", "-r", "-xkbdir"])
            .arg(self.tree.path("usr/share/X11/xkb"));
        let (x, number) = start_and_read_line(x.arg("-fbdir").arg(&frames))?;
        let configuration = sandbox.run().join("bus.conf");
        fs::write(&configuration, bus_configuration(&sandbox.run()))?;
        let mut bus = command(&self.tree.path("usr/bin/dbus-daemon"));
        bus.arg(format!("--config-file={}", configuration.display()));
        let (bus, address) = start_and_read_line(bus.args(["--nofork", "--print-address=1"]))?;
        Ok(KateScreen {
            xdotool: self.tree.path("usr/bin/xdotool"),
            display: format!(":{number}"),
            bus_address: address,
            frames: frames.join("Xvfb_screen0"),
            _processes: [x, bus],
        })
    }
}

/// Starts a process that prints one line once it is ready, and returns the line.
fn start_and_read_line(command: &mut Command) -> Result<(Process, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?;
    let mut line = String::new();
    let stdout = child.stdout.take().context("the standard stream is not piped")?;
    let process = Process(child);
    BufReader::new(stdout).read_line(&mut line)?;
    match line.trim() {
        "" => bail!("{command:?} ends at once"),
        line => Ok((process, line.to_owned())),
    }
}

/// A process, which is killed when this value is dropped.
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
    /// The file with the screen's content, in the format of X window dumps.
    frames: PathBuf,
    /// The processes of the screen and the bus.
    _processes: [Process; 2],
}

impl KateScreen {
    /// Returns the variables by which programs find the screen and the bus.
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

    /// Returns Kate's visible windows.
    pub fn windows(&self) -> Result<Vec<KateWindow>> {
        let ids = self.xdotool(&["search", "--onlyvisible", "--class", "kate"])?;
        let mut windows = Vec::new();
        for id in ids.split_whitespace() {
            let output = self.xdotool(&["getwindowname", id, "getwindowgeometry", "--shell", id])?;
            let pixels = |name: &str| output.lines().find_map(|line| line.strip_prefix(name)?.parse().ok());
            // The window may have been closed meanwhile.
            let (Some(width), Some(height)) = (pixels("WIDTH="), pixels("HEIGHT=")) else { continue };
            let title = output.lines().next().unwrap_or_default().to_owned();
            windows.push(KateWindow { id: id.to_owned(), title, size: (width, height) });
        }
        Ok(windows)
    }

    /// Waits until no window of another program is visible. A menu of Kate that is about to close may look
    /// like one.
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

    /// Waits until a window has a title that `is_wanted` accepts, and returns the window.
    pub fn wait_for_title(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> Result<KateWindow> {
        wait::until(what, PATIENCE, || {
            let windows = self.windows().map_err(|error| error.to_string())?;
            let found = windows.iter().find(|window| is_wanted(&window.title));
            found.cloned().ok_or_else(|| format!("{windows:?}"))
        })
    }

    /// Waits for Kate's window with this file and for Kate's question whether it may start a server, answers
    /// yes, gives the window the keyboard focus, and sets its size.
    pub fn allow_server(&self, file: &str) -> Result<()> {
        let window = self.wait_for_title("Kate", |title| title.contains(file))?;
        let question = self.wait_for_title("the question", |title| title.starts_with("LSP server start"))?;
        self.focus(&question, false)?;
        self.press(&["Return"])?;
        self.wait_for_windows(1)?;
        self.focus(&window, true)
    }

    /// Gives a window the keyboard focus, and with `resize` the size of the pictures.
    pub fn focus(&self, window: &KateWindow, resize: bool) -> Result<()> {
        let [width, height] = [WINDOW_SIZE.0, WINDOW_SIZE.1].map(|pixels| pixels.to_string());
        if resize {
            self.xdotool(&["windowsize", "--sync", &window.id, &width, &height])?;
        }
        // The pointer stays outside the window.
        let (right, bottom) = (SCREEN_SIZE.0 - 1, SCREEN_SIZE.1 - 1);
        self.xdotool(&["mousemove", &right.to_string(), &bottom.to_string()])?;
        self.xdotool(&["windowfocus", "--sync", &window.id]).map(drop)
    }

    /// Presses keys, in the notation of xdotool: `ctrl+s`.
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

    /// Opens the menu of code actions, again and again, until it has at least `entries` entries.
    pub fn open_menu(&self, entries: u32) -> Result<()> {
        wait::until(&format!("a menu of {entries} entries"), PATIENCE, || {
            let problem = |error: anyhow::Error| error.to_string();
            self.press(&["alt+Return"]).map_err(problem)?;
            let is_open =
                wait::until("the menu", MENU_TIMEOUT, || match self.windows().map_err(problem)?.as_slice() {
                    [_, KateWindow { size: (width, height), .. }]
                        if *width > MIN_ACTION_WIDTH && *height > entries * MIN_ENTRY_HEIGHT =>
                    {
                        Ok(())
                    }
                    windows => Err(format!("{windows:?}")),
                });
            is_open.map_err(|error| {
                // The language server has not sent the actions yet.
                let _ = self.press(&["Escape"]);
                error.to_string()
            })
        })
    }

    /// Presses a key, and gives Kate a moment to draw the effect, such as a step in a menu.
    pub fn press_and_see(&self, key: &str) -> Result<()> {
        // The whole screen, because a menu may extend beyond the window.
        let before = fs::read(&self.frames)?;
        self.press(&[key])?;
        let changes = || match fs::read(&self.frames) {
            Ok(now) if now != before => Ok(()),
            Ok(_) => Err("the picture is the same".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        // Not every key changes the screen.
        let _ = wait::until("another picture", CHANGE_TIMEOUT, changes);
        Ok(())
    }

    /// Waits until two successive pictures of the window are the same.
    pub fn wait_until_still(&self) -> Result<()> {
        let mut last = self.picture()?;
        wait::until("a still picture", PATIENCE, || {
            std::thread::sleep(STILL_TIME);
            let now = self.picture().map_err(|error| error.to_string())?;
            let is_still = now == last;
            last = now;
            if is_still { Ok(()) } else { Err("the picture changes".into()) }
        })
    }

    /// Returns Kate's window as rows of red, green and blue bytes, with its width and height.
    ///
    /// # Errors
    /// When the screen has another format.
    pub fn picture(&self) -> Result<(Vec<u8>, u32, u32)> {
        let frame = fs::read(&self.frames)?;
        let field = |index: usize| -> Result<usize> {
            let bytes = frame.get(index * 4..index * 4 + 4).context("the frame ends within its header")?;
            Ok(u32::from_be_bytes(bytes.try_into()?) as usize)
        };
        // Fields of XWDFile.h: the header's size, the bits of a pixel, the bytes of a row, and the number of
        // colours that follow the header.
        let (header_size, bits, row_size, colours) = (field(0)?, field(11)?, field(12)?, field(19)?);
        anyhow::ensure!(bits == 32, "a pixel has {bits} bits");
        let mut pixels = Vec::new();
        for y in 0..WINDOW_SIZE.1 as usize {
            let at = header_size + colours * 12 + y * row_size;
            let line =
                frame.get(at..at + WINDOW_SIZE.0 as usize * 4).context("the frame ends within a line")?;
            pixels.extend(line.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]));
        }
        Ok((pixels, WINDOW_SIZE.0, WINDOW_SIZE.1))
    }
}

/// Returns Kate, and installs it first if it is missing.
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

/// Returns the X server's program without the directory of the keyboard compiler, which is then found in
/// PATH.
fn without_directory(mut program: Vec<u8>) -> Vec<u8> {
    const DIRECTORY: &[u8] = b"\0/usr/bin\0";
    if let Some(at) = program.windows(DIRECTORY.len()).position(|bytes| bytes == DIRECTORY) {
        program[at + 1] = 0;
    }
    program
}
