import type { Level } from './level.js';

export interface TaxParameters {
  readonly levels: {
    readonly arithmeticSmall: Level;
    /**
     * Severity and confidence of the finding about totals that do not add up, if the difference is as high as a charge
     * that the law of the supplier's country adds to the total.
     */
    readonly arithmeticStatutory: Level;
    readonly arithmetic: Level;
    readonly arithmeticOverbilled: Level;
    readonly rateImplausible: Level;
    readonly signMismatch: Level;
    readonly rateUnusual: Level;
    readonly withoutRegistration: Level;
    readonly withoutRegistrationAgain: Level;
    readonly crossBorder: Level;
  };
  /**
   * Maximum rounding difference between the totals of an invoice, in minor units. `toleranceMinorWhole` applies to
   * currencies without minor units.
   */
  readonly toleranceMinor: number;
  readonly toleranceMinorWhole: number;
  /**
   * Difference between invoice totals that counts as small, in euros at the exchange rate of the invoice, or in the
   * invoice currency if no rate exists.
   */
  readonly smallDifference: string;
  readonly smallBasisPoints: number;
  readonly overbilledBasisPoints: number;
  /** Smallest coin to which totals are rounded, for each currency with cash rounding. */
  readonly cashRoundingSteps: Readonly<Record<string, string>>;
  /** Shares of the net amount, in basis points, that the buyer withholds for the tax office, by supplier country. */
  readonly withholdingBasisPoints: Readonly<Record<string, readonly number[]>>;
  /** Charges that suppliers add to net and tax, by supplier country. */
  readonly statutoryAmounts: Readonly<Record<string, readonly StatutoryAmount[]>>;
  readonly statutoryShares: Readonly<Record<string, readonly StatutoryShare[]>>;
  /** Maximum gross amounts of simplified invoices, by supplier country. */
  readonly simplifiedInvoiceLimits: Readonly<Record<string, SimplifiedInvoiceLimit>>;
  /**
   * Maximum gross amount of a simplified invoice if the country is unknown or has no limit of its own. It is the
   * maximum that article 238 of the VAT directive allows.
   */
  readonly simplifiedInvoiceLimit: SimplifiedInvoiceLimit;
  readonly rateExcessBasisPoints: number;
  readonly rateHistoryMin: number;
  readonly rateConstantBasisPoints: number;
  readonly rateConstantShareMin: number;
  readonly rateUnusualBasisPoints: number;
}

/** A fixed amount that the law adds to invoices, such as a stamp duty. */
export interface StatutoryAmount {
  readonly name: string;
  readonly currency: string;
  readonly amount: string;
  /** Net amount above which an invoice has the statutory charge. */
  readonly netAbove: string;
}

/** A statutory charge that is a share of the net amount, or of net amount and tax. */
export interface StatutoryShare {
  readonly name: string;
  readonly basisPoints: readonly number[];
  readonly of: 'NET' | 'NET_AND_TAX';
  /** True if only invoices without tax have the statutory charge. */
  readonly withoutTax: boolean;
}

/** Maximum gross amount of a simplified invoice, in the currency in which the law states the amount. */
export interface SimplifiedInvoiceLimit {
  readonly amount: string;
  readonly currency: string;
}

const euros = (amount: string): SimplifiedInvoiceLimit => ({ amount, currency: 'EUR' });

/**
 * Maximum amounts for which a country accepts a simplified invoice. Directive 2006/112 lets every member state accept
 * such invoices up to EUR 100 (article 220a) and allows no more than EUR 400 (article 238). Each line names the
 * national law that sets the limit. Countries differ in whether such an invoice may leave out the supplier's tax id (it
 * may in AT, DE, FR and NL), so these limits only decide which invoices are too small to report. French law states its
 * limit without tax. The rules compare it with amounts that include tax. In 2026-11 the limits for AT, CZ, DE, DK, IT
 * and PL were compared with excerpts of national texts and with guides, some of them not by authorities. The other
 * limits were not compared with any text.
 */
const simplifiedInvoiceLimits: Readonly<Record<string, SimplifiedInvoiceLimit>> = {
  // Austrian limit for simplified invoices, § 11 Abs. 6 UStG.
  AT: euros('400'),
  // Swiss limit for simplified invoices, Art. 57 MWSTV.
  CH: { amount: '400', currency: 'CHF' },
  // Czech limit for simplified invoices, § 30 zákona o dani z přidané hodnoty.
  CZ: { amount: '10000', currency: 'CZK' },
  // German limit for simplified invoices, § 33 UStDV.
  DE: euros('250'),
  // Danish limit for simplified invoices, Momsbekendtgørelsen § 64.
  DK: { amount: '3000', currency: 'DKK' },
  // Spanish limit for simplified invoices, Real Decreto 1619/2012, artículo 4.
  ES: euros('400'),
  // Finnish limit for simplified invoices, Arvonlisäverolaki 209 f §.
  FI: euros('400'),
  // French limit for simplified invoices, Code général des impôts, annexe II, article 242 nonies A.
  FR: euros('150'),
  // British limit for simplified invoices, VAT Regulations 1995, regulations 16 and 16A.
  GB: { amount: '250', currency: 'GBP' },
  // Italian limit for simplified invoices, Decreto ministeriale 10 maggio 2019.
  IT: euros('400'),
  // Dutch limit for simplified invoices, Wet op de omzetbelasting 1968, artikel 34d.
  NL: euros('100'),
  // Polish limit for simplified invoices, Ustawa o podatku od towarów i usług, art. 106e ust. 5 pkt 3.
  PL: { amount: '450', currency: 'PLN' },
  // Swedish limit for simplified invoices, Mervärdesskattelagen (2023:200), 17 kap.
  SE: { amount: '4000', currency: 'SEK' },
};

