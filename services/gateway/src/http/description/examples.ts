import { z } from 'zod';

/**
 * Examples of the request and response bodies in the API description, by schema. A test checks each example against its
 * schema, both in the code and as published.
 */
export const examples = z.registry<{ readonly example: z.$output }>();

/**
 * Returns the example of a schema of the API description. Throws a TypeError if there is none, so that no request body
 * is published without an example.
 */
export function exampleOf<S extends z.ZodType>(schema: S): z.infer<S> {
  const registered = examples.get(schema);
  if (registered === undefined) throw new TypeError(`The API schema ${schema.meta()?.id ?? ''} has no example.`);
  return registered.example as z.infer<S>;
}

/**
 * Ids that the examples of the API description use. No resource has them, so a request with one in its path gets a 404
 * response.
 */
export const EXAMPLE_IDS = {
  account: '5b1d7c1e-0d57-5c2c-9a55-6f1f0f6d2b20',
  analysis: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d10',
  assignee: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d11',
  company: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d12',
  connection: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1b',
  finding: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d13',
  invoice: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d14',
  relatedInvoice: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d15',
  notification: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d16',
  organization: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d17',
  rule: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d18',
  scan: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d19',
  session: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d21',
  submission: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1f',
  supplier: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1a',
  run: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1e',
  verification: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d20',
  upload: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1d',
  view: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d22',
  vendor: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1e',
  webhook: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d1c',
} as const;

/** Public id of an API key, as examples of the API description show it. */
export const EXAMPLE_KEY_ID = '4fGh7Jk2Lm9NpQr1';
export const EXAMPLE_REQUEST_ID = 'req_4w9k2m7tq0x5v8n3c6j1hzpbsd';
export const EXAMPLE_DELIVERY_ID = 'dlv_k7qmz4x2w6a5n3v7c2j4tqb3ey';
export const EXAMPLE_INSTANT = '2026-03-14T09:30:00.000Z';
