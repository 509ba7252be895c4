vim9script
# Handles the events of reviews, and shows the review that the person asks for.

import autoload './reviews.vim'
import autoload './messages.vim'
import autoload './sending.vim'
import autoload './text.vim'
import autoload './view.vim'

export def HandleOpen(desk: dict<any>, params: dict<any>)
  final review = params->copy()
  review->extend({
    desk: desk, left: 0, right: 0, return_window: 0, base: params.revision, pending_sends: 0, timer: 0, is_updating: false,
    is_decided: false,
  })
  desk.reviews->add(review)
enddef

export def HandleChange(desk: dict<any>, params: dict<any>)
  final review = reviews.Find(desk, params.id)
  if !empty(review)
    if has_key(params, 'replacement')
      review.current = text.ApplyReplacement(review.current, params.replacement)
    endif
    for field in ['revision', 'hunks', 'display']
      review[field] = params[field]
    endfor
    sending.Update(review)
  endif
enddef

export def HandleClose(desk: dict<any>, params: dict<any>)
  final review = reviews.Find(desk, params.id)
  if empty(review)
    return
  endif
  desk.reviews->filter((_, other) => other.id != params.id)
  if params.closing == 'accepted'
    text.ReloadWhenWritten(review.file)
  endif
  view.Release(review, get(params, 'decidedHere', false))
enddef

# Handles the end of a server, with which its reviews end.
export def ReleaseAll(desk: dict<any>)
  for review in desk.reviews
    view.Release(review, false)
  endfor
enddef

# Shows the review of this file, or else the only review, or else the review that the person chooses.
export def Show()
  final waiting = reviews.All()
  final mine = reviews.Current()
  if empty(waiting)
    messages.Error('No proposal waits.')
  elseif !empty(mine)
    view.Show(mine)
  elseif len(waiting) == 1
    view.Show(waiting[0])
  else
    final titles = waiting->mapnew((at, review) => $'{at + 1}: {review.display.title}')
    final chosen = inputlist(['Which proposal?'] + titles)
    if chosen > 0 && chosen <= len(waiting)
      view.Show(waiting[chosen - 1])
    endif
  endif
enddef

export def ShowNext()
  final waiting = reviews.All()
  if empty(waiting)
    messages.Error('No proposal waits.')
    return
  endif
  final here = reviews.Current()
  final at = waiting->indexof((_, review) => review is here)
  view.Show(waiting[(at + 1) % len(waiting)])
enddef
