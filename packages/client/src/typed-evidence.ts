import type { components } from './gen/openapi.js';

type Typed = components['schemas']['TypedFinding'];

/** The finding types whose evidence the API description states. */
export type FindingType = Typed['type'];

/** The evidence of a finding type: `EvidenceOf<'DUPLICATE_INVOICE'>`. */
export type EvidenceOf<T extends FindingType> = Extract<Typed, { readonly type: T }>['evidence'];

/**
 * Checks whether a finding is of the given type. After the check, its `evidence` has the members of that type: `if
 * (isFindingOf(finding, 'DUPLICATE_INVOICE')) console.log(finding.evidence.matched)`.
 */
export function isFindingOf<F extends { readonly type: string; readonly evidence: unknown }, T extends FindingType>(
  finding: F,
  type: T,
): finding is F & { readonly type: T; readonly evidence: EvidenceOf<T> } {
  return finding.type === type;
}
