;;; eglot-session.el --- What a user does in Emacs, for test_emacs.py  -*- lexical-binding: t -*-

(dolist (file (split-string (getenv "EDITCAST_TEST_CONFIGURATION") ":"))
  (load file nil t))

(defun session-wait (what condition)
  "Wait until CONDITION holds; end with a status other than 0 when WHAT never comes."
  (let ((end (+ (float-time) (string-to-number (getenv "EDITCAST_TEST_SECONDS")))))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (message "never came: %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(defun session-press (key)
  "Press KEY in the file."
  (let ((command (key-binding (kbd key))))
    (message "%s is %s" key command)
    (call-interactively command)
    (run-hooks 'post-command-hook)))

(defun session-drawn ()
  "Return the texts that overlays show, with the lines they are on."
  (mapcar (lambda (overlay)
            (format "line %d: %s" (line-number-at-pos (overlay-start overlay))
                    (substring-no-properties (overlay-get overlay 'after-string))))
          (seq-filter (lambda (overlay) (overlay-get overlay 'after-string))
                      (overlays-in (point-min) (1+ (point-max))))))

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
