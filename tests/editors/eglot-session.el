;;; eglot-session.el --- What a user does in Emacs, for test_emacs.py  -*- lexical-binding: t -*-

(find-file "parts.py")
;; Without a server this is no failure yet: what must not come then is the edit.
(with-demoted-errors "%S"
  (eglot-ensure)
  (run-hooks 'post-command-hook)        ; when eglot-ensure starts the server
  (session-wait "the server" #'eglot-managed-p))

(dotimes (_ 2)
  (goto-char (point-min))
  (search-forward "render")
  (replace-match "draw")
  (save-buffer))

(let ((edited (buffer-string)) (way (getenv "EDITCAST_TEST_WAY")))
  (if (equal way "")
      (session-wait "the code action"
                    (lambda ()
                      (ignore-error error ; "No code actions here"
                        (call-interactively (key-binding (kbd "C-c n"))))
                      (not (equal (buffer-string) edited))))
    (session-wait "what is drawn" #'session-drawn)
    (message "%S" (session-drawn))
    (when (equal way "TAB")
      (session-press "TAB")
      (message "now on line %d, %S" (line-number-at-pos) (session-drawn)))
    (session-press way)
    (message "left: %S" (session-drawn))))
(save-buffer)
(eglot-shutdown (eglot-current-server))

;;; eglot-session.el ends here
