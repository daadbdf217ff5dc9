import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { FieldFaults } from '@invoicecontrol/errors';
import { canonicalInvoice } from './canonical-invoice.js';
import type { CanonicalInvoice } from './canonical-invoice.js';
import { isGroup } from './declaration.js';
import type { Given, Group } from './declaration.js';
import { entriesOf, read } from './read.js';

/** The invoice as it travels between services: the same fields under the names of the generated messages. */
export function toWire(invoice: Partial<CanonicalInvoice>): Invoice {
  return membersToWire(canonicalInvoice, invoice) as unknown as Invoice;
}

/** The invoice of a message from a service that stores it: what was left out stays out. Nothing is checked. */
export function fromWire(message: Invoice): CanonicalInvoice {
  return membersFromWire(canonicalInvoice, message as unknown as Given) as CanonicalInvoice;
}

/**
 * The canonical invoice of a request. The gateway has told integrators about every fault by then; this refuses the same
 * faults of any other caller, so that nothing malformed is ever stored.
 * @throws DomainError invalid, with every fault
 */
export function readWire(message: Invoice | undefined): CanonicalInvoice {
  const faults = new FieldFaults();
  const invoice = readWireInto(faults, message);
  faults.throwIfAny();
  return invoice;
}

/** As {@link readWire} for one of many: faults are collected, and named below `path`. */
export function readWireInto(
  faults: FieldFaults,
  message: Invoice | undefined,
  { path = '', group = canonicalInvoice }: { path?: string; group?: Group } = {},
): CanonicalInvoice {
  const sent = message && fromWire(message);
  return read(group, sent, { faults, path, root: 'invoice' }) as CanonicalInvoice;
}

function membersToWire(group: Group, values: Given): Given {
  const message: Record<string, unknown> = {};
  for (const [name, member] of entriesOf(group)) {
    const value = values[name];
    const absent = isGroup(member) || member.isOptional ? undefined : '';
    message[wireName(name)] =
      value === undefined ? absent : isGroup(member) ? membersToWire(member, value as Given) : value;
  }
  return message;
}

function membersFromWire(group: Group, message: Given): Given {
  const values: Record<string, unknown> = {};
  for (const [name, member] of entriesOf(group)) {
    const value = message[wireName(name)];
    // An empty text is how a field without presence is absent.
    if (value === undefined || (value === '' && !member.isOptional)) continue;
    values[name] = isGroup(member) ? membersFromWire(member, value as Given) : value;
  }
  return values;
}

const wireNames = new Map<string, string>();

/** `purchase_order_ref` is `purchaseOrderRef`, as the generated code writes it. */
function wireName(name: string): string {
  let known = wireNames.get(name);
  if (known === undefined) {
    known = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    wireNames.set(name, known);
  }
  return known;
}
