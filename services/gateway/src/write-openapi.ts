import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeApi } from './http/description/openapi.js';
import { resources } from './routes/table.js';
import { webhookEvents } from './routes/webhooks/webhook-events.js';
import { unreferencedSchemas } from './routes/unreferenced-schemas.js';

// The published description is committed, so that API changes are visible in reviews.
writeFileSync(
  fileURLToPath(new URL('../openapi.json', import.meta.url)),
  describeApi(resources, webhookEvents, unreferencedSchemas),
);
