import { isLongerThan } from '@invoicecontrol/values/text-length';
import { catalogue } from './catalogue.js';
import type { Family, FindingType, Severity } from './catalogue.js';
import { shortDigest } from './digest.js';
import type { Disposition } from './facts.js';
import { compareText } from './record-order.js';

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

/** A finding as the engine returns it. Its id is derived by whoever stores it, from the invoice and the evidence key. */
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
  readonly disposition: Disposition;
}

/** What a detector raises; the engine adds family, rule, action and disposition. */
export interface RaisedFinding {
  readonly type: FindingType;
  readonly severity: Severity;
  readonly confidence: number;
  readonly summary: string;
  /** Values of the placeholders in the recommended action. */
  readonly actionValues?: Readonly<Record<string, string>>;
  readonly key: string;
  readonly parameters: Evidence['parameters'];
  readonly observed: Evidence['observed'];
  readonly explanation: readonly string[];
  /** Further evidence of this type. */
  readonly extra?: { readonly [name: string]: EvidenceValue };
  readonly relatedInvoiceIds?: readonly string[];
  /** Pairs of records the finding is about; a FALSE_POSITIVE clears each of them. */
  readonly pairKeys?: readonly string[];
  /** Set when reviews have settled the finding before the evidence key is looked at (cleared pairs). */
  readonly disposition?: Disposition;
}

const KEY_BYTES = 16;
/** Characters (HTTP and security reference, section 2). */
const SENTENCE_LENGTH_MAX = 2_000;

/** The stable key of a finding: its type and the things it is about, in any order. */
export function evidenceKey(type: FindingType | 'DUP', subjects: readonly string[]): string {
  return shortDigest([type, ...subjects.toSorted(compareText)].join('|'), KEY_BYTES);
}

/** The key of two records as a pair, the same from both sides. */
export function pairKey(oneId: string, otherId: string): string {
  const [smaller, larger] = [oneId, otherId].toSorted(compareText);
  return shortDigest(`${smaller}|${larger}`, KEY_BYTES);
}

/** Completes a raised finding. */
export function toFinding(raised: RaisedFinding, engineVersion: string, disposition: Disposition): Finding {
  const { family, recommendedAction } = catalogue[raised.type];
  return {
    type: raised.type,
    family,
    severity: raised.severity,
    confidence: raised.confidence,
    summary: sentence(raised.summary),
    recommendedAction: filled(recommendedAction, raised.actionValues ?? {}),
    evidence: {
      key: raised.key,
      rule: `${raised.type}@${engineVersion}`,
      parameters: raised.parameters,
      observed: raised.observed,
      explanation: raised.explanation,
      ...raised.extra,
    },
    relatedInvoiceIds: raised.relatedInvoiceIds ?? [],
    disposition,
  };
}

/** Controls that turn the direction of what follows them: a name with one would rearrange the sentence about it. */
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text with numbers and names of an invoice in it, as one line that people can read: what an invoice states may be
 * pages long and hold line breaks.
 */
function sentence(text: string): string {
  const line = text.replace(DIRECTION_CONTROLS, '').replace(/\s*\p{Cc}+\s*/gu, ' ');
  if (!isLongerThan(line, SENTENCE_LENGTH_MAX)) return line;
  return `${[...line].slice(0, SENTENCE_LENGTH_MAX - 1).join('')}…`;
}

function filled(template: string | null, values: Readonly<Record<string, string>>): string | null {
  if (template === null) return null;
  return sentence(template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole));
}
