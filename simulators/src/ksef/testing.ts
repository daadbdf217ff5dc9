import { constants, createCipheriv, createHash, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import { call } from '../erp/testing.js';
import type { TestAnswer } from '../erp/testing.js';

type Json = Readonly<Record<string, unknown>>;

export function hashOf(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('base64');
}

/** A KSeF session that a test client has opened, with its key. */
export interface TestSession {
  readonly reference: string;
  readonly key: Buffer;
  readonly iv: Buffer;
}

/** Client of the simulated KSeF for one environment and one context. It was written from the KSeF reference. */
export class TestClient {
  readonly #base: string;
  readonly nip: string;
  readonly token: string;
  accessToken = '';
  refreshToken = '';

  constructor(environmentUrl: string, nip: string, token: string) {
    this.#base = environmentUrl;
    this.nip = nip;
    this.token = token;
  }

  async control(target: string, body?: unknown): Promise<TestAnswer> {
    const [method = '', path = ''] = target.split(' ');
    return call(`${method} ${this.#base}/control/${path}`, body);
  }

  /** Sends a KSeF request (`METHOD path`) with the access token, with another token, or without a token. */
  async api(target: string, body?: unknown, bearer: string | null = this.accessToken): Promise<TestAnswer> {
    const [method = '', path = ''] = target.split(' ');
    return call(`${method} ${this.#base}/v2/${path}`, body, {
      'x-error-format': 'problem-details',
      ...(typeof body === 'string' ? { 'content-type': 'application/xml' } : {}),
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    });
  }

  async encrypt(usage: string, plain: Uint8Array): Promise<{ readonly data: string; readonly publicKeyId: string }> {
    const answer = await this.api('GET security/public-key-certificates', undefined, null);
    const certificates = JSON.parse(answer.text) as readonly {
      certificate: string;
      publicKeyId: string;
      usage: readonly string[];
      validFrom: string;
    }[];
    const newest = certificates
      .filter((one) => one.usage.includes(usage))
      .sort((a, b) => Date.parse(b.validFrom) - Date.parse(a.validFrom))[0];
    if (newest === undefined) throw new Error(`There is no certificate for usage ${usage}.`);
    const key = new X509Certificate(Buffer.from(newest.certificate, 'base64')).publicKey;
    const options = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return { data: publicEncrypt(options, plain).toString('base64'), publicKeyId: newest.publicKeyId };
  }

  /** Begins a login to the simulated KSeF (A1 to A3). */
  async begin(changes: Json = {}): Promise<TestAnswer> {
    const { challenge, timestampMs } = json(await this.api('POST auth/challenge', undefined, null));
    const plain = Buffer.from(`${this.token}|${String(timestampMs)}`, 'utf8');
    const { data, publicKeyId } = await this.encrypt('KsefTokenEncryption', plain);
    const contextIdentifier = { type: 'Nip', value: this.nip };
    const body = { challenge, contextIdentifier, encryptedToken: data, publicKeyId, ...changes };
    return this.api('POST auth/ksef-token', body, null);
  }

  /** Polls the status of a KSeF login until the login is complete (call A4). */
  async outcome(begun: TestAnswer): Promise<Json> {
    const { referenceNumber, authenticationToken } = json(begun) as {
      referenceNumber: string;
      authenticationToken: { token: string };
    };
    for (let polls = 0; polls < 20; polls++) {
      const { status } = json(await this.api(`GET auth/${referenceNumber}`, undefined, authenticationToken.token));
      if ((status as { code: number }).code !== 100) return status as Json;
    }
    throw new Error('The authentication did not finish.');
  }

  /** Logs in to the simulated KSeF with the calls A1 to A5 of the KSeF reference. */
  async login(): Promise<void> {
    const begun = await this.begin();
    const status = await this.outcome(begun);
    if (status['code'] !== 200) throw new Error(`The authentication finished with ${JSON.stringify(status)}.`);
    const { authenticationToken } = json(begun) as { authenticationToken: { token: string } };
    const tokens = json(await this.api('POST auth/token/redeem', undefined, authenticationToken.token));
    this.accessToken = (tokens['accessToken'] as { token: string }).token;
    this.refreshToken = (tokens['refreshToken'] as { token: string }).token;
  }

  /** Returns the body of a request to open a KSeF session (S1), with a new key. */
  async openRequest(): Promise<{ readonly body: Json; readonly key: Buffer; readonly iv: Buffer }> {
    const key = randomBytes(32);
    const iv = randomBytes(16);
    const { data, publicKeyId } = await this.encrypt('SymmetricKeyEncryption', key);
    const body = {
      formCode: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
      encryption: { encryptedSymmetricKey: data, initializationVector: iv.toString('base64'), publicKeyId },
    };
    return { body, key, iv };
  }

  /** Opens a KSeF session for sending invoices (call S1). */
  async open(): Promise<TestSession> {
    const { body, key, iv } = await this.openRequest();
    const answer = await this.api('POST sessions/online', body);
    if (answer.status !== 201) throw new Error(`S1 responded with ${answer.status}: ${answer.text}`);
    return { reference: String(json(answer)['referenceNumber']), key, iv };
  }

  /** Sends a document in a KSeF session (call S2). */
  async send(session: TestSession, document: Uint8Array | string, changes: Json = {}): Promise<TestAnswer> {
    return this.api(`POST sessions/online/${session.reference}/invoices`, {
      ...sendRequest(session, document),
      ...changes,
    });
  }

  /** Sends a document to KSeF (S2) and polls it until it has a final status (S3). */
  async sendAndWait(session: TestSession, document: Uint8Array | string): Promise<Json> {
    const answer = await this.send(session, document);
    if (answer.status !== 202) throw new Error(`S2 responded with ${answer.status}: ${answer.text}`);
    return this.waitFor(session, String(json(answer)['referenceNumber']));
  }

  /** Polls the KSeF status of an invoice (S3) until the status is final. */
  async waitFor(session: TestSession, invoice: string): Promise<Json> {
    for (let polls = 0; polls < 20; polls++) {
      const shown = json(await this.api(`GET sessions/${session.reference}/invoices/${invoice}`));
      if ((shown['status'] as { code: number }).code >= 200) return shown;
    }
    throw new Error('Processing of the invoice did not finish.');
  }

  /** Closes a KSeF session (S5) and polls it until it is final (S6). */
  async closeAndWait(session: TestSession): Promise<Json> {
    await this.api(`POST sessions/online/${session.reference}/close`);
    for (let polls = 0; polls < 20; polls++) {
      const shown = json(await this.api(`GET sessions/${session.reference}`));
      if ((shown['status'] as { code: number }).code !== 170) return shown;
    }
    throw new Error('Processing of the session did not finish.');
  }
}

export function sendRequest({ key, iv }: TestSession, document: Uint8Array | string): Json {
  const plain = Buffer.from(document);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return {
    invoiceHash: hashOf(plain),
    invoiceSize: plain.length,
    encryptedInvoiceHash: hashOf(encrypted),
    encryptedInvoiceSize: encrypted.length,
    encryptedInvoiceContent: encrypted.toString('base64'),
    offlineMode: false,
  };
}

export function json(answer: TestAnswer): Json {
  if (answer.json === undefined) throw new Error(`The response is not JSON: ${answer.status} ${answer.text}`);
  return answer.json;
}
