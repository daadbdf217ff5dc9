import { accountsOf } from '../explanation/subject.js';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { isDecimalAmount, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DocumentFacts, FieldConflict, HiddenText, TamperSignKind } from '../facts/document-facts.js';
import type { EvidenceValue, RaisedFinding } from '../explanation/evidence.js';
import type { FindingType } from '../explanation/catalogue.js';
import type { Facts } from '../facts/facts.js';
import { counted, grouped, listed, sentenceStart } from '../explanation/phrases.js';
import type { Policy } from '../policy/policy.js';
import type { DocumentParameters } from '../policy/documents.js';
import type { Level } from '../policy/level.js';
import { tamperSignsOf, tamperWeight } from './tampering.js';

/**
 * Maximum size of the list of broken validation rules in one finding. The total size of a finding is limited to 64 KiB.
 */
const RULE_ROWS_BYTES_MAX = 40 * 1_024;

/** Checks the document from which an invoice was read (family DOC; detection reference, section 7.6). */
export function detectDocuments(facts: Facts, policy: Policy): RaisedFinding[] {
  const { document } = facts;
  if (document === undefined) return [];
  const parameters = policy.documents;
  return [
    ...modifiedAfterSigning(facts, document, parameters),
    ...tampered(facts, document, parameters),
    ...hiddenText(facts, document, parameters),
    ...fieldConflict(facts, document, parameters),
    ...lowConfidence(facts, document, parameters),
    ...invalidElectronicInvoice(facts, document, parameters),
  ];
}

function modifiedAfterSigning(
  facts: Facts,
  { signature }: DocumentFacts,
  { levels }: DocumentParameters,
): RaisedFinding[] {
  if (signature === undefined || signature.changed === 'NOTHING') return [];
  const { changed, revisions, coveragePercent } = signature;
  const isHarmless = changed === 'FORM_OR_VALIDATION';
  const what =
    changed === 'CONTENT'
      ? 'the content of a page was changed'
      : changed === 'SIGNATURE_REMOVED'
        ? 'the signature was removed'
        : 'a form entry, a comment or a time stamp was added';
  return [
    {
      type: 'DOCUMENT_MODIFIED_AFTER_SIGNING',
      ...(isHarmless ? levels.completedAfterSigning : levels.modifiedAfterSigning),
      summary: `After the document of ${facts.invoice.invoiceNumber} was signed, ${what}.`,
      ...aboutFile(facts),
      observed: { revisions, coveragePercent },
      explanation: [
        `The signature covers ${coveragePercent}% of the file, which has ${counted(revisions, 'revision')}.`,
        isHarmless
          ? 'The content that was signed is unchanged.'
          : 'The content shown now is not the content that was signed.',
      ],
      extra: { changed, revisions, signatureCoverage: coveragePercent },
    },
  ];
}

const signSentences: Readonly<Record<TamperSignKind, string>> = {
  CONTENT_REPLACED: 'A later revision shows different content from an earlier one',
  REVISIONS_NOT_COMPARED: 'The file has more revisions or pages than can be compared',
  PRODUCERS_DIFFER: 'The file states two different programs as its creator',
  MODIFIED_LATER: 'The file was modified more than a day after it was created',
  EDITOR: 'The file was written by a program for editing finished documents',
  FONT_OF_ONE_FIELD: 'A font is used only for amounts, accounts or dates',
  OVERLAY: 'A rectangle with new text covers other text',
  TEXT_DIFFERS_FROM_PICTURE: 'The text in the file differs from what the page shows',
};

