import type { Level } from './level.js';

export interface KsefParameters {
  readonly levels: {
    readonly contentDiffers: Level;
    readonly accountDiffers: Level;
    readonly missing: Level;
    /**
     * Severity and confidence of a finding about a bill that requests payment to a bank account that is not trusted.
     */
    readonly missingNewAccount: Level;
    /** Severity and confidence of a finding about a supplier that sends no invoices through KSeF. */
    readonly missingSmallSeller: Level;
  };
  /** First issue date on which nearly every Polish supplier must issue invoices through KSeF. */
  readonly mandatoryFrom: string;
  /** Number of working days after the issue date within which an invoice must arrive through KSeF. */
  readonly workingDays: number;
  /**
   * Minimum number of invoices at which a supplier counts as a small seller if none of them were received through KSeF.
   */
  readonly smallSellerInvoicesMin: number;
  /** Last issue date on which small sellers may issue invoices outside KSeF. */
  readonly smallSellersUntil: string;
  /**
   * Number of days after `smallSellersUntil` in which an invoice issued outside KSeF may still arrive. The limit is
   * needed because the sender chooses the date on an invoice.
   */
  readonly smallSellersArrivalDays: number;
  readonly shownMax: number;
}

/** Default parameters of the KSeF rules, which apply to every organization. */
export const ksef: KsefParameters = {
  levels: {
    contentDiffers: { severity: 'HIGH', confidence: 92 },
    accountDiffers: { severity: 'CRITICAL', confidence: 95 },
    missing: { severity: 'LOW', confidence: 80 },
    missingNewAccount: { severity: 'MEDIUM', confidence: 80 },
    missingSmallSeller: { severity: 'INFO', confidence: 80 },
  },
  mandatoryFrom: '2026-04-01',
  workingDays: 2,
  smallSellerInvoicesMin: 3,
  smallSellersUntil: '2026-12-31',
  smallSellersArrivalDays: 31,
  shownMax: 20,
};
