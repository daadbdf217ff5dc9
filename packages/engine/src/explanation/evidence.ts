import { isLongerThan } from '@invoicecontrol/values/text-length';
import { catalogue } from './catalogue.js';
import type { Family, FindingType, Severity } from './catalogue.js';
import { evidenceKey } from './subject.js';
import type { Subject } from './subject.js';

/** A JSON value without undefined, as the evidence of a finding contains it. */
export type EvidenceValue =
  string | number | boolean | null | readonly EvidenceValue[] | { readonly [name: string]: EvidenceValue };

/**
 * Evidence for a finding, as section 8 of the detection reference defines it: five members that every finding has, and
 * further members that depend on the finding type. Amounts are decimal strings and accounts are masked.
 */
export interface Evidence {
  /** Stable key for the case that the finding reports. A review applies to every later finding with the same key. */
  readonly key: string;
  /** Finding type, and version of the engine that raised the finding. */
  readonly rule: string;
  /** Values of the detection policy that the detection rule used. */
  readonly parameters: { readonly [name: string]: EvidenceValue };
  /** Values of the invoice that the detection rule compared when it raised the finding. */
  readonly observed: { readonly [name: string]: EvidenceValue };
  /** Explanation of the finding in English sentences, each about one fact. */
  readonly explanation: readonly string[];
  readonly [name: string]: EvidenceValue;
}

/**
 * A finding as returned by the engine. The service that stores the finding derives its id from the invoice and the
 * evidence key.
 */
export interface Finding {
  readonly type: FindingType;
  readonly family: Family;
  readonly severity: Severity;
  /** Confidence in the finding, from 0 to 100. */
  readonly confidence: number;
  readonly summary: string;
  readonly recommendedAction: string | null;
  readonly evidence: Evidence;
  readonly relatedInvoiceIds: readonly string[];
  /** Subjects of the finding, at most 64. Callers of the API never see the subjects. */
  readonly subjects: readonly Subject[];
}

/** A finding as raised by a detector. The engine adds family, key, rule and recommended action. */
export interface RaisedFinding {
  readonly type: FindingType;
  readonly severity: Severity;
  readonly confidence: number;
  readonly summary: string;
  /** Values of the placeholders in the recommended action of a finding. */
  readonly actionValues?: Readonly<Record<string, string>>;
  /** Parts of the evidence key: subjects, and other values that distinguish findings of one type. */
  readonly about: readonly (Subject | string)[];
  /**
   * Prefix of the evidence key, used instead of the finding type. Findings about the same pair share the prefix,
   * regardless of their type.
   */
  readonly keyPrefix?: string;
  /** Subjects of a finding that are stored but are not part of its evidence key. */
  readonly alsoAbout?: readonly Subject[];
  readonly parameters?: Evidence['parameters'];
  readonly observed?: Evidence['observed'];
  readonly explanation: readonly string[];
  /** Further fields in the evidence of a finding, as its type requires. */
  readonly extra?: { readonly [name: string]: EvidenceValue };
  readonly relatedInvoiceIds?: readonly string[];
}

/**
 * Maximum number of characters in the summary or recommended action of a finding (HTTP and security reference, section
 * 2).
 */
export const SENTENCE_LENGTH_MAX = 2_000;
/** Maximum number of characters in one sentence of the explanation of a finding. */
const EXPLANATION_LENGTH_MAX = 400;
/** Maximum number of sentences in the explanation of a finding. A pair of invoices is compared in ten fields. */
export const EXPLANATIONS_MAX = 12;
/**
 * Maximum number of characters that the evidence of a finding shows for a number, name or reference. The record itself
 * shows the whole text.
 */
const SHOWN_TEXT_LENGTH_MAX = 120;
/**
 * Maximum length of the message of a broken validation rule in evidence, and of its location. The export has the same
 * limit.
 */
const RULE_TEXT_LENGTH_MAX = 400;
/** Maximum number of entries in an evidence list, including the records to which a finding is related. */
const SHOWN_ENTRIES_MAX = 64;

