vim9script
# Keeps the text of the proposal's buffer and that of the companion equal.

import autoload './reviews.vim'
import autoload './messages.vim'
import autoload './server.vim'
import autoload './text.vim'

# Sends the text of a proposal 0.3 s after the person's last edit.
export def ScheduleSend(buffer: number)
  final one = reviews.OfBuffer(buffer)
  if !empty(one) && buffer == one.right && !one.is_updating && !one.is_decided
    StopTimer(one)
    one.timer = timer_start(300, (_) => Send(one, false))
  endif
enddef

export def IsUnsent(one: dict<any>): bool
  return one.timer != 0 || one.pending_sends > 0
enddef

# Sends unsent text of the proposal's buffer before Vim unloads the buffer.
export def SendBeforeUnload(buffer: number)
  final one = reviews.OfBuffer(buffer)
  if !empty(one)
    listener_flush(buffer)
    if one.timer != 0
      Send(one, true)
    endif
  endif
enddef

def StopTimer(one: dict<any>)
  if one.timer != 0
    timer_stop(one.timer)
    one.timer = 0
  endif
enddef

# Stops sending text of a review that has ended, or whose decision contains the text.
export def StopSending(one: dict<any>)
  if one.right != 0 && bufloaded(one.right)
    listener_flush(one.right)
  endif
  StopTimer(one)
enddef

# Sends the text of a review. Without `now`, the text waits until the server has answered earlier ones.
def Send(one: dict<any>, now: bool)
  StopTimer(one)
  if !bufloaded(one.right) || one.pending_sends > 0 && !now
    return
  endif
  final content = text.Of(one.right)
  if content == one.current && one.base == one.revision
    SetModified(one)
    return
  endif
  one.pending_sends += 1
  server.Request(one.desk, 'alongside/setReviewText', Params(one, content), (_) => HandleSent(one, content),
    (error) => {
      one.pending_sends -= 1
      messages.Error($'Your text is only in this buffer: {error.message}')
    })
enddef

# Returns the parameters of a request with a text, as its difference from the newest text.
export def Params(one: dict<any>, content: string): dict<any>
  final params: dict<any> = {id: one.id, revision: one.base, from: one.revision}
  if content != one.current
    params.replacement = text.Replacement(one.current, content)
  endif
  return params
enddef

# Handles the answer of the companion to a text. The companion has merged it with the edits of other desks into the
# newest text, which arrived before the answer.
def HandleSent(one: dict<any>, content: string)
  one.pending_sends -= 1
  if one.pending_sends > 0 || !bufloaded(one.right)
    # Only the answer to the newest text is handled.
    return
  endif
  if content == text.Of(one.right)
    ShowNewest(one)
    return
  endif
  # If the merge has not changed the text, later edits are based on its revision. Otherwise the server merges them on the
  # earlier base.
  if content == one.current
    one.base = one.revision
  endif
  Send(one, false)
enddef

# Shows the newest text, unless there are unsent edits.
export def Update(one: dict<any>)
  if one.right != 0 && bufloaded(one.right) && !IsUnsent(one)
    ShowNewest(one)
  endif
enddef

def ShowNewest(one: dict<any>)
  Replace(one, one.current)
  one.base = one.revision
  SetModified(one)
enddef

def Replace(one: dict<any>, content: string)
  listener_flush(one.right)
  one.is_updating = true
  text.Replace(one.right, content)
  listener_flush(one.right)
  one.is_updating = false
enddef

# Sets 'modified' in a proposal with text that the person typed: Vim quits only with `!` then.
export def SetModified(one: dict<any>)
  final is_edited = one.hunks->indexof((_, hunk) => hunk.state == 'edited') >= 0
  setbufvar(one.right, '&modified', is_edited)
enddef

# Sends unsent text at once: the companion is about to answer the agent.
export def Flush(desk: dict<any>, params: dict<any>)
  for one in desk.reviews->copy()->filter((_, other) => other.id == params.id && other.right != 0)
    listener_flush(one.right)
    if one.timer != 0
      Send(one, true)
    endif
  endfor
enddef

# Sends all unsent text before Vim ends, and waits until the server has it.
export def SendAll()
  for desk in server.Desks()
    for one in desk.reviews
      if one.right == 0 || !bufloaded(one.right) || one.is_decided
        continue
      endif
      listener_flush(one.right)
      if IsUnsent(one)
        server.RequestNow(desk, 'alongside/setReviewText', Params(one, text.Of(one.right)))
      endif
    endfor
  endfor
enddef
