vim9script
# Messages in a popup, which gets neither the focus nor keys.

# The popup, and the lines in it.
var popup = 0
var shown_lines: list<string> = []

# The newest lines of earlier messages, for `:Alongside messages`.
var history: list<string> = []

# Shows messages in the corner for eight seconds, below those that are still shown.
export def Announce(messages: list<string>, highlight = 'Pmenu')
  if empty(messages)
    return
  endif
  if popup == 0 || empty(popup_getpos(popup))
    shown_lines = []
  else
    popup_close(popup)
  endif
  final lines = messages->mapnew((_, message) => message->split("\n"))->flattennew()
  shown_lines->extend(lines)
  shown_lines = shown_lines[-4 :]
  popup = popup_create(shown_lines, {
    line: 2, col: &columns, pos: 'topright', time: 8000, mapping: false, wrap: true, highlight: highlight,
    padding: [0, 1, 0, 1], zindex: 300, tabpage: -1, maxwidth: max([20, &columns - 4]),
  })
  history->extend(lines->mapnew((_, line) => $'{strftime("%H:%M")} {line}'))
  history = history[-200 :]
enddef

# Closes the popup: the person has opened the review that it announced.
export def Close()
  if popup != 0
    popup_close(popup)
  endif
enddef

# Shows the earlier messages. `:messages` of Vim does not list messages in popups.
export def ShowAll()
  echo empty(history) ? 'No messages so far.' : join(history, "\n")
enddef

# Shows why a command does nothing. A message that is too long for the command line is shown in the corner.
export def Error(message: string)
  if strdisplaywidth(message) >= &columns - 12 || mode() !~ '^[nc]'
    Announce([message], 'WarningMsg')
  else
    redraw
    echohl WarningMsg
    echomsg message
    echohl None
  endif
enddef
