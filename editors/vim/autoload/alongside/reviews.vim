vim9script
# The proposals that wait.

import autoload './context.vim'
import autoload './server.vim'

# A review has all that the server says of it (id, file, original, current, revision, hunks, display, …), and
#   desk
#   left, right: its buffers, 0 before it is shown
#   listener: the id of the listener to the buffer on the right
#   home: the window from which the person came
#   base: the revision of which the text on the right was made
#   sending: how many texts are on their way; timer: of the next one
#   is_following: whether we change the text on the right, and not the person
#   is_decided: whether the person has decided, and the server has not answered yet

export def All(): list<dict<any>>
  return server.Desks()->mapnew((_, desk) => desk.reviews)->flattennew(1)
enddef

export def Find(desk: dict<any>, id: number): dict<any>
  final found = desk.reviews->copy()->filter((_, one) => one.id == id)
  return get(found, 0, {})
enddef

# Returns the review of the current buffer, or else of the current file, or an empty dictionary.
export def Current(): dict<any>
  final buffer = bufnr()
  final file = resolve(context.File(buffer))
  final found = All()->filter((_, one) =>
    one.right == buffer || one.left == buffer || file != '' && resolve(one.file) == file)
  return get(found, 0, {})
enddef

# The review that a buffer shows, or an empty one.
export def OfBuffer(buffer: number): dict<any>
  final found = All()->filter((_, one) => one.right == buffer || one.left == buffer)
  return get(found, 0, {})
enddef
