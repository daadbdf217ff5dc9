// KSeF as the end-to-end tests meet it: the simulator, companies with tokens in it, and invoices that can be submitted.
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKsef as startSimulator } from '@invoicecontrol/dev/simulators';

/** What the simulator has counted for one context. */
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

/** The environment TEST of a simulator. */
export interface Ksef {
  /** What tells the product where it is. */
  readonly env: Readonly<Record<string, string>>;
  /** A company with a token of its own. */
  newCompany(): Promise<{ readonly nip: string; readonly token: string }>;
  /** @returns its id */
  fault(fault: object): Promise<string>;
  hits(faultId: string): Promise<number>;
  /** Removes all faults and lets go what they hold. */
  mend(): Promise<void>;
  counters(nip: string): Promise<Counters>;
  control<Body = unknown>(target: string, body?: object): Promise<Body>;
  stop(): Promise<void>;
}

export async function startKsef(): Promise<Ksef> {
  const directory = await mkdtemp(join(tmpdir(), 'invoice-control-ksef-'));
  const { simulator, env } = await startSimulator(directory, {});
  async function control<Body>(target: string, body?: object): Promise<Body> {
    const [method = '', path = ''] = target.split(' ');
    const response = await fetch(`${simulator.url}/test/control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  }
  return {
    env,
    async newCompany() {
      const nip = String(randomInt(1_000_000_000, 9_999_999_999));
      const token = `20260201-EC-0123456789-ABCDEF0123-1B|nip-${nip}|${createHash('sha256').update(randomUUID()).digest('hex')}`;
      await control(`PUT contexts/${nip}`, { tokens: [{ token }] });
      return { nip, token };
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

/** A valid FA(3) document, whose seller has the NIP. */
export function fa3({ nip, number, gross = '1230.00' }: { nip: string; number: string; gross?: string }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">
  <Naglowek>
    <KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>
    <WariantFormularza>3</WariantFormularza>
    <DataWytworzeniaFa>2026-02-01T00:00:00Z</DataWytworzeniaFa>
  </Naglowek>
  <Podmiot1>
    <DaneIdentyfikacyjne><NIP>${nip}</NIP><Nazwa>Huta Szkła ${nip}</Nazwa></DaneIdentyfikacyjne>
    <Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1</AdresL1></Adres>
  </Podmiot1>
  <Podmiot2>
    <DaneIdentyfikacyjne><NIP>1111111111</NIP><Nazwa>Jan Kowalski</Nazwa></DaneIdentyfikacyjne>
    <JST>2</JST>
    <GV>2</GV>
  </Podmiot2>
  <Fa>
    <KodWaluty>PLN</KodWaluty>
    <P_1>2026-02-15</P_1>
    <P_2>${number}</P_2>
    <P_13_1>1000.00</P_13_1>
    <P_14_1>230.00</P_14_1>
    <P_15>${gross}</P_15>
    <Adnotacje>
      <P_16>2</P_16>
      <P_17>2</P_17>
      <P_18>2</P_18>
      <P_18A>2</P_18A>
      <Zwolnienie><P_19N>1</P_19N></Zwolnienie>
      <NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu>
      <P_23>2</P_23>
      <PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy>
    </Adnotacje>
    <RodzajFaktury>VAT</RodzajFaktury>
    <FaWiersz><NrWierszaFa>1</NrWierszaFa><P_7>Butelka</P_7><P_8A>szt.</P_8A><P_8B>1</P_8B><P_9A>1000.00</P_9A><P_11>1000.00</P_11><P_12>23</P_12></FaWiersz>
  </Fa>
</Faktura>
`;
}
