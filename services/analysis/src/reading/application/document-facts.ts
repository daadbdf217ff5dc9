import type { Reading, Validation } from '@invoicecontrol/contracts/documents/v1/document_service';
import type {
  DocumentFacts,
  FailedRule,
  FieldConflict,
  HiddenText,
  SalesDocument,
  SignatureFacts,
  TamperSign,
} from '@invoicecontrol/engine/facts/document-facts';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { UNKNOWN_CURRENCY } from '@invoicecontrol/values/currency';
import { invoiceFromReading } from './invoice-from-reading.js';
import type { UploadRecord } from '../../records/application/upload-store.js';

/** Maximum number of entries in each list of document facts. The evidence of a finding shows fewer entries. */
const FACT_ENTRIES_MAX = 100;

/** Builds the engine facts about an uploaded document, including the current corrections. */
export function documentFactsOf(upload: UploadRecord): DocumentFacts | undefined {
  const outcome = upload.extracted?.outcome;
  const reading = outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
  if (reading === undefined) return undefined;
  const { provenance, invalidIban } = invoiceFromReading(upload);
  const isCorrected = (field: string): boolean => upload.corrections.some((correction) => correction.field === field);
  const { signature, producer, currencyCandidates, salesDocument, payeeName } = reading;
  const taxBreakdown = taxBreakdownOf(reading);
  const validation = validationFactsOf(reading, upload.extracted?.validation);
  return {
    method: reading.method as DocumentFacts['method'],
    fields: provenance
      // The finding CURRENCY_UNKNOWN already reports a currency that could not be read.
      .filter(({ method, value }) => method !== 'REQUEST' && value !== UNKNOWN_CURRENCY)
      // The confidence of a document field is rounded down to whole percents, so that rounding never makes it reach a
      // limit of the detection policy.
      .map(({ field, confidence }) => ({ field, confidence: Math.floor(confidence * 100 + 1e-9) })),
    tamperSigns: reading.tamperSigns.slice(0, FACT_ENTRIES_MAX).map(({ kind, objects }) => ({
      kind: kind as TamperSign['kind'],
      objects: objects.slice(0, FACT_ENTRIES_MAX),
    })),
    hiddenTexts: reading.hiddenTexts.slice(0, FACT_ENTRIES_MAX).map(({ box, hiddenBy, holds, ...text }) => ({
      ...text,
      hiddenBy: hiddenBy as HiddenText['hiddenBy'],
      holds: holds as HiddenText['holds'],
      box: box.length === 0 ? null : box,
    })),
    conflicts: reading.conflicts.slice(0, FACT_ENTRIES_MAX).map(({ field, source, machineValue, visibleValue }) => ({
      field,
      source: source as FieldConflict['source'],
      machineValue,
      visibleValue: visibleValue ?? null,
    })),
    ...(producer === undefined ? {} : { producer }),
    ...(signature === undefined
      ? {}
      : { signature: { ...signature, changed: signature.changed as SignatureFacts['changed'] } }),
    ...(validation === undefined ? {} : { validation }),
    ...(currencyCandidates.length === 0 || isCorrected('currency') ? {} : { currencyCandidates }),
    ...(invalidIban === undefined ? {} : { invalidIban }),
    ...(salesDocument === undefined ? {} : { salesDocument: salesDocument as SalesDocument }),
    ...(payeeName === undefined ? {} : { payeeName }),
    ...(taxBreakdown === undefined ? {} : { taxBreakdown }),
  };
}

/**
 * Returns the VAT breakdown of a document, or undefined if one of its amounts cannot be computed with. A row of an exempt
 * amount may state no tax. Readings that were stored before the breakdown was read have no member for it.
 */
function taxBreakdownOf(reading: Partial<Pick<Reading, 'taxBreakdown'>>): DocumentFacts['taxBreakdown'] {
  const rows = (reading.taxBreakdown ?? []).map(({ base = '', tax = '0' }) => ({ base, tax }));
  if (rows.length === 0) return undefined;
  return rows.every(({ base, tax }) => isDecimalAmount(base) && isDecimalAmount(tax)) ? rows : undefined;
}

/**
 * Returns facts about the validation of an electronic invoice document. A document that was not validated has such
 * facts only if it declares several profiles, because these may contradict each other.
 */
function validationFactsOf(
  { declaredProfiles }: Reading,
  validation: Validation | undefined,
): DocumentFacts['validation'] {
  if (validation === undefined && declaredProfiles.length < 2) return undefined;
  const { profile, ruleSets, schemaErrors, rules, total } = validation ?? {
    profile: undefined,
    ruleSets: [],
    schemaErrors: [],
    rules: [],
    total: 0,
  };
  return {
    profile: profile ?? null,
    ruleSet: ruleSets.join(','),
    declaredProfiles,
    schemaErrors,
    failedRules: rules.map(({ flag, expected, actual, ...rule }) => ({
      ...rule,
      flag: flag as FailedRule['flag'],
      expected: expected ?? null,
      actual: actual ?? null,
    })),
    failedTotal: total,
  };
}
