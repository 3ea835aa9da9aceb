;;; eglot.el --- Editcast in Emacs, by eglot  -*- lexical-binding: t -*-

;; For ~/.emacs.d/init.el.  M-x eglot starts the server; C-c n takes the next edit.
;; Settings: (setq-default eglot-workspace-configuration '(:editcast (:eagerness "high"))).

(require 'eglot)

;; eglot runs one server for a major mode: name the modes that Editcast is to serve.
(add-to-list 'eglot-server-programs '(python-mode . ("editcast" "serve")))

(defun editcast-next-edit ()
  "Take the edit that Editcast suggests next, or choose when it suggests several."
  (interactive)
  (let ((last-nonmenu-event ?n))        ; ask in the minibuffer, without a pop-up menu
    (eglot-code-actions (point) nil "quickfix.nextEdit" t)))

(define-key eglot-mode-map (kbd "C-c n") #'editcast-next-edit)

;;; eglot.el ends here
