import type { z } from 'zod';
import { typedFinding } from './analysis/evidence.js';
import { webhookEvent } from './webhooks/webhook-events.js';

/** Schemas that the API description publishes although no route refers to them. */
export const unreferencedSchemas: readonly z.ZodType[] = [webhookEvent, typedFinding];
