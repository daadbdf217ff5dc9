import type { z } from 'zod';
import type { Call } from '../erp/call.js';
import { badRequest } from './refusal.js';

/**
 * Parses the body of a call to the simulated KSeF.
 * @throws Refusal 21405 if it breaks the contract
 */
export function readBody<T>(call: Call, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(call.body);
  } catch {
    throw badRequest(21_405, 'Treść żądania nie jest poprawnym dokumentem JSON.');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badRequest(21_405, ...result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}
