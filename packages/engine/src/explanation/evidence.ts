import { isLongerThan } from '@invoicecontrol/values/text-length';
import { catalogue } from './catalogue.js';
import type { Family, FindingType, Severity } from './catalogue.js';
import { evidenceKey } from './subject.js';
import type { Subject } from './subject.js';

/** JSON without undefined; what evidence is made of. */
export type EvidenceValue =
  string | number | boolean | null | readonly EvidenceValue[] | { readonly [name: string]: EvidenceValue };

/** The contract of section 8: these five always, more by type. Amounts are decimal strings, accounts are masked. */
export interface Evidence {
  /** Stable id of what the finding is about: a review of it holds for every later finding with this key. */
  readonly key: string;
  /** Type and engine version. */
  readonly rule: string;
  /** Policy values used. */
  readonly parameters: { readonly [name: string]: EvidenceValue };
  /** Numbers compared. */
  readonly observed: { readonly [name: string]: EvidenceValue };
  /** English sentences, one per fact. */
  readonly explanation: readonly string[];
  readonly [name: string]: EvidenceValue;
}

/** A finding as the engine returns it. The storing service derives its id from the invoice and the evidence key. */
export interface Finding {
  readonly type: FindingType;
  readonly family: Family;
  readonly severity: Severity;
  /** 0 to 100. */
  readonly confidence: number;
  readonly summary: string;
  readonly recommendedAction: string | null;
  readonly evidence: Evidence;
  readonly relatedInvoiceIds: readonly string[];
  /** Subjects of the finding, at most 64. Never shown. */
  readonly subjects: readonly Subject[];
}

/** Finding as a detector raises it. The engine adds family, key, rule and action. */
export interface RaisedFinding {
  readonly type: FindingType;
  readonly severity: Severity;
  readonly confidence: number;
  readonly summary: string;
  /** Values of the placeholders in the recommended action. */
  readonly actionValues?: Readonly<Record<string, string>>;
  /** Parts of the key: subjects, and other values that distinguish findings of the type. */
  readonly about: readonly (Subject | string)[];
  /** Text that replaces the type in the key. Findings about the same pairs share it, whatever their type. */
  readonly keyPrefix?: string;
  /** Subjects that are not part of the key. */
  readonly alsoAbout?: readonly Subject[];
  readonly parameters?: Evidence['parameters'];
  readonly observed?: Evidence['observed'];
  readonly explanation: readonly string[];
  /** Further evidence of this type. */
  readonly extra?: { readonly [name: string]: EvidenceValue };
  readonly relatedInvoiceIds?: readonly string[];
}

/** Characters of a summary or an action (HTTP and security reference, section 2). */
export const SENTENCE_LENGTH_MAX = 2_000;
/** Characters of a sentence of the explanation. */
const EXPLANATION_LENGTH_MAX = 400;
/** Sentences of an explanation: a pair of records is compared in ten fields. */
export const EXPLANATIONS_MAX = 12;
/** Characters of a number, name or reference that evidence shows; the record itself shows all of them. */
const SHOWN_TEXT_LENGTH_MAX = 120;
/** Characters of what a rule of an electronic invoice says and where it failed, as the export shows them. */
const RULE_TEXT_LENGTH_MAX = 400;
/** Entries of a list in evidence, the records that a finding is related to among them. */
const SHOWN_ENTRIES_MAX = 64;

/**
 * Maximum size of one finding as JSON, whatever the invoices state: every text at its longest and of characters of
 * four bytes. A finding is stored with its invoice, its analysis and on its own, and a page of a list holds a hundred.
 */
export const FINDING_JSON_BYTES_MAX = 64 * 1024;

/** Completes a raised finding. */
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

/** The named members of a part of the policy: the numbers that a rule used. */
export function pick<P, K extends keyof P & string>(policy: P, ...names: readonly K[]): Pick<P, K> {
  return Object.fromEntries(names.map((name) => [name, policy[name]])) as Pick<P, K>;
}

/** A text of an invoice as evidence and its sentences show it: its beginning, whole characters, and an ellipsis. */
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

/** `Array.isArray` does not narrow lists that are read-only. */
function isList(value: EvidenceValue): value is readonly EvidenceValue[] {
  return Array.isArray(value);
}

/** Control characters that change the writing direction: a name with one would rearrange the sentence about it. */
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name such as `Galli S.r.l.` brings its own full stop to the end of a sentence. An ellipsis has three. */
const TWO_FULL_STOPS = /(?<!\.)\.\.(?=\s|$)/g;

/**
 * A text with numbers and names of an invoice in it, as one line that people can read: what an invoice states may be
 * pages long and hold line breaks.
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
