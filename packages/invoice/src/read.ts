import { FieldFaults } from '@invoicecontrol/errors';
import { canonicalInvoice } from './canonical-invoice.js';
import type { CanonicalInvoice } from './canonical-invoice.js';
import { isGroup } from './declaration.js';
import type { Given, Group, Leaf, Report } from './declaration.js';

/**
 * The canonical invoice of a request body, as it is stored.
 * @throws DomainError invalid, with every fault
 */
export function readInvoice(body: unknown): CanonicalInvoice {
  const faults = new FieldFaults();
  const invoice = read(canonicalInvoice, body, { faults });
  faults.throwIfAny();
  return invoice as CanonicalInvoice;
}

/** Where a value stands in a request, and where its faults go. */
export interface Place {
  readonly faults: FieldFaults;
  /** The path to the value: `rows[17]`; empty for the request itself. */
  readonly path?: string;
  /** What to call the value where its path is empty. */
  readonly root?: string;
  /** Said before each sentence, for people who do not count from zero: `Row 18: `. */
  readonly remark?: string;
}

/**
 * The value as the group declares it, in the form in which it is stored. Everything that is wrong is reported at once: a
 * fault of one field hides none of another. What is returned is complete only when nothing was reported.
 */
export function read(group: Group, value: unknown, place: Place): Given {
  const { faults, path = '', root = 'body', remark = '' } = place;
  const report: Report = (name, message) =>
    faults.add([path, name].filter((step) => step !== '').join('.') || root, `${remark}${message}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report('', absence(value) ?? 'Must be an object.');
    return {};
  }
  const given = value as Given;
  const result: Record<string, unknown> = {};
  for (const [name, member] of entriesOf(group)) {
    const sent = given[name];
    if (sent === undefined) {
      if (!member.isOptional) report(name, 'Required.');
    } else if (isGroup(member)) {
      result[name] = read(member, sent, { ...place, path: path === '' ? name : `${path}.${name}` });
    } else {
      const fault = absence(sent) ?? member.kind.faultOf(sent);
      if (fault === undefined) result[name] = member.kind.normalise(sent);
      else report(name, fault);
    }
  }
  for (const name of Object.keys(given)) {
    if (given[name] !== undefined && !Object.hasOwn(group.members, name)) {
      report(name.slice(0, NAME_LENGTH_MAX), 'No such field here. Remove it.');
    }
  }
  group.rule?.(given, result, report);
  return result;
}

/** The name of an unknown field comes from the caller; this much of it is repeated. */
const NAME_LENGTH_MAX = 100;

function absence(value: unknown): string | undefined {
  if (value === undefined) return 'Required.';
  return value === null ? 'Must not be null.' : undefined;
}

const entries = new WeakMap<Group, readonly (readonly [string, Leaf | Group])[]>();

/** Listed once for each group: thousands of rows are read by one. */
export function entriesOf(group: Group): readonly (readonly [name: string, member: Leaf | Group])[] {
  let known = entries.get(group);
  if (known === undefined) entries.set(group, (known = Object.entries(group.members)));
  return known;
}
