vim9script
# Messages that take neither focus nor keys.

# The popup, and its messages.
var popup = 0
var shown: list<string> = []

# All messages so far, for `:Alongside messages`.
var said: list<string> = []

# Shows messages in the corner for eight seconds. Messages that come together stay together.
export def Announce(messages: list<string>, highlight = 'Pmenu')
  if empty(messages)
    return
  endif
  if popup == 0 || empty(popup_getpos(popup))
    shown = []
  else
    popup_close(popup)
  endif
  final lines = messages->mapnew((_, message) => message->split("\n"))->flattennew()
  shown->extend(lines)
  shown = shown[-4 :]
  popup = popup_create(shown, {
    line: 2, col: &columns, pos: 'topright', time: 8000, mapping: false, wrap: true, highlight: highlight,
    padding: [0, 1, 0, 1], zindex: 300, tabpage: -1, maxwidth: max([20, &columns - 4]),
  })
  said->extend(lines->mapnew((_, line) => $'{strftime("%H:%M")} {line}'))
  said = said[-200 :]
enddef

# The person is where the message leads.
export def Close()
  if popup != 0
    popup_close(popup)
  endif
enddef

# `:messages` has no messages that Vim has not shown itself.
export def ShowAll()
  echo empty(said) ? 'No messages so far.' : join(said, "\n")
enddef

# Says why a command does nothing. A message that would ask for Enter goes to the corner.
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
