import { readRows, required } from '../row.js';
import type { Row } from '../row.js';
import type { OdooReader } from './reader.js';
import { linkOf } from './records.js';

/** Contacts that a session has seen, and the vendor that each belongs to: people belong to their company. */
export interface Contacts {
  ids(): Iterable<string>;
  note(rows: readonly unknown[]): void;
  /** Loads the contacts that rows name in `partner_id` and that are not known yet. */
  load(rows: readonly unknown[]): Promise<void>;
  isSupplier(id: string): boolean;
  /** The vendor of a row's `partner_id`. */
  vendorOf(row: Row): string;
}

export function openContacts(reader: Pick<OdooReader, 'readByIds'>): Contacts {
  const contacts = new Map<string, { readonly vendorId: string; readonly isSupplier: boolean }>();
  const note = (rows: readonly unknown[]): void => {
    readRows(rows, 'id', (row) => {
      const id = row.requiredText('id');
      const vendorId = linkOf(row, 'commercial_partner_id')?.id ?? id;
      contacts.set(id, { vendorId, isSupplier: Number(row.text('supplier_rank') ?? 0) > 0 });
      return undefined;
    });
  };
  return {
    ids: () => contacts.keys(),
    note,
    async load(rows) {
      const unknown = linksOf(rows, 'partner_id').filter((id) => !contacts.has(id));
      note(await reader.readByIds('res.partner', unknown, ['commercial_partner_id', 'supplier_rank']));
    },
    isSupplier: (id) => contacts.get(id)?.isSupplier === true,
    vendorOf(row) {
      const { id } = required(linkOf(row, 'partner_id'), 'partner_id');
      return contacts.get(id)?.vendorId ?? id;
    },
  };
}

/** What rows name in a field, where it can be read. */
export function linksOf(rows: readonly unknown[], name: string): readonly string[] {
  return readRows(rows, 'id', (row) => linkOf(row, name)?.id).records;
}
