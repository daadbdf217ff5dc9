import { createClient } from '@invoicecontrol/client/browser';
import type { Client, Schemas } from '@invoicecontrol/client/browser';

export type Caller = Schemas['Caller'];
export type Finding = Schemas['Finding'];
export type PaymentRun = Schemas['PaymentRun'];
export type PaymentLine = Schemas['PaymentLine'];

const baseUrl = `${location.origin}/v1`;

/** The client of the signed-in person. The browser adds the cookie of the session to its requests. */
export const client: Client = createClient({ baseUrl });

/** Opens a session with an API key, which is sent once and stored nowhere. */
export async function signIn(apiKey: string): Promise<void> {
  await createClient({ baseUrl, apiKey }).post('/sessions');
}

export async function signOut(): Promise<void> {
  await client.delete('/sessions/current');
}
