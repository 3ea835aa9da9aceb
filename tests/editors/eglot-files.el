;;; eglot-files.el --- Renames a function that another file imports  -*- lexical-binding: t -*-

;; By TAB alone, for test_emacs.py.

(find-file "prices.py")
(eglot-ensure)
(run-hooks 'post-command-hook)
(session-wait "the server" #'eglot-managed-p)
(search-forward "tax")
(replace-match "sales_tax")
(session-wait "the next file"
              (lambda ()
                (set-buffer-modified-p t)
                (save-buffer)           ; until the folder has been read
                (accept-process-output nil 0.5)
                (equal (session-drawn) '("line 1:    TAB: bill.py line 1"))))
(session-press "TAB")
(dolist (line '(1 3))
  (session-wait "a place" (lambda () (member (format "line %d: sales_tax" line) (session-drawn))))
  (unless (= line (line-number-at-pos))
    (session-press "TAB"))
  (session-press "TAB"))
(save-buffer)
(message "ended in %s" (buffer-name))
(eglot-shutdown (eglot-current-server))

;;; eglot-files.el ends here
