;;; eglot.el --- Editcast in Emacs, with eglot  -*- lexical-binding: t -*-

;; Add this to ~/.emacs.d/init.el.  M-x eglot starts the server; C-c n accepts the next edit.
;; Settings: (setq-default eglot-workspace-configuration '(:editcast (:eagerness "high"))).

(require 'eglot)

;; eglot runs one server for each major mode: name the modes that Editcast serves.
(add-to-list 'eglot-server-programs '(python-mode . ("editcast" "serve")))

(defun editcast-next-edit ()
  "Accept the edit that Editcast suggests, or choose one if it suggests several."
  (interactive)
  (let ((last-nonmenu-event ?n))        ; ask in the minibuffer, without a pop-up menu
    (eglot-code-actions (point) nil "quickfix.nextEdit" t)))

(define-key eglot-mode-map (kbd "C-c n") #'editcast-next-edit)

;;; eglot.el ends here
