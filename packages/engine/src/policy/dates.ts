import type { Level } from './level.js';

export interface DateParameters {
  readonly levels: {
    readonly future: Level;
    readonly futureFar: Level;
    readonly stale: Level;
    readonly staleFar: Level;
    readonly dueBeforeIssue: Level;
    readonly dueBeforeIssueHabitual: Level;
    readonly termsChanged: Level;
    readonly termsChangedImmediate: Level;
    readonly weekend: Level;
  };
  /** Number of days by which an invoice date may be in the future, because of time zones. */
  readonly futureDaysMax: number;
  readonly futureFarDays: number;
  readonly staleDays: number;
  readonly staleFarDays: number;
  /**
   * Minimum number of invoices with a due date before the issue date, at which the supplier counts as requesting
   * prepayment.
   */
  readonly prepaidHabitMin: number;
  readonly termsHistoryMin: number;
  readonly termsModeShare: number;
  readonly shortenedTermsDays: number;
  /** Number of invoices with the same payment terms at which the terms count as usual for the supplier. */
  readonly termsAcceptedAfter: number;
  readonly immediateTermsDays: number;
  readonly immediateUsualDays: number;
  readonly weekendHistoryMin: number;
  readonly weekendShareMax: number;
}

/** Default parameters of the date rules, which apply to every organization. */
export const dates: DateParameters = {
  levels: {
    future: { severity: 'LOW', confidence: 90 },
    futureFar: { severity: 'MEDIUM', confidence: 95 },
    stale: { severity: 'LOW', confidence: 80 },
    staleFar: { severity: 'MEDIUM', confidence: 80 },
    dueBeforeIssue: { severity: 'MEDIUM', confidence: 95 },
    dueBeforeIssueHabitual: { severity: 'LOW', confidence: 95 },
    termsChanged: { severity: 'LOW', confidence: 75 },
    termsChangedImmediate: { severity: 'MEDIUM', confidence: 75 },
    weekend: { severity: 'INFO', confidence: 40 },
  },
  futureDaysMax: 1,
  futureFarDays: 7,
  staleDays: 365,
  staleFarDays: 1826,
  prepaidHabitMin: 3,
  termsHistoryMin: 4,
  termsModeShare: 0.6,
  shortenedTermsDays: 14,
  termsAcceptedAfter: 2,
  immediateTermsDays: 3,
  immediateUsualDays: 30,
  weekendHistoryMin: 20,
  weekendShareMax: 0.02,
};
