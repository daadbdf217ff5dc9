import type { Group, Values } from '@invoicecontrol/invoice/declaration';
import { read } from '@invoicecontrol/invoice/read';
import { asTaken } from './taken.js';
import type { RecordGroup } from './taken.js';

/** A record that may be sent on, or why not, in our words: no value of the ERP is repeated. */
export type TakenRecord<R> = { readonly record: R } | { readonly problem: string };

/**
 * Takes a record over from an ERP (ERP reference, section 14), whatever its provider has checked. Texts become readable,
 * amounts get at most six decimals, currencies upper case, and an invalid IBAN remains as the text that the ERP prints.
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

/** Returns a sentence that says why a record is not stored, or undefined if nothing is wrong (ERP reference, section 14). */
export function recordFault(declared: RecordGroup, record: object): string | undefined {
  const { fault } = firstFaultOf(declared, record);
  if (fault === undefined) return undefined;
  return fault.path === RECORD ? fault.message : `${nameIn(fault.path)}: ${fault.message}`;
}

/** {@link read} names the record itself where no single field is wrong. */
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

/** `accounts[3].iban` is an iban. An id alone would not say whose it is: it stays `account.externalId`. */
function nameIn(path: string): string {
  const singular = path.replace(/s\[\d+\]/, '');
  return singular.endsWith('.externalId') ? singular : singular.slice(singular.lastIndexOf('.') + 1);
}
