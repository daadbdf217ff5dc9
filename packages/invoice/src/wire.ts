import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FieldFaults } from '@invoicecontrol/errors';
import { canonicalInvoice } from './canonical-invoice.js';
import type { CanonicalInvoice } from './canonical-invoice.js';
import { entriesOf, isAbsent, isGroup } from './declaration.js';
import type { Group, Kind, Values } from './declaration.js';
import { read } from './read.js';

/** Converts the invoice to a message between services: the same fields with the names of the generated code. */
export function toWire(invoice: Partial<CanonicalInvoice>): Invoice {
  return membersToWire(canonicalInvoice, invoice) as unknown as Invoice;
}

/** Reads the invoice from a message of a service that stores it. Absent fields stay absent, and nothing is checked. */
export function fromWire(message: Invoice): CanonicalInvoice {
  return membersFromWire(canonicalInvoice, message as unknown as Values) as CanonicalInvoice;
}

/**
 * Reads the canonical invoice of a request. The gateway has already reported every fault to integrators; this function
 * refuses the same faults from any other caller, so that no malformed invoice is stored.
 * @throws DomainError invalid, with all faults
 */
export function readWire(message: Invoice | undefined): CanonicalInvoice {
  const faults = new FieldFaults();
  const invoice = readWireInto(faults, message);
  faults.throwIfAny();
  return invoice;
}

/**
 * Reads one of several invoices, as {@link readWire} does for a single one. Faults are collected, with paths below
 * `path`.
 */
export function readWireInto(
  faults: FieldFaults,
  message: Invoice | undefined,
  { path = '', group = canonicalInvoice }: { path?: string; group?: Group } = {},
): CanonicalInvoice {
  return read(group, message, { faults, path, root: 'invoice', isMessage: true }) as CanonicalInvoice;
}

/** Returns the declared fields of a part of an invoice under the names and types of the generated gRPC messages. */
export function membersToWire(group: Group, values: Values): Values {
  const message: Record<string, unknown> = {};
  for (const { name, wireName, member } of entriesOf(group)) {
    const value = values[name];
    if (isGroup(member)) {
      message[wireName] = value === undefined ? undefined : membersToWire(member, value as Values);
      continue;
    }
    const { each, inMessage } = member.kind;
    if (each !== undefined) {
      message[wireName] = ((value ?? []) as readonly Values[]).map((item) => membersToWire(each, item));
    } else if (inMessage !== undefined) {
      message[wireName] = inMessage.to(value);
    } else {
      message[wireName] = value ?? (member.isOptional ? undefined : '');
    }
  }
  return message;
}

/** Reverses {@link membersToWire}. Absent fields of the invoice stay absent, and nothing is checked. */
export function membersFromWire(group: Group, message: Values): Values {
  const values: Record<string, unknown> = {};
  for (const { name, wireName, member } of entriesOf(group)) {
    const value = message[wireName];
    if (value === undefined || isAbsent(value, member)) continue;
    const decoded = isGroup(member) ? membersFromWire(member, value as Values) : fromWireOf(member.kind, value);
    if (decoded !== undefined) values[name] = decoded;
  }
  return values;
}

function fromWireOf({ each, inMessage }: Kind, value: unknown): unknown {
  if (each !== undefined) return (value as readonly Values[]).map((item) => membersFromWire(each, item));
  return inMessage === undefined ? value : inMessage.from(value as never);
}
