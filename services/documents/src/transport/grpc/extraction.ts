import type { Validation, ValidationMode } from '@invoicecontrol/compliance/validation';
import { ValidationMode as WireMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import type {
  ExtractDocumentResponse,
  OwnCompany as WireCompany,
  Reading,
  ReadingFailure as WireFailure,
  Validation as WireValidation,
} from '@invoicecontrol/contracts/documents/v1/document_service';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { invalidField } from '@invoicecontrol/errors';
import type { DocumentReading, OwnCompany, ReadingFailure } from '@invoicecontrol/extraction/reading';
import type { Extraction } from '../../application/extract-document.js';

/**
 * Decodes the reference validation mode of a request.
 * @throws DomainError invalid
 */
export function decodeMode(mode: WireMode): ValidationMode {
  if (mode === WireMode.UNSPECIFIED || mode === WireMode.UNRECOGNIZED) {
    throw invalidField('mode', 'must be OFF, DECLARED_PROFILES or ALL.');
  }
  return enumName(WireMode, mode);
}

export function decodeCompany({ name, taxId, country }: WireCompany): OwnCompany {
  return { name, taxId: taxId ?? null, country: country ?? null };
}

export function encodeExtraction({
  outcome,
  validation,
}: Extraction): Pick<ExtractDocumentResponse, 'outcome' | 'validation'> {
  return {
    outcome:
      'failure' in outcome
        ? { $case: 'failure', value: encodeFailure(outcome.failure) }
        : { $case: 'reading', value: encodeReading(outcome.reading) },
    validation: validation === null ? undefined : encodeValidation(validation),
  };
}

function encodeFailure({ reason, message, missingFields, reading }: ReadingFailure): WireFailure {
  return {
    reason,
    message,
    missingFields: [...missingFields],
    reading: reading === null ? undefined : encodeReading(reading),
  };
}

function encodeReading(reading: DocumentReading): Reading {
  const { fields, lines, hiddenTexts, conflicts, tamperSigns, signature, corrects } = reading;
  return {
    method: reading.method,
    format: reading.format,
    profile: reading.profile ?? undefined,
    kind: reading.kind,
    payableAmount: reading.payableAmount ?? undefined,
    embeddedFile: reading.embeddedFile ?? undefined,
    pages: reading.pages ?? undefined,
    fields: Object.entries(fields).map(([field, { box, page, xpath, ...read }]) => ({
      field,
      ...read,
      page: page ?? undefined,
      box: [...(box ?? [])],
      xpath: xpath ?? undefined,
    })),
    lines: lines.map((line) => ({
      description: line.description ?? undefined,
      quantity: line.quantity ?? undefined,
      unit: line.unit ?? undefined,
      unitPrice: line.unitPrice ?? undefined,
      netAmount: line.netAmount ?? undefined,
      taxRate: line.taxRate ?? undefined,
    })),
    currencyCandidates: [...reading.currencyCandidates],
    invalidIban: reading.invalidIban ?? undefined,
    supplierNameCandidates: [...reading.supplierNameCandidates],
    declaredProfiles: [...reading.declaredProfiles],
    producer: reading.producer ?? undefined,
    signature: signature ?? undefined,
    tamperSigns: tamperSigns.map(({ kind, objects }) => ({ kind, objects: [...objects] })),
    hiddenTexts: hiddenTexts.map(({ box, ...hidden }) => ({ ...hidden, box: [...(box ?? [])] })),
    conflicts: conflicts.map(({ visibleValue, ...conflict }) => ({
      ...conflict,
      visibleValue: visibleValue ?? undefined,
    })),
    corrects: corrects && {
      total: corrects.total,
      invoices: corrects.invoices.map(({ number, issueDate, ksefNumber }) => ({
        number,
        issueDate: issueDate ?? undefined,
        ksefNumber: ksefNumber ?? undefined,
      })),
    },
    ksefNumber: reading.ksefNumber,
    ksefCode: reading.ksefCode,
    salesDocument: reading.salesDocument,
    otherIbans: [...(reading.otherIbans ?? [])],
    payeeName: reading.payeeName,
    taxBreakdown: (reading.taxBreakdown ?? []).map(({ base, tax }) => ({
      base: base ?? undefined,
      tax: tax ?? undefined,
    })),
  };
}

function encodeValidation({ mode, profile, ruleSets, schemaErrors, rules, total }: Validation): WireValidation {
  return {
    mode: WireMode[mode],
    profile: profile ?? undefined,
    ruleSets: [...ruleSets],
    schemaErrors: [...schemaErrors],
    rules: rules.map(({ expected, actual, ...rule }) => ({
      ...rule,
      expected: expected ?? undefined,
      actual: actual ?? undefined,
    })),
    total,
  };
}
