import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import { Clock } from '../erp/clock.js';
import { Authenticator } from './authentication.js';
import { Confirmations } from './confirmations.js';
import { controlRoutes } from './control.js';
import { deliver } from './delivery.js';
import { Exports } from './exports.js';
import { Faults } from './faults.js';
import type { TakenFaults } from './faults.js';
import { Invoices } from './invoices.js';
import { Keys, toPem } from './keys.js';
import { LoginCertificates } from './login-certificates.js';
import { CONTEXT_LIMITS, Limits, statedLimits } from './limits.js';
import { queryMetadata } from './metadata.js';
import { findOperation } from './operations.js';
import type { Operation } from './operations.js';
import type { Context, Settings } from './records.js';
import { Refusal, renderRefusal } from './refusal.js';
import { RequestLog } from './request-log.js';
import { Sessions } from './sessions.js';
import { SignedLinks } from './signed-links.js';
import { Store } from './store.js';

/** Environments of the simulated KSeF. Each has separate contexts, keys and documents (KSeF reference, section 2). */
export const environments = {
  test: { label: 'środowisko testowe (TE)', checksNips: false, takesFa2: true },
  demo: { label: 'środowisko przedprodukcyjne (TR)', checksNips: false, takesFa2: false },
  production: { label: '', checksNips: true, takesFa2: false },
} as const;
export type EnvironmentName = keyof typeof environments;

const DEFAULT_SETTINGS: Settings = {
  authPolls: 1,
  invoicePolls: 2,
  sessionPolls: 1,
  exportPolls: 1,
  exportSeconds: 600,
  exportInvoicesMax: 10_000,
  partBytesMax: 50_000_000,
  highWaterLagSeconds: 0,
  limitFactor: 1,
  systemWarning: null,
};
const SESSION_OPERATIONS: readonly string[] = ['S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8'];
const AUTHENTICATION_CALLER = 'address 127.0.0.1';

const contextOfBody = z.object({ contextIdentifier: z.object({ value: z.string() }) });

export interface Environment {
  /** Responds to a call whose path is below the address of the KSeF environment. */
  serve(call: Call, target: string, response: ServerResponse): Promise<void>;
  /** Responds to a call to a control route of the simulated KSeF. */
  control(call: Call): Promise<Answer>;
  /** Returns the certificate, in PEM format, whose key seals the KSeF confirmations. */
  sealCertificate(): Promise<string>;
  /** Returns the revocation list of the issuer of the KSeF seal certificate, in PEM format. */
  sealRevocationList(isSealRevoked: boolean): Promise<string>;
  close(): void;
}

export interface EnvironmentOptions {
  readonly name: EnvironmentName;
  /** Directory of the stored state of the simulated KSeF. If undefined, the state is kept only in memory. */
  readonly path: string | undefined;
  readonly baseUrl: () => string;
  readonly signal: AbortSignal;
  readonly limitWindowFactor: number | undefined;
}

