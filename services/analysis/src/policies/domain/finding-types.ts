import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import type {
  Family,
  FindingKind,
  FindingType,
  RequiredFact,
  Severity,
} from '@invoicecontrol/engine/explanation/catalogue';
import { isTolerable } from './learned-tolerance.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/** Description of a finding type, from the catalogue and the policy. */
export interface FindingTypeDescription {
  readonly type: FindingType;
  readonly family: Family;
  /** Severities that the finding type can have, least severe first. */
  readonly severities: readonly Severity[];
  readonly isHardBlock: boolean;
  readonly description: string;
  readonly recommendedAction: string | null;
  readonly requiredFacts: readonly RequiredFact[];
  /** True if reviews can lower the severity of findings of the type for a supplier. */
  readonly hasLearnedTolerance: boolean;
}

/** Returns every finding type in the catalogue, sorted by family and type. */
export function findingTypes(policy: Policy): FindingTypeDescription[] {
  const kinds: [string, FindingKind][] = Object.entries(catalogue);
  return kinds
    .map(([name, { family, severities, description, recommendedAction, requires }]) => {
      const type = name as FindingType;
      return {
        type,
        family,
        severities,
        isHardBlock: policy.hardBlocks.includes(type),
        description,
        recommendedAction,
        requiredFacts: requires,
        hasLearnedTolerance: isTolerable({ type, family }, policy),
      };
    })
    .sort((left, right) => compareText(left.family, right.family) || compareText(left.type, right.type));
}
