import { availableParallelism } from 'node:os';
import { operatorToken, serviceSettings } from '@invoicecontrol/runtime/config';
import { z } from 'zod';

const DAY_SECONDS = 86_400;
const CHILDREN_MAX = 4;

/** One for each core, up to a bound: more read nothing faster. */
function defaultChildren(): number {
  return Math.min(availableParallelism(), CHILDREN_MAX);
}

/** The environment of the documents service. */
export const configSchema = z.object({
  ...serviceSettings('documents'),
  OPERATOR_TOKEN: operatorToken,
  /** Time in which a reservation accepts its bytes. */
  UPLOAD_TTL_SECONDS: z.coerce.number().int().min(1).max(DAY_SECONDS).default(900),
  /** Time after the end of a reservation, or after a PUT that was never completed, at which its remains are removed. */
  UPLOAD_SWEEP_SECONDS: z.coerce.number().int().min(0).max(DAY_SECONDS).default(3_600),
  /** Time for which received bytes are kept whose analysis nobody requests. */
  UPLOAD_UNUSED_SECONDS: z.coerce
    .number()
    .int()
    .min(DAY_SECONDS)
    .max(30 * DAY_SECONDS)
    .default(7 * DAY_SECONDS),
  /** Processes that read documents; one more reads small XML alone. */
  EXTRACTION_CHILDREN: z.coerce.number().int().min(1).max(64).default(defaultChildren()),
  /** Time limit for one document. */
  EXTRACTION_SECONDS: z.coerce.number().int().min(1).max(600).default(10),
  /** Time limit for a document that must be recognised from pictures. */
  EXTRACTION_OCR_SECONDS: z.coerce.number().int().min(1).max(600).default(60),
  /** Resident memory of one such process. */
  EXTRACTION_MEMORY_MB: z.coerce.number().int().min(100).max(16_384).default(600),
  /** Decides whether the service starts where these processes cannot be kept from reading the secrets of others. */
  EXTRACTION_CONFINEMENT: z.enum(['REQUIRED', 'WHERE_POSSIBLE']).default('REQUIRED'),
  /** Folder of official rules in addition to the built-in ones; none by default. */
  RULES_DIR: z.string().optional(),
});

export type Config = z.infer<typeof configSchema>;
