//! Tests of the rig's screen itself, with small shell programs.

use std::time::{Duration, Instant};

use alongside_rig::screen::{Answers, Screen, Terminal, Wheel, key};
use alongside_rig::{Sandbox, wait};
use anyhow::Result;

fn shell(sandbox: &Sandbox, terminal: &Terminal, script: &str) -> Result<Screen> {
    Screen::start(sandbox, terminal, ["bash", "--norc", "--noprofile", "-c", script])
}

fn small() -> Terminal {
    Terminal::new(40, 6)
}

#[test]
fn screen_passes_keys_text_colours_and_exit_status() -> Result<()> {
    let sandbox = Sandbox::new();
    let script = r"read -r name; printf 'a \e[1;31mred\e[m %s 漢字!' $name; exit 7";
    let mut screen = shell(&sandbox, &small(), script)?;
    screen.press("Ada\r")?;
    assert_eq!(screen.wait_for_exit()?.code(), Some(7));
    assert_eq!(screen.text()?, "Ada\na red Ada 漢字!");
    let (row, column) = screen.position_of("red")?;
    assert_eq!((row, column), (1, 2));
    let picture = screen.picture()?;
    let cell = picture.cell(row, column).expect("on the screen");
    assert_eq!((cell.fgcolor(), cell.bold()), (vt100::Color::Idx(1), true));
    // Wide characters take two cells.
    assert_eq!(screen.position_of("!")?, (1, 14));
    assert!(screen.position_of("blue").is_err());
    Ok(())
}