/**
 * Maximum size of one finding as JSON. The size matters, because a finding is stored with its invoice, with its
 * analysis and on its own, and a page of a list contains a hundred findings. The limit is sufficient for any invoice,
 * even if every text has its maximum length in four-byte characters.
 */
export const FINDING_JSON_BYTES_MAX = 64 * 1024;

/** Returns the finding with family, key, rule and recommended action added. */
export function toFinding(raised: RaisedFinding, engineVersion: string): Finding {
  const { family, recommendedAction } = catalogue[raised.type];
  return {
    type: raised.type,
    family,
    severity: raised.severity,
    confidence: raised.confidence,
    summary: sentence(raised.summary),
    recommendedAction: filled(recommendedAction, raised.actionValues ?? {}),
    evidence: {
      key: evidenceKey(raised.keyPrefix ?? raised.type, raised.about),
      rule: `${raised.type}@${engineVersion}`,
      parameters: shownMembers(raised.parameters ?? {}),
      observed: shownMembers(raised.observed ?? {}),
      explanation: raised.explanation.slice(0, EXPLANATIONS_MAX).map((text) => sentence(text, EXPLANATION_LENGTH_MAX)),
      ...shownMembers(raised.extra ?? {}),
    },
    relatedInvoiceIds: (raised.relatedInvoiceIds ?? []).slice(0, SHOWN_ENTRIES_MAX),
    subjects: subjectsOf(raised).slice(0, SHOWN_ENTRIES_MAX),
  };
}

function subjectsOf({ about, alsoAbout = [] }: RaisedFinding): Subject[] {
  return [...about.filter((part) => typeof part !== 'string'), ...alsoAbout];
}

/** Returns the named members of a section of the policy: the values that a detection rule used. */
export function pick<P, K extends keyof P & string>(policy: P, ...names: readonly K[]): Pick<P, K> {
  return Object.fromEntries(names.map((name) => [name, policy[name]])) as Pick<P, K>;
}

/**
 * Shortens invoice text for evidence and its sentences. Shortened text keeps whole characters and ends with an
 * ellipsis.
 */
export function shownText(text: string): string {
  return cut(text, SHOWN_TEXT_LENGTH_MAX);
}

function shownMembers(members: { readonly [name: string]: EvidenceValue }): { [name: string]: EvidenceValue } {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'string' && (name === 'message' || name === 'location')
        ? cut(value, RULE_TEXT_LENGTH_MAX)
        : shownValue(value),
    ]),
  );
}

function shownValue(value: EvidenceValue): EvidenceValue {
  if (typeof value === 'string') return shownText(value);
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.slice(0, SHOWN_ENTRIES_MAX).map(shownValue) : shownMembers(value);
}

/**
 * Checks whether a value in the evidence of a finding is a list. `Array.isArray` does not narrow the type of read-only
 * arrays.
 */
function isList(value: EvidenceValue): value is readonly EvidenceValue[] {
  return Array.isArray(value);
}

/**
 * Control characters in invoice texts that change the writing direction. A name that contains one would rearrange the
 * sentence around it.
 */
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Matches two full stops in a row in the text of a finding. A name such as `Galli S.r.l.` adds its own full stop to the
 * end of a sentence. An ellipsis of three full stops is not matched.
 */
const TWO_FULL_STOPS = /(?<!\.)\.\.(?=\s|$)/g;

/**
 * Converts text that contains invoice numbers and names to one readable line. Such values may be pages long and contain
 * line breaks.
 */
function sentence(text: string, lengthMax = SENTENCE_LENGTH_MAX): string {
  const line = text.replace(DIRECTION_CONTROLS, '').replace(/[\s\p{Cc}]+/gu, ' ');
  return cut(line.replace(TWO_FULL_STOPS, '.'), lengthMax);
}

function cut(text: string, lengthMax: number): string {
  if (!isLongerThan(text, lengthMax)) return text;
  return `${[...text].slice(0, lengthMax - 1).join('')}…`;
}

function filled(template: string | null, values: Readonly<Record<string, string>>): string | null {
  if (template === null) return null;
  return sentence(
    template.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : shownText(value);
    }),
  );
}
