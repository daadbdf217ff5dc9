import { FieldFaults } from '@invoicecontrol/errors';
import { z } from 'zod';

/**
 * Maximum length of an unknown field name of an ERP configuration in a message, because the name comes from the caller.
 */
const NAME_LENGTH_MAX = 100;

/**
 * Reads the `config` of a request with the schema of its ERP provider.
 * @param schema schema in which each field has a sentence about its fault
 * @throws DomainError invalid with one detail for each invalid field
 */
export function parseConfig<S extends z.ZodType>(schema: S, given: unknown): z.infer<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const faults = new FieldFaults();
  for (const { code, path, message, ...issue } of result.error.issues) {
    const at = ['config', ...path.map(String)].join('.');
    if (code === 'unrecognized_keys' && 'keys' in issue) {
      for (const key of issue.keys)
        faults.add(`${at}.${key.slice(0, NAME_LENGTH_MAX)}`, 'This field is not supported. Remove the field.');
    } else {
      faults.add(at, message);
    }
  }
  throw faults.refusal();
}

/** Returns the schema for a text in the configuration of an ERP connection. `sentence` describes every invalid text. */
export function textLike(pattern: RegExp, sentence: string) {
  return z
    .string({ error: ({ input }) => (input === undefined ? 'Required.' : sentence) })
    .refine((value) => pattern.test(value), sentence);
}

export const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
