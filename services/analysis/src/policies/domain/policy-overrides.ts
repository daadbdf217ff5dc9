import { invalidField } from '@invoicecontrol/errors';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { isObject, readPolicy } from './policy-document.js';

/** Members of the detection policy that an organization overrides. Lists are replaced as a whole. */
export type PolicyOverrides = Readonly<Record<string, unknown>>;

const PATH = 'overrides_json';
/** Members of the detection policy that cannot be overridden. */
const FIXED: readonly string[] = ['id', 'version', 'overlay', 'effectiveFrom'];

/**
 * Reads overrides of a detection policy and checks that the resulting policy is valid.
 * @throws DomainError invalid, with the first member that is unknown, fixed or of the wrong type
 */
export function readOverrides(json: string): PolicyOverrides {
  let overrides: unknown;
  try {
    overrides = JSON.parse(json);
  } catch {
    throw invalidField(PATH, 'is not JSON.');
  }
  if (!isObject(overrides))
    throw invalidField(PATH, 'must be an object that contains only the policy members to override.');
  const fixed = FIXED.find((name) => Object.hasOwn(overrides, name));
  if (fixed !== undefined) throw invalidField(`${PATH}.${fixed}`, 'cannot be overridden.');
  readPolicy(JSON.stringify(withOverrides(defaultPolicy, overrides)), PATH);
  return overrides;
}

/** Returns the detection policy with the overridden members replaced. */
export function withOverrides(policy: Policy, overrides: PolicyOverrides): Policy {
  return merged(policy, overrides) as Policy;
}

function merged(own: unknown, put: unknown): unknown {
  if (!isObject(own) || !isObject(put)) return put;
  const members = Object.entries(put).map(([name, value]) => [name, merged(own[name], value)] as const);
  return { ...own, ...Object.fromEntries(members) };
}
