import { pick } from '../explanation/evidence.js';
import type { ScanPopulation, ScanRow } from '../facts/scan.js';
import { subject } from '../explanation/subject.js';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import { moneyIn, moneyText } from '../explanation/money.js';
import { counted, grouped } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { ScanParameters } from '../policy/scans.js';
import { compareSuppliers, compareText } from '../facts/record-order.js';

/**
 * Raises findings about a history scan as a whole, which belong to no invoice (detection reference, section 7.6). The
 * amounts in a file that was imported before are not examined again.
 */
export function detectInScan(scan: ScanPopulation, policy: Policy): RaisedFinding[] {
  const reimported = scanReimported(scan, policy.scans);
  if (reimported.length > 0) return reimported;
  return [
    ...benfordOfScan(scan, policy.scans),
    ...benfordOfSuppliers(scan, policy.scans),
    ...thresholdClusters(scan, policy),
  ];
}

function scanReimported({ scanId, rows, earlier }: ScanPopulation, parameters: ScanParameters): RaisedFinding[] {
  const { reimportedRowsMin, reimportedPercent, levels } = parameters;
  if (earlier === undefined || rows.length < reimportedRowsMin) return [];
  if (earlier.identicalRows * 100 < rows.length * reimportedPercent) return [];
  const percent = Math.floor((earlier.identicalRows * 100) / rows.length);
  const news = rows.length - earlier.identicalRows;
  const newText =
    news === 0
      ? 'no row is new'
      : `${counted(news, 'row')} ${news === 1 ? 'is new and is' : 'are new and are'} counted`;
  return [
    {
      type: 'SCAN_REIMPORTED',
      ...levels.reimported,
      summary: `${grouped(earlier.identicalRows)} of ${counted(rows.length, 'row')} were already in an earlier scan and are not counted again; ${newText}.`,
      actionValues: {
        newRows: news === 0 ? 'no new rows' : `only ${counted(news, 'new row')}`,
      },
      about: [scanId, earlier.scanId],
      parameters: { reimportedRowsMin, reimportedPercent },
      observed: { rows: rows.length, identicalRows: earlier.identicalRows, newRows: news },
      explanation: [
        `${percent}% of the rows are identical to rows of one earlier scan of the company.`,
        'The repeated rows are not compared with each other or with the earlier scan, and the history of their suppliers does not change.',
        'Other findings about the repeated rows repeat those of the earlier scan.',
        ...(news === 0 ? [] : ['New rows are checked and counted like those of any other scan.']),
      ],
      extra: { earlierScanId: earlier.scanId, share: percent / 100 },
    },
  ];
}

/**
 * Reports a history scan whose amounts have leading digits that do not follow Benford's law. Natural amounts follow it,
 * while invented or capped amounts do not.
 */
function benfordOfScan({ scanId, rows }: ScanPopulation, parameters: ScanParameters): RaisedFinding[] {
  const amounts = grownAmounts(rows, parameters);
  if (amounts.length < parameters.benfordAmountsMin || !spansDecades(amounts, parameters)) return [];
  const fit = digitFit(amounts, 2, parameters);
  if (fit.excess <= parameters.benfordExcessMax) return [];
  return [
    {
      type: 'BENFORD_DEVIATION',
      ...parameters.levels.benford,
      summary: `The first two digits of ${grouped(fit.n)} invoice amounts in the scan are unusual${spikeClause(fit.spikes)}.`,
      about: [scanId],
      parameters: pick(parameters, 'benfordAmountsMin', 'benfordExcessMax'),
      observed: { mad: fit.mad, noise: fit.noise, n: fit.n },
      explanation: [
        'Amounts that result from quantities and prices begin with small digits more often than with large ones.',
        ...spikeSentences(fit.spikes),
      ],
      extra: { mad: fit.mad, noise: fit.noise, n: fit.n, digits: 2, spikes: fit.spikes.map(spikeEvidence) },
    },
  ];
}

