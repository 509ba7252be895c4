//! The styles of the desk, for light and dark backgrounds and for each number of colours that a terminal may
//! have. No meaning depends on colour alone: signs and words repeat it, so a terminal without colours shows
//! the same information.

mod tones;

use ratatui_core::style::{Color, Modifier, Style};

use crate::colour::Class;
use crate::options::Theme;
use tones::Tone;

/// The number of colours that the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// No colours, also if the person wants none (`NO_COLOR`): bold, underlined and reversed text only.
    None,
    /// The 16 named colours, whose values the person configures in the terminal.
    Sixteen,
    /// 256 colours by number.
    Indexed,
    /// 24-bit colours.
    True,
}

impl Depth {
    /// The depth that the environment variables promise. `variable` returns the value of a variable.
    pub(crate) fn promised(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name| variable(name).unwrap_or_default();
        let term = value("TERM");
        // SSH passes TERM on to another machine, but not COLORTERM. These terminals have 24-bit colours.
        let with_true_colours = ["alacritty", "contour", "foot", "xterm-ghostty", "xterm-kitty", "wezterm"];
        if !value("NO_COLOR").is_empty() || term == "dumb" {
            Self::None
        } else if matches!(value("COLORTERM").as_str(), "truecolor" | "24bit")
            || term.ends_with("-direct")
            || with_true_colours.iter().any(|name| term.starts_with(name))
        {
            Self::True
        } else if term.contains("256color") {
            Self::Indexed
        } else {
            Self::Sixteen
        }
    }
}

/// The styles of the desk. They are patched onto one another: an unset part of a style keeps the style below.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    /// Plain text.
    pub(crate) text: Style,
    /// Less important text: hints, numbers, the fold rows.
    pub(crate) quiet: Style,
    /// Titles of panels, file names.
    pub(crate) heading: Style,
    /// Lines between panels.
    pub(crate) border: Style,
    /// The name of a key.
    pub(crate) key: Style,
    /// The chosen row of a list.
    pub(crate) selected: Style,
    /// Warnings: stale, dirty, outside the roots.
    pub(crate) warning: Style,
    /// Line numbers.
    pub(crate) number: Style,
    /// The line in the margin beside a hunk.
    pub(crate) margin: Style,
    /// The margin beside the hunk that keys act on.
    pub(crate) cursor: Style,
    /// The row in place of folded lines.
    pub(crate) fold: Style,
    /// Escapes and other signs that are not part of the text.
    pub(crate) mark: Style,
    /// The sign at the end of a cut line, if the part behind it has a change.
    pub(crate) hidden: Style,
    /// The person's own text: their reasons and comments.
    pub(crate) reason: Style,
    /// Matches of a search.
    pub(crate) found: Style,
    /// The current match of a search.
    pub(crate) found_here: Style,
    /// Lines that the proposal adds.
    pub(crate) added: Change,
    /// Lines that the proposal removes.
    pub(crate) removed: Change,
    /// Lines that the person wrote.
    pub(crate) edited: Change,
    /// Proposed lines that the person dropped.
    pub(crate) dropped: Change,
    /// Whether changed lines have syntax colours. With 16 colours, the colour of the text shows the change
    /// instead.
    pub(crate) syntax_in_changes: bool,
    /// The styles of source code, by [`Class`].
    classes: [Style; Class::ALL.len()],
}

/// The styles of a changed line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    /// The line, to the edge of its column.
    pub(crate) line: Style,
    /// The sign of the line.
    pub(crate) sign: Style,
    /// The words of the line that differ.
    pub(crate) words: Style,
}

impl Palette {
    /// Creates the palette for a background and a number of colours.
    pub(crate) fn new(theme: Theme, depth: Depth) -> Self {
        match depth {
            Depth::None => Self::plain(),
            Depth::Sixteen => Self::sixteen(theme),
            Depth::Indexed => Self::coloured(theme, Tone::indexed),
            Depth::True => Self::coloured(theme, Tone::rgb),
        }
    }

    /// The style of a token of source code.
    pub(crate) fn class(&self, class: Class) -> Style {
        self.classes[class as usize]
    }

