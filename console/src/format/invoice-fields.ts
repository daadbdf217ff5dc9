/** A field of an invoice by its path in the API, such as `supplier.tax_id`. */
export interface InvoiceField {
  readonly path: string;
  readonly value: string;
}

/** Lists the fields of an invoice, such as `supplier.name`, in the order in which the API states them. */
export function invoiceFields(invoice: object, parent = ''): readonly InvoiceField[] {
  return Object.entries(invoice).flatMap(([name, value]: [string, unknown]) => {
    const path = `${parent}${name}`;
    if (typeof value === 'object' && value !== null) return invoiceFields(value, `${path}.`);
    return typeof value === 'string' ? [{ path, value }] : [];
  });
}
