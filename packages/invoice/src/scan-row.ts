import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { FieldFaults } from '@invoicecontrol/errors';
import { areTwoAccounts, canonicalInvoice, checkCurrency, rowText } from './canonical-invoice.js';
import { entriesOf, isGroup, optional, required } from './declaration.js';
import type { Group, Leaf, Members } from './declaration.js';
import { safeInteger } from './kinds.js';
import { read } from './read.js';
import type { Place } from './read.js';
import { readWireInto, toWire } from './wire.js';

const externalId = optional(
  rowText,
  'The id of the invoice in the system that it was exported from. A row whose externalId was already imported is skipped.',
);

/** A field of the canonical invoice that a row of a history scan can state, with its path. */
interface RowLeaf {
  readonly name: string;
  readonly path: readonly string[];
  readonly leaf: Leaf;
}

const rowLeaves = leavesOf(canonicalInvoice, []);

/** A row of POST /scans (specification 2.9): the fields of the canonical invoice that a row can state. */
export const scanRow: Group = {
  members: {
    ...Object.fromEntries(rowLeaves.map(({ name, leaf }) => [name, leaf])),
    externalId,
    sourceRowNumber: required(
      safeInteger,
      'The number that the row of the history scan has in the file of the caller.',
    ),
  },
  isOptional: false,
  description:
    'A row of a scan with one historical invoice. Without a currency, the amounts are in the base currency of the organization.',
  rule(row, report) {
    checkCurrency(row['currency'], row['issueDate'], report);
    if (areTwoAccounts(row['bankIban'], row['bankSortCode'], row['bankAccountNumber'])) {
      report(
        'bankIban',
        'Names a different bank account than bankSortCode and bankAccountNumber. Send only one of the two accounts.',
      );
    }
  },
};

/** Fields of a history scan row that identify the row for its sender and are not part of the invoice. */
const identity: Group = {
  members: { externalId },
  isOptional: false,
  description: 'The row as the sender identifies it.',
};

/**
 * The canonical invoice as a row of a history scan states it, with shorter maximum lengths and an optional currency.
 */
const rowInvoice = asInRow(canonicalInvoice);

/**
 * Reads a row of POST /scans into the form that services exchange. The result can be used only if no fault was
 * reported.
 */
export function readScanRow(value: unknown, position: number, place: Place): Row {
  const row = read(scanRow, value, place);
  const hasUkAccount = row['bankSortCode'] !== undefined && row['bankAccountNumber'] !== undefined;
  const invoice: Record<string, unknown> = {};
  for (const { name, path } of rowLeaves) {
    const isHalf = !hasUkAccount && (name === 'bankSortCode' || name === 'bankAccountNumber');
    if (row[name] !== undefined && !isHalf) put(invoice, path, row[name]);
  }
  return {
    position,
    sourceRowNumber: row['sourceRowNumber'] as number,
    externalId: row['externalId'] as string | undefined,
    invoice: toWire(invoice),
  };
}

/**
 * Reads a row of a history scan from a request between services, and refuses the same faults as {@link readScanRow}.
 * The returned row has the stored form of its external id.
 * @param position position of the row in the request
 */
export function readWireRow(row: Row, position: number, faults: FieldFaults): Row {
  const path = `rows[${position}]`;
  readWireInto(faults, row.invoice, { path, group: rowInvoice });
  const { externalId: id } = read(identity, { externalId: row.externalId }, { faults, path });
  return { ...row, position, externalId: id as string | undefined };
}

function leavesOf(group: Group, above: readonly string[]): RowLeaf[] {
  return entriesOf(group).flatMap(({ name, member }) => {
    const path = [...above, name];
    if (isGroup(member)) return leavesOf(member, path);
    return member.row === undefined ? [] : [{ name: member.row.name, path, leaf: leafInRow(member) }];
  });
}

function leafInRow(leaf: Leaf): Leaf {
  return { ...leaf, hasPresence: leaf.isOptional, ...leaf.row };
}

function asInRow<G extends Group>(group: G): Group {
  const members: Members = Object.fromEntries(
    entriesOf(group).map(({ name, member }) => [name, isGroup(member) ? asInRow(member) : leafInRow(member)]),
  );
  return { ...group, members };
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let parent = into;
  let last = '';
  for (const name of path) {
    if (last !== '') parent = (parent[last] ??= {}) as Record<string, unknown>;
    last = name;
  }
  parent[last] = value;
}
