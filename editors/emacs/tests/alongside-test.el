;;; alongside-test.el --- Tests of alongside.el  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs -Q --batch -L .. -l alongside-test.el -f ert-run-tests-batch-and-exit

;;; Code:

;; With trampolines, the replacement of a primitive needs a compiler.
(setq native-comp-enable-subr-trampolines nil)

(require 'alongside)
(require 'ert)

(defvar alongside-test--requests nil "The requests, the newest first.")

(defun alongside-test--reply (number result)
  "Answer request NUMBER, counted from the oldest, with RESULT."
  (funcall (nth 2 (nth number (reverse alongside-test--requests))) result))

(defun alongside-test--display (&rest states)
  "Return the server's labels for a review with two hunks in STATES."
  (list :title "a.txt (Gemini CLI, 2 changes)" :name "a.txt" :states "2 kept"
        :notes [(:text "The file changed on disk." :warning t)]
        :diff (vector (format "@@ -1,2 +1,2 @@ change 1 of 2: %s\n-one\n+ONE\n two\n" (nth 0 states))
                      (format "@@ -5 +5 @@ change 2 of 2: %s\n-five\n+FIVE\n" (nth 1 states)))))

(defun alongside-test--params (revision text &rest states)
  "Return an event about a review with TEXT at REVISION, and hunks in STATES."
  (list :id 1 :file "/p/a.txt" :revision revision :current text
        :hunks (vconcat (cl-mapcar (lambda (state line)
                                     (list :state state :original (list :start line :end (1+ line))
                                           :current (list :start line :end (1+ line))))
                                   states '(0 4)))
        :display (apply #'alongside-test--display states)))

(defun alongside-test--change (desk revision text &rest states)
  "Send DESK the event that its review has TEXT at REVISION, and hunks in STATES."
  (alongside--handle-notification desk 'alongside/didChangeReview
                                  (append (list :replacement (list :lines '(:start 0 :end 9) :text text))
                                          (apply #'alongside-test--params revision nil states))))

(defmacro alongside-test--with-review (&rest body)
  "Run BODY with `desk' and `review', whose requests are only recorded."
  (declare (indent 0))
  `(let* ((alongside-test--requests nil)
          (desk (make-alongside--desk :root "/p"))
          (alongside--desks (list desk)))
     (cl-letf (((symbol-function 'alongside--request)
                (lambda (_ method params &optional then otherwise)
                  (push (list method params then otherwise) alongside-test--requests)))
               ((symbol-function 'run-with-timer) (lambda (&rest _) 'timer))
               ((symbol-function 'cancel-timer) #'ignore))
       (alongside--handle-notification desk 'alongside/didOpenReview
                                       (alongside-test--params 1 "ONE\ntwo\nthree\nfour\nFIVE\n" "kept" "kept"))
       (let ((review (car (alongside--desk-reviews desk))))
         (unwind-protect
             (progn ,@body)
           (dolist (buffer (list (alongside--review-buffer review)
                                 (alongside--review-edit-buffer review)))
             (when (buffer-live-p buffer)
               (kill-buffer buffer))))))))

(ert-deftest alongside-test-columns-are-utf-16 ()
  (with-temp-buffer
    (insert "x\nä😀b")
    (should (= (alongside--utf16-column (point)) 4))
    (should (= (alongside--utf16-column 3) 0))))

(ert-deftest alongside-test-a-review-shows-notes-and-hunks ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (should (string-prefix-p "The file changed on disk.\n--- a.txt\n+++ a.txt\n@@"
                               (buffer-string)))
      (should (looking-at "@@ -1,2"))
      (should (equal (alongside--hunks-at-point) '(0)))
      (goto-char (point-max))
      (forward-line -1)
      (should (equal (alongside--hunks-at-point) '(1)))
      (should (equal (alongside--warnings review) '("The file changed on disk."))))))

(ert-deftest alongside-test-the-region-drops-all-its-hunks ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (let ((transient-mark-mode t))
        (goto-char (point-max))
        (push-mark (point-min) t t)
        (alongside-toggle))
      (pcase-let ((`(,method ,params . ,_) (car alongside-test--requests)))
        (should (eq method 'alongside/keepHunks))
        (should (equal params '(:id 1 :revision 1 :hunks [0 1] :keep :json-false)))))))

(ert-deftest alongside-test-a-dropped-hunk-is-kept-again ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (alongside-test--change desk 2 "one\n" "dropped" "kept")
      (should (looking-at "@@ -1,2 .* dropped"))
      (alongside-toggle)
      (should (eq (plist-get (nth 1 (car alongside-test--requests)) :keep) t)))))

(ert-deftest alongside-test-point-stays-in-its-hunk ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (goto-char (point-min))
      (search-forward "-five")
      (alongside-test--change desk 2 "x\n" "dropped" "edited")
      (should (looking-at "-five")))))

(ert-deftest alongside-test-an-edit-is-sent-and-merged ()
  (alongside-test--with-review
    (with-temp-buffer
      (switch-to-buffer (alongside--buffer review))
      (alongside-edit)
      (goto-char (point-min))
      (insert "mine ")
      (should alongside--send-timer)
      (alongside--send (current-buffer))
      (should (equal (nth 1 (car alongside-test--requests))
                     '(:id 1 :revision 1 :from 1
                           :replacement (:lines (:start 0 :end 1) :text "mine ONE\n"))))
      (insert "own ")
      (alongside-test--change desk 2 "mine ONE\ntwo\nthree\nfour\nFIVE\n" "edited" "kept")
      (alongside-test--reply 0 '(:revision 2))
      (should (= alongside--base-revision 2))
      (should (equal (nth 1 (car alongside-test--requests))
                     '(:id 1 :revision 2 :from 2
                           :replacement (:lines (:start 0 :end 1) :text "mine own ONE\n"))))
      (alongside-test--change desk 4 "mine own ONE\ntheirs\n" "edited" "kept")
      (alongside-test--reply 1 '(:revision 4))
      (should (equal (alongside--text) "mine own ONE\ntheirs\n"))
      (should (= alongside--base-revision 4))
      (should-not (alongside--unsent-p (current-buffer))))))

(ert-deftest alongside-test-a-saved-file-is-reported ()
  (let* ((root (file-truename (make-temp-file "alongside" t)))
         (file (expand-file-name "a.txt" root))
         (desk (make-alongside--desk :root root :ready t))
         (alongside--desks (list desk))
         (sent nil))
    (make-directory (expand-file-name ".git" root))
    (cl-letf (((symbol-function 'alongside--notify)
               (lambda (&rest message) (push message sent)))
              (after-save-hook (list #'alongside--send-save)))
      (should (equal (alist-get 'after-save-hook (reverse alongside--hooks)) #'alongside--send-save))
      (with-current-buffer (find-file-noselect file)
        (insert "mine\n")
        (save-buffer)
        (kill-buffer))
      (with-current-buffer (find-file-noselect (make-temp-file "elsewhere"))
        (insert "mine\n")
        (save-buffer)
        (kill-buffer)))
    (should (equal sent `((,desk alongside/didSave (:path ,file)))))
    (delete-directory root t)))

(ert-deftest alongside-test-a-replacement-turns-the-old-text-into-the-new ()
  (let ((texts '("" "\n" "one" "one\n" "one\ntwo\nthree\n" "one\n2\nthree\n" "three\n"
                 "one\ntwo" "\n\none\n" "ä😀\none\n")))
    (dolist (old texts)
      (dolist (new (remove old texts))
        (should (equal (alongside--apply-replacement old (alongside--replacement old new)) new)))))
  (should (equal (alongside--replacement "one\ntwo\nthree\n" "one\n2\nthree\n")
                 '(:lines (:start 1 :end 2) :text "2\n"))))

(ert-deftest alongside-test-the-last-step-of-a-write-is-shown ()
  (let* ((file (make-temp-file "alongside" nil ".txt" "old\n"))
         (buffer (find-file-noselect file)))
    (unwind-protect
        (cl-letf (((symbol-function 'alongside--name-in-emacs) #'identity))
          (alongside--revert-when-written file)
          (dolist (text '("" "new\n"))
            (write-region text nil file nil 'quiet)
            (with-timeout (5 (ert-fail (list text (with-current-buffer buffer (buffer-string)))))
              (while (not (equal (with-current-buffer buffer (buffer-string)) text))
                (sleep-for 0.05)))))
      (kill-buffer buffer)
      (delete-file file))))

(ert-deftest alongside-test-unsent-text-is-never-replaced ()
  (alongside-test--with-review
    (with-temp-buffer
      (switch-to-buffer (alongside--buffer review))
      (alongside-edit)
      (insert "typed")
      (alongside-test--change desk 2 "theirs\n" "edited" "edited")
      (should (string-match-p "typed" (alongside--text)))
      (let ((buffer (current-buffer)))
        (alongside--handle-notification desk 'alongside/didCloseReview '(:id 1 :closing "rejected"))
        (should (buffer-live-p buffer))
        (with-current-buffer buffer
          (should (string-match-p "typed" (buffer-string)))
          (should-error (alongside-finish-edit) :type 'user-error))
        (kill-buffer buffer)))))

(ert-deftest alongside-test-a-review-that-ends-elsewhere-keeps-its-window ()
  (alongside-test--with-review
    (let ((buffer (alongside--buffer review)))
      (switch-to-buffer buffer)
      (alongside--handle-notification desk 'alongside/didCloseReview '(:id 1 :closing "rejected"))
      (should (eq (current-buffer) buffer))
      (should (eq (window-buffer (selected-window)) buffer))
      (should-error (alongside-toggle) :type 'user-error)
      (kill-buffer buffer))))

(ert-deftest alongside-test-the-buffer-of-a-review-decided-here-is-killed ()
  (alongside-test--with-review
    (let ((buffer (alongside--buffer review)))
      (switch-to-buffer buffer)
      (alongside--handle-notification desk 'alongside/didCloseReview
                                      '(:id 1 :closing "rejected" :decidedHere t))
      (should-not (buffer-live-p buffer)))))

(ert-deftest alongside-test-no-key-changes-the-diff-itself ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (dolist (key '("M-k" "C-c C-r" "C-c C-a" "C-c C-s" "M-K" "D"))
        (should-not (string-prefix-p "diff-" (symbol-name (or (key-binding (kbd key)) 'nil))))))))

(ert-deftest alongside-test-moving-stops-at-both-ends ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (should (looking-at "@@ -1,2"))
      (should-error (alongside-previous-change) :type 'user-error)
      (alongside-next-change)
      (should (looking-at "@@ -5"))
      (should-error (alongside-next-change) :type 'user-error)
      (goto-char (point-max))
      (should (= (alongside--hunk-near) 1))
      (alongside-previous-change)
      (should (looking-at "@@ -5")))))

(ert-deftest alongside-test-unsent-text-is-sent-before-emacs-ends ()
  (alongside-test--with-review
    (switch-to-buffer (alongside--buffer review))
    (alongside-edit)
    (insert "typed last ")
    (cl-letf (((symbol-function 'accept-process-output)
               (lambda (&rest _)
                 (alongside-test--change desk 2 (alongside--text) "edited" "kept")
                 (alongside-test--reply 0 '(:revision 2)))))
      (alongside--send-all))
    (should (equal (nth 1 (car alongside-test--requests))
                   '(:id 1 :revision 1 :from 1
                         :replacement (:lines (:start 0 :end 1) :text "typed last ONE\n"))))
    (should-not (alongside--unsent-p (current-buffer)))))

(ert-deftest alongside-test-the-persons-undo-keys-undo-in-the-review ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (should (eq (key-binding (kbd "C-_")) 'alongside-undo))
      (should (eq (key-binding (kbd "C-x u")) 'alongside-undo)))))

(ert-deftest alongside-test-a-cancelled-edit-keeps-earlier-edits ()
  (alongside-test--with-review
    (switch-to-buffer (alongside--buffer review))
    (alongside-edit)
    (insert "first ")
    (let ((alongside--send-timer nil))
      (alongside-edit-mode 1))
    (alongside--send (current-buffer))
    (alongside-test--change desk 2 (alongside--text) "edited" "kept")
    (alongside-test--reply 0 '(:revision 2))
    (alongside-finish-edit)
    (alongside-edit)
    (insert "second ")
    (let ((buffer (current-buffer)))
      (alongside-cancel-edit)
      (with-current-buffer buffer
        (should (string-match-p "first" (alongside--text)))
        (should-not (string-match-p "second" (alongside--text)))))))

(ert-deftest alongside-test-a-decision-names-the-displayed-revision ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (alongside-reject)
      (should (equal (car (car alongside-test--requests)) 'alongside/decideReview))
      (should (equal (nth 1 (car alongside-test--requests))
                     '(:id 1 :revision 1 :from 1 :decision "reject"))))))

(ert-deftest alongside-test-messages-wait-for-the-minibuffer ()
  (let ((alongside--waiting-messages nil) shown)
    (cl-letf (((symbol-function 'message) (lambda (_ text) (push text shown)))
              ((symbol-function 'run-with-timer) (lambda (_ __ function text) (funcall function text))))
      (cl-letf (((symbol-function 'minibuffer-depth) (lambda () 1)))
        (alongside--show-message "one")
        (alongside--show-message "two")
        (should-not shown))
      (alongside--show-waiting-messages)
      (should (equal shown '("one\ntwo"))))))

(ert-deftest alongside-test-the-lines-of-the-region-are-sent ()
  (alongside-test--with-review
    (with-temp-buffer
      (insert "one\ntwo\nthree\n")
      (cl-letf (((symbol-function 'alongside--file) (lambda (_) "/p/a.txt"))
                ((symbol-function 'alongside--root) (lambda (&rest _) "/p"))
                ((symbol-function 'sent) (lambda (beginning end)
                                           (alongside-send beginning end)
                                           (nth 1 (car alongside-test--requests)))))
        (should (equal (sent nil nil) '(:path "/p/a.txt")))
        ;; The region ends after the second line, or after its first letter.
        (dolist (end '(9 6))
          (should (equal (sent 5 end)
                         '(:path "/p/a.txt" :lines (:start 1 :end 2)))))
        (should (equal (sent 1 10)
                       '(:path "/p/a.txt" :lines (:start 0 :end 3))))))))

(ert-deftest alongside-test-files-of-git-are-not-reported ()
  (with-temp-buffer
    (setq buffer-file-name "/p/.git/COMMIT_EDITMSG")
    (should-not (alongside--file (current-buffer)))
    (setq buffer-file-name "/p/.gitignore")
    (should (alongside--file (current-buffer)))
    (setq buffer-file-name nil)))

;;;; Names and texts that Emacs would obey

(defvar alongside-test--obeyed nil "The connections and commands that Emacs was made to start.")

(ert-deftest alongside-test-no-file-name-makes-emacs-connect ()
  (require 'tramp-sh)
  (let ((alongside-test--obeyed nil))
    (cl-letf (((symbol-function 'tramp-maybe-open-connection)
               (lambda (to) (push to alongside-test--obeyed) (error "Connected to %s" to))))
      (should-error (file-exists-p "/ssh:host:/a.md"))
      (should alongside-test--obeyed)
      (setq alongside-test--obeyed nil)
      (alongside-test--with-review
        (setf (alongside--review-file review) "/ssh:host:/a.md")
        (with-current-buffer (alongside--buffer review)
          (should-error (alongside-visit-file) :type 'user-error)
          (alongside-edit)
          (kill-buffer (alongside--review-edit-buffer review)))
        (alongside--handle-notification desk 'alongside/didCloseReview
                                        '(:id 1 :closing "accepted" :decidedHere t))))
    (should-not alongside-test--obeyed)))

(ert-deftest alongside-test-a-quoted-name-is-reported-without-quotation ()
  (with-temp-buffer
    (setq buffer-file-name "/:/ssh:host:/a.md")
    (should (equal (alongside--file (current-buffer)) "/ssh:host:/a.md"))
    (alongside-test--with-review
      (setf (alongside--review-file review) "/ssh:host:/a.md")
      (save-window-excursion
        (alongside-review)
        (should (eq alongside--review review))))
    (setq buffer-file-name nil)))

(ert-deftest alongside-test-percent-signs-stay-in-the-header ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (plist-put (alongside--review-display review) :title "%f %b %% (x)")
      (cl-letf (((symbol-function 'window-width) (lambda (&rest _) 200)))
        (should (string-search "%%f %%b %%%% (x)" (alongside--header)))))))

(ert-deftest alongside-test-percent-signs-stay-in-the-mode-line ()
  (let ((desk (make-alongside--desk :root "/p" :line "%f by its hook")))
    (cl-letf (((symbol-function 'alongside--root) (lambda (&rest _) "/p")))
      (let ((alongside--desks (list desk)))
        (should (equal (alongside--lighter) " Alongside[%%f by its hook]"))))))

(ert-deftest alongside-test-the-header-fits-into-its-window ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (let ((display (alongside--review-display review)))
        (cl-flet ((header (width name)
                    (plist-put display :name name)
                    (plist-put display :title (format "%s (Gemini CLI, 4 changes)" name))
                    (plist-put display :agent "Gemini CLI")
                    (plist-put display :states "3 kept, 1 dropped")
                    (cl-letf (((symbol-function 'window-width) (lambda (&rest _) width)))
                      (substring-no-properties (alongside--header)))))
          (should (equal (header 120 "basket.py")
                         (concat " basket.py (Gemini CLI, 4 changes): 3 kept, 1 dropped"
                                 "  C-c C-c accept  C-c C-k reject  k keep/drop  e edit")))
          (should (equal (header 80 "basket.py")
                         (concat " basket.py (Gemini CLI): 3 kept, 1 dropped"
                                 "  C-c C-c accept  C-c C-k reject")))
          (should (equal (header 60 "shop/basket.py")
                         " basket.py: 3 kept, 1 dropped  C-c C-c accept"))
          (should (equal (header 20 "shop/basket.py") " basket.py: 3 kept,…"))
          (cl-loop for width from 1 to 150
                   do (should (<= (string-width (header width "a/long/name/of/a/file.py"))
                                  width))))))))

(defun alongside-test-obeyed-mode ()
  "Record that a command was run which the text of an agent names."
  (push 'mode alongside-test--obeyed))

(ert-deftest alongside-test-no-text-runs-a-mode-or-an-expression ()
  (dolist (text '("-*- mode: alongside-test-obeyed -*-\n" "-*- alongside-test-obeyed -*-\n"
                  "x\n# Local \
Variables:\n# mode: alongside-test-obeyed\n# End:\n"
                  "-*- eval: (alongside-test-obeyed-mode) -*-\n"))
    (let ((alongside-test--obeyed nil)
          (enable-local-variables :all)
          (enable-local-eval t))
      (alongside-test--with-review
        (setf (alongside--review-text review) text)
        (with-current-buffer (alongside--buffer review)
          (alongside-edit)
          (should-not alongside-test--obeyed))))))

(ert-deftest alongside-test-a-text-is-edited-as-text ()
  (dolist (name '("a.tar" "a.tar.gz" "a.zip" "a.png" "a.pdf" "a.docx"))
    (alongside-test--with-review
      (setf (alongside--review-file review) (concat "/p/" name)
            (alongside--review-text review) "%PDF-1.5\nPK\003\004\n")
      (with-current-buffer (alongside--buffer review)
        (alongside-edit)
        (should (eq major-mode 'fundamental-mode))
        (should-not buffer-read-only)
        (should (equal (buffer-string) "%PDF-1.5\nPK\003\004\n")))))
  (alongside-test--with-review
    (setf (alongside--review-file review) "/p/a.el.gz")
    (with-current-buffer (alongside--buffer review)
      (alongside-edit)
      (should (eq major-mode 'emacs-lisp-mode))
      ;; Completion in this mode expands macros of trusted text.
      (should untrusted-content))))

(ert-deftest alongside-test-the-diff-leads-to-no-other-file ()
  (alongside-test--with-review
    (with-current-buffer (alongside--buffer review)
      (should-not next-error-function)
      (should-not diff-font-lock-syntax)
      (should-not add-log-current-defun-function)
      (should-not add-log-buffer-file-name-function))))

;;;; Colours

(defun alongside-test--specified (specs attribute)
  "Return the first ATTRIBUTE in SPECS, with the face remappings of this buffer.
SPECS are the faces and face properties of a text."
  (cl-loop for spec in (if (and (consp specs) (not (keywordp (car specs)))) specs (list specs))
           for remapped = (and (symbolp spec) (cdr (assq spec face-remapping-alist)))
           for value = (cond
                        ((null spec) 'unspecified)
                        ((consp spec) (or (plist-get spec attribute) 'unspecified))
                        (remapped (alongside-test--specified
                                   (cl-substitute-if (list attribute (face-attribute spec attribute nil t))
                                                     (lambda (one) (eq one spec)) remapped)
                                   attribute))
                        (t (face-attribute spec attribute nil t)))
           unless (eq value 'unspecified) return value
           finally return 'unspecified))

(defun alongside-test--least-contrast (foreground background)
  "Return the least contrast of a text in this buffer, that text and its faces.
FOREGROUND and BACKGROUND are the colours of the terminal."
  (cl-loop for at from (point-min) below (point-max)
           for specs = (append (mapcar (lambda (overlay) (overlay-get overlay 'face))
                                       (overlays-at at))
                               (ensure-list (get-text-property at 'face)))
           for (fore back) = (cl-mapcar (lambda (attribute of-terminal)
                                          (let ((value (alongside-test--specified specs attribute)))
                                            (if (alongside--luminance value) value of-terminal)))
                                        '(:foreground :background)
                                        (list foreground background))
           for contrast = (alongside--contrast fore back)
           with least = '(22)
           do (when (< contrast (car least))
                (setq least (list contrast (buffer-substring at (1+ at)) specs)))
           finally return least))

(defmacro alongside-test--in-colours (mode theme &rest body)
  "Run BODY in a frame whose background Emacs assumes to be MODE, with THEME."
  (declare (indent 2))
  `(let ((parameters (frame-parameters)))
     (cl-letf (((symbol-function 'display-color-cells) (lambda (&rest _) 16777216))
               ((symbol-function 'color-values)
                (lambda (color &rest _) (tty-color-standard-values color))))
       (unwind-protect
           (progn
             (modify-frame-parameters nil `((background-mode . ,,mode) (display-type . color)))
             (when ,theme
               (load-theme ,theme t))
             (mapc #'alongside-test--recalculate (face-list))
             ,@body)
         (when ,theme
           (disable-theme ,theme))
         (modify-frame-parameters
          nil `((background-mode . ,(alist-get 'background-mode parameters))
                (display-type . ,(alist-get 'display-type parameters))))
         (mapc #'alongside-test--recalculate (face-list))))))

(defun alongside-test--recalculate (face)
  "Recalculate FACE for the parameters of the selected frame."
  (face-spec-recalc face (selected-frame)))

(ert-deftest alongside-test-every-text-of-a-review-is-readable ()
  (pcase-dolist (`(,mode ,theme . ,terminals)
                 ;; Without a theme, Emacs may assume the wrong background.
                 '((light nil ("black" "white") ("#d0d0d0" "#121212") ("#1e1e1e" "#ffffff"))
                   (dark nil ("white" "black") ("#d0d0d0" "#121212") ("#1e1e1e" "#ffffff"))
                   (light modus-operandi ("#000000" "#ffffff"))
                   (dark modus-vivendi ("#ffffff" "#000000"))
                   (light leuven ("#333333" "#ffffff"))
                   (dark tango-dark ("#eeeeec" "#2e3436"))))
    (when (or (null theme) (memq theme (custom-available-themes)))
      (alongside-test--in-colours mode theme
        (alongside-test--with-review
          (plist-put (alongside--review-display review) :notes
                     [(:text "A warning." :warning t) (:text "A note." :warning :json-false)])
          (with-current-buffer (alongside--buffer review)
            (should (eq (get-char-property (point-min) 'face) 'alongside-warning))
            (dolist (states '(("kept" "kept") ("dropped" "edited")))
              (apply #'alongside-test--change desk 2 "x\n" states)
              (font-lock-ensure)
              (should (text-property-any (point-min) (point-max) 'face 'diff-added))
              (pcase-dolist (`(,foreground ,background) terminals)
                (let ((least (alongside-test--least-contrast foreground background)))
                  (ert-info ((format "%s, %s on %s: %S" (or theme mode)
                                     foreground background least))
                    (should (>= (car least) 4.5))))))))))))

(provide 'alongside-test)
;;; alongside-test.el ends here
