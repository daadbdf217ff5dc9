import { createClient } from '@invoicecontrol/client/browser';
import type { Client, Schemas } from '@invoicecontrol/client/browser';

export type Caller = Schemas['Caller'];
export type Assignee = Schemas['Assignee'];
/** A finding. Lists that are requested as a summary contain findings without evidence. */
export type Finding = Schemas['ListedFinding'];
export type Invoice = Schemas['StoredInvoice'];
export type DocumentField = Schemas['ExportedField'];
export type PaymentRun = Schemas['PaymentRun'];
export type PaymentLine = Schemas['PaymentLine'];

const baseUrl = `${location.origin}/v1`;

/** Time of the latest request that the console sent in the session. The idle time of the session is counted from it. */
let lastUsedAt = Date.now();

/** The API client of the signed-in person. The browser adds the cookie of the session to its requests. */
export const client: Client = createClient({
  baseUrl,
  async fetch(request) {
    const response = await fetch(request);
    if (response.status !== 401) lastUsedAt = Date.now();
    return response;
  },
});

/** Returns the time in milliseconds for which the session of the console has not been used. */
export function idleMs(): number {
  return Date.now() - lastUsedAt;
}

/** Opens a session of the console with an API key, which is sent once and stored nowhere. */
export async function signIn(apiKey: string): Promise<void> {
  await createClient({ baseUrl, apiKey }).post('/sessions');
}

export async function signOut(): Promise<void> {
  await client.delete('/sessions/current');
}
