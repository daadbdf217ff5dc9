import { z } from 'zod';
import { canonicalInvoice } from './canonical-invoice.js';
import type { CanonicalInvoice } from './canonical-invoice.js';
import { entriesOf, isGroup } from './declaration.js';
import type { Group, Kind } from './declaration.js';
import { currencyCode } from './kinds.js';
import type { PublishedKind } from './kinds.js';
import { scanRow } from './scan-row.js';

/**
 * Returns the schema that validates values of one kind of invoice field. All fields of a kind share one schema, because
 * some kinds are named components of the API description.
 */
export function schemaOfKind(kind: PublishedKind<string>): z.ZodString {
  let schema = schemas.get(kind);
  if (schema === undefined) {
    const { type, ...published } = kind.published;
    schema = z
      .string()
      .refine((value) => kind.faultOf(value) === undefined, { error: ({ input }) => kind.faultOf(input) })
      .meta(published);
    schemas.set(kind, schema);
  }
  return schema;
}

const schemas = new WeakMap<PublishedKind<string>, z.ZodString>();

/**
 * JSON Schema of an invoice, which only describes request bodies. The function `read` checks them, including rules
 * about several fields.
 */
export const invoiceSchema = schemaOf(canonicalInvoice).meta({
  id: 'Invoice',
}) as z.ZodType as z.ZodType<CanonicalInvoice>;

/**
 * Schema of an invoice in a response. Fields that could not be read from a document are absent, and a currency that
 * could not be read has a placeholder.
 */
export const shownInvoiceSchema = shownSchemaOf(canonicalInvoice).meta({
  id: 'ShownInvoice',
}) as z.ZodType as z.ZodType<Partial<CanonicalInvoice>>;

/** Schema that checks one row of a history scan. */
export const scanRowSchema = schemaOf(scanRow).meta({ id: 'ScanRow' });

function schemaOf(group: Group): z.ZodObject {
  const shape = entriesOf(group).map(({ name, member }) => {
    const schema = isGroup(member) ? schemaOf(member) : schemaOfLeaf(member.kind);
    const optional = member.isOptional ? schema.optional() : schema;
    return [name, member.description === undefined ? optional : optional.describe(member.description)];
  });
  return z
    .strictObject(Object.fromEntries(shape) as z.ZodRawShape)
    .meta({ description: group.description, ...group.published });
}

/**
 * Returns the published schema of a kind of invoice field. All kinds that occur in an invoice or in a row of a history
 * scan are published.
 */
function schemaOfLeaf(kind: Kind): z.ZodType {
  const { type, ...published } = (kind as PublishedKind).published;
  return type === 'string' ? schemaOfKind(kind as PublishedKind<string>) : z.int().meta(published);
}

function shownSchemaOf(group: Group): z.ZodObject {
  const shape = entriesOf(group).map(({ name, member }) => {
    const schema = isGroup(member)
      ? shownSchemaOf(member)
      : member.kind === currencyCode
        ? z
            .string()
            .describe(
              'The currency of the invoice as an ISO 4217 code, or XXX if the currency could not be read from the document.',
            )
        : schemaOfLeaf(member.kind);
    const described = member.description === undefined ? schema : schema.describe(member.description);
    return [name, described.optional()];
  });
  return z.strictObject(Object.fromEntries(shape) as z.ZodRawShape).meta({ description: group.description });
}
