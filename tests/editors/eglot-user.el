;;; eglot-user.el --- What a user of Emacs can do, for test_emacs.py  -*- lexical-binding: t -*-

(dolist (file (split-string (getenv "EDITCAST_TEST_CONFIGURATION") ":"))
  (load file nil t))

(setq-default eglot-workspace-configuration
              (list :editcast (json-parse-string (getenv "EDITCAST_TEST_SETTINGS")
                                                 :object-type 'plist)))
(setq make-backup-files nil)

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

;;; eglot-user.el ends here
