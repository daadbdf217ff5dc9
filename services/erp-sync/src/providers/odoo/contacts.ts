import { readRows, required } from '../row.js';
import type { Row } from '../row.js';
import type { OdooReader } from './reader.js';
import { linkOf } from './records.js';

/** The Odoo contacts that a session has read, with the vendor to which each belongs. A person belongs to a company. */
export interface Contacts {
  note(rows: readonly unknown[]): void;
  /** Loads the Odoo contacts that the rows name in `partner_id`, except contacts that are already loaded. */
  load(rows: readonly unknown[]): Promise<void>;
  /** Returns the vendor that an Odoo row names in `partner_id`. */
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

/** Returns the ids that Odoo rows contain in a link field, if it can be read. */
export function linksOf(rows: readonly unknown[], name: string): readonly string[] {
  return readRows(rows, 'id', (row) => linkOf(row, name)?.id).records;
}