function tampered(facts: Facts, document: DocumentFacts, parameters: DocumentParameters): RaisedFinding[] {
  const signs = tamperSignsOf(document, parameters);
  const [first] = signs;
  if (first === undefined) return [];
  const weight = tamperWeight(document, parameters);
  const { levels, tamperLikelyMin, tamperDoubtfulMin } = parameters;
  const level = signs.some(({ kind }) => kind === 'CONTENT_REPLACED')
    ? levels.contentReplaced
    : weight >= tamperLikelyMin
      ? levels.tamperLikely
      : weight >= tamperDoubtfulMin
        ? levels.tamperDoubtful
        : levels.tamperTrace;
  const others = signs.length === 1 ? '' : `, and ${counted(signs.length - 1, 'more sign')}`;
  return [
    {
      type: 'DOCUMENT_TAMPER_SIGNS',
      ...level,
      summary: `The document of ${facts.invoice.invoiceNumber} may have been edited: ${lowerFirst(signSentences[first.kind])}${others}.`,
      ...aboutFile(facts),
      parameters: { tamperLikelyMin, tamperDoubtfulMin },
      observed: { weight, signs: signs.length },
      explanation: signs.map(({ kind }) => `${signSentences[kind]}.`),
      extra: {
        signals: signs.map(({ kind, objects }) => ({ signal: kind, weight: parameters.tamperWeights[kind], objects })),
        producer: document.producer ?? null,
      },
    },
  ];
}

const hidingTexts: Readonly<Record<HiddenText['hiddenBy'], string>> = {
  RENDER_MODE: 'is set to be invisible',
  COLOUR: 'has the colour of its background',
  SIZE: 'is too small to read',
  POSITION: 'is outside the visible page',
  LAYER: 'is on a hidden layer',
};

/**
 * Reports text of a document that people cannot see but programs extract, because extracted values may have been read
 * from it.
 */
function hiddenText(facts: Facts, { hiddenTexts }: DocumentFacts, parameters: DocumentParameters): RaisedFinding[] {
  const hidden = hiddenTexts.filter(({ isTextLayerOfScan }) => !isTextLayerOfScan);
  const [first] = hidden;
  if (first === undefined) return [];
  const kinds = [...new Set(hidden.map(({ holds }) => `${holds.toLowerCase()}s`))];
  return [
    {
      type: 'DOCUMENT_HIDDEN_TEXT',
      ...parameters.levels.hiddenText,
      summary: `The document of ${facts.invoice.invoiceNumber} contains ${listed(kinds)} that a reader cannot see, first on page ${first.page}.`,
      ...aboutFile(facts),
      observed: { hiddenTexts: hidden.length },
      explanation: hidden
        .slice(0, parameters.shownMax)
        .map(({ page, hiddenBy, holds }) => `On page ${page}, an ${holds.toLowerCase()} ${hidingTexts[hiddenBy]}.`),
      extra: {
        snippets: hidden.slice(0, parameters.shownMax).map((text) => masked(text.snippet)),
        positions: hidden.slice(0, parameters.shownMax).map(({ page, hiddenBy, box }) => ({ page, hiddenBy, box })),
      },
    },
  ];
}

/** Reports fields of a document whose values conflict. Amounts that differ only in notation do not conflict. */
function fieldConflict(facts: Facts, { conflicts }: DocumentFacts, parameters: DocumentParameters): RaisedFinding[] {
  const real = conflicts.filter(({ machineValue, visibleValue }) => !isSameAmount(machineValue, visibleValue));
  const [first] = real.toSorted((left, right) => Number(isAccount(right)) - Number(isAccount(left)));
  if (first === undefined) return [];
  const { levels } = parameters;
  const [machine, visible] = [shown(first, first.machineValue), shown(first, first.visibleValue)];
  return [
    {
      type: 'DOCUMENT_FIELD_CONFLICT',
      ...(isAccount(first) ? levels.accountConflict : levels.fieldConflict),
      summary: `The ${sourceText(first)} of ${facts.invoice.invoiceNumber} states ${readable(first, machine)} as the ${fieldText(first.field)}, but the visible page ${visible === null ? 'does not show one' : `shows ${readable(first, visible)}`}.`,
      ...aboutFile(facts),
      observed: { conflicts: real.length },
      explanation: real.map(
        (conflict) =>
          `The ${fieldText(conflict.field)} differs between the ${sourceText(conflict)} and the visible page.`,
      ),
      extra: {
        field: first.field,
        xmlValue: machine,
        visibleValue: visible,
        conflicts: real.slice(0, parameters.shownMax).map((conflict) => ({
          field: conflict.field,
          source: conflict.source,
          machineValue: shown(conflict, conflict.machineValue),
          visibleValue: shown(conflict, conflict.visibleValue),
        })),
      },
    },
  ];
}

