vim9script
# Keeps the text of the proposal's buffer and that of the companion equal.

import autoload './reviews.vim'
import autoload './messages.vim'
import autoload './server.vim'
import autoload './text.vim'

# Sends the text of a proposal 0.3 s after the person's last edit.
export def ScheduleSend(buffer: number)
  final review = reviews.OfBuffer(buffer)
  if !empty(review) && buffer == review.right && !review.is_updating && !review.is_decided
    StopTimer(review)
    review.timer = timer_start(300, (_) => Send(review, false))
  endif
enddef

export def IsUnsent(review: dict<any>): bool
  return review.timer != 0 || review.pending_sends > 0
enddef

# Sends unsent text of the proposal's buffer before Vim unloads the buffer.
export def SendBeforeUnload(buffer: number)
  final review = reviews.OfBuffer(buffer)
  if !empty(review)
    listener_flush(buffer)
    if review.timer != 0
      Send(review, true)
    endif
  endif
enddef

def StopTimer(review: dict<any>)
  if review.timer != 0
    timer_stop(review.timer)
    review.timer = 0
  endif
enddef

# Stops sending text of a review that has ended, or whose decision contains the text.
export def StopSending(review: dict<any>)
  if review.right != 0 && bufloaded(review.right)
    listener_flush(review.right)
  endif
  StopTimer(review)
enddef

# Sends the text of a review. Without `now`, the text waits until the server has answered earlier ones.
def Send(review: dict<any>, now: bool)
  StopTimer(review)
  if !bufloaded(review.right) || review.pending_sends > 0 && !now
    return
  endif
  final content = text.Of(review.right)
  if content == review.current && review.base == review.revision
    SetModified(review)
    return
  endif
  review.pending_sends += 1
  server.Request(review.desk, 'alongside/setReviewText', Params(review, content), (_) => HandleSent(review, content),
    (error) => {
      review.pending_sends -= 1
      messages.Error($'Your text is only in this buffer: {error.message}')
    })
enddef

# Returns the parameters of a request with a text, as its difference from the newest text.
export def Params(review: dict<any>, content: string): dict<any>
  final params: dict<any> = {id: review.id, revision: review.base, from: review.revision}
  if content != review.current
    params.replacement = text.Replacement(review.current, content)
  endif
  return params
enddef

# Handles the answer of the companion to a text. The companion has merged it with the edits of other desks into the
# newest text, which arrived before the answer.
def HandleSent(review: dict<any>, content: string)
  review.pending_sends -= 1
  if review.pending_sends > 0 || !bufloaded(review.right)
    # Only the answer to the newest text is handled.
    return
  endif
  if content == text.Of(review.right)
    ShowNewest(review)
    return
  endif
  # If the merge has not changed the text, later edits are based on its revision. Otherwise the server merges them on the
  # earlier base.
  if content == review.current
    review.base = review.revision
  endif
  Send(review, false)
enddef

# Shows the newest text, unless there are unsent edits.
export def Update(review: dict<any>)
  if review.right != 0 && bufloaded(review.right) && !IsUnsent(review)
    ShowNewest(review)
  endif
enddef

def ShowNewest(review: dict<any>)
  Replace(review, review.current)
  review.base = review.revision
  SetModified(review)
enddef

def Replace(review: dict<any>, content: string)
  listener_flush(review.right)
  review.is_updating = true
  text.Replace(review.right, content)
  listener_flush(review.right)
  review.is_updating = false
enddef

# Sets 'modified' in a proposal with text that the person typed: Vim quits only with `!` then.
export def SetModified(review: dict<any>)
  final is_edited = review.hunks->indexof((_, hunk) => hunk.state == 'edited') >= 0
  setbufvar(review.right, '&modified', is_edited)
enddef

# Sends unsent text at once: the companion is about to answer the agent.
export def Flush(desk: dict<any>, params: dict<any>)
  for review in desk.reviews->copy()->filter((_, other) => other.id == params.id && other.right != 0)
    listener_flush(review.right)
    if review.timer != 0
      Send(review, true)
    endif
  endfor
enddef

# Sends all unsent text before Vim ends, and waits until the server has it.
export def SendAll()
  for desk in server.Desks()
    for review in desk.reviews
      if review.right == 0 || !bufloaded(review.right) || review.is_decided
        continue
      endif
      listener_flush(review.right)
      if IsUnsent(review)
        server.RequestNow(desk, 'alongside/setReviewText', Params(review, text.Of(review.right)))
      endif
    endfor
  endfor
enddef
