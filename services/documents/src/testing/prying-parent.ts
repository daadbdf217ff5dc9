// A process with secrets that reads one "document" as the documents service does, but in a child process that searches
// for secrets. Its arguments are CONFINED or FREE, the document, and a secret. The process prints what the child
// process found.
import { fileURLToPath } from 'node:url';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { extractionPool } from '../extraction/pool.js';

const [, , confinement, document = ''] = process.argv;
const pool = extractionPool({
  children: 1,
  limits: { timeMs: 60_000, recognitionMs: 60_000, memoryBytes: 600 * 1024 * 1024 },
  rulesDir: undefined,
  isConfined: confinement === 'CONFINED',
  logger: createLogger({ service: 'test', level: 'silent' }),
  program: fileURLToPath(new URL('./prying-child.js', import.meta.url)),
});
const { outcome } = await pool.read({
  organizationId: 'first',
  task: { mediaType: 'application/pdf', mode: 'OFF', companies: [] },
  byteSize: document.length,
  async *bytes() {
    yield Buffer.from(document);
  },
});
process.stdout.write('failure' in outcome ? outcome.failure.message : 'The process read an invoice.');
pool.close();
