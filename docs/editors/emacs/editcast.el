;;; editcast.el --- The next edit, drawn in the text  -*- lexical-binding: t -*-

;; Version: 0.1
;; Package-Requires: ((emacs "26.3") (eglot "1.9"))
;; Keywords: convenience, languages
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Draws the suggestions of the Editcast server in buffers that eglot manages.  While a suggestion
;; is drawn, TAB goes to it, then accepts it; C-g dismisses it, and it is not offered again.  Once
;; nothing is left to do in a file, TAB goes to the next file to update after a rename.  Otherwise
;; both keys keep their meaning.
;;
;;   (add-to-list 'load-path "~/src/editcast/docs/editors/emacs")
;;   (require 'editcast)
;;   (add-to-list 'eglot-server-programs '(python-mode . ("editcast" "serve")))

;;; Code:

(require 'diff-mode)
(require 'eglot)
(require 'seq)
(require 'subr-x)

(defgroup editcast nil "The next edit, forecast on your own machine." :group 'tools)

(defface editcast-inserted '((t :inherit diff-added))
  "Text that a suggestion would insert.")

(defface editcast-deleted '((t :inherit diff-removed :strike-through t))
  "Text that a suggestion would delete.")

(defface editcast-hint '((t :inherit shadow :slant italic))
  "Hint at the end of the line about a suggestion that is elsewhere.")

(defvar-local editcast--offer nil
  "Suggestion that is drawn: a list of its server, its id, and its edits.
An edit is a list (BEG END TEXT); they are ascending.")

(defvar-local editcast--next nil
  "File in which to go on, once nothing is left in this one: its :uri, and its :line from 0.")

(defvar editcast--turned-down nil "URIs of files that the user does not want to be sent to.")

(defvar-local editcast--overlays nil "Overlays of what is drawn.")

(defun editcast--filter (command)
  "Return COMMAND while a suggestion is drawn: else its key is what it was."
  (and (or editcast--offer editcast--next) command))

(defvar editcast-mode-map
  (let ((map (make-sparse-keymap)))
    (dolist (binding '(("TAB" . editcast-jump-or-take) ("C-g" . editcast-turn-down)))
      (define-key map (kbd (car binding))
                  `(menu-item "" ,(cdr binding) :filter editcast--filter)))
    map)
  "Keys while a suggestion is drawn.")

(define-minor-mode editcast-mode
  "Draw Editcast's suggestions in the text; turned on by the first suggestion."
  :lighter " Editcast"
  (if editcast-mode
      (progn
        (add-hook 'after-change-functions #'editcast--changed nil t)
        (add-hook 'post-command-hook #'editcast--draw-hint nil t))
    (remove-hook 'after-change-functions #'editcast--changed t)
    (remove-hook 'post-command-hook #'editcast--draw-hint t)
    (editcast--clear)))

(cl-defmethod eglot-handle-notification
  (server (_method (eql editcast/didPredict)) &key uri version suggestions otherFiles &allow-other-keys)
  "Draw the first of the SUGGESTIONS, or of OTHERFILES, for VERSION of the document at URI."
  (when-let* ((path (editcast--call '(eglot-uri-to-path eglot--uri-to-path) uri))
              (buffer (find-buffer-visiting path)))
    (with-current-buffer buffer
      (editcast--clear)
      ;; Edits of an older text must not be drawn on this one; the server sends others soon.
      (when (editcast--is-current version)
        (if (> (length suggestions) 0)
            (progn (editcast-mode 1)
                   (editcast--draw server (elt suggestions 0)))
          (setq editcast--next (seq-find (lambda (file) (not (member (plist-get file :uri)
                                                                     editcast--turned-down)))
                                         otherFiles))
          (when editcast--next
            (editcast-mode 1)
            (editcast--draw-hint)))))))

(defun editcast--call (names &rest arguments)
  "Call the first function of NAMES that there is with ARGUMENTS: eglot renames its own."
  (apply (seq-find #'fboundp names) arguments))

(defun editcast--is-current (version)
  "Tell whether the text of this buffer is what the server knows as VERSION."
  (and (not (bound-and-true-p eglot--recent-changes))
       (eql version (if (boundp 'eglot--docver) (symbol-value 'eglot--docver)
                      (bound-and-true-p eglot--versioned-identifier)))))

(defun editcast--draw (server suggestion)
  "Draw a SUGGESTION of SERVER, and tell it so."
  (let ((id (plist-get suggestion :id)))
    (setq editcast--offer
          (list server id
                (mapcar (lambda (edit)
                          (let ((region (editcast--call '(eglot-range-region eglot--range-region)
                                                        (plist-get edit :range))))
                            (list (car region) (cdr region) (plist-get edit :newText))))
                        (plist-get suggestion :edits))))
    (pcase-dolist (`(,beg ,end ,text) (nth 2 editcast--offer))
      (let ((overlay (make-overlay beg end)))
        (overlay-put overlay 'face 'editcast-deleted)
        (overlay-put overlay 'after-string (propertize text 'face 'editcast-inserted 'cursor t))
        (push overlay editcast--overlays)))
    (editcast--draw-hint)
    (when (get-buffer-window nil t)
      (editcast--tell server "editcast.shown" id))))

(defun editcast--tell (server command id)
  "Send SERVER a COMMAND about the suggestion ID."
  (jsonrpc-async-request server :workspace/executeCommand
                         (list :command command :arguments (vector id))
                         :success-fn #'ignore :error-fn #'ignore))

(defun editcast--place ()
  "Return where the suggestion that is drawn begins."
  (car (car (nth 2 editcast--offer))))

(defun editcast--is-elsewhere ()
  "Tell whether the suggestion that is drawn begins on another line than point's."
  (not (<= (line-beginning-position) (editcast--place) (line-end-position))))

(defun editcast--next-path ()
  "Return the path of the file in which to go on."
  (editcast--call '(eglot-uri-to-path eglot--uri-to-path) (plist-get editcast--next :uri)))

(defun editcast--hint ()
  "Return words about a suggestion, or a file, that is elsewhere; nil without one."
  (cond (editcast--next (format "%s line %d" (file-name-nondirectory (editcast--next-path))
                                (1+ (plist-get editcast--next :line))))
        ((and editcast--offer (editcast--is-elsewhere))
         (format "line %d" (line-number-at-pos (editcast--place))))))

(defun editcast--draw-hint ()
  "Say at the end of the line where the suggestion is, if it is elsewhere."
  (dolist (overlay editcast--overlays)
    (when (overlay-get overlay 'editcast-hint)
      (delete-overlay overlay)))
  (when (editcast--hint)
    (let ((overlay (make-overlay (line-end-position) (line-end-position))))
      (overlay-put overlay 'editcast-hint t)
      (overlay-put overlay 'after-string
                   (propertize (concat "   TAB: " (editcast--hint))
                               'face 'editcast-hint 'cursor t))
      (push overlay editcast--overlays))))

(defun editcast--clear ()
  "Draw nothing any more."
  (mapc #'delete-overlay editcast--overlays)
  (setq editcast--overlays nil editcast--offer nil editcast--next nil))

(defun editcast--changed (&rest _)
  "Clear what is drawn, since the text is another one."
  (editcast--clear))

(defun editcast-jump-or-take ()
  "Go to the suggestion or to the next file; at the suggestion, accept it."
  (interactive)
  (cond
   (editcast--next
    (let ((path (editcast--next-path)) (line (plist-get editcast--next :line)))
      (editcast--clear)
      (find-file path)
      (goto-char (point-min))
      (forward-line line)))
   ((editcast--is-elsewhere)
    (push-mark)
    (goto-char (editcast--place)))
   (t
    (pcase-let ((`(,server ,id ,edits) editcast--offer))
      (editcast--clear)
      (atomic-change-group
        (pcase-dolist (`(,beg ,end ,text) (reverse edits))
          (goto-char beg)
          (delete-region beg end)
          (insert text)))
      (eglot--signal-textDocument/didChange) ; before the command, so that the server sees the text
      (editcast--tell server "editcast.accept" id)))))

(defun editcast-turn-down ()
  "Dismiss the suggestion; it is not offered again."
  (interactive)
  (if editcast--next
      (push (plist-get editcast--next :uri) editcast--turned-down))
  (pcase-let ((`(,server ,id ,_) editcast--offer))
    (editcast--clear)
    (when id
      (editcast--tell server "editcast.reject" id))))

(provide 'editcast)

;;; editcast.el ends here
