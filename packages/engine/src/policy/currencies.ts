import type { Level } from './level.js';

export interface CurrencyParameters {
  readonly levels: {
    readonly unknown: Level;
    readonly changed: Level;
    readonly changedMultiCurrency: Level;
    readonly unusual: Level;
    readonly withoutRate: Level;
  };
  readonly changedHistoryMin: number;
  /**
   * Minimum number of currencies, and of bills in each currency, at which a supplier counts as billing in several
   * currencies.
   */
  readonly multiCurrencyMin: number;
  readonly multiCurrencyUsesMin: number;
  readonly unusualAcceptedAfter: number;
  /** Currencies that are usual in every country, so that an invoice in them raises no finding. */
  readonly worldCurrencies: readonly string[];
}

/** Default parameters of the currency rules, which apply to every organization. */
export const currencies: CurrencyParameters = {
  levels: {
    unknown: { severity: 'HIGH', confidence: 99 },
    changed: { severity: 'MEDIUM', confidence: 75 },
    changedMultiCurrency: { severity: 'LOW', confidence: 75 },
    unusual: { severity: 'LOW', confidence: 60 },
    withoutRate: { severity: 'INFO', confidence: 100 },
  },
  changedHistoryMin: 5,
  multiCurrencyMin: 2,
  multiCurrencyUsesMin: 2,
  unusualAcceptedAfter: 2,
  worldCurrencies: ['EUR', 'USD', 'GBP'],
};