#[test]
fn unrestored_terminal_state_is_reported() -> Result<()> {
    let sandbox = Sandbox::new();
    let change = r"printf '\e[?1049h\e[?25l\e[?1000h\e[?1006h\e[?2004h\e[?1004h\e[>1u\e[32m'; stty raw -echo";
    let restore = r"stty sane; printf '\e[m\e[<u\e[?1004;2004l\e[?1006l\e[?1000l\e[?25h\e[?1049l'";
    let mut screen = shell(&sandbox, &small(), change)?;
    screen.wait_for_exit()?;
    let unrestored = screen.unrestored_state()?;
    let names = [
        "the alternate screen",
        "a hidden cursor",
        "the mouse",
        "the mouse's encoding",
        "bracketed paste",
        "colours or styles",
        "a keyboard protocol",
        "private mode 1004",
    ];
    assert_eq!(unrestored[..8], names, "{unrestored:#?}");
    assert!(unrestored[8].starts_with("terminal settings"), "{unrestored:#?}");
    let mut screen =
        shell(&sandbox, &small(), &format!("before=$(stty -g); {change}; {restore}; stty $before"))?;
    screen.wait_for_exit()?;
    assert_eq!(screen.unrestored_state()?, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_new_window_size_is_reported_to_the_program() -> Result<()> {
    let sandbox = Sandbox::new();
    let script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.02; done";
    let screen = shell(&sandbox, &small(), script)?;
    screen.wait_for_text("6 40")?;
    screen.resize(50, 9)?;
    screen.wait_for_text("9 50")?;
    assert_eq!(screen.picture()?.size().1.get(), 50);
    Ok(())
}

#[test]
fn a_closed_window_hangs_up() -> Result<()> {
    let sandbox = Sandbox::new();
    let script = "trap 'echo told > hup; exit 3' HUP; echo ready; while :; do sleep 0.02; done";
    let mut screen = shell(&sandbox, &small(), script)?;
    screen.wait_for_text("ready")?;
    screen.hang_up();
    assert_eq!(screen.wait_for_exit()?.code(), Some(3));
    assert_eq!(std::fs::read_to_string(sandbox.project().join("hup"))?, "told\n");
    assert!(screen.press("a").is_err());
    Ok(())
}

#[test]
fn a_shell_stops_its_program_on_ctrl_z_and_brings_it_back() -> Result<()> {
    let sandbox = Sandbox::new();
    let terminal = small().with("PS1", "rig$ ");
    let screen = Screen::start(&sandbox, &terminal, ["bash", "--norc", "--noprofile", "-i"])?;
    screen.wait_for_text("rig$")?;
    screen.press_and_see("echo ready; cat\r", "\nready")?;
    screen.press("echoed\r")?;
    screen.wait_for("the echo of cat", |screen| screen.matches("echoed").count() == 2)?;
    screen.press_and_see(&key::ctrl('z').to_string(), "Stopped")?;
    screen.press("echo $((6 * 7)); fg\r")?;
    screen.wait_for_text("\n42")?;
    screen.press("again\r")?;
    screen.wait_for("the echo of cat", |screen| screen.matches("again").count() == 2)?;
    Ok(())
}

#[test]
fn screen_answers_queries_like_its_terminal() -> Result<()> {
    let sandbox = Sandbox::new();
    let script = r"stty raw -echo; printf '\e]11;?\e\\\e[c'; head -c $0 | od -An -c -w80 | tr -d ' '; echo";
    let answer = |answers, length: &str| -> Result<String> {
        let terminal = Terminal::new(80, 6).answering(answers);
        let mut screen =
            Screen::start(&sandbox, &terminal, ["bash", "--norc", "--noprofile", "-c", script, length])?;
        screen.wait_for_exit()?;
        screen.text()
    };
    assert!(answer(Answers::Dark, "34")?.contains(r"033]11;rgb:1212/1212/1212033\033[?62;22c"));
    assert!(answer(Answers::Light, "34")?.contains(r"033]11;rgb:fafa/fafa/fafa033\033[?62;22c"));
    assert!(answer(Answers::TypeOnly, "9")?.starts_with(r"033[?62;22c"));
    let silent = small().answering(Answers::Nothing);
    let mut screen = shell(&sandbox, &silent, r"printf '\e[c\e]11;?\e\\'; read -rsn1 -t 1; echo status $?")?;
    screen.wait_for_exit()?;
    assert_eq!(screen.text()?, "status 142", "a read that ran into its time-out");
    Ok(())
}

#[test]
fn mouse_focus_and_paste_marks_need_a_request() -> Result<()> {
    let sandbox = Sandbox::new();
    let script = r"stty raw -echo; printf ready; head -c 4 | od -An -c; stty sane; stty raw -echo
        printf '\e[?1000h\e[?1006h\e[?2004h\e[?1004hasked'; head -c 49 | od -An -c -w80 | tr -d ' '";
    let mut screen = shell(&sandbox, &Terminal::new(80, 6), script)?;
    screen.wait_for_text("ready")?;
    assert!(screen.click((0, 0)).is_err());
    assert!(screen.wheel(Wheel::Up, (0, 0)).is_err());
    assert!(screen.focus(true).is_err());
    screen.paste("a\nb\n")?;
    screen.wait_for_text(r"a  \r   b  \r")?;
    screen.wait_for_text("asked")?;
    screen.click((2, 10))?;
    screen.wheel(Wheel::Down, (0, 0))?;
    screen.focus(false)?;
    screen.paste("a\nb\n")?;
    screen.wait_for_exit()?;
    let expected = r"033[<0;11;3M033[<0;11;3m033[<65;1;1M033[O033[200~a\rb\r033[201~";
    assert!(screen.text()?.contains(expected), "{}", screen.text()?);
    Ok(())
}

#[test]
fn a_slow_link_limits_the_rate_of_output() -> Result<()> {
    let sandbox = Sandbox::new();
    let start = Instant::now();
    let mut screen = shell(&sandbox, &small().slow(4000), "printf '%04096d' 0; printf '\nend'")?;
    screen.wait_for_exit()?;
    assert_eq!(screen.received()?, 4096 + 5);
    assert!(screen.text()?.ends_with("end"));
    // At 4,000 bytes per second, the output takes more than one second, on the fastest machine, too.
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn the_wait_for_silence_outlasts_pauses_of_the_program() -> Result<()> {
    let sandbox = Sandbox::new();
    // The script starts no program before it falls silent, because a start alone may take a second on a busy
    // machine.
    let pauses = "for i in 1 2 3 4 5; do echo $i; read -t 0.05; done; sleep 1000";
    let screen = shell(&sandbox, &small(), pauses)?;
    screen.wait_for_text("1")?;
    screen.wait_for_silence(Duration::from_secs(1))?;
    assert_eq!(screen.text()?, "1\n2\n3\n4\n5");
    Ok(())
}

#[test]
fn children_end_with_their_screen() -> Result<()> {
    let sandbox = Sandbox::new();
    let screen = shell(&sandbox, &small(), "trap '' HUP TERM INT; sleep 1000 & echo ready; wait")?;
    screen.wait_for_text("ready")?;
    assert_eq!(sandbox.processes().len(), 2);
    drop(screen);
    wait::until("the end of both processes", Duration::from_secs(10), || {
        let processes = sandbox.processes();
        if processes.is_empty() { Ok(()) } else { Err(format!("{processes:?}")) }
    })
}

#[test]
fn a_failure_shows_the_screen() -> Result<()> {
    let sandbox = Sandbox::new();
    let screen = shell(&sandbox, &Terminal::new(10, 2), "printf 'a 漢 b'; sleep 1000")?;
    screen.wait_for_text("b")?;
    let error = screen.position_of("c").expect_err("there is none").to_string();
    assert_eq!(error, "\"c\" is not shown:\n+----------+\n|a 漢 b    |\n|          |\n+----------+\n");
    Ok(())
}
