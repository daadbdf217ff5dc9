import { readRows, required } from '../row.js';
import type { Row } from '../row.js';
import type { OdooReader } from './reader.js';
import { linkOf } from './records.js';

/** Contacts that a session has seen, and the vendor that each belongs to: people belong to their company. */
export interface Contacts {
  note(rows: readonly unknown[]): void;
  /** Loads the contacts that rows name in `partner_id` and that are not known yet. */
  load(rows: readonly unknown[]): Promise<void>;
  /** The vendor of a row's `partner_id`. */
  vendorOf(row: Row): string;
}

export function openContacts(reader: Pick<OdooReader, 'readByIds'>): Contacts {
  const vendorIds = new Map<string, string>();
  const note = (rows: readonly unknown[]): void => {
    readRows(rows, 'id', (row) => {
      const id = row.requiredText('id');
      vendorIds.set(id, linkOf(row, 'commercial_partner_id')?.id ?? id);
      return undefined;
    });
  };
  return {
    note,
    async load(rows) {
      const unknown = linksOf(rows, 'partner_id').filter((id) => !vendorIds.has(id));
      note(await reader.readByIds('res.partner', unknown, ['commercial_partner_id']));
    },
    vendorOf(row) {
      const { id } = required(linkOf(row, 'partner_id'), 'partner_id');
      return vendorIds.get(id) ?? id;
    },
  };
}

/** Returns the ids that rows name in a field, if it can be read. */
export function linksOf(rows: readonly unknown[], name: string): readonly string[] {
  return readRows(rows, 'id', (row) => linkOf(row, name)?.id).records;
}
