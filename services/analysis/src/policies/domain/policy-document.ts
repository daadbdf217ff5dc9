import { invalidField } from '@invoicecontrol/errors';
import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';

/** A complete detection policy as a JSON document: all parameters and learned tolerances. */
export interface PolicyDocument {
  readonly policy: Policy;
  /**
   * Learned tolerances that a dry run of a detection policy applies. If no tolerances are given, the tolerances at the
   * time of each analysis apply.
   */
  readonly tolerances: readonly LearnedTolerance[] | undefined;
}

const PATH = 'policy_json';

/**
 * Reads a detection policy document in the format that `writePolicy` produces. The document must have exactly the
 * members that this release's policy has, so that a misspelt parameter does not silently keep its default.
 * @param path the request field that contains the document
 * @throws DomainError invalid, with the first member that is missing, unknown or of the wrong type
 */
export function readPolicy(json: string, path: string = PATH): PolicyDocument {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    throw invalidField(path, 'is not JSON.');
  }
  if (!isObject(document)) throw invalidField(path, 'must be an object, as GetCurrentPolicy returns it.');
  const { tolerances, ...policy } = document;
  requireShape(path, defaultPolicy, policy);
  return { policy: policy as unknown as Policy, tolerances: readTolerances(tolerances) };
}

/** Writes a detection policy as a JSON document that people can read and change. */
export function writePolicy({
  policy,
  tolerances,
}: {
  policy: Policy;
  tolerances: readonly LearnedTolerance[];
}): string {
  return JSON.stringify({ ...policy, tolerances });
}

function requireShape(path: string, model: unknown, value: unknown): void {
  if (Array.isArray(model)) {
    if (!Array.isArray(value)) throw invalidField(path, 'must be a list.');
    const [first] = model as unknown[];
    // If a list in the default detection policy is empty, the type of its items is unknown.
    if (first === undefined) return;
    for (const [index, entry] of value.entries()) requireShape(`${path}[${index}]`, first, entry);
    return;
  }
  if (isObject(model)) {
    if (!isObject(value)) throw invalidField(path, 'must be an object.');
    for (const [name, member] of Object.entries(model)) {
      if (!Object.hasOwn(value, name)) throw invalidField(`${path}.${name}`, 'is missing.');
      requireShape(`${path}.${name}`, member, value[name]);
    }
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(model, name));
    if (unknown !== undefined) throw invalidField(`${path}.${unknown}`, 'is not a member of a policy.');
    return;
  }
  if (typeof value !== typeof model || value === null) throw invalidField(path, `must be a ${typeof model}.`);
}

const toleranceModel: LearnedTolerance = {
  supplierId: '',
  type: '',
  signature: '',
  falsePositives: 0,
  reviewers: 0,
  learnedOn: '',
  expiresOn: '',
};

function readTolerances(value: unknown): readonly LearnedTolerance[] | undefined {
  if (value === undefined) return undefined;
  requireShape(`${PATH}.tolerances`, [toleranceModel], value);
  return value as readonly LearnedTolerance[];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
