import { readInvoiceNumber } from '@invoicecontrol/engine/normalisation/invoice-number';
import { readName } from '@invoicecontrol/engine/normalisation/name-key';
import { invalidField } from '@invoicecontrol/errors';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { identifiesParty, parseTaxId } from '@invoicecontrol/values/tax-id';
import type { SupplierStore } from './counted-records.js';

/** Maximum length of a text with which invoices and findings are searched, in characters. */
const SEARCH_LENGTH_MAX = 200;
/** Maximum number of suppliers whose records one search finds. */
const SEARCHED_SUPPLIERS_MAX = 100;

/**
 * The condition of a search: it finds records whose invoice number begins with the searched text, and records of the
 * suppliers that the text names.
 */
export interface RecordSearch {
  /** Beginning of the normalised invoice number. Empty if the searched text has no letters and no digits. */
  readonly numberPrefix: string;
  readonly supplierIds: readonly string[];
}

/** Translates a searched text into the records that it finds. */
export type ReadSearch = (organizationId: string, text: string | undefined) => Promise<RecordSearch | undefined>;

/**
 * Returns a function that finds out which invoice numbers and suppliers a searched text means. A supplier is found by
 * its tax id, or if one of its known names begins with the text. The search costs one database command.
 * @throws DomainError invalid if the text is too long, or if the names of too many suppliers begin with it
 */
export function searchReader(suppliers: Pick<SupplierStore, 'searchByKeys'>): ReadSearch {
  return async (organizationId, text) => {
    if (text === undefined) return undefined;
    if (isLongerThan(text, SEARCH_LENGTH_MAX))
      throw invalidField('q', `must have at most ${SEARCH_LENGTH_MAX} characters.`);
    const taxId = parseTaxId(text);
    const nameKey = readName(text).key;
    const supplierIds = await suppliers.searchByKeys(
      organizationId,
      {
        key: taxId !== undefined && identifiesParty(taxId) ? `t:${taxId.body}` : undefined,
        prefix: nameKey === '' ? undefined : `n:${nameKey}`,
      },
      SEARCHED_SUPPLIERS_MAX + 1,
    );
    if (supplierIds.length > SEARCHED_SUPPLIERS_MAX)
      throw invalidField(
        'q',
        `must not begin the names of more than ${SEARCHED_SUPPLIERS_MAX} suppliers. Send more characters, or the supplier as supplier_id.`,
      );
    return { numberPrefix: readInvoiceNumber(text).raw0, supplierIds };
  };
}