function lowConfidence(
  facts: Facts,
  { fields, method }: DocumentFacts,
  parameters: DocumentParameters,
): RaisedFinding[] {
  const uncertain = fields.filter(({ confidence }) => confidence < parameters.readConfidenceMin);
  if (uncertain.length === 0) return [];
  const key = uncertain.filter(({ field }) => parameters.keyFields.includes(field));
  const names = listed((key.length > 0 ? key : uncertain).map(({ field }) => `the ${fieldText(field)}`));
  return [
    {
      type: 'EXTRACTION_LOW_CONFIDENCE',
      ...(key.length > 0 ? parameters.levels.keyFieldUncertain : parameters.levels.fieldUncertain),
      summary: `${sentenceStart(names)} on ${facts.invoice.invoiceNumber} could not be read with certainty.`,
      ...aboutFile(facts),
      parameters: { readConfidenceMin: parameters.readConfidenceMin },
      observed: { uncertainFields: uncertain.length, uncertainKeyFields: key.length },
      explanation: uncertain.map(
        ({ field, confidence }) => `The ${fieldText(field)} was read with ${confidence}% certainty.`,
      ),
      extra: { fields: uncertain.map(({ field, confidence }) => ({ field, confidence: confidence / 100 })), method },
    },
  ];
}

/**
 * Raises the findings about validation errors in an electronic invoice. Such a finding alone never blocks an invoice.
 */
function invalidElectronicInvoice(
  facts: Facts,
  { validation }: DocumentFacts,
  { levels, shownMax, rulesShownMax }: DocumentParameters,
): RaisedFinding[] {
  if (validation === undefined) return [];
  const { profile, ruleSet, declaredProfiles, schemaErrors, failedRules, failedTotal } = validation;
  const { invoiceNumber } = facts.invoice;
  const raised = (type: FindingType, level: Level, summary: string, explanation: string[], total: number) => ({
    type,
    ...level,
    summary,
    ...aboutFile(facts),
    observed: { total },
    explanation: explanation.slice(0, shownMax),
  });
  const found: RaisedFinding[] = [];
  if (schemaErrors.length > 0) {
    const summary = `The electronic invoice ${invoiceNumber} does not conform to its schema in ${counted(schemaErrors.length, 'place')}.`;
    const explanation = schemaErrors.map(({ message, location }) => `${location}: ${message}`);
    found.push({
      ...raised('E_INVOICE_SCHEMA_INVALID', levels.schemaInvalid, summary, explanation, schemaErrors.length),
      extra: { profile, ruleSet, errors: fitting(schemaErrors.slice(0, rulesShownMax)), total: schemaErrors.length },
    });
  }
  const [rule] = failedRules;
  if (rule !== undefined) {
    const fatal = failedRules.filter(({ flag }) => flag === 'FATAL');
    const level = fatal.some(({ id }) => isArithmetic(id))
      ? levels.arithmeticRuleFailed
      : fatal.length > 0
        ? levels.ruleFailed
        : levels.ruleWarning;
    const named = (fatal[0] ?? rule).id;
    const more = new Set(failedRules.map(({ id }) => id)).size - 1;
    const others = more === 0 ? '' : ` and ${counted(more, 'more rule')}`;
    const explanation = failedRules.map(({ id, message }) => `${id}: ${message}`);
    found.push({
      ...raised(
        'E_INVOICE_RULE_FAILED',
        level,
        `The electronic invoice ${invoiceNumber} breaks rule ${named}${others}.`,
        explanation,
        failedTotal,
      ),
      extra: {
        profile,
        ruleSet,
        rules: fitting(failedRules.slice(0, rulesShownMax).map((failed) => ({ ...failed }))),
        total: failedTotal,
      },
    });
  }
  if (declaredProfiles.length > 1) {
    const summary = `The electronic invoice ${invoiceNumber} declares ${declaredProfiles.length} profiles: ${listed(declaredProfiles)}.`;
    found.push({
      ...raised(
        'E_INVOICE_PROFILE_CONFLICT',
        levels.profileConflict,
        summary,
        ['An invoice can follow only one profile.'],
        declaredProfiles.length,
      ),
      extra: { profiles: declaredProfiles },
    });
  }
  return found;
}

