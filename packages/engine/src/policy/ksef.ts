import type { Level } from './level.js';

export interface KsefParameters {
  readonly levels: {
    readonly contentDiffers: Level;
    readonly accountDiffers: Level;
    readonly missing: Level;
    /** The bill asks for payment to an account that is not trusted. */
    readonly missingNewAccount: Level;
    /** No invoice of the supplier comes through KSeF. */
    readonly missingSmallSeller: Level;
  };
  /** First issue date on which nearly every Polish supplier issues through KSeF. */
  readonly mandatoryFrom: string;
  /** Working days after the issue date until which an invoice must have come. */
  readonly workingDays: number;
  /** Invoices of a supplier, none of which came through KSeF, that make it a small seller. */
  readonly smallSellerInvoicesMin: number;
  /** Last issue date on which small sellers may issue outside KSeF. */
  readonly smallSellersUntil: string;
  /** Days after that date in which such an invoice may still arrive: a sender chooses the date on it. */
  readonly smallSellersArrivalDays: number;
  readonly shownMax: number;
}

/** The defaults of every organization. */
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
