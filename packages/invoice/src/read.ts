import { FieldFaults } from '@invoicecontrol/errors';
import { canonicalInvoice } from './canonical-invoice.js';
import type { CanonicalInvoice } from './canonical-invoice.js';
import { entriesOf, isAbsent, isGroup } from './declaration.js';
import type { Group, Report, Values } from './declaration.js';

/**
 * Reads the canonical invoice from a request body, in its stored form.
 * @throws DomainError invalid, with all faults
 */
export function readInvoice(body: unknown): CanonicalInvoice {
  const faults = new FieldFaults();
  const invoice = read(canonicalInvoice, body, { faults });
  faults.throwIfAny();
  return invoice as CanonicalInvoice;
}

/**
 * Path of an invoice value in a request, the form in which the value was sent, and the function that receives its
 * faults.
 */
export interface Place {
  readonly faults: Pick<FieldFaults, 'add'>;
  /** Path of the invoice value in the request, such as `rows[17]`. Empty if the invoice is the request itself. */
  readonly path?: string;
  /** Name of the invoice value in error messages, used if the path of the value is empty. */
  readonly root?: string;
  /**
   * Prefix of each error message about a row of a history scan, such as `Row 18: `, because people count rows from one.
   */
  readonly remark?: string;
  /** True if the value comes from a gRPC message between services, whose fields have other names and are all known. */
  readonly isMessage?: true;
}

/**
 * Reads an invoice value that a caller sent, and returns it in its stored form. `group` declares the fields and their
 * types. All faults are reported together. The returned value is complete only if no fault was reported.
 */
export function read(group: Group, value: unknown, place: Place): Values {
  const { faults, path = '', root = 'body', remark = '', isMessage } = place;
  const report: Report = (name, message) =>
    faults.add([path, name].filter((step) => step !== '').join('.') || root, `${remark}${message}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report('', value === undefined ? 'Required.' : value === null ? 'Must not be null.' : 'Must be an object.');
    return {};
  }
  const given = value as Values;
  const values: Record<string, unknown> = {};
  let known = 0;
  for (const { name, wireName, member } of entriesOf(group)) {
    const stated = given[isMessage ? wireName : name];
    if (stated !== undefined) known++;
    const kind = isGroup(member) ? undefined : member.kind;
    const sent = kind?.given === undefined ? stated : kind.given(stated);
    if (sent === undefined || (isMessage && isAbsent(sent, member))) {
      if (!member.isOptional) report(name, kind?.missing ?? 'Required.');
      continue;
    }
    const below = path === '' ? name : `${path}.${name}`;
    if (isGroup(member)) {
      values[name] = read(member, sent, { ...place, path: below });
      continue;
    }
    const { each } = member.kind;
    const fault = sent === null ? 'Must not be null.' : member.kind.faultOf(sent);
    if (fault !== undefined) {
      values[name] = undefined;
      report(name, fault);
    } else if (each === undefined) {
      values[name] = member.kind.normalise(sent);
    } else {
      const items = sent as readonly unknown[];
      values[name] = items.map((item, index) => read(each, item, { ...place, path: `${below}[${index}]` }));
    }
  }
  if (!isMessage && Object.keys(given).length > known) {
    for (const name of Object.keys(given)) {
      if (given[name] === undefined || Object.hasOwn(group.members, name)) continue;
      report(name.slice(0, NAME_LENGTH_MAX), 'This field is not supported. Remove the field.');
    }
  }
  group.rule?.(values, report);
  return group.normalise?.(values) ?? values;
}

/**
 * Maximum number of characters of an unknown invoice field name that an error repeats, because the name comes from the
 * caller.
 */
const NAME_LENGTH_MAX = 100;