/**
 * Returns as many failed validation rules as fit into the evidence of a finding. The texts of the rules quote a schema
 * or an invoice, and may have any length.
 */
function fitting<Row extends EvidenceValue>(rows: readonly Row[]): Row[] {
  let bytes = 0;
  return rows.filter((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return bytes <= RULE_ROWS_BYTES_MAX;
  });
}

/**
 * Checks whether a validation rule is about sums and tax amounts of the European core invoice: BR-CO-10 to BR-CO-17,
 * and rules 08 and 09 of each tax category.
 */
function isArithmetic(id: string): boolean {
  return /^BR-CO-1[0-7]$/.test(id) || /^BR-(?!CO-)[A-Z]+-0[89]$/.test(id);
}

/**
 * Returns the subjects of a finding about a file, so that the finding applies to every upload of that file. The bank
 * account is also a subject, because a forger would have chosen it.
 */
function aboutFile({ invoice }: Facts): Pick<RaisedFinding, 'about' | 'alsoAbout'> {
  return { about: [invoice.documentSha256 ?? invoice.invoiceId], alsoAbout: accountsOf(invoice) };
}

function sourceText({ source }: FieldConflict): string {
  return source === 'XML' ? 'structured data' : 'payment code';
}

function isAccount({ field }: FieldConflict): boolean {
  return field.startsWith('supplier.bank_account');
}

/** Formats the value of a field for a sentence in a finding. The digits in amounts are grouped. */
function readable({ field }: FieldConflict, value: string | null): string {
  const text = value ?? '';
  return field.endsWith('_amount') && isDecimalAmount(text) ? grouped(text) : text;
}

function isSameAmount(left: string, right: string | null): boolean {
  return right !== null && isDecimalAmount(left) && isDecimalAmount(right) && toMicro(left) === toMicro(right);
}

function shown(conflict: FieldConflict, value: string | null): string | null {
  if (value === null) return null;
  return isAccount(conflict) ? readBankAccount({ iban: value }).masked : masked(value);
}

/** Masks long digit runs except for their last four digits, because they may be accounts. Dates stay visible. */
function masked(text: string): string {
  return text.replace(/(?<!\d)(?:19|20|21)\d\d-[01]\d-[0-3]\d(?!\d)|(?:\d[ -]?){8,}/g, (digits) => {
    const isDate: boolean = isCalendarDate(digits);
    return isDate ? digits : digits.replace(/\d(?=(?:[ -]?\d){4})/g, '*');
  });
}

/** Names of invoice fields in the words of accountants, by the path of the field. */
const fieldNames: Readonly<Record<string, string>> = {
  'supplier.name': 'supplier name',
  'supplier.tax_id': 'tax id of the supplier',
  'supplier.bank_account': 'bank account',
  'supplier.bank_account.iban': 'bank account',
  'supplier.bank_account.bic': 'bank identifier (BIC)',
  'supplier.bank_account.sort_code': 'sort code',
  'supplier.bank_account.account_number': 'account number',
  'buyer.name': 'name of the buyer',
  'buyer.tax_id': 'tax id of the buyer',
  gross_amount: 'gross amount',
  net_amount: 'net amount',
  tax_amount: 'tax amount',
  purchase_order_ref: 'order number',
};

function fieldText(field: string): string {
  return fieldNames[field] ?? field.replaceAll(/[._]/g, ' ');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
