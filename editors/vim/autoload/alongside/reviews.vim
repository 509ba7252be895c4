vim9script
# The waiting reviews.

import autoload './context.vim'
import autoload './server.vim'

# A review has the fields that the server sends (id, file, original, current, revision, hunks, display, …), and
#   desk
#   left, right: its buffers, 0 before it is shown
#   listener: the id of the listener to the buffer on the right
#   return_window: the window in which the person worked before
#   base: the revision on which the text on the right is based
#   pending_sends: the number of texts that the server has not answered
#   timer: the timer that sends the next text
#   is_updating: whether the plugin changes the text on the right, and not the person
#   is_decided: whether the person has decided, and the server has not answered yet

export def All(): list<dict<any>>
  return server.Desks()->mapnew((_, desk) => desk.reviews)->flattennew(1)
enddef

export def Find(desk: dict<any>, id: number): dict<any>
  final found = desk.reviews->copy()->filter((_, review) => review.id == id)
  return get(found, 0, {})
enddef

# Returns the review of the current buffer, or else of the current file, or an empty dictionary.
export def Current(): dict<any>
  final buffer = bufnr()
  final file = resolve(context.File(buffer))
  final found = All()->filter((_, review) =>
    review.right == buffer || review.left == buffer || file != '' && resolve(review.file) == file)
  return get(found, 0, {})
enddef

# Returns the review that a buffer shows, or an empty dictionary.
export def OfBuffer(buffer: number): dict<any>
  final found = All()->filter((_, review) => review.right == buffer || review.left == buffer)
  return get(found, 0, {})
enddef