/** Creates one KSeF environment with its calls and its `/control` routes. */
export function createEnvironment({ name, path, baseUrl, signal, limitWindowFactor }: EnvironmentOptions): Environment {
  const store = new Store(path);
  const clock = new Clock();
  const advanced = store.table<number>('clock');
  const advancedSeconds = (): number => advanced.get('seconds') ?? 0;
  clock.advance(advancedSeconds());
  const contexts = store.table<Context>('contexts');
  const settingsTable = store.table<Settings>('settings');
  const settings = (): Settings => ({ ...DEFAULT_SETTINGS, ...settingsTable.get('settings') });
  const log = new RequestLog(store);
  const faults = new Faults();
  const limits = new Limits(clock, limitWindowFactor);
  const keys = new Keys(store, clock, name);
  const { label, checksNips, takesFa2 } = environments[name];
  const certificates = new LoginCertificates(store, clock, name);
  const authenticator = new Authenticator({
    store,
    clock,
    keys,
    contexts,
    certificates,
    settings,
    checksNips,
    isForTests: name === 'test',
  });
  const links = new SignedLinks({ store, clock, baseUrl });
  const confirmations = new Confirmations({ store, clock, keys, label, links });
  const invoices = new Invoices({ store, clock, faults, contexts, settings, confirmations, checksNips });
  const sessions = new Sessions({ store, clock, keys, authenticator, invoices, confirmations, settings, takesFa2 });
  const highWaterMark = (): Date => new Date(clock.now().getTime() - settings().highWaterLagSeconds * 1_000);
  const invoiceExports = new Exports({
    store,
    clock,
    keys,
    authenticator,
    invoices,
    faults,
    links,
    settings,
    highWaterMark,
  });
  const control = controlRoutes({
    clock,
    contexts,
    faults,
    keys,
    log,
    invoices,
    sessions,
    authenticator,
    certificates,
    settings,
    changeSettings: (changes) => settingsTable.put('settings', { ...settings(), ...changes }),
    advancedSeconds,
    advanceClock: (seconds) => {
      advanced.put('seconds', advancedSeconds() + seconds);
      clock.advance(seconds);
    },
  });

  const handlers: Readonly<Record<Operation['name'], Handler>> = {
    A1: () => authenticator.certificates(),
    A2: () => authenticator.challenge(),
    A3: (call) => authenticator.begin(call),
    A4: (call, [reference], taken) => authenticator.status(call, reference, taken),
    A5: (call) => authenticator.redeem(call),
    A6: (call) => authenticator.refresh(call),
    A7: (call) => authenticator.end(call),
    X1: (call) => authenticator.beginSigned(call),
    S1: (call, _, taken) => sessions.open(call, taken),
    S2: (call, [session], taken) => sessions.send(call, session, taken),
    S3: (call, [session, invoice]) => sessions.invoice(call, session, invoice),
    S4: (call, [session]) => sessions.invoices(call, session),
    S5: (call, [session]) => sessions.close(call, session),
    S6: (call, [session]) => sessions.status(call, session),
    S7: (call, [session, upo], taken) => sessions.confirmation(call, session, upo, taken),
    S8: (call, [session, invoice]) => sessions.invoiceConfirmation(call, session, invoice),
    S9: (call) => sessions.list(call),
    S10: (call) => queryMetadata(call, { clock, authenticator, invoices, highWaterMark }),
    R1: (call, _, taken) => invoiceExports.start(call, taken),
    R2: (call, [reference], taken) => invoiceExports.status(call, reference, taken),
    R3: (call, [reference, part], taken) => invoiceExports.part(call, reference, part, taken),
    R5: (call, [ksefNumber]) => invoiceExports.invoice(call, ksefNumber),
  };

  const limitFactorOf = (context: string): number => contexts.get(context)?.limitFactor ?? settings().limitFactor;

  /**
   * Responds to the calls that read the current limits of KSeF. They have no name in the KSeF reference, so no fault
   * applies to them.
   */
  const answerLimits = (call: Call): Answer | undefined => {
    const path = call.method === 'GET' ? call.path : undefined;
    if (path !== '/v2/rate-limits' && path !== '/v2/limits/context') return undefined;
    const { context } = authenticator.authorize(call);
    if (path === '/v2/limits/context') return { status: 200, body: CONTEXT_LIMITS };
    const factor = limitFactorOf(context);
    // If the limit factor of a context is 0, the simulated KSeF has no call limits that it could return.
    return factor === 0 ? { status: 404 } : { status: 200, body: statedLimits(factor) };
  };

  const checkLimits = ({ name: operation }: Operation, context: string | null): void => {
    const isAuthentication = operation.startsWith('A') || operation === 'X1';
    if (!isAuthentication && context === null) return;
    const isOfContext = !isAuthentication && context !== null;
    const caller = isOfContext ? context : AUTHENTICATION_CALLER;
    const retryAfter = limits.take(operation, caller, isOfContext ? limitFactorOf(context) : settings().limitFactor);
    if (retryAfter === undefined) return;
    const description = `Przekroczono limit żądań. Spróbuj ponownie po ${retryAfter} sekundach.`;
    throw new Refusal({ status: 429, retryAfter, description });
  };

  return {
    async serve(call, target, response) {
      await keys.ready();
      const operation = findOperation(call.method, call.path);
      const [first = null] = operation?.params ?? [];
      const named = operation?.name === 'R3' ? invoiceExports.contextOf(first ?? '') : contextNamedBy(call, operation);
      const context = named ?? authenticator.contextOf(call);
      const sessionReferenceNumber = SESSION_OPERATIONS.includes(operation?.name ?? '') ? first : null;
      const requestOperation = operation?.name ?? null;
      const n = log.add({
        call,
        target,
        operation: requestOperation,
        context,
        sessionReferenceNumber,
        at: clock.now(),
      });
      const refuse = (refusal: Refusal): Answer =>
        renderRefusal(refusal, {
          asProblem: call.headers['x-error-format']?.toLowerCase() === 'problem-details',
          instance: call.path,
          now: clock.now(),
        });
      const { systemWarning } = settings();
      if (systemWarning !== null) response.setHeader('X-System-Warning', systemWarning);
      const taken = operation === undefined ? NO_FAULTS : faults.take(operation.name, context);
      await deliver({
        faults: taken,
        response,
        answer: async () => {
          try {
            const download = /^\/downloads\/([^/]+)$/.exec(call.path)?.[1];
            if (download !== undefined && call.method === 'GET') return confirmations.download(call, download);
            if (operation === undefined) return answerLimits(call) ?? { status: 404 };
            checkMediaType(call, operation);
            checkLimits(operation, context);
            return await handlers[operation.name](call, [operation.params[0] ?? '', operation.params[1] ?? ''], taken);
          } catch (error) {
            if (error instanceof Refusal) return refuse(error);
            throw error;
          }
        },
        refuse,
        killToken: () => authenticator.kill(call),
        now: () => clock.now(),
        onStatus: (status) => log.answered(n, status),
        signal,
      });
    },
    async control(call) {
      await keys.ready();
      return control(call);
    },
    async sealCertificate() {
      await keys.ready();
      return toPem(keys.seal().certificate);
    },
    async sealRevocationList(isSealRevoked) {
      await keys.ready();
      return keys.revocationList(isSealRevoked);
    },
    close: () => store.close(),
  };
}

