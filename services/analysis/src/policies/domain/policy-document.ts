import { invalidField } from '@invoicecontrol/errors';
import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';

/** A whole policy as people write it: every number, and what reviews taught. */
export interface PolicyDocument {
  readonly policy: Policy;
  /** Absent for those in force when each invoice was analyzed. */
  readonly tolerances: readonly LearnedTolerance[] | undefined;
}

const PATH = 'policy_json';

/**
 * Reads a policy document as `writePolicy` gives it. It must have exactly the shape of the policy that this release
 * decides by, so that no misspelt number is silently left at its default.
 * @param path the field of the request that carries it
 * @throws DomainError invalid, naming the first member that is missing, unknown or of the wrong kind
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

/** The document that people read and change. */
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
    // The type of items is unknown where the default list is empty.
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
