import { open, stat } from 'node:fs/promises';
import type { OfficialRules } from '@invoicecontrol/compliance/official-rules';
import type { DocumentReading, ReadingFailure } from '@invoicecontrol/extraction/reading';
import type { Validation, ValidationMode } from '@invoicecontrol/compliance/validation';
import { UsageError } from '../command.js';
import type { FileCommand, Outcome } from '../command.js';

/** The size of the largest document that can be uploaded (documents reference, section 14). */
const DOCUMENT_BYTES_MAX = 26_214_400;
const modes: readonly ValidationMode[] = ['ALL', 'DECLARED_PROFILES', 'OFF'];

export const validateDocuments: FileCommand = {
  name: 'validate-documents',
  summary: 'read invoice documents and validate them against the rules of their profile',
  argument: {
    value: 'FILE...',
    description: 'invoices: XML, signed XML, PDF or images; also fragments',
    isRequired: true,
  },
  options: { mode: { value: 'MODE', description: 'ALL, DECLARED_PROFILES or OFF (default DECLARED_PROFILES)' } },
  examples: ['invoice.xml', '--mode ALL --json invoice.xml "second invoice.pdf"'],
  async *runOnFiles(given, files, env) {
    const mode = readMode(given['mode']);
    for (const file of files) await requireFile(file);
    const officialRules = await readRules(env['RULES_DIR']);
    for (const file of files) yield toOutcome(file, await examineFile(file, { mode, officialRules }));
  },
};

/** The columns that section 14 of the documents reference prints for a document file, except its name. */
interface Examined {
  readonly format: DocumentReading['format'] | null;
  readonly profile: string | null;
  readonly validation: Validation | null;
  readonly failure: { readonly code: 'PROCESSING_FAILED'; readonly message: string; readonly reason: string } | null;
}

function readMode(text = 'DECLARED_PROFILES'): ValidationMode {
  const mode = modes.find((one) => one === text);
  if (mode === undefined) throw new UsageError(`--mode must be one of ${modes.join(', ')}.`);
  return mode;
}

interface Rules {
  readonly mode: ValidationMode;
  readonly officialRules: OfficialRules | undefined;
}

/**
 * Reads the official validation rules that the service uses as well.
 * @throws Error for a folder, or a file in it, that cannot be used
 */
async function readRules(folder: string | undefined): Promise<OfficialRules | undefined> {
  if (folder === undefined || folder === '') return undefined;
  const { loadOfficialRules } = await import('@invoicecontrol/compliance/official-rules');
  return loadOfficialRules(folder);
}

async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`The file ${file} does not exist.`);
}

async function examineFile(file: string, rules: Rules): Promise<Examined> {
  // The document parsers are loaded only by this command, because they are large and no other command needs them.
  const [{ examineDocument }, { sniffMediaType }] = await Promise.all([
    import('@invoicecontrol/extraction/examine-document'),
    import('@invoicecontrol/extraction/media-type'),
  ]);
  const bytes = await readBytes(file);
  if (bytes.length > DOCUMENT_BYTES_MAX)
    return failed('TOO_LARGE', `The file has more than ${DOCUMENT_BYTES_MAX} bytes.`);
  const mediaType = sniffMediaType(bytes);
  if (mediaType === undefined) {
    return failed('UNSUPPORTED_FORMAT', 'The file is not PDF, PNG, JPEG, TIFF, WebP, XML or signed XML.');
  }
  const { outcome, validation } = await examineDocument(bytes, { mediaType, companies: [], ...rules });
  if ('reading' in outcome) {
    const { format, profile } = outcome.reading;
    return { format, profile, validation, failure: null };
  }
  const { reason, message, reading } = outcome.failure;
  return { ...failed(reason, message), format: reading?.format ?? null, profile: reading?.profile ?? null, validation };
}

/**
 * The command reads one byte more than the limit, which shows that a document file is too large, however large it is.
 */
async function readBytes(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(DOCUMENT_BYTES_MAX + 1);
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, size, bytes.length - size);
      size += bytesRead;
      if (bytesRead === 0 || size === bytes.length) return bytes.subarray(0, size);
    }
  } finally {
    await handle.close();
  }
}

function failed(reason: ReadingFailure['reason'], message: string): Examined {
  return { format: null, profile: null, validation: null, failure: { code: 'PROCESSING_FAILED', message, reason } };
}

function toOutcome(file: string, examined: Examined): Outcome {
  const { format, profile, validation, failure } = examined;
  const findings = [
    ...(validation?.schemaErrors ?? []).map(({ message, location }) => ['SCHEMA', 'FATAL', location, message]),
    ...(validation?.rules ?? []).map(({ id, flag, location, message }) => [id, flag, location, message]),
  ];
  return {
    json: { file, ...examined },
    sentence: failure === null ? `${file} is read.` : `${file} is not read: ${failure.message}`,
    values: {
      Format: format ?? 'unknown',
      Profile: profile ?? 'none',
      'Rule sets': validation === null ? 'none' : validation.ruleSets.join(', ') || 'none',
    },
    table: { columns: ['RULE', 'FLAG', 'PLACE', 'MESSAGE'], rows: findings },
  };
}