    fn plain() -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let underlined = plain.add_modifier(Modifier::UNDERLINED);
        let reversed = plain.add_modifier(Modifier::REVERSED);
        let change = Change { line: plain, sign: bold, words: bold.patch(underlined) };
        Self {
            heading: bold,
            key: bold,
            selected: reversed,
            warning: bold,
            cursor: bold,
            mark: underlined,
            hidden: reversed.patch(bold),
            reason: plain.add_modifier(Modifier::ITALIC),
            found: reversed,
            found_here: reversed.patch(bold).patch(underlined),
            added: change,
            removed: change,
            edited: change,
            dropped: Change { words: plain, ..change },
            ..Self::default()
        }
    }

    fn sixteen(theme: Theme) -> Self {
        let fg = |color| Style::new().fg(color);
        // The bright colours are made for dark backgrounds.
        let (blue, yellow) = match theme {
            Theme::Dark => (Color::LightBlue, Color::Yellow),
            Theme::Light => (Color::Blue, Color::Magenta),
        };
        let words = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        let change = |color| Change { line: fg(color), sign: fg(color), words };
        // Some colour schemes use grey, the bright black, as the background. So quiet text is dim instead.
        let quiet = Style::new().add_modifier(Modifier::DIM);
        Self {
            text: Style::new(),
            quiet,
            heading: Style::new().add_modifier(Modifier::BOLD),
            border: quiet,
            key: fg(Color::Cyan),
            selected: Style::new().add_modifier(Modifier::REVERSED),
            warning: fg(yellow).add_modifier(Modifier::BOLD),
            number: quiet,
            margin: quiet,
            cursor: fg(Color::Cyan).add_modifier(Modifier::BOLD),
            fold: quiet,
            mark: fg(Color::Magenta).add_modifier(Modifier::UNDERLINED),
            hidden: fg(yellow).add_modifier(Modifier::REVERSED | Modifier::BOLD),
            reason: fg(blue).add_modifier(Modifier::ITALIC),
            found: Style::new().add_modifier(Modifier::REVERSED),
            found_here: fg(yellow).add_modifier(Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED),
            added: change(Color::Green),
            removed: change(Color::Red),
            edited: change(blue),
            dropped: Change { line: quiet, sign: quiet, words: Style::new() },
            syntax_in_changes: false,
            classes: classes(|class| match class {
                Class::Comment => quiet,
                Class::String => fg(Color::Green),
                Class::Number | Class::Constant => fg(Color::Magenta),
                Class::Keyword => fg(blue),
                Class::Type => fg(Color::Cyan),
                Class::Function => fg(yellow),
            }),
        }
    }

    fn coloured(theme: Theme, shade: fn(Tone) -> Color) -> Self {
        let tones = match theme {
            Theme::Dark => &tones::DARK,
            Theme::Light => &tones::LIGHT,
        };
        let fg = |tone: Tone| Style::new().fg(shade(tone));
        let bg = |tone: Tone| Style::new().bg(shade(tone));
        let change = |[line, sign, words]: [Tone; 3]| Change {
            line: bg(line),
            sign: fg(sign).add_modifier(Modifier::BOLD),
            // Syntax colours would be hard to read on these backgrounds.
            words: bg(words).fg(shade(tones.words)),
        };
        let quiet = fg(tones.quiet);
        Self {
            text: Style::new(),
            quiet,
            heading: Style::new().add_modifier(Modifier::BOLD),
            border: fg(tones.border),
            key: fg(tones.accent).add_modifier(Modifier::BOLD),
            selected: bg(tones.selected).add_modifier(Modifier::BOLD),
            warning: fg(tones.warning).add_modifier(Modifier::BOLD),
            number: quiet,
            margin: fg(tones.border),
            cursor: fg(tones.accent).add_modifier(Modifier::BOLD),
            fold: fg(tones.quiet).bg(shade(tones.fold)),
            mark: fg(tones.mark),
            reason: fg(tones.edited[1]).add_modifier(Modifier::ITALIC),
            hidden: bg(tones.warning).fg(shade(tones.hidden_text)).add_modifier(Modifier::BOLD),
            found: bg(tones.found).fg(shade(tones.found_text)),
            found_here: bg(tones.found_here)
                .fg(shade(tones.found_text))
                .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            added: change(tones.added),
            removed: change(tones.removed),
            edited: change(tones.edited),
            dropped: Change { line: quiet, sign: quiet.add_modifier(Modifier::BOLD), words: Style::new() },
            syntax_in_changes: true,
            classes: classes(|class| fg(tones.classes[class as usize])),
        }
    }
}

