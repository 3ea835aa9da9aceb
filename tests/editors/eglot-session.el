;;; eglot-session.el --- What a user does in Emacs, for test_emacs.py  -*- lexical-binding: t -*-

(load (getenv "EDITCAST_TEST_CONFIGURATION") nil t)

(defun session-wait (what condition)
  "Wait until CONDITION holds; end with a status other than 0 when WHAT never comes."
  (let ((end (+ (float-time) (string-to-number (getenv "EDITCAST_TEST_SECONDS")))))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (message "never came: %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(setq-default eglot-workspace-configuration
              (list :editcast (json-parse-string (getenv "EDITCAST_TEST_SETTINGS")
                                                 :object-type 'plist)))
(setq make-backup-files nil)
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

(let ((edited (buffer-string)))
  (session-wait "the code action"
                (lambda ()
                  (ignore-error error   ; "No code actions here"
                    (call-interactively (key-binding (kbd "C-c n"))))
                  (not (equal (buffer-string) edited)))))
(save-buffer)
(eglot-shutdown (eglot-current-server))

;;; eglot-session.el ends here
