import { availableParallelism } from 'node:os';
import { serviceSettings } from '@invoicecontrol/runtime/config';
import { z } from 'zod';

const DAY_SECONDS = 86_400;
const CHILDREN_MAX = 4;

/**
 * Returns the number of child processes that read documents: one for each processor core, up to a limit. More child
 * processes would not read faster.
 */
function defaultChildren(): number {
  return Math.min(availableParallelism(), CHILDREN_MAX);
}

/** Environment variables of the documents service. */
export const configSchema = z.object({
  ...serviceSettings('documents'),
  /** Period in which a reserved upload accepts its content. */
  UPLOAD_TTL_SECONDS: z.coerce.number().int().min(1).max(DAY_SECONDS).default(900),
  /**
   * Time after the expiry of an upload reservation, or after an interrupted PUT request, at which leftover data is
   * removed.
   */
  UPLOAD_SWEEP_SECONDS: z.coerce.number().int().min(0).max(DAY_SECONDS).default(3_600),
  /** Period for which an uploaded file is kept if its analysis is not requested. */
  UPLOAD_UNUSED_SECONDS: z.coerce
    .number()
    .int()
    .min(DAY_SECONDS)
    .max(30 * DAY_SECONDS)
    .default(7 * DAY_SECONDS),
  /** Number of processes that read documents. In addition, one process reads only small XML documents. */
  EXTRACTION_CHILDREN: z.coerce.number().int().min(1).max(64).default(defaultChildren()),
  /** Time limit for reading one document in seconds. */
  EXTRACTION_SECONDS: z.coerce.number().int().min(1).max(600).default(10),
  /** Time limit in seconds for a document whose text must be recognised from images. */
  EXTRACTION_OCR_SECONDS: z.coerce.number().int().min(1).max(600).default(60),
  /** Maximum resident memory of one process that reads documents. */
  EXTRACTION_MEMORY_MB: z.coerce.number().int().min(100).max(16_384).default(600),
  /**
   * Tells whether the service may start although the processes that read documents cannot be prevented from reading
   * other processes' secrets.
   */
  EXTRACTION_CONFINEMENT: z.enum(['REQUIRED', 'WHERE_POSSIBLE']).default('REQUIRED'),
  /**
   * Directory with official validation rules for electronic invoices that extend the built-in ones. Not set by default.
   */
  RULES_DIR: z.string().optional(),
});

export type Config = z.infer<typeof configSchema>;
