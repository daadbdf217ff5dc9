import { extname } from 'node:path';
import type { Client, Schemas } from '@invoicecontrol/client';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Media types of invoice documents by the ending of their file names. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.xml': 'application/xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};

interface PostOptions {
  readonly 'idempotency-key'?: string | undefined;
  readonly company?: string | undefined;
  readonly 'purchase-order'?: string | undefined;
  readonly isJson: boolean;
}

/** Sends an invoice, as its fields or as a document, waits for the decision and prints it. */
export async function postFile(
  client: Client,
  file: { readonly path: string; readonly bytes: Uint8Array },
  options: PostOptions,
  { print, signal }: Terminal,
): Promise<Schemas['AcceptedAnalysis']['decision']> {
  const analysis = await send(client, file, options, signal);
  if (options.isJson) print(JSON.stringify(analysis));
  else {
    print(`${analysis.decision}  risk ${analysis.risk_score}  ${analysis.id}`);
    for (const { severity, type, summary } of analysis.findings) print(`  ${severity.padEnd(8)} ${type}: ${summary}`);
  }
  return analysis.decision;
}

async function send(
  client: Client,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  options: PostOptions,
  signal: AbortSignal,
): Promise<Schemas['AcceptedAnalysis']> {
  const ending = extname(path).toLowerCase();
  const { company, 'idempotency-key': idempotencyKey, 'purchase-order': purchaseOrderRef } = options;
  if (ending === '.json') {
    if (company !== undefined || purchaseOrderRef !== undefined) {
      throw new UsageError('--company and --purchase-order are for documents: name them in the JSON.');
    }
    const body = invoiceOf(path, bytes);
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    return (await client.post('/invoices', { body, ...key, signal })).data;
  }
  const mediaType = MEDIA_TYPES[ending];
  if (mediaType === undefined) {
    throw new UsageError(`${path} must end in .json, ${Object.keys(MEDIA_TYPES).join(', ')}.`);
  }
  if (idempotencyKey !== undefined) throw new UsageError('--idempotency-key is for JSON: an upload is analyzed once.');
  const { data } = await client.uploadInvoice(bytes, {
    mediaType: mediaType as Parameters<Client['uploadInvoice']>[1]['mediaType'],
    signal,
    ...(company === undefined ? {} : { companyId: company }),
    ...(purchaseOrderRef === undefined ? {} : { purchaseOrderRef }),
  });
  return data;
}

function invoiceOf(path: string, bytes: Uint8Array): Schemas['Invoice'] {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Schemas['Invoice'];
  } catch {
    throw new UsageError(`The file ${path} is not JSON in UTF-8. Correct the file.`);
  }
}