function benfordOfSuppliers({ scanId, rows }: ScanPopulation, parameters: ScanParameters): RaisedFinding[] {
  return bySupplier(grownAmounts(rows, parameters)).flatMap(([supplierId, own]) => {
    if (own.length < parameters.benfordSupplierAmountsMin) return [];
    const fit = digitFit(own, 1, parameters);
    if (fit.excess <= parameters.benfordSupplierExcessMax) return [];
    const name = own[0]?.row.supplierName ?? '';
    return [
      {
        type: 'BENFORD_DEVIATION' as const,
        ...parameters.levels.benfordSupplier,
        summary: `The first digits of ${grouped(fit.n)} invoice amounts from ${name} are unusual${spikeClause(fit.spikes)}.`,
        about: [scanId, subject.supplier(supplierId)],
        parameters: pick(parameters, 'benfordSupplierAmountsMin', 'benfordSupplierExcessMax'),
        observed: { mad: fit.mad, noise: fit.noise, n: fit.n },
        explanation: [`${grouped(fit.n)} of the amounts in this scan are from ${name}.`, ...spikeSentences(fit.spikes)],
        extra: {
          supplierId,
          mad: fit.mad,
          noise: fit.noise,
          n: fit.n,
          digits: 1,
          spikes: fit.spikes.map(spikeEvidence),
        },
      },
    ];
  });
}

/** Reports a history scan with more invoices just below an approval limit than the neighbouring amounts suggest. */
function thresholdClusters(scan: ScanPopulation, { scans: parameters, amounts }: Policy): RaisedFinding[] {
  if (scan.rows.length < parameters.clusterRowsMin) return [];
  const currencies = [...new Set(scan.rows.map(({ currency }) => currency))].sort(compareText);
  return currencies.flatMap((currency) => {
    const rows = scan.rows.filter((row) => row.currency === currency);
    return amounts.approvalThresholds.flatMap((threshold) => clusterUnder(threshold, currency, rows, scan, parameters));
  });
}

function clusterUnder(
  threshold: string,
  currency: string,
  rows: readonly ScanRow[],
  { scanId }: ScanPopulation,
  parameters: ScanParameters,
): RaisedFinding[] {
  const limit = toMinorUnits(threshold, minorUnitsOf(currency));
  const band = (from: number, to: number): ScanRow[] =>
    rows.filter(({ amountMinor }) => {
      const hundredfold = BigInt(amountMinor) * 100n;
      return hundredfold >= limit * BigInt(from) && hundredfold < limit * BigInt(to);
    });
  const { clusterBandPercent: width, clusterMin, clusterFactor, clusterPriceShareMax } = parameters;
  const under = band(100 - width, 100);
  const neighbours = (band(100 - 2 * width, 100 - width).length + band(100, 100 + width).length) / 2;
  if (under.length < clusterMin || under.length <= clusterFactor * neighbours) return [];
  // If most of the amounts just below the approval limit are one recurring price, they were not chosen to avoid the
  // limit.
  const commonest = Math.max(...countsOf(under.map(({ supplierId, amountMinor }) => `${supplierId}|${amountMinor}`)));
  if (commonest > under.length * clusterPriceShareMax) return [];
  const suppliers = new Map(under.map(({ supplierId, supplierName }) => [supplierId, supplierName]));
  const named = [...suppliers]
    .map(([supplierId, name]) => ({
      supplierId,
      name,
      invoices: under.filter((row) => row.supplierId === supplierId).length,
    }))
    .sort((left, right) => right.invoices - left.invoices || compareSuppliers(left, right));
  return [
    {
      type: 'THRESHOLD_CLUSTER',
      ...parameters.levels.cluster,
      summary: `${counted(under.length, 'invoice')} are just under ${moneyText(threshold, currency)}, where ${neighbours === 0 ? 'none' : `about ${neighbours}`} would be expected.`,
      actionValues: { threshold: moneyText(threshold, currency) },
      about: [scanId, currency, threshold],
      parameters: { clusterBandPercent: width, clusterFactor, clusterMin },
      observed: { under: under.length, neighbours },
      explanation: [
        `${counted(under.length, 'amount')} are less than ${width}% below the limit.`,
        `The ranges of the same width on either side contain ${neighbours === 0 ? 'none' : `${neighbours} on average`}.`,
      ],
      extra: {
        threshold: moneyIn(currency, threshold),
        currency,
        counts: { under: under.length, neighbours },
        suppliers: named.slice(0, parameters.shownMax),
      },
    },
  ];
}

interface GrownAmount {
  readonly row: ScanRow;
  readonly minor: bigint;
}

/**
 * Returns the amounts of a history scan that are at least ten units of the currency. Suppliers whose amounts repeat are
 * left out, because rents and price lists do not follow Benford's law.
 */
