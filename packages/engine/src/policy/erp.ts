import type { Level } from './level.js';

export interface ErpParameters {
  readonly levels: {
    readonly masterMismatch: Level;
    /**
     * Severity and confidence of the finding about a bank account that differs from the vendor master, if the vendor
     * master is stale or the supplier uses many accounts.
     */
    readonly masterMismatchDoubtful: Level;
    readonly ownAccount: Level;
    readonly notInMaster: Level;
    readonly notInMasterHighValue: Level;
    readonly overbilled: Level;
    readonly overbilledMuch: Level;
  };
  readonly masterFreshHours: number;
  readonly notInMasterHighValue: string;
  readonly overbilledPercent: number;
  /**
   * Amount by which an invoice may exceed its order in addition to `overbilledPercent`. It is in euros, converted at
   * the exchange rate of the invoice, or in the invoice currency if no rate exists.
   */
  readonly overbilledTolerance: string;
  readonly overbilledMuchPercent: number;
}

/** Default parameters of the vendor master rules, which apply to every organization. */
export const erp: ErpParameters = {
  levels: {
    masterMismatch: { severity: 'CRITICAL', confidence: 95 },
    masterMismatchDoubtful: { severity: 'HIGH', confidence: 80 },
    ownAccount: { severity: 'MEDIUM', confidence: 80 },
    notInMaster: { severity: 'LOW', confidence: 80 },
    notInMasterHighValue: { severity: 'MEDIUM', confidence: 80 },
    overbilled: { severity: 'MEDIUM', confidence: 85 },
    overbilledMuch: { severity: 'HIGH', confidence: 92 },
  },
  masterFreshHours: 48,
  notInMasterHighValue: '1000',
  overbilledPercent: 2,
  overbilledTolerance: '5',
  overbilledMuchPercent: 10,
};