type Params = readonly [string, string];
type Handler = (call: Call, params: Params, faults: TakenFaults) => Answer | Promise<Answer>;

const NO_FAULTS: TakenFaults = { delivery: undefined, patch: undefined, effect: () => undefined };

/**
 * Checks the media type of a call to the simulated KSeF. KSeF accepts only JSON, even if a call has no body. Only a
 * signed login is XML.
 */
function checkMediaType(call: Call, { name }: Operation): void {
  const type = call.headers['content-type'];
  if (name === 'X1' && /^application\/xml\b/i.test(type ?? '')) return;
  const isJson = name !== 'X1' && (type === undefined || /^application\/(?:[\w.-]+\+)?json\b/i.test(type));
  if (call.method !== 'POST' || isJson) return;
  throw new Refusal({ status: 415, description: 'Nieobsługiwany typ treści.' });
}

/** Returns the taxpayer that a KSeF login request names. */
function contextNamedBy(call: Call, operation: Operation | undefined): string | null {
  if (operation?.name === 'X1') return /<ContextIdentifier>\s*<Nip>(\d{10})</.exec(call.body)?.[1] ?? null;
  if (operation?.name !== 'A3') return null;
  try {
    return contextOfBody.parse(JSON.parse(call.body)).contextIdentifier.value;
  } catch {
    return null;
  }
}
