import { createClient } from '@invoicecontrol/client';
import { demonstrationDocuments } from './demonstration-documents.js';
import type { DemonstrationDocument, DocumentName } from './demonstration-documents.js';

/** Ids of the uploads of the demonstration, by the names of their documents. */
export type UploadIds = Readonly<Record<DocumentName, string>>;

/** Creates the demonstration's documents and uploads them. */
export async function uploadDocuments(baseUrl: string, apiKey: string): Promise<UploadIds> {
  const api = createClient({ baseUrl, apiKey });
  const since = new Date((await api.get('/organizations/current')).data.createdAt);
  const { xml, scan, hybrid } = await demonstrationDocuments(since);
  const upload = async (document: DemonstrationDocument): Promise<string> => uploadDocument(baseUrl, apiKey, document);
  return { xml: await upload(xml), scan: await upload(scan), hybrid: await upload(hybrid) };
}

/**
 * Uploads a document as an integrator does: it reserves an upload, and then sends a PUT to the address in the response.
 */
export async function uploadDocument(
  baseUrl: string,
  apiKey: string,
  { mediaType, bytes }: DemonstrationDocument,
): Promise<string> {
  const api = createClient({ baseUrl, apiKey });
  const { data } = await api.post('/uploads', { body: { mediaType, byteSize: bytes.length } });
  const response = await fetch(new URL(data.upload_url, baseUrl), {
    method: data.upload_method,
    headers: { 'content-type': mediaType },
    body: bytes as Uint8Array<ArrayBuffer>,
  });
  if (!response.ok) throw new Error(`A document of the demonstration was refused: ${await response.text()}`);
  return data.upload_id;
}
