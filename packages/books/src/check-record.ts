import type { Group, Values } from '@invoicecontrol/invoice/declaration';
import { read } from '@invoicecontrol/invoice/read';
import { asTaken } from './taken.js';
import type { RecordGroup } from './taken.js';

/**
 * A record from an ERP that can be sent to the analysis service, or a sentence with the reason why the record cannot be
 * sent. The sentence never repeats values from the ERP.
 */
export type TakenRecord<R> = { readonly record: R } | { readonly problem: string };

/**
 * Converts a record from an ERP (ERP reference, section 14) and does not rely on any check by the provider. Texts
 * become readable, amounts get at most six decimals, currencies become upper case, and an invalid IBAN is kept as
 * printed text.
 */
export function takeRecord<R extends object>(declared: RecordGroup, record: R): TakenRecord<R> {
  let taken = takenGroups.get(declared);
  if (taken === undefined) {
    taken = asTaken(declared);
    takenGroups.set(declared, taken);
  }
  const { values, fault } = firstFaultOf(taken, record);
  return fault === undefined ? { record: values as R } : { problem: fault.message };
}

const takenGroups = new WeakMap<RecordGroup, Group>();

/**
 * Returns a sentence with the reason why an ERP record is not stored, or undefined if the record has no fault (ERP
 * reference, section 14).
 */
export function recordFault(declared: RecordGroup, record: object): string | undefined {
  const { fault } = firstFaultOf(declared, record);
  if (fault === undefined) return undefined;
  return fault.path === RECORD ? fault.message : `${nameIn(fault.path)}: ${fault.message}`;
}

/** Name that {@link read} uses in place of a field path if no single field of an ERP record is wrong. */
const RECORD = 'record';

interface Fault {
  readonly path: string;
  readonly message: string;
}

function firstFaultOf(group: Group, record: unknown): { readonly values: Values; readonly fault: Fault | undefined } {
  let fault: Fault | undefined;
  const add = (path: string, message: string): void => {
    fault ??= { path, message };
  };
  const values = read(group, record, { faults: { add }, root: RECORD });
  return { values, fault };
}

/**
 * Returns the name of a field of an ERP record as error sentences state it: `iban` for the path `accounts[3].iban`. An
 * `externalId` stays `account.externalId`, because the id alone would not show which record it belongs to.
 */
function nameIn(path: string): string {
  const singular = path.replace(/s\[\d+\]/, '');
  return singular.endsWith('.externalId') ? singular : singular.slice(singular.lastIndexOf('.') + 1);
}
