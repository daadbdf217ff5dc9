import { FieldFaults } from '@invoicecontrol/errors';
import type { z } from 'zod';

/** Refusal of a PATCH body without fields: each field is optional but at least one is required. */
export const NOTHING_TO_CHANGE = 'Send at least one field to change.';

export function hasAnyField(body: object): boolean {
  return Object.keys(body).length > 0;
}

/** Maximum length of the name of an unknown request field in a refusal, because the name comes from the caller. */
const NAME_LENGTH_MAX = 100;

/**
 * Validates the body or the query of a request, or a value inside the body, with a schema.
 * @param root `body` or `query`: the name that messages use for a fault without a path
 * @param at path of the value in the body if the value is not the whole body
 * @throws DomainError `invalid` with one detail for each invalid field; its message has the first fault and the number
 *   of faults
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  root: string,
  at: readonly PropertyKey[] = [],
): z.infer<S> {
  const result = check(schema, value);
  if (result.success) return result.data;
  const faults = new FieldFaults();
  addIssues(faults, result.error.issues, root, at);
  throw faults.refusal();
}

/**
 * Returns the validated request value, or its faults in the product's own sentences. A value is first validated without
 * these sentences, because creating them takes more than twice as long.
 */
function check<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.infer<S>> {
  const result = schema.safeParse(value);
  return result.success ? result : schema.safeParse(value, { error: sentence });
}

/** Converts every issue that the schema library has with a request to a fault in the product's own words. */
function addIssues(
  faults: FieldFaults,
  issues: readonly z.core.$ZodIssue[],
  root: string,
  at: readonly PropertyKey[],
): void {
  for (const issue of issues) {
    // One validation issue lists all unknown fields of an object. There may be many such fields, and the caller chose
    // their names.
    const ends = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]];
    for (const end of ends) faults.add(pathOf([...at, ...issue.path, ...end], root), issue.message);
  }
}

/** Returns the path of a request field in the form `supplier.bank_account.iban` or `rows[3].currency`. */
function pathOf(path: readonly PropertyKey[], root: string): string {
  if (path.length === 0) return root;
  return path.reduce<string>((written, step) => {
    if (typeof step === 'number') return `${written}[${step}]`;
    const name = String(step).slice(0, NAME_LENGTH_MAX);
    return written === '' ? name : `${written}.${name}`;
  }, '');
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

/** Returns the sentence about an invalid request field for which the schema has no sentence. */
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
      return 'This field is not supported. Remove the field.';
    case 'too_big':
      return bounded('at most', issue.maximum, issue.origin);
    case 'too_small':
      return bounded('at least', issue.minimum, issue.origin);
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return undefined;
  }
}

/**
 * Units in messages about limits, such as characters, by JSON type. For types without a unit, the value itself is
 * limited.
 */
const counted: Readonly<Record<string, string>> = { array: 'item', string: 'character' };

function bounded(limit: 'at least' | 'at most', bound: number | bigint, origin: string): string {
  const unit = counted[origin];
  return unit === undefined
    ? `Must be ${limit} ${bound}.`
    : `Must have ${limit} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}.`;
}