function grownAmounts(rows: readonly ScanRow[], parameters: ScanParameters): GrownAmount[] {
  const large = rows
    .map((row) => ({ row, minor: BigInt(row.amountMinor) }))
    .filter(({ row, minor }) => minor >= toMinorUnits(parameters.benfordAmountMin, minorUnitsOf(row.currency)));
  return bySupplier(large).flatMap(([, own]) => {
    const distinct = new Set(own.map(({ row }) => `${row.amountMinor}|${row.currency}`)).size;
    const repeats = own.length >= parameters.priceListRowsMin && distinct < own.length * parameters.distinctShareMin;
    return repeats ? [] : own;
  });
}

/**
 * Checks whether the amounts of a history scan span enough powers of ten. Each additional digit of an amount means one
 * more power of ten.
 */
function spansDecades(amounts: readonly GrownAmount[], { benfordDecadesMin }: ScanParameters): boolean {
  let least = amounts[0]?.minor ?? 1n;
  let most = least;
  for (const { minor } of amounts) {
    if (minor < least) least = minor;
    if (minor > most) most = minor;
  }
  return most >= least * 10n ** BigInt(benfordDecadesMin);
}

interface DigitFit {
  readonly n: number;
  /** Mean absolute deviation between the observed and the expected shares of first digits (Benford's law). */
  readonly mad: number;
  /**
   * Mean deviation of first digits from Benford's law that chance explains for a given number of amounts of a history
   * scan.
   */
  readonly noise: number;
  readonly excess: number;
  readonly spikes: readonly Spike[];
}

interface Spike {
  readonly digits: number;
  readonly share: number;
  readonly expected: number;
  readonly z: number;
}

/** Compares the leading digits of amounts with Benford's law. */
function digitFit(amounts: readonly GrownAmount[], length: 1 | 2, { benfordSpikeZ }: ScanParameters): DigitFit {
  const first = 10 ** (length - 1);
  const counts = new Map<number, number>();
  for (const { minor } of amounts) {
    const digits = Number(String(minor).slice(0, length));
    counts.set(digits, (counts.get(digits) ?? 0) + 1);
  }
  const n = amounts.length;
  const groups = Array.from({ length: 9 * first }, (_, index) => {
    const digits = first + index;
    const expected = Math.log10(1 + 1 / digits);
    const share = (counts.get(digits) ?? 0) / n;
    const deviation = Math.abs(share - expected);
    const error = Math.sqrt((expected * (1 - expected)) / n);
    return { digits, share, expected, deviation, error, z: Math.max(0, deviation - 1 / (2 * n)) / error };
  });
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const mad = mean(groups.map(({ deviation }) => deviation));
  const noise = mean(groups.map(({ error }) => error * Math.sqrt(2 / Math.PI)));
  const spikes = groups
    .filter(({ share, expected, z }) => share > expected && z > benfordSpikeZ)
    .sort((left, right) => right.z - left.z || left.digits - right.digits)
    .map(({ digits, share, expected, z }) => ({
      digits,
      share: rounded(share),
      expected: rounded(expected),
      z: Math.round(z * 10) / 10,
    }));
  return { n, mad: rounded(mad), noise: rounded(noise), excess: rounded(mad) - rounded(noise), spikes };
}

function spikeSentences(spikes: readonly Spike[]): string[] {
  return spikes
    .slice(0, 3)
    .map(
      ({ digits, share, expected }) =>
        `${percent(share)} of the amounts begin with ${digits}; ${percent(expected)} would be usual.`,
    );
}

/** Describes the first digits of amounts that are too frequent, for the summary of a finding about Benford's law. */
function spikeClause([spike]: readonly Spike[]): string {
  if (spike === undefined) return '';
  return `: ${percent(spike.share)} begin with ${spike.digits}, where ${percent(spike.expected)} would be usual`;
}

function spikeEvidence({ digits, share, expected, z }: Spike): EvidenceValue {
  return { digits, share, expected, z };
}

function bySupplier(amounts: readonly GrownAmount[]): [string, GrownAmount[]][] {
  const groups = new Map<string, GrownAmount[]>();
  for (const amount of amounts) {
    const own = groups.get(amount.row.supplierId);
    if (own === undefined) groups.set(amount.row.supplierId, [amount]);
    else own.push(amount);
  }
  return [...groups];
}

function countsOf(texts: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts.values()];
}

/** Rounds a share of first digits to five decimals, so that the last bits of a logarithm never affect a decision. */
function rounded(value: number): number {
  return Math.round(value * 100_000) / 100_000;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}