/**
 * Charges that the law adds to the total beside tax. Each line names the law. The values were not compared with the
 * texts of the laws in 2026-11.
 */
const statutoryShares: Readonly<Record<string, readonly StatutoryShare[]>> = {
  BR: [
    // Brazilian tax on industrial products, Decreto 11.158/2022 (TIPI).
    share('industrial products tax (IPI)', 'NET', [325, 500, 650, 975, 1000, 1500]),
  ],
  ES: [
    // Spanish equivalence surcharge on VAT, Ley 37/1992, artículo 161.
    share('equivalence surcharge (recargo de equivalencia)', 'NET', [50, 140, 175, 520]),
  ],
  GR: [
    // Greek digital transaction duty on invoices, Law 5135/2024.
    share('digital transaction duty', 'NET', [120, 240, 360], { withoutTax: true }),
  ],
  IN: [
    // Indian tax collected at source, Income-tax Act 1961, section 206C.
    share('tax collected at source (TCS)', 'NET_AND_TAX', [10, 100]),
  ],
  IT: [
    // Italian pension contribution on invoices of professionals, D.Lgs. 103/1996 and L. 335/1995.
    share('pension contribution of professionals (contributo integrativo)', 'NET', [200, 400, 500]),
  ],
  PT: [
    // Portuguese stamp duty on invoices, Tabela Geral do Imposto do Selo, verbas 17 and 22.
    share('stamp duty (imposto do selo)', 'NET', [300, 400, 500, 900], { withoutTax: true }),
  ],
};

const statutoryAmounts: Readonly<Record<string, readonly StatutoryAmount[]>> = {
  IT: [
    // Italian stamp duty on invoices, D.P.R. 642/1972, tariffa, articolo 13.
    { name: 'stamp duty (imposta di bollo)', currency: 'EUR', amount: '2.00', netAbove: '77.47' },
  ],
};

function share(
  name: string,
  of: 'NET' | 'NET_AND_TAX',
  basisPoints: readonly number[],
  { withoutTax = false }: { readonly withoutTax?: boolean } = {},
): StatutoryShare {
  return { name, basisPoints, of, withoutTax };
}

/** Default parameters of the tax rules, which apply to every organization. */
export const taxes: TaxParameters = {
  levels: {
    arithmeticSmall: { severity: 'LOW', confidence: 90 },
    arithmeticStatutory: { severity: 'LOW', confidence: 60 },
    arithmetic: { severity: 'MEDIUM', confidence: 95 },
    arithmeticOverbilled: { severity: 'HIGH', confidence: 97 },
    rateImplausible: { severity: 'MEDIUM', confidence: 90 },
    signMismatch: { severity: 'HIGH', confidence: 90 },
    rateUnusual: { severity: 'LOW', confidence: 60 },
    withoutRegistration: { severity: 'MEDIUM', confidence: 70 },
    withoutRegistrationAgain: { severity: 'LOW', confidence: 70 },
    crossBorder: { severity: 'LOW', confidence: 65 },
  },
  toleranceMinor: 2,
  toleranceMinorWhole: 1,
  smallDifference: '1',
  smallBasisPoints: 10,
  overbilledBasisPoints: 100,
  cashRoundingSteps: {
    AUD: '0.05',
    CAD: '0.05',
    CHF: '0.05',
    CZK: '1',
    DKK: '0.5',
    HUF: '5',
    INR: '1',
    NOK: '1',
    NZD: '0.1',
    SEK: '1',
  },
  withholdingBasisPoints: {
    BR: [150, 465, 500, 615, 1100],
    ES: [100, 200, 700, 1500, 1900],
    GR: [100, 300, 400, 800, 2000],
    IT: [400, 1150, 2000, 2300],
    PT: [1150, 1650, 2000, 2300, 2500],
  },
  statutoryAmounts,
  statutoryShares,
  simplifiedInvoiceLimits,
  simplifiedInvoiceLimit: euros('400'),
  rateExcessBasisPoints: 10,
  rateHistoryMin: 6,
  rateConstantBasisPoints: 20,
  rateConstantShareMin: 0.9,
  rateUnusualBasisPoints: 100,
};
