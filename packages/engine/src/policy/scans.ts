import type { Level } from './level.js';

export interface ScanParameters {
  readonly levels: {
    readonly reimported: Level;
    readonly benford: Level;
    readonly benfordSupplier: Level;
    readonly cluster: Level;
  };
  readonly reimportedRowsMin: number;
  readonly reimportedPercent: number;
  readonly benfordAmountMin: string;
  readonly benfordAmountsMin: number;
  readonly benfordDecadesMin: number;
  /**
   * Maximum mean deviation of the first digits of amounts from their expected shares, in addition to the deviation that
   * chance explains.
   */
  readonly benfordExcessMax: number;
  readonly benfordSupplierAmountsMin: number;
  readonly benfordSupplierExcessMax: number;
  readonly benfordSpikeZ: number;
  /**
   * A supplier of a history scan bills by a price list if it has at least this number of rows, and the share of
   * distinct amounts among these rows is below the minimum.
   */
  readonly priceListRowsMin: number;
  readonly distinctShareMin: number;
  readonly clusterRowsMin: number;
  readonly clusterBandPercent: number;
  readonly clusterMin: number;
  readonly clusterFactor: number;
  /**
   * Minimum share of the amounts just below a limit at which a repeated amount of one supplier counts as a list price.
   */
  readonly clusterPriceShareMax: number;
  readonly shownMax: number;
}

/** Default parameters of the rules about history scans, which apply to every organization. */
export const scans: ScanParameters = {
  levels: {
    reimported: { severity: 'MEDIUM', confidence: 95 },
    benford: { severity: 'INFO', confidence: 50 },
    benfordSupplier: { severity: 'LOW', confidence: 50 },
    cluster: { severity: 'LOW', confidence: 65 },
  },
  reimportedRowsMin: 200,
  reimportedPercent: 95,
  benfordAmountMin: '10',
  benfordAmountsMin: 1000,
  benfordDecadesMin: 3,
  benfordExcessMax: 0.0015,
  benfordSupplierAmountsMin: 300,
  benfordSupplierExcessMax: 0.012,
  benfordSpikeZ: 3,
  priceListRowsMin: 4,
  distinctShareMin: 0.5,
  clusterRowsMin: 300,
  clusterBandPercent: 5,
  clusterMin: 10,
  clusterFactor: 3,
  clusterPriceShareMax: 0.5,
  shownMax: 50,
};
