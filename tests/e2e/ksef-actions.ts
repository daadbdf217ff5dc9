// Provides KSeF for the end-to-end tests: the simulator, companies with tokens, and invoices that can be submitted.
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKsef as startSimulator } from '@invoicecontrol/dev/simulators';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';

/** Counters that the KSeF simulator keeps for one context. */
export interface Counters {
  readonly sends: Readonly<Record<string, number>>;
  readonly registered: readonly {
    readonly ksefNumber: string;
    readonly invoiceHash: string;
    readonly number: string;
  }[];
  readonly sessions: { readonly opened: number; readonly open: number; readonly empty: number };
  readonly plaintextTokens: number;
}

type EnvironmentName = 'test' | 'demo';

/** The environments TEST and DEMO of a KSeF simulator. An action without the name of an environment uses TEST. */
export interface Ksef {
  /** Environment variables that give the product the address of the KSeF simulator. */
  readonly env: Readonly<Record<string, string>>;
  /** Creates a company in the simulated KSeF with a new KSeF token. */
  newCompany(environment?: EnvironmentName): Promise<{ readonly nip: string; readonly token: string }>;
  /**
   * Issues an invoice in KSeF in the name of the seller that it states, to the buyer that it states.
   * @returns the KSeF number of the invoice
   */
  issue(buyerNip: string, xml: string): Promise<string>;
  /**
   * Adds a fault to the simulated KSeF.
   * @returns the id of the fault
   */
  fault(fault: object): Promise<string>;
  hits(faultId: string): Promise<number>;
  /** Removes all faults of the simulated KSeF and releases the requests that the faults hold. */
  mend(): Promise<void>;
  counters(nip: string): Promise<Counters>;
  control<Body = unknown>(target: string, body?: object, environment?: EnvironmentName): Promise<Body>;
  stop(): Promise<void>;
}

/** The schema of FA(3) rejects a NIP whose second and third digits are both 0. */
const newNip = (): string => String(randomInt(5_200_000_000, 5_300_000_000));

/**
 * Starts the simulator of KSeF.
 * @param revokedSeals the environment whose seal is on the revocation list of the product
 */
export async function startKsef({ revokedSeals }: { readonly revokedSeals?: EnvironmentName } = {}): Promise<Ksef> {
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-ksef-'));
  const { simulator, env } = await startSimulator(directory, {});
  const revocations: Record<string, string> = {};
  if (revokedSeals !== undefined) {
    const file = join(directory, 'revoked-seals.pem');
    await writeFile(file, await simulator.sealRevocationList(revokedSeals, true));
    revocations[`KSEF_${revokedSeals.toUpperCase()}_SEALS_CRL_FILE`] = file;
  }
  async function control<Body>(target: string, body?: object, environment: EnvironmentName = 'test'): Promise<Body> {
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(`${simulator.url}/${environment}/control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  }
  return {
    env: { ...env, ...revocations },
    async newCompany(environment) {
      const nip = newNip();
      const token = `20260201-EC-0123456789-ABCDEF0123-1B|nip-${nip}|${createHash('sha256').update(randomUUID()).digest('hex')}`;
      await control(`PUT contexts/${nip}`, { tokens: [{ token }] }, environment);
      return { nip, token };
    },
    async issue(buyerNip, xml) {
      return (await control<{ ksefNumber: string }>('POST invoices', { buyerNip, xml })).ksefNumber;
    },
    async fault(fault) {
      return (await control<{ id: string }>('POST faults', fault)).id;
    },
    async hits(faultId) {
      const { items } = await control<{ items: readonly { id: string; hits: number }[] }>('GET faults');
      return items.find(({ id }) => id === faultId)?.hits ?? 0;
    },
    mend: () => control('DELETE faults'),
    counters: (nip) => control<Counters>(`GET counters?context=${nip}`),
    control,
    async stop() {
      await simulator.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Returns a valid FA(3) document whose seller has this NIP. */
export function fa3({ nip, number, gross = '1230.00' }: { nip: string; number: string; gross?: string }): string {
  const amounts = { net: '1000.00', vat: '230.00', gross };
  return fa3Document({ number, seller: nip, sellerName: `Huta Szkła ${nip}`, amounts });
}
