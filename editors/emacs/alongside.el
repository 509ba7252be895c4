;;; alongside.el --- Review the changes that coding agents propose  -*- lexical-binding: t; -*-

;; Author: The alongside project
;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: tools, vc
;; URL: https://alongside.invalid
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Gemini CLI and Qwen Code find this Emacs by themselves, learn which files
;; are open and what is selected, and propose changes.  `alongside-review'
;; shows a proposal as a diff: keep or drop single changes, edit the text,
;; accept or reject.
;;
;; `alongside-mode' is a global minor mode.  It starts `alongside lsp' once for
;; each project; this program must be installed.  The minibuffer asks only after
;; a command that you called, and a proposal never takes the focus.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'diff-mode)
(require 'face-remap)
(require 'jsonrpc)
(require 'subr-x)
(require 'url-util)

(defgroup alongside nil
  "Review the changes that coding agents propose."
  :group 'tools
  :prefix "alongside-")

(defcustom alongside-program "alongside"
  "The alongside program: a name in variable `exec-path', or a file."
  :type 'string)

(defcustom alongside-report-files t
  "Whether agents learn which files are open and what is selected."
  :type 'boolean)

(defcustom alongside-show-reviews nil
  "Whether a proposal is shown in another window as soon as it arrives.
The selected window stays selected."
  :type 'boolean)

(defcustom alongside-agents '("gemini" "qwen" "claude")
  "Commands that `alongside-run-agent' offers."
  :type '(repeat string))

;; In a terminal, Emacs often does not know the colour of the background.  So each
;; face that sets a foreground also sets a background.

(defface alongside-warning
  '((((class color) (min-colors 88) (background light))
     :foreground "#5f3a00" :background "#ffecc8" :weight bold :extend t)
    (((class color) (min-colors 88) (background dark))
     :foreground "#ffd9a0" :background "#4a3200" :weight bold :extend t)
    (t :inherit warning))
  "A warning that you should read before you decide.")

(defface alongside-note '((t :slant italic))
  "A note that is no warning.")

(defface alongside-dropped
  '((((class color) (min-colors 88) (background light))
     :foreground "#555555" :background "#ececec" :extend t)
    (((class color) (min-colors 88) (background dark))
     :foreground "#b4b4b4" :background "#303030" :extend t)
    (t :inherit shadow))
  "A change that you have dropped.")

;;;; State

(cl-defstruct (alongside--desk (:copier nil))
  "The connection to the companion of a project."
  root rpc
  ;; Whether the server has answered `initialize'.
  ready
  ;; The status for the mode line, and the parties that keep waiting reviews when
  ;; this desk leaves, or nil.
  (line "") leaving
  ;; The report of open files that was sent last.
  report
  ;; Waiting reviews, the oldest first.
  reviews)

(cl-defstruct (alongside--review (:copier nil))
  "A proposal that waits for a decision."
  desk id file
  ;; The server's labels and diffs for the review: a property list.
  display
  ;; The current text, and its revision.
  text revision
  ;; The hunks as the server sent them.  The text property `alongside-hunk' of the
  ;; diff has their indexes.
  hunks
  ;; The buffer of the diff, and the buffer in which the text is edited.
  buffer edit-buffer)

(defvar alongside-mode)
(defvar alongside--desks nil "The connections, one for each project.")
(defvar alongside--failures nil "Projects whose server has failed, each with the time.")
(defvar alongside--report-timer nil "The timer of the next report.")
(defvar alongside--report-time 0 "The time of the last report, in seconds since 1970.")
(defconst alongside--min-report-interval 0.05
  "The shortest time between two reports, in seconds.
A report after a pause is sent at once, because the companion itself waits
for further changes.")
(defvar alongside--waiting-messages nil
  "Messages to show when the minibuffer is closed, the newest first.")

(defvar-local alongside--review nil "The review that this buffer shows.")
(defvar-local alongside--base-revision nil
  "The revision on which the text of this buffer is based.")
(defvar-local alongside--unanswered-sends 0
  "The number of texts of this buffer that the server has not answered.")
(defvar-local alongside--sent-callbacks nil
  "Functions to call when the companion has the text of this buffer.")
(defvar-local alongside--send-timer nil "The timer that sends the text of this buffer.")

;;;; Messages

(defvar alongside--shown-messages nil "Messages that were shown since the last key.")

(defun alongside--show-message (text)
  "Show TEXT in the echo area when no minibuffer is open.
Earlier messages stay beside it until the person presses a key."
  (if (> (minibuffer-depth) 0)
      (push text alongside--waiting-messages)
    (push text alongside--shown-messages)
    (message "%s" (string-join (reverse (seq-take alongside--shown-messages 4)) "\n"))))

(defun alongside--clear-shown-messages ()
  "Forget the messages that were shown: the person has pressed a key."
  (setq alongside--shown-messages nil))

(defun alongside--show-waiting-messages ()
  "Show the messages that arrived while a minibuffer was open."
  (when alongside--waiting-messages
    (let ((texts (nreverse alongside--waiting-messages)))
      (setq alongside--waiting-messages nil)
      (run-with-timer 0 nil #'alongside--show-message (string-join texts "\n")))))

(defun alongside--show-event-messages (params)
  "Show the messages of an event with PARAMS."
  (let ((texts (append (plist-get (plist-get params :display) :messages) nil)))
    (when texts
      (alongside--show-message (string-join texts "\n")))))

;;;; Projects

(defun alongside--file (buffer)
  "Return the local file that BUFFER visits, or nil."
  (let ((file (buffer-file-name buffer)))
    (and file
         (not (file-remote-p file))
         (not (string-match-p "/\\.\\(?:git\\|hg\\|svn\\|jj\\)/" file))
         (file-name-unquote file t))))

(defun alongside--name-in-emacs (file)
  "Return a name by which Emacs opens the local FILE, whose name an agent chose.
Without quotation, Emacs would connect to a host for /ssh:host:/x."
  (if (file-remote-p file)
      (file-name-quote file t)
    file))

(defun alongside--repository (directory)
  "Return the top directory of the repository around DIRECTORY, or nil."
  (locate-dominating-file
   directory
   (lambda (dir)
     (cl-some (lambda (marker) (file-exists-p (expand-file-name marker dir)))
              '(".git" ".hg" ".svn" ".jj")))))

(defun alongside--root-of (directory)
  "Return the project of DIRECTORY, or nil if there is none.
Without a repository, the project is the directory in which Emacs was started."
  (let* ((started (file-truename command-line-default-directory))
         (root (or (alongside--repository directory)
                   (and (not (file-equal-p started "~"))
                        (file-in-directory-p directory started)
                        started))))
    (and root (directory-file-name (file-truename root)))))

(defvar-local alongside--root 'unknown "The project of this buffer.")

(defun alongside--root (&optional buffer)
  "Return the project of BUFFER, or nil."
  (with-current-buffer (or buffer (current-buffer))
    (when (and (eq alongside--root 'unknown) (not (file-remote-p default-directory)))
      (setq alongside--root (alongside--root-of default-directory)))
    (and (not (eq alongside--root 'unknown))
         alongside--root)))

(defun alongside--reset-root ()
  "Forget the project of this buffer, which now visits another file."
  (kill-local-variable 'alongside--root))

(defun alongside--desk-of (root)
  "Return the connection for the project ROOT, or nil."
  (cl-find root alongside--desks :key #'alongside--desk-root :test #'equal))

(defun alongside--reviews ()
  "Return all waiting reviews."
  (cl-mapcan (lambda (desk) (copy-sequence (alongside--desk-reviews desk)))
             alongside--desks))

;;;; The connection

(defun alongside--no-log-arguments ()
  "Return arguments that keep messages, which may hold a token, out of buffers."
  (if (>= emacs-major-version 30)
      '(:events-buffer-config (:size 0))
    '(:events-buffer-scrollback-size 0)))

(defun alongside--start (root)
  "Connect to the companion of the project ROOT."
  (let* ((default-directory (file-name-as-directory root))
         (desk (make-alongside--desk :root root))
         (process-environment (cons "NO_COLOR=1" process-environment))
         (errors (get-buffer-create " *alongside errors*")))
    (push desk alongside--desks)
    (setf (alongside--desk-rpc desk)
          (apply #'make-instance 'jsonrpc-process-connection
                 :name "alongside"
                 :process (lambda ()
                            (make-process
                             :name "alongside" :command (list alongside-program "lsp")
                             :connection-type 'pipe :coding 'utf-8-emacs-unix
                             :noquery t :stderr errors))
                 :notification-dispatcher
                 (lambda (_ method params)
                   (alongside--handle-notification desk method params))
                 :request-dispatcher
                 (lambda (_ method params) (alongside--handle-request desk method params))
                 :on-shutdown (lambda (_) (alongside--handle-exit desk))
                 (alongside--no-log-arguments)))
    (when-let* ((process (get-buffer-process errors)))
      (set-process-query-on-exit-flag process nil))
    (alongside--request
     desk 'initialize
     (list :processId (emacs-pid)
           :clientInfo (list :name "Emacs" :version emacs-version)
           :capabilities (make-hash-table)
           :workspaceFolders
           (vector (list :uri (concat "file://"
                                      (url-hexify-string root url-path-allowed-chars))
                         :name (file-name-nondirectory root)))
           :initializationOptions '(:alongside (:protocol 1 :presentation t)))
     (lambda (_)
       (alongside--notify desk 'initialized (make-hash-table))
       (setf (alongside--desk-ready desk) t)
       (alongside--report-soon)))
    desk))

(defun alongside--notify (desk method params)
  "Send the notification METHOD with PARAMS to DESK while it is connected."
  (when (jsonrpc-running-p (alongside--desk-rpc desk))
    (jsonrpc-notify (alongside--desk-rpc desk) method params)))

(defun alongside--request (desk method params &optional then otherwise)
  "Send the request METHOD with PARAMS to DESK.
Call THEN with the result, or OTHERWISE with the error.  OTHERWISE shows a
message by default."
  (when (jsonrpc-running-p (alongside--desk-rpc desk))
    (jsonrpc-async-request
     (alongside--desk-rpc desk) method params
     :timeout nil
     :success-fn (or then #'ignore)
     :error-fn (or otherwise
                   (lambda (error)
                     (alongside--show-message (plist-get error :message)))))))

(defun alongside--handle-exit (desk)
  "Handle the end of the server of DESK."
  ;; A server that was stopped is no longer in the list.
  (when (memq desk alongside--desks)
    (setq alongside--desks (delq desk alongside--desks))
    (push (cons (alongside--desk-root desk) (float-time)) alongside--failures))
  (mapc #'alongside--release-buffers (alongside--desk-reviews desk))
  (force-mode-line-update t))

(defun alongside--may-start-p (root)
  "Return whether to start the server for ROOT: not after two failures in 60 s."
  (setq alongside--failures
        (cl-delete-if (lambda (failed) (> (- (float-time) (cdr failed)) 60))
                      alongside--failures))
  (< (cl-count root alongside--failures :key #'car :test #'equal) 2))

(defun alongside--stop (desk)
  "Stop the server of DESK.  This decides no review."
  (let ((rpc (alongside--desk-rpc desk)))
    (setq alongside--desks (delq desk alongside--desks))
    (dolist (review (alongside--desk-reviews desk))
      (alongside--release-buffers review t))
    (setf (alongside--desk-reviews desk) nil)
    (alongside--request desk 'shutdown nil (lambda (_) (jsonrpc-notify rpc 'exit nil)))))

;;;; Open files

(defun alongside--utf16-column (position)
  "Return the column of POSITION in UTF-16 units."
  (save-excursion
    (goto-char position)
    (let ((units 0) (end position))
      (goto-char (pos-bol))
      (while (< (point) end)
        (setq units (+ units (if (> (char-after) #xffff) 2 1)))
        (forward-char))
      units)))

(defun alongside--active-report (buffer)
  "Return the report of BUFFER as the active file."
  (with-current-buffer buffer
    (let* ((window (get-buffer-window buffer))
           (point (if window (window-point window) (point)))
           (place (lambda (position)
                    (save-restriction
                      (widen)
                      (list :line (1- (line-number-at-pos position t))
                            :character (alongside--utf16-column position))))))
      (append
       (list :path (alongside--file buffer)
             :cursor (funcall place point))
       (and (use-region-p)
            (list :anchor (funcall place (mark))
                  :selectedText
                  (buffer-substring-no-properties (region-beginning) (region-end))))))))

(defun alongside--report-of (root)
  "Return the report of the files of the project ROOT.
In a terminal or a review, the file that was used last stays the active one."
  (let* ((buffers (seq-filter (lambda (buffer)
                                (and (alongside--file buffer)
                                     (equal (alongside--root buffer) root)))
                              (buffer-list)))
         (files (mapcar (lambda (buffer)
                          (list :path (alongside--file buffer)
                                :dirty (if (buffer-modified-p buffer)
                                           t
                                         :json-false)))
                        (seq-take buffers 50))))
    (append (list :openFiles (vconcat files))
            (and buffers
                 (list :active (alongside--active-report (car buffers)))))))

(defun alongside--selected-buffer ()
  "Return the buffer that the person works in, also while a minibuffer is open."
  (window-buffer (or (minibuffer-selected-window) (selected-window))))

(defun alongside--send-reports ()
  "Send each companion its report, if it differs from the last one."
  (setq alongside--report-timer nil
        alongside--report-time (float-time))
  (when alongside-mode
    (let* ((selected (alongside--selected-buffer))
           (buffer (if (alongside--file selected)
                       selected
                     (seq-find #'alongside--file (buffer-list))))
           (root (and buffer (alongside--root buffer))))
      (when (and root (not (alongside--desk-of root)) (alongside--may-start-p root))
        (condition-case error
            (alongside--start root)
          (error
           (push (cons root (float-time)) alongside--failures)
           (alongside--show-message
            (format "alongside: %s" (error-message-string error)))))))
    (when alongside-report-files
      (dolist (desk (seq-filter #'alongside--desk-ready alongside--desks))
        (let ((report (alongside--report-of (alongside--desk-root desk))))
          (unless (equal report (alongside--desk-report desk))
            (setf (alongside--desk-report desk) report)
            (alongside--notify desk 'alongside/didChangeContext report)))))))

(defun alongside--report-soon (&rest _)
  "Report open files after this command.
Two reports are at least `alongside--min-report-interval' apart."
  (unless alongside--report-timer
    (setq alongside--report-timer
          (run-with-timer (max 0 (- (+ alongside--report-time
                                       alongside--min-report-interval)
                                    (float-time)))
                          nil #'alongside--send-reports))))

(defun alongside--send-focus ()
  "Report to the companion of the selected window's file that Emacs has the focus."
  (when-let* (((frame-focus-state))
              (root (alongside--root (alongside--selected-buffer)))
              (desk (alongside--desk-of root)))
    (alongside--notify desk 'alongside/didFocus (make-hash-table))))

(defun alongside--send-save ()
  "Report to the companion of the current buffer's file that it was saved."
  (when-let* ((file (alongside--file (current-buffer)))
              (root (alongside--root (current-buffer)))
              (desk (alongside--desk-of root))
              ((alongside--desk-ready desk)))
    (alongside--notify desk 'alongside/didSave (list :path file))))

;;;; Events

(defun alongside--find (desk id)
  "Return the review of DESK with the id ID, or nil."
  (cl-find id (alongside--desk-reviews desk) :key #'alongside--review-id))

(defun alongside--handle-notification (desk method params)
  "Handle the notification METHOD with PARAMS from the server of DESK."
  (pcase method
    ('alongside/didChangeStatus
     (let ((display (plist-get params :display)))
       (setf (alongside--desk-line desk) (plist-get display :line)
             (alongside--desk-leaving desk) (plist-get display :leaving))))
    ('alongside/didOpenReview (alongside--handle-open desk params))
    ('alongside/didChangeReview (alongside--handle-change desk params))
    ('alongside/didCloseReview (alongside--handle-close desk params)))
  (alongside--show-event-messages params)
  (force-mode-line-update t))

(defun alongside--handle-request (desk method params)
  "Answer the request METHOD with PARAMS from the server of DESK."
  (when (eq method 'alongside/flushReview)
    (when-let* ((review (alongside--find desk (plist-get params :id))))
      (alongside--send-now review)))
  nil)

(defun alongside--update-review (review params)
  "Update REVIEW from the PARAMS of an event."
  (let ((current (plist-get params :current))
        (replacement (plist-get params :replacement)))
    (cond
     (current (setf (alongside--review-text review) current))
     (replacement (setf (alongside--review-text review)
                        (alongside--apply-replacement (alongside--review-text review)
                                                      replacement)))))
  (setf (alongside--review-revision review) (plist-get params :revision)
        (alongside--review-hunks review) (append (plist-get params :hunks) nil)
        (alongside--review-display review) (plist-get params :display)))

(defun alongside--handle-open (desk params)
  "Add the review with PARAMS to DESK."
  (let ((review (make-alongside--review :desk desk :id (plist-get params :id)
                                        :file (plist-get params :file))))
    (alongside--update-review review params)
    (setf (alongside--desk-reviews desk)
          (append (alongside--desk-reviews desk) (list review)))
    (when (and alongside-show-reviews (zerop (minibuffer-depth)))
      (display-buffer (alongside--buffer review)))))

(defun alongside--handle-change (desk params)
  "Update the review of DESK that PARAMS name, and its buffers."
  (when-let* ((review (alongside--find desk (plist-get params :id))))
    (alongside--update-review review params)
    (alongside--draw review)
    (alongside--update-edit-buffer review)))

(defun alongside--handle-close (desk params)
  "Remove the review of DESK that PARAMS name: it has ended."
  (when-let* ((review (alongside--find desk (plist-get params :id))))
    (setf (alongside--desk-reviews desk) (delq review (alongside--desk-reviews desk)))
    (when (equal (plist-get params :closing) "accepted")
      (alongside--revert-when-written (alongside--review-file review)))
    (alongside--release-buffers review (eq (plist-get params :decidedHere) t))))

(defun alongside--release-buffers (review &optional decided-here)
  "Kill the buffers of REVIEW, or keep those that the person still needs.
Unless the review was DECIDED-HERE, shown buffers stay, so that a key is
not typed into another buffer.  Text that the companion lacks stays, too."
  (let* ((edit (alongside--review-edit-buffer review))
         (diff (alongside--review-buffer review))
         (stays (lambda (buffer)
                  (and (not decided-here) (get-buffer-window buffer t)))))
    (when (buffer-live-p edit)
      (if (or (alongside--unsent-p edit)
              (eq edit (alongside--selected-buffer))
              (funcall stays edit))
          (alongside--keep-text edit)
        (alongside--kill-with-windows edit)))
    (when (buffer-live-p diff)
      (if (funcall stays diff)
          (alongside--keep-diff diff)
        (alongside--kill-with-windows diff)))))

(defun alongside--kill-with-windows (buffer)
  "Kill BUFFER, and restore what its windows showed before."
  (with-current-buffer buffer
    (set-buffer-modified-p nil)
    (dolist (window (get-buffer-window-list buffer nil t))
      (quit-restore-window window 'bury))
    (kill-buffer buffer)))

(defun alongside--keep-diff (buffer)
  "Keep BUFFER with the diff of a review that another desk has ended."
  (with-current-buffer buffer
    (setq alongside--review nil
          header-line-format
          (substitute-command-keys
           " This review has ended.  \\<alongside-review-mode-map>\\[quit-window] puts it away"))
    (rename-buffer (generate-new-buffer-name (concat (buffer-name) " (ended)")))))

(defun alongside--keep-text (buffer)
  "Keep BUFFER, in which the person edits the text of a review that has ended."
  (with-current-buffer buffer
    (when alongside--send-timer
      (cancel-timer alongside--send-timer))
    (setq alongside--review nil
          header-line-format
          (substitute-command-keys
           " This review has ended.  \\<alongside-edit-mode-map>\\[alongside-save-edit] writes your text to a file"))
    (set-buffer-modified-p nil)
    (add-hook 'kill-buffer-query-functions #'alongside--may-kill-text nil t)
    (rename-buffer (generate-new-buffer-name (concat (buffer-name) " (ended)")))
    (alongside--show-message (format "The review has ended.  Your text stays in %s."
                                     (buffer-name)))))

(defun alongside--may-kill-text ()
  "Return whether text that was typed after the end of its review may be lost."
  (or (not (buffer-modified-p))
      (yes-or-no-p "Your text from after the end of the review is nowhere else.  Kill it? ")))

(defun alongside--revert-when-written (name)
  "Revert the buffer of the file NAME when the agent writes it, within 10 s.
The buffer is reverted after each write, because an agent may first empty
the file."
  (when-let* ((file (alongside--name-in-emacs name))
              (buffer (find-buffer-visiting file)))
    (let ((tries 100) timer)
      (setq timer
            (run-with-timer
             0.1 0.1
             (lambda ()
               (cond
                ((or (zerop (cl-decf tries)) (not (buffer-live-p buffer)))
                 (cancel-timer timer))
                ((and (file-exists-p file)
                      (not (verify-visited-file-modtime buffer))
                      (not (buffer-modified-p buffer)))
                 (with-current-buffer buffer
                   (revert-buffer t t t))))))))))

;;;; The review

(defvar-keymap alongside-review-mode-map
  :doc "Keys of a review.
The keys of `diff-mode' would change the diff instead of the proposal."
  :parent special-mode-map
  "n" #'alongside-next-change
  "p" #'alongside-previous-change
  "M-n" #'alongside-next-change
  "M-p" #'alongside-previous-change
  "k" #'alongside-toggle
  "s" #'alongside-split
  "e" #'alongside-edit
  "u" #'alongside-undo
  "<remap> <undo>" #'alongside-undo
  "<remap> <undo-only>" #'alongside-undo
  "U" #'alongside-redo
  "<remap> <undo-redo>" #'alongside-redo
  "o" #'alongside-visit-file
  "RET" #'alongside-visit-file
  "N" #'alongside-next-review
  "q" #'quit-window
  "C-c C-c" #'alongside-accept
  "C-c C-k" #'alongside-reject)

(define-derived-mode alongside-review-mode diff-mode "Review"
  "A proposal of an agent, as a diff.

\\<alongside-review-mode-map>\
\\[alongside-next-change] and \\[alongside-previous-change] move to the next and the previous change.
\\[alongside-toggle] keeps or drops the change at point, or all in the region.
\\[alongside-edit] edits the text.  \\[alongside-accept] accepts, and
\\[alongside-reject] rejects.

\\{alongside-review-mode-map}"
  (setq buffer-read-only t)
  (setq-local diff-refine nil)
  (setq-local revert-buffer-function
              (lambda (&rest _) (alongside--draw (alongside--this-review))))
  ;; With their defaults, these functions would open the files that the diff names.
  (setq-local diff-font-lock-syntax nil)
  (setq-local next-error-function nil)
  (setq-local add-log-current-defun-function nil)
  (setq-local add-log-buffer-file-name-function nil)
  ;; The keys of a read-only diff would override ours, and change the diff.
  (setq-local minor-mode-overriding-map-alist nil)
  (setq header-line-format '(:eval (alongside--header))))

(defun alongside--header ()
  "Return the header line of a review, shortened to fit its window."
  (when alongside--review
    (let* ((display (alongside--review-display alongside--review))
           (name (plist-get display :name))
           (base (file-name-nondirectory name))
           (from (format "%s (%s)" name (plist-get display :agent)))
           (states (plist-get display :states))
           (accept "\\[alongside-accept] accept")
           (reject "\\[alongside-reject] reject")
           (toggle "\\[alongside-toggle] keep/drop")
           (edit "\\[alongside-edit] edit")
           (line ""))
      (cl-loop for (title . keys)
               in `((,(plist-get display :title) ,accept ,reject ,toggle ,edit)
                    (,from ,accept ,reject ,toggle ,edit)
                    (,from ,accept ,reject ,toggle)
                    (,from ,accept ,reject)
                    (,name ,accept ,reject ,toggle)
                    (,name ,accept ,reject)
                    (,base ,accept ,reject)
                    (,base ,accept)
                    (,base))
               do (setq line (concat " " title
                                     (if (string-empty-p states) "" (concat ": " states))
                                     (alongside--keys keys)))
               until (<= (string-width line) (window-width)))
      ;; A percent sign begins a construct of a header line.
      (string-replace "%" "%%" (truncate-string-to-width line (window-width) nil nil "…")))))

(defun alongside--keys (keys)
  "Return the text of KEYS of a review, for its header line."
  (mapconcat (lambda (key)
               (concat "  " (substitute-command-keys
                             (concat "\\<alongside-review-mode-map>" key))))
             keys ""))

(defun alongside--warnings (review)
  "Return the warnings about REVIEW."
  (cl-loop for note across (plist-get (alongside--review-display review) :notes)
           when (eq (plist-get note :warning) t)
           collect (plist-get note :text)))

(defun alongside--buffer (review)
  "Return the buffer with the diff of REVIEW.  Create it if there is none."
  (let ((buffer (alongside--review-buffer review)))
    (unless (buffer-live-p buffer)
      (setq buffer (generate-new-buffer
                    (format "*alongside: %s*"
                            (plist-get (alongside--review-display review) :name))))
      (setf (alongside--review-buffer review) buffer)
      (with-current-buffer buffer
        (alongside-review-mode)
        (setq alongside--review review
              default-directory (file-name-as-directory
                                 (alongside--desk-root (alongside--review-desk review)))))
      (alongside--draw review)
      (with-current-buffer buffer
        (goto-char (or (alongside--start-of 0) (point-min)))))
    buffer))

(defun alongside--draw (review)
  "Draw the diff of REVIEW if it has a buffer.  Point stays in its hunk and line."
  (when-let* ((buffer (alongside--review-buffer review))
              ((buffer-live-p buffer)))
    (with-current-buffer buffer
      (let* ((inhibit-read-only t)
             (display (alongside--review-display review))
             (places (mapcar (lambda (window)
                               (cons window (alongside--place-in-diff (window-point window))))
                             (get-buffer-window-list buffer nil t)))
             (place (alongside--place-in-diff (point)))
             (hunk 0))
        (alongside--make-readable)
        (remove-overlays (point-min) (point-max) 'alongside t)
        (erase-buffer)
        (cl-loop for note across (plist-get display :notes)
                 for start = (point)
                 do (insert (plist-get note :text) "\n")
                 do (alongside--add-face start (point)
                                         (if (eq (plist-get note :warning) t)
                                             'alongside-warning
                                           'alongside-note)))
        (let ((name (plist-get display :name)))
          (insert (format "--- %s\n+++ %s\n" name name)))
        (cl-loop for diff across (plist-get display :diff)
                 do (insert (propertize diff 'alongside-hunk hunk))
                 do (cl-incf hunk))
        (set-buffer-modified-p nil)
        (alongside--highlight-dropped review)
        (goto-char (alongside--position-of place))
        (pcase-dolist (`(,window . ,place) places)
          (set-window-point window (alongside--position-of place)))))))

(defconst alongside--diff-faces
  '(diff-header diff-file-header diff-hunk-header diff-function diff-index
                diff-added diff-removed diff-changed diff-indicator-added
                diff-indicator-removed diff-indicator-changed diff-context diff-nonexistent)
  "The faces of a diff that may have a background.")

(defconst alongside--min-contrast 4.5
  "The minimum contrast of text by WCAG 2, level AA.")

(defvar-local alongside--face-remappings nil
  "The face remappings of `alongside--make-readable' in this buffer.")

(defun alongside--luminance (color)
  "Return the relative luminance of COLOR by WCAG 2, or nil if it is unknown."
  (when-let* (((stringp color))
              (parts (color-values color)))
    (cl-loop for part in parts
             for weight in '(0.2126 0.7152 0.0722)
             for value = (/ part 65535.0)
             sum (* weight (if (<= value 0.04045)
                               (/ value 12.92)
                             (expt (/ (+ value 0.055) 1.055) 2.4))))))

(defun alongside--contrast (one other)
  "Return the contrast of the colors ONE and OTHER, or nil if one is unknown."
  (let ((one (alongside--luminance one))
        (other (alongside--luminance other)))
    (and one other
         (/ (+ (max one other) 0.05) (+ (min one other) 0.05)))))

(defun alongside--readable-color (face)
  "Return a readable foreground for FACE, or nil if its own is readable.
Black or white: one of them has enough contrast with every background."
  (let* ((background (face-attribute face :background nil t))
         (luminance (alongside--luminance background))
         (contrast (alongside--contrast
                    (face-attribute face :foreground nil 'default) background)))
    (when (and luminance
               (< (or contrast 0) alongside--min-contrast))
      (if (> luminance 0.179) "black" "white"))))

(defun alongside--make-readable ()
  "Change the foreground of faces of this diff that have too little contrast.
In a terminal, Emacs may assume a light background where it is dark."
  (mapc #'face-remap-remove-relative alongside--face-remappings)
  (setq alongside--face-remappings
        (cl-loop for face in alongside--diff-faces
                 for color = (alongside--readable-color face)
                 when color
                 collect (face-remap-add-relative face :foreground color))))

(defun alongside--highlight-dropped (review)
  "Give the dropped hunks of REVIEW the face `alongside-dropped'."
  (cl-loop for hunk in (alongside--review-hunks review)
           for index from 0
           when (equal (plist-get hunk :state) "dropped")
           do (when-let* ((start (alongside--start-of index)))
                (alongside--add-face start (alongside--end-of start) 'alongside-dropped))))

(defun alongside--add-face (start end face)
  "Give the text from START to END a FACE that overrides the faces of the diff."
  (let ((overlay (make-overlay start end)))
    (overlay-put overlay 'alongside t)
    (overlay-put overlay 'face face)))

(defun alongside--start-of (hunk)
  "Return the beginning of the diff of HUNK, or nil."
  (text-property-any (point-min) (point-max) 'alongside-hunk hunk))

(defun alongside--end-of (start)
  "Return the end of the diff that begins at START."
  (next-single-property-change start 'alongside-hunk nil (point-max)))

(defun alongside--place-in-diff (position)
  "Return the hunk at POSITION, and the number of lines from its beginning.
Outside of hunks, the hunk is nil, and the lines count from the first line."
  (let* ((hunk (get-text-property position 'alongside-hunk))
         (start (and hunk (alongside--start-of hunk))))
    (if start
        (cons hunk (count-lines start (save-excursion
                                        (goto-char position)
                                        (pos-bol))))
      (cons nil (1- (line-number-at-pos position))))))

(defun alongside--position-of (place)
  "Return the position of PLACE, or the nearest one in its hunk."
  (pcase-let ((`(,hunk . ,lines) place))
    (save-excursion
      (let* ((start (or (and hunk (alongside--start-of hunk)) (point-min)))
             (end (if hunk (alongside--end-of start) (point-max))))
        (goto-char start)
        (forward-line lines)
        (min (point) (max start (1- end)))))))

(defun alongside--this-review ()
  "Return the review of this buffer.  Signal an error if there is none."
  (or alongside--review (user-error "This buffer shows no review that waits")))

(defun alongside--hunk-near ()
  "Return the index of the hunk at point, or else of the hunk before it, or 0."
  (or (get-text-property (point) 'alongside-hunk)
      (and (> (point) (point-min))
           (get-text-property (1- (point)) 'alongside-hunk))
      0))

(defun alongside--go-to-hunk (hunk none)
  "Move to the beginning of HUNK.  Signal the error NONE if there is no such hunk."
  (let ((start (alongside--start-of hunk)))
    (unless start
      (user-error "%s" none))
    (goto-char start)
    (alongside--scroll-to-show start)))

(defun alongside--scroll-to-show (start)
  "Scroll so that the end of the diff that begins at START is visible."
  (when (and (eq (current-buffer) (window-buffer (selected-window)))
             (not (pos-visible-in-window-p (1- (alongside--end-of start)))))
    (save-excursion
      (goto-char start)
      (recenter 0))))

(defun alongside-next-change ()
  "Move to the next change."
  (interactive)
  (alongside--go-to-hunk (if (< (point) (or (alongside--start-of 0) (point-min)))
                             0
                           (1+ (alongside--hunk-near)))
                         "This is the last change"))

(defun alongside-previous-change ()
  "Move to the beginning of this change, or to the previous one."
  (interactive)
  (let* ((hunk (alongside--hunk-near))
         (start (alongside--start-of hunk)))
    (alongside--go-to-hunk (if (and start (> (point) start)) hunk (1- hunk))
                           "This is the first change")))

(defun alongside--hunks-at-point ()
  "Return the indexes of the hunks at point or in the region."
  (let ((hunks (if (use-region-p)
                   (delete-dups
                    (delq nil (cl-loop for at from (region-beginning) below (region-end)
                                       collect (get-text-property at 'alongside-hunk))))
                 (delq nil (list (get-text-property (point) 'alongside-hunk))))))
    (cond
     ((null (alongside--review-hunks (alongside--this-review)))
      (user-error "You can only accept or reject this as a whole"))
     (hunks hunks)
     (t (user-error "No change at point")))))

(defun alongside--request-change (method &rest params)
  "Send METHOD about the review of this buffer with PARAMS.
Unsent text of its edit buffer is sent first."
  (let ((review (alongside--this-review)))
    (alongside--after-sending
     review
     (lambda ()
       (alongside--request
        (alongside--review-desk review) method
        (append (list :id (alongside--review-id review)
                      :revision (alongside--review-revision review))
                params))))))

;;;###autoload
(defun alongside-review (&optional choose)
  "Show the proposal for this file, or else the oldest one.
With a prefix argument, or if several proposals wait and none is for this
file, CHOOSE among them."
  (interactive "P")
  (let* ((reviews (or (alongside--reviews) (user-error "No proposal waits")))
         (file (alongside--file (current-buffer)))
         (mine (or alongside--review
                   (and file (cl-find file reviews
                                      :key #'alongside--review-file :test #'equal))))
         (titles (mapcar (lambda (review)
                           (cons (plist-get (alongside--review-display review) :title)
                                 review))
                         reviews))
         (review (cond
                  ((and mine (not choose)) mine)
                  ((and (null (cdr reviews)) (not choose)) (car reviews))
                  (t (cdr (assoc (completing-read (format-prompt "Proposal" (caar titles))
                                                  titles nil t nil nil (caar titles)) titles))))))
    (when review
      (pop-to-buffer (alongside--buffer review)))))

(defun alongside-next-review ()
  "Show the next proposal that waits."
  (interactive)
  (let* ((reviews (or (alongside--reviews) (user-error "No proposal waits")))
         (rest (cdr (memq alongside--review reviews))))
    (switch-to-buffer (alongside--buffer (or (car rest) (car reviews))))))

(defun alongside-toggle ()
  "Keep or drop the change at point, or each change in the region.
The changes are dropped, unless all of them are dropped already."
  (interactive)
  (let* ((hunks (alongside--hunks-at-point))
         (all (alongside--review-hunks alongside--review))
         (dropped (lambda (hunk) (equal (plist-get (nth hunk all) :state) "dropped")))
         (keep (if (cl-every dropped hunks) t :json-false)))
    (deactivate-mark)
    (alongside--request-change 'alongside/keepHunks :hunks (vconcat hunks) :keep keep)))

(defun alongside-split ()
  "Split the change at point into smaller ones."
  (interactive)
  (alongside--request-change 'alongside/splitHunk :hunk (car (alongside--hunks-at-point))))

(defun alongside-undo ()
  "Undo the last edit of this proposal, which any desk may have made."
  (interactive)
  (alongside--request-change 'alongside/undoReview))

(defun alongside-redo ()
  "Redo the edit of this proposal that was undone last."
  (interactive)
  (alongside--request-change 'alongside/redoReview))

(defun alongside-visit-file ()
  "Go to the file of this proposal, at the change at point."
  (interactive)
  (let* ((review (alongside--this-review))
         (hunk (nth (alongside--hunk-near) (alongside--review-hunks review)))
         (line (plist-get (plist-get hunk :original) :start))
         (file (alongside--name-in-emacs (alongside--review-file review))))
    (unless (file-exists-p file)
      (user-error "The file does not exist yet"))
    (find-file-other-window file)
    (when line
      (goto-char (point-min))
      (forward-line line))))

(defun alongside--displayed-version ()
  "Return the parameters for the text on the screen, on which the person decides."
  (let* ((review (alongside--this-review))
         (edit (alongside--review-edit-buffer review)))
    (if (alongside--unsent-p edit)
        (with-current-buffer edit
          (alongside--text-params review alongside--base-revision (alongside--text)))
      (alongside--text-params review (alongside--review-revision review)
                              (alongside--review-text review)))))

(defun alongside--decide (decision displayed)
  "Decide on the review of this buffer in the version DISPLAYED.
DECISION is \"accept\" or \"reject\"."
  (let* ((review (alongside--this-review))
         (edit (alongside--review-edit-buffer review)))
    (alongside--request
     (alongside--review-desk review) 'alongside/decideReview
     (append displayed (list :decision decision))
     nil
     (lambda (error)
       (alongside--show-message (plist-get error :message))
       (when (alongside--unsent-p edit)
         (alongside--send edit))))))

(defun alongside-accept ()
  "Accept this proposal as it stands; the agent writes the file."
  (interactive)
  ;; The proposal may change while the question is open.
  (let ((displayed (alongside--displayed-version))
        (warnings (alongside--warnings (alongside--this-review))))
    (when (or (null warnings)
              (yes-or-no-p (format "%s  Accept all the same? "
                                   (string-join warnings "  "))))
      (alongside--decide "accept" displayed))))

(defun alongside-reject ()
  "Reject this proposal.  Your edits are saved as a draft."
  (interactive)
  (alongside--decide "reject" (alongside--displayed-version)))

;;;; Editing the text

(defvar-keymap alongside-edit-mode-map
  :doc "Keys of a buffer in which the text of a proposal is edited."
  "<remap> <save-buffer>" #'alongside-save-edit
  "C-c C-c" #'alongside-finish-edit
  "C-c C-k" #'alongside-cancel-edit)

(define-minor-mode alongside-edit-mode
  "Edit the text of a proposal.
The review is updated while you type."
  :lighter " Edit-Review"
  (if alongside-edit-mode
      (progn
        (setq header-line-format
              (substitute-command-keys
               (concat " Your text of a proposal.  \\<alongside-edit-mode-map>"
                       "\\[alongside-finish-edit] back to the review  "
                       "\\[alongside-cancel-edit] undo all of it")))
        (add-hook 'after-change-functions #'alongside--schedule-send nil t))
    (setq header-line-format nil)
    (remove-hook 'after-change-functions #'alongside--schedule-send t)))

(defvar-local alongside--before-edit nil "The text of this buffer before `alongside-edit'.")
(defvar untrusted-content)

(defun alongside--viewer-p (mode)
  "Return whether MODE displays something else than the text of a buffer."
  (or (memq mode '(archive-mode doc-view-mode doc-view-mode-maybe image-mode tar-mode))
      (and (symbolp mode) (eq (get mode 'mode-class) 'special))))

(defun alongside--choose-mode (file)
  "Give this buffer the major mode for the name FILE.
The text itself chooses no mode, because nobody has accepted it."
  (let ((buffer-file-name (alongside--name-in-emacs file))
        (auto-mode-alist (cl-remove-if #'alongside--viewer-p auto-mode-alist
                                       :key #'cdr-safe))
        (enable-local-variables nil)
        (magic-mode-alist nil)
        (magic-fallback-mode-alist nil))
    ;; Hooks of the mode may start a language server for a file.
    (delay-mode-hooks
      (set-auto-mode)))
  ;; Emacs 30 and newer do not expand macros in untrusted text.
  (setq-local untrusted-content t))

(defun alongside-edit ()
  "Edit the text of this proposal in the major mode of its file."
  (interactive)
  (let* ((review (alongside--this-review))
         (hunk (nth (alongside--hunk-near) (alongside--review-hunks review)))
         (line (or (plist-get (plist-get hunk :current) :start) 0))
         (buffer (alongside--review-edit-buffer review)))
    (unless (buffer-live-p buffer)
      (setq buffer (generate-new-buffer
                    (format "*alongside edit: %s*"
                            (plist-get (alongside--review-display review) :name))))
      (setf (alongside--review-edit-buffer review) buffer)
      (with-current-buffer buffer
        (insert (alongside--review-text review))
        (alongside--choose-mode (alongside--review-file review))
        (font-lock-ensure)
        (setq alongside--review review
              alongside--base-revision (alongside--review-revision review)
              buffer-undo-list nil)
        (set-buffer-modified-p nil)
        (alongside-edit-mode)))
    ;; `switch-to-buffer' keeps the window's parameter `quit-restore', by which the
    ;; window is closed with the review.
    (switch-to-buffer buffer)
    (setq alongside--before-edit (alongside--text))
    (goto-char (point-min))
    (forward-line line)))

(defun alongside--schedule-send (&rest _)
  "Send the text of this buffer 0.3 s after the last edit."
  (when alongside--review
    (when alongside--send-timer
      (cancel-timer alongside--send-timer))
    (setq alongside--send-timer
          (run-with-timer 0.3 nil #'alongside--send (current-buffer)))))

(defun alongside--text ()
  "Return the whole text of this buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

;; Text crosses between Emacs and the server as a replacement: lines of the newest
;; text, and the text in their place.

(defun alongside--text-params (review revision text)
  "Return the parameters for TEXT of REVIEW, which is based on REVISION."
  (let ((newest (alongside--review-text review)))
    (append (list :id (alongside--review-id review) :revision revision
                  :from (alongside--review-revision review))
            (unless (equal text newest)
              (list :replacement (alongside--replacement newest text))))))

(defun alongside--common-suffix-length (one other limit)
  "Return the length of the common suffix of ONE and OTHER, at most LIMIT."
  (let ((alike 0))
    (while (< alike limit)
      (let ((more (/ (+ alike limit 1) 2)))
        (if (eq t (compare-strings one (- (length one) more) nil
                                   other (- (length other) more) nil))
            (setq alike more)
          (setq limit (1- more)))))
    alike))

(defun alongside--replacement (old new)
  "Return the replacement between OLD and NEW, which differ."
  (with-temp-buffer
    (insert old)
    (let* ((alike (1- (abs (compare-strings old nil nil new nil nil))))
           (limit (- (min (length old) (length new)) alike))
           (rest (alongside--common-suffix-length old new limit))
           (end (- (point-max) rest))
           (new-end (- (length new) rest))
           start first)
      (goto-char (1+ alike))
      (forward-line 0)
      (setq start (point)
            first (1- (line-number-at-pos)))
      ;; The replacement consists of whole lines in both texts.
      (goto-char end)
      (unless (and (bolp) (or (zerop new-end) (eq (aref new (1- new-end)) ?\n)))
        (forward-line 1))
      (setq rest (- (point-max) (point)))
      (list :lines (list :start first :end (+ first (count-lines start (point))))
            :text (substring new (1- start) (- (length new) rest))))))

(defun alongside--apply-replacement (text replacement)
  "Return TEXT with REPLACEMENT applied."
  (let ((lines (plist-get replacement :lines)))
    (with-temp-buffer
      (insert text)
      (goto-char (point-min))
      (forward-line (plist-get lines :start))
      (let ((start (point)))
        (forward-line (- (plist-get lines :end) (plist-get lines :start)))
        (delete-region start (point)))
      (insert (plist-get replacement :text))
      (buffer-string))))

(defun alongside--unsent-p (buffer)
  "Return whether the companion lacks text of BUFFER."
  (and (buffer-live-p buffer)
       (with-current-buffer buffer
         (or alongside--send-timer (> alongside--unanswered-sends 0)))))

(defun alongside--send (buffer &optional now)
  "Send the text of BUFFER.
Without NOW, the text waits until the server has answered earlier ones."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (when alongside--send-timer
        (cancel-timer alongside--send-timer)
        (setq alongside--send-timer nil))
      (when (and alongside--review (or now (zerop alongside--unanswered-sends)))
        (let ((review alongside--review)
              (text (alongside--text)))
          (cl-incf alongside--unanswered-sends)
          (alongside--request
           (alongside--review-desk review) 'alongside/setReviewText
           (alongside--text-params review alongside--base-revision text)
           (lambda (_) (alongside--handle-sent buffer text))
           (lambda (error) (alongside--handle-send-error buffer error))))))))

(defun alongside--handle-sent (buffer text)
  "Handle the answer of the companion to TEXT of BUFFER.
The companion has merged TEXT with the edits of other desks into the newest
text, which arrived before the answer."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (cl-decf alongside--unanswered-sends)
      (cond
       ;; Only the answer to the newest text is handled.
       ((or (null alongside--review) (> alongside--unanswered-sends 0)))
       ((equal text (alongside--text))
        (alongside--show-newest)
        (mapc #'funcall (nreverse (prog1 alongside--sent-callbacks
                                    (setq alongside--sent-callbacks nil)))))
       (t
        ;; If the merge has not changed TEXT, later edits are based on its revision.
        ;; Otherwise the server merges them on the earlier base.
        (when (equal text (alongside--review-text alongside--review))
          (setq alongside--base-revision (alongside--review-revision alongside--review)))
        (alongside--send buffer))))))

(defun alongside--handle-send-error (buffer error)
  "Handle the ERROR with which the companion refuses the text of BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (cl-decf alongside--unanswered-sends)
      (setq alongside--sent-callbacks nil)
      (when alongside--review
        (alongside--show-message (format "Your text is only in this buffer: %s"
                                         (plist-get error :message)))))))

(defun alongside--set-text (text)
  "Replace the text of this buffer by TEXT, and keep point."
  (let ((alongside--review nil)
        (source (generate-new-buffer " *alongside text*" t)))
    (unwind-protect
        (save-restriction
          (widen)
          (with-current-buffer source (insert text))
          (undo-boundary)
          (replace-buffer-contents source 0.2)
          (undo-boundary))
      (kill-buffer source))))

(defun alongside--update-edit-buffer (review)
  "Show the text of REVIEW in its edit buffer, unless that has unsent edits."
  (let ((buffer (alongside--review-edit-buffer review)))
    (when (and (buffer-live-p buffer) (not (alongside--unsent-p buffer)))
      (with-current-buffer buffer
        (alongside--show-newest)))))

(defun alongside--show-newest ()
  "Show the newest text of the review that is edited in this buffer."
  (let ((text (alongside--review-text alongside--review)))
    (unless (equal text (alongside--text))
      (alongside--set-text text))
    (setq alongside--base-revision (alongside--review-revision alongside--review))))

(defun alongside--send-now (review)
  "Send the unsent text of REVIEW at once."
  (let ((buffer (alongside--review-edit-buffer review)))
    (when (and (buffer-live-p buffer) (buffer-local-value 'alongside--send-timer buffer))
      (alongside--send buffer t))))

(defun alongside--after-sending (review then)
  "Call THEN when the companion has all text of REVIEW."
  (alongside--send-now review)
  (let ((buffer (alongside--review-edit-buffer review)))
    (if (alongside--unsent-p buffer)
        (with-current-buffer buffer
          (push then alongside--sent-callbacks))
      (funcall then))))

(defun alongside-finish-edit ()
  "Return to the review with this text."
  (interactive)
  (let ((review (alongside--this-review)))
    (alongside--send-now review)
    ;; Keep the point of the buffer, which `alongside--draw' has set, and not that of
    ;; the window.
    (let ((switch-to-buffer-preserve-window-point nil))
      (switch-to-buffer (alongside--buffer review)))
    (when-let* ((start (alongside--start-of (alongside--hunk-near))))
      (alongside--scroll-to-show start))))

(defun alongside-save-edit ()
  "Send this text to the companion at once.
After the end of the review, write it to a file."
  (interactive)
  (if (null alongside--review)
      (call-interactively #'write-file)
    (alongside--send-now alongside--review)
    (set-buffer-modified-p nil)
    (alongside--show-message (substitute-command-keys
                              "Your text is in the review; \\<alongside-edit-mode-map>\
\\[alongside-finish-edit] goes back to it."))))

(defun alongside-cancel-edit ()
  "Undo the edits since `alongside-edit', and return to the review.
`alongside-undo' restores them."
  (interactive)
  (alongside--this-review)
  (unless (equal (alongside--text) alongside--before-edit)
    (alongside--set-text alongside--before-edit)
    (alongside--schedule-send))
  (alongside-finish-edit))

;;;; The program

(defun alongside--directory ()
  "Return the project of this buffer, or else the nearest directory that exists."
  (file-name-as-directory
   (or (alongside--root)
       (locate-dominating-file default-directory #'file-directory-p)
       default-directory)))

(defun alongside--run-program (&rest words)
  "Run the program with the arguments WORDS, and show its output."
  (let ((default-directory (alongside--directory)))
    (compilation-start
     (mapconcat #'shell-quote-argument (cons alongside-program words) " ")
     nil
     (lambda (_) (format "*alongside %s*" (car words))))))

;;;###autoload
(defun alongside-doctor (&optional agent)
  "Show why an agent does not find this Emacs, and what to do.
With a prefix argument, ask for the AGENT.  Otherwise examine all running
agents."
  (interactive (and current-prefix-arg
                    (list (completing-read (format-prompt "Agent" (car alongside-agents))
                                           alongside-agents nil nil nil nil
                                           (car alongside-agents)))))
  (apply #'alongside--run-program "doctor" (and agent (list agent))))

;;;###autoload
(defun alongside-status ()
  "Show the companions of this machine."
  (interactive)
  (alongside--run-program "status"))

(declare-function term-char-mode "term")
(declare-function term-mode "term")
(declare-function make-term "term")

;;;###autoload
(defun alongside-run-agent (command)
  "Run an agent with COMMAND in a terminal of this Emacs.
Interactively, offer the commands in the variable `alongside-agents'."
  (interactive (list (completing-read "Agent: " alongside-agents nil nil nil nil
                                      (car alongside-agents))))
  (require 'term)
  (let* ((default-directory (alongside--directory))
         (words (split-string-and-unquote command))
         (name (file-name-nondirectory
                (or (executable-find (car words))
                    (user-error "There is no program %s" (car words)))))
         (buffer (apply #'make-term name (car words) nil (cdr words))))
    (with-current-buffer buffer
      (term-mode)
      (term-char-mode))
    (pop-to-buffer buffer)))

;;;###autoload
(defun alongside-send (&optional beginning end)
  "Add this file to the prompt of an agent that accepts files.
With an active region, add only the lines between BEGINNING and END."
  (interactive (and (use-region-p) (list (region-beginning) (region-end))))
  (let ((file (or (alongside--file (current-buffer))
                  (user-error "This buffer visits no file")))
        (desk (or (alongside--desk-of (alongside--root))
                  (user-error "No companion runs here"))))
    (alongside--request
     desk 'alongside/mentionFile
     (append (list :path file)
             (and beginning
                  (let ((first (1- (line-number-at-pos beginning t)))
                        (last (line-number-at-pos end t)))
                    ;; A region that ends at the beginning of a line contains nothing of
                    ;; that line.
                    (when (and (> (1- last) first)
                               (save-excursion (goto-char end) (bolp)))
                      (setq last (1- last)))
                    (list :lines (list :start first :end last))))))))

;;;; The mode

(defun alongside--lighter ()
  "Return the mode line of `alongside-mode'."
  (let ((desk (alongside--desk-of (alongside--root))))
    (if (and desk (not (string-empty-p (alongside--desk-line desk))))
        ;; The status may name an agent, and a percent sign begins a construct of a
        ;; mode line.
        (format " Alongside[%s]" (string-replace "%" "%%" (alongside--desk-line desk)))
      " Alongside")))

(defun alongside--may-leave (leaving)
  "Return whether to go on with LEAVING, which may reject proposals.
LEAVING names the action for the question to the person."
  (let ((ending (cl-loop for desk in alongside--desks
                         unless (alongside--desk-leaving desk)
                         sum (length (alongside--desk-reviews desk)))))
    (or (zerop ending)
        (yes-or-no-p
         (format (if (= ending 1)
                     "One proposal is waiting; %s rejects it.  Go on? "
                   (format "%d proposals are waiting; %%s rejects them.  Go on? " ending))
                 leaving)))))

(defun alongside--may-quit ()
  "Send unsent text, and return whether Emacs may end."
  (alongside--send-all)
  (alongside--may-leave "ending Emacs"))

(defun alongside--send-all ()
  "Send all unsent text, and wait up to 2 s until the companion has it.
Emacs sends nothing after its end."
  (mapc #'alongside--send-now (alongside--reviews))
  (let ((end (time-add nil 2)))
    (while (and (cl-some (lambda (review)
                           (alongside--unsent-p (alongside--review-edit-buffer review)))
                         (alongside--reviews))
                (time-less-p nil end))
      (accept-process-output nil 0.05))))

(defconst alongside--hooks
  '((post-command-hook . alongside--report-soon)
    (after-save-hook . alongside--report-soon)
    (after-save-hook . alongside--send-save)
    (window-configuration-change-hook . alongside--report-soon)
    (kill-buffer-hook . alongside--report-soon)
    (after-set-visited-file-name-hook . alongside--reset-root)
    (minibuffer-exit-hook . alongside--show-waiting-messages)
    (pre-command-hook . alongside--clear-shown-messages)
    (kill-emacs-query-functions . alongside--may-quit)
    (kill-emacs-hook . alongside--send-all))
  "The hooks of `alongside-mode', and their functions.")

;;;###autoload
(define-minor-mode alongside-mode
  "Report the open files to coding agents, and review their proposals."
  :global t
  :lighter (:eval (alongside--lighter))
  (unless alongside-mode
    (alongside--send-all))
  (unless (or alongside-mode (alongside--may-leave "switching Alongside off"))
    (setq alongside-mode t)
    (user-error "Alongside stays on"))
  (pcase-dolist (`(,hook . ,function) alongside--hooks)
    (funcall (if alongside-mode #'add-hook #'remove-hook) hook function))
  (if alongside-mode
      (progn
        (add-function :after after-focus-change-function #'alongside--send-focus)
        (alongside--report-soon))
    (remove-function after-focus-change-function #'alongside--send-focus)
    (mapc #'alongside--stop (copy-sequence alongside--desks))))

(provide 'alongside)
;;; alongside.el ends here
