import { DomainError, FIELD_FAULTS_MAX } from '@invoicecontrol/errors';
import type { FieldFault } from '@invoicecontrol/errors';
import type { z } from 'zod';

/** For requests that change a thing: each field is optional, but one must be there. */
export const NOTHING_TO_CHANGE = 'Send at least one field to change.';

export function hasAnyField(body: object): boolean {
  return Object.keys(body).length > 0;
}

/** The name of an unknown field comes from the caller; this much of it is repeated. */
const NAME_LENGTH_MAX = 100;

/**
 * The value as the schema describes it.
 * @param root what to call the value itself where a fault has no path: `body` or `query`
 * @throws DomainError `invalid` with one detail per wrong field; its message names the first and how many there are
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, root: string): z.infer<S> {
  const result = schema.safeParse(value, { error: sentence });
  if (result.success) return result.data;
  throw invalidFields(result.error.issues.flatMap((issue) => faultsOf(issue, root)));
}

/** A refusal for these fields, which must be at least one. */
function invalidFields(faults: readonly FieldFault[]): DomainError {
  const [first] = faults;
  if (first === undefined) throw new TypeError('A refusal names at least one field.');
  const more = faults.length === 1 ? '' : ` (1 of ${faults.length} faults)`;
  return new DomainError('invalid', `${first.path}: ${first.message}${more}`, {
    details: faults.slice(0, FIELD_FAULTS_MAX),
  });
}

function faultsOf(issue: z.core.$ZodIssue, root: string): FieldFault[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path, root), message: issue.message }];
  return issue.keys.map((key) => ({
    path: pathOf([...issue.path, key.slice(0, NAME_LENGTH_MAX)], root),
    message: issue.message,
  }));
}

/** `supplier.bank_account.iban`, `rows[3].currency`. */
function pathOf(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root;
  return path.reduce<string>((written, step) => {
    if (typeof step === 'number') return `${written}[${step}]`;
    return written === '' ? String(step) : `${written}.${String(step)}`;
  }, '');
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** What is wrong with a field, where its own schema has no sentence for it. */
function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'Required.';
      if (issue.input === null) return 'Must not be null.';
      return `Must be ${typeNames[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      if (issue.input === undefined) return 'Required.';
      return `Must be one of ${issue.values.map(String).join(', ')}.`;
    case 'unrecognized_keys':
      return 'No such field here. Remove it.';
    case 'too_big':
      return `Must ${issue.origin === 'array' ? 'have' : 'be'} at most ${issue.maximum}${issue.origin === 'array' ? ' items' : ''}.`;
    case 'too_small':
      return `Must ${issue.origin === 'array' ? 'have' : 'be'} at least ${issue.minimum}${issue.origin === 'array' ? ' items' : ''}.`;
    default:
      return undefined;
  }
}
