// The server's work-done progress (LSP 3.17), shown as notifications that can be cancelled. The
// language client's own way of showing it is a small text in the status bar, which is too little
// for a training that takes minutes.

import * as vscode from "vscode";
import {
  type LanguageClient,
  type Middleware,
  type ProgressToken,
  type WorkDoneProgressBegin,
  WorkDoneProgressCancelNotification,
  type WorkDoneProgressReport,
} from "vscode-languageclient/node";

interface Shown {
  report(step: WorkDoneProgressBegin | WorkDoneProgressReport): void;
  end(): void;
}

export class ProgressNotifications {
  /** Told when the user cancels. */
  client: LanguageClient | undefined;
  private readonly shown = new Map<ProgressToken, Shown>();

  /** Middleware of the language client. */
  readonly handle: NonNullable<Middleware["handleWorkDoneProgress"]> = (token, step, next) => {
    if (step.kind === "begin") {
      this.shown.set(token, this.begin(token, step));
    } else if (step.kind === "report") {
      this.shown.get(token)?.report(step);
    } else {
      this.shown.get(token)?.end();
      this.shown.delete(token);
      next(token, step); // the client forgets the token
    }
  };

  /** For a server that is gone, and with it whatever it was doing. */
  endAll(): void {
    for (const shown of this.shown.values()) {
      shown.end();
    }
    this.shown.clear();
  }

  private begin(token: ProgressToken, first: WorkDoneProgressBegin): Shown {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let progress: vscode.Progress<{ message?: string; increment?: number }> | undefined;
    let percentage = 0;
    const report = (step: WorkDoneProgressBegin | WorkDoneProgressReport): void => {
      const increment = Math.max(0, Math.min(100, step.percentage ?? 0) - percentage);
      percentage += increment;
      progress?.report({
        increment,
        ...(step.message === undefined ? {} : { message: step.message }),
      });
    };
    void vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: first.title,
        cancellable: first.cancellable ?? false,
      },
      (given, cancellation) => {
        progress = given;
        cancellation.onCancellationRequested(() => {
          void this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
        });
        report(first);
        return ended;
      },
    );
    return { report, end };
  }
}
