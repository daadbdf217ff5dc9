import type { ExtractDocumentResponse } from '@invoicecontrol/contracts/documents/v1/document_service';
import { FieldFaults } from '@invoicecontrol/errors';
import { canonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { entriesOf, isGroup } from '@invoicecontrol/invoice/declaration';
import type { Group } from '@invoicecontrol/invoice/declaration';
import { read } from '@invoicecontrol/invoice/read';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';
import { UNKNOWN_CURRENCY } from '@invoicecontrol/values/currency';
import { cleanLine } from '@invoicecontrol/values/readable-text';
import type { Correction, UploadRequest } from '../../records/application/upload-store.js';

/**
 * Paths in the canonical invoice that a document can state, such as `supplier.tax_id`. The company is part of the
 * request.
 */
export const fieldPaths: readonly string[] = pathsOf(canonicalInvoice).filter((path) => path !== 'company_id');

const ACCOUNT = 'supplier.bank_account';
const IBAN = `${ACCOUNT}.iban`;
const SORT_CODE = `${ACCOUNT}.sort_code`;
const ACCOUNT_NUMBER = `${ACCOUNT}.account_number`;
const UK_ACCOUNT: readonly string[] = [SORT_CODE, ACCOUNT_NUMBER];

/**
 * Confidence that a supplier name in a document has at least if the tax id or the account in the document confirms the
 * name.
 */
const CONFIDENCE_OF_KNOWN_NAME = 0.95;

/** Value of an invoice field, with the place in the document from which it was read or the person who entered it. */
export interface Provenance {
  readonly field: string;
  readonly value: string;
  /** Value of the invoice field as printed in the document. Absent if the document does not contain it. */
  readonly raw?: string;
  readonly page?: number;
  /** Position of the value of an invoice field on the page of the document. Empty if the position is unknown. */
  readonly box: readonly number[];
  /** Confidence that the value of the invoice field was read correctly, from 0 to 1. */
  readonly confidence: number;
  /**
   * Method by which the value of an invoice field was found: XML, LABEL, PATTERN, ARITHMETIC, KNOWN_SUPPLIER, REQUEST
   * or USER.
   */
  readonly method: string;
  readonly xpath?: string;
  readonly correctedBy?: string;
  readonly correctedAt?: Date;
}

/** An uploaded invoice, built from the document reading, the request and the current corrections. */
export interface ReadInvoice {
  /** The canonical invoice that was read from an upload. Undefined while required fields are missing. */
  readonly invoice: CanonicalInvoice | undefined;
  /** Paths of required invoice fields that are missing. */
  readonly missing: readonly string[];
  /** Origin of the value of each invoice field. */
  readonly provenance: readonly Provenance[];
  /** Printed text of the document that looked like a bank account but is not one. */
  readonly invalidIban: string | undefined;
  /**
   * Faults in the corrections that a person entered for a document. Wrong values that were read from the document cause
   * no faults, because they are left out.
   */
  readonly faults: FieldFaults;
}

/**
 * Builds the canonical invoice from an upload (documents reference, sections 11 and 14). The invoice keeps only values
 * that POST /invoices would accept. A wrong optional field of a document is left out, an unknown currency is replaced
 * by its placeholder, and a wrong correction is refused.
 */
export function invoiceFromReading({ extracted, request, corrections, knownSupplierName }: ReadingParts): ReadInvoice {
  const outcome = extracted?.outcome;
  const reading = outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
  const fields = new Map<string, Provenance>();
  let invalidIban = reading?.invalidIban;
  for (const { field, value, raw, page, box, confidence, method, xpath } of reading?.fields ?? []) {
    if (!fieldPaths.includes(field)) continue;
    // A bank account in a document that fails only the national check of its country is kept, and the engine reports
    // it.
    if (field === IBAN && readPrintedIban(value).kind !== 'IBAN') {
      invalidIban ??= raw;
      continue;
    }
    fields.set(field, {
      field,
      value,
      raw,
      box,
      confidence,
      method,
      ...(page === undefined ? {} : { page }),
      ...(xpath === undefined ? {} : { xpath }),
    });
  }
  if (knownSupplierName !== undefined)
    fields.set('supplier.name', withKnownName(fields.get('supplier.name'), knownSupplierName));
  const { purchaseOrderRef, companyId } = request;
  if (purchaseOrderRef !== undefined) {
    const field = 'purchase_order_ref';
    fields.set(field, { field, value: purchaseOrderRef, box: [], confidence: 1, method: 'REQUEST' });
  }
  for (const correction of corrections)
    fields.set(correction.field, corrected(fields.get(correction.field), correction));
  if (corrections.some(({ field }) => field === IBAN)) invalidIban = undefined;
  const isCorrected = (path: string): boolean => corrections.some(({ field }) => field === path);
  // Values of documents that were stored before texts had to be readable are cleaned first. Otherwise the rule for
  // readable texts would leave these values out.
  for (const field of fields.values()) fields.set(field.field, { ...field, value: cleanLine(field.value, Infinity) });

  const { invoice, faults } = validInvoice(fields, isCorrected);
  if (faults.count > 0) return { invoice: undefined, missing: [], provenance: [], invalidIban, faults };
  const missing = requiredPaths.filter((path) => path !== 'currency' && !fields.has(path));
  return {
    invoice:
      missing.length > 0
        ? undefined
        : { ...(invoice as CanonicalInvoice), ...(companyId === undefined ? {} : { company_id: companyId }) },
    missing,
    provenance: fieldPaths.flatMap((path) => {
      const field = fields.get(path);
      if (field === undefined) return path === 'currency' ? [unknownCurrency(reading?.method)] : [];
      return [{ ...field, value: valueAt(invoice, path) ?? field.value }];
    }),
    invalidIban,
    faults,
  };
}

/**
 * Returns the provenance of a supplier name that was not read but belongs to a known supplier with the tax id or
 * account of the document. Only a name that was read has a known position on the page.
 */
function withKnownName(read: Provenance | undefined, name: string): Provenance {
  const printed = read?.value === name ? read : { raw: name, box: [], confidence: 0 };
  return {
    ...printed,
    field: 'supplier.name',
    value: name,
    confidence: Math.max(printed.confidence, CONFIDENCE_OF_KNOWN_NAME),
    method: 'KNOWN_SUPPLIER',
  };
}

/** Parts from which an uploaded invoice is built. */
export interface ReadingParts {
  readonly extracted?: ExtractDocumentResponse | undefined;
  readonly request: UploadRequest;
  readonly corrections: readonly Correction[];
  readonly knownSupplierName?: string | undefined;
}

/**
 * Checks whether corrected fields of an upload replace an earlier correction of the same field or, for a bank account,
 * of its other form (an IBAN, or a UK sort code with an account number).
 */
export function replaces(fields: Readonly<Record<string, string>>, earlier: string): boolean {
  const isGiven = (path: string): boolean => fields[path] !== undefined;
  if (isGiven(earlier)) return true;
  if (earlier === IBAN) return UK_ACCOUNT.every(isGiven);
  return UK_ACCOUNT.includes(earlier) && isGiven(IBAN) && !UK_ACCOUNT.some(isGiven);
}

/** Returns the provenance of the placeholder for an unknown currency, for which the document has no printed value. */
function unknownCurrency(method: string | undefined): Provenance {
  return {
    field: 'currency',
    value: UNKNOWN_CURRENCY,
    box: [],
    confidence: 0,
    method: method === 'XML' ? 'XML' : 'PATTERN',
  };
}

function corrected(before: Provenance | undefined, { field, value, by, at }: Correction): Provenance {
  return {
    box: [],
    ...before,
    field,
    value,
    confidence: 1,
    method: 'USER',
    correctedBy: by,
    correctedAt: at,
  };
}

/**
 * Validates the fields of an uploaded invoice like a request body. Wrong fields that were read from the document are
 * removed from `fields`.
 */
function validInvoice(
  fields: Map<string, Provenance>,
  isCorrected: (path: string) => boolean,
): { readonly invoice: unknown; readonly faults: FieldFaults } {
  // The loop ends because each iteration removes at least one invalid invoice field.
  for (;;) {
    const found = new FieldFaults();
    const invoice = read(canonicalInvoice, bodyOf(fields), { faults: found });
    const refused = new FieldFaults();
    const wrong = new Set<string>();
    for (const { path, message } of found.count === 0 ? [] : found.refusal().details) {
      const behind = fieldsBehind(path, fields, isCorrected);
      if (behind.some(isCorrected)) refused.add(`fields.${path}`, message);
      else for (const field of behind) wrong.add(field);
    }
    if (refused.count > 0) return { invoice, faults: refused };
    if (wrong.size === 0) {
      const currency = fields.has('currency') ? {} : { currency: UNKNOWN_CURRENCY };
      return { invoice: { ...invoice, ...currency }, faults: refused };
    }
    for (const field of wrong) fields.delete(field);
  }
}

/**
 * Returns the fields of an uploaded invoice that caused a fault. If the document has a UK account and an IBAN, the UK
 * account counts as the wrong one, unless a person entered it.
 */
function fieldsBehind(
  path: string,
  fields: ReadonlyMap<string, Provenance>,
  isCorrected: (path: string) => boolean,
): string[] {
  if (path === ACCOUNT && UK_ACCOUNT.every(isCorrected) && !isCorrected(IBAN)) return [IBAN];
  const isAboutUkAccount = path === ACCOUNT || UK_ACCOUNT.includes(path);
  return (isAboutUkAccount ? UK_ACCOUNT : [path]).filter((field) => fields.has(field));
}

function bodyOf(fields: ReadonlyMap<string, Provenance>): object {
  const body: Record<string, unknown> = { supplier: {} };
  for (const [path, { value }] of fields) {
    const steps = path.split('.');
    const last = steps.pop() ?? path;
    let at = body;
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return body;
}

/** Returns the value of an invoice field as it is stored, trimmed and in a uniform notation. */
function valueAt(invoice: unknown, path: string): string | undefined {
  let at: unknown = invoice;
  for (const step of path.split('.')) at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
  return typeof at === 'string' ? at : undefined;
}

function pathsOf(group: Group, prefix = '', onlyRequired = false): string[] {
  return entriesOf(group).flatMap(({ name, member }) => {
    if (onlyRequired && member.isOptional) return [];
    return isGroup(member) ? pathsOf(member, `${prefix}${name}.`, onlyRequired) : [`${prefix}${name}`];
  });
}

const requiredPaths: readonly string[] = pathsOf(canonicalInvoice, '', true);