fn classes(style: impl Fn(Class) -> Style) -> [Style; Class::ALL.len()] {
    Class::ALL.map(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_colours_as_the_environment_promises() {
        let depth = |set: &[(&str, &str)]| {
            Depth::promised(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into()))
        };
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Indexed);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(depth(&[("TERM", "xterm-kitty")]), Depth::True);
        assert_eq!(depth(&[("TERM", "linux")]), Depth::Sixteen);
        assert_eq!(depth(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]), Depth::None);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(depth(&[("TERM", "linux"), ("NO_COLOR", "")]), Depth::Sixteen, "empty is not set");
    }

    /// The red, green and blue of a colour, each up to 255.
    fn parts(colour: Color) -> [u8; 3] {
        match colour {
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Indexed(grey @ 232..) => [8 + 10 * (grey - 232); 3],
            Color::Indexed(number @ 16..) => {
                let step = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
                [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map(step)
            }
            other => panic!("the terminal chooses the value of {other}"),
        }
    }

    /// The contrast of two colours, as WCAG 2 computes it.
    fn contrast(one: Color, other: Color) -> f64 {
        let luminance = |colour: Color| {
            let [red, green, blue] = parts(colour).map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn all_text_and_all_marks_have_contrast() {
        // Backgrounds and text colours of common terminals.
        let rgb = Color::from_u32;
        let themes = [
            (Theme::Dark, [rgb(0x00_0000), rgb(0x1e_1e1e)], rgb(0xd4_d4d4)),
            (Theme::Light, [rgb(0xff_ffff), rgb(0xfa_fafa)], rgb(0x1f_2328)),
        ];
        for (theme, grounds, text) in themes {
            for depth in [Depth::Indexed, Depth::True] {
                let palette = Palette::new(theme, depth);
                let Palette { quiet, key, warning, number, fold, mark, reason, selected, .. } = palette;
                let code: Vec<Style> = Class::ALL.iter().map(|class| palette.class(*class)).collect();
                let changes = [palette.added, palette.removed, palette.edited];
                let check = |what: &str, style: Style, ground: Color, least: f64| {
                    let colour = style.fg.unwrap_or(text);
                    let found = contrast(colour, style.bg.unwrap_or(ground));
                    assert!(found >= least, "{what}, {theme:?} {depth:?}: {found:.2}");
                };
                for ground in grounds {
                    let signs = changes.iter().map(|change| change.sign);
                    let plain = [quiet, key, warning, number, fold, mark, reason, palette.dropped.line];
                    let alone = [palette.found, palette.found_here, palette.hidden, selected];
                    for style in plain.into_iter().chain(alone).chain(signs).chain(code.iter().copied()) {
                        check("text", style, ground, 4.5);
                    }
                    for style in [palette.margin, palette.border, palette.cursor] {
                        check("a mark", style, ground, 3.0);
                    }
                }
                for change in changes {
                    let on = |style: Style| Style { bg: change.line.bg, ..style };
                    for style in [change.line, on(change.sign), change.words, on(mark)] {
                        check("a change", style, grounds[0], 4.5);
                    }
                    for style in &code {
                        check("code in a change", on(*style), grounds[0], 4.5);
                    }
                }
                for style in [quiet, warning, palette.added.sign, palette.removed.sign] {
                    check("the chosen row", Style { bg: selected.bg, ..style }, grounds[0], 4.5);
                }
            }
        }
    }

    #[test]
    fn the_current_match_looks_different_at_every_depth() {
        for theme in [Theme::Dark, Theme::Light] {
            for depth in [Depth::None, Depth::Sixteen, Depth::Indexed, Depth::True] {
                let palette = Palette::new(theme, depth);
                let others = palette.text.patch(palette.found);
                let current = others.patch(palette.found_here);
                assert_ne!(current, others, "{theme:?} {depth:?}");
                assert_ne!(others, palette.text, "{theme:?} {depth:?}");
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        for theme in [Theme::Dark, Theme::Light] {
            let shown = format!("{:?}", Palette::new(theme, Depth::None));
            assert!(!shown.contains("fg: Some") && !shown.contains("bg: Some"), "{shown}");
            let shown = format!("{:?}", Palette::new(theme, Depth::Sixteen));
            assert!(!shown.contains("Rgb") && !shown.contains("Indexed"), "{shown}");
            let shown = format!("{:?}", Palette::new(theme, Depth::Indexed));
            assert!(!shown.contains("Rgb"), "{shown}");
        }
    }
}
