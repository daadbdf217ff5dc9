import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import { readJson } from '../erp/control.js';
import { ControlRefusal } from '../erp/erp.js';
import type { Authenticator } from './authentication.js';
import { faultSchema } from './faults.js';
import type { Faults } from './faults.js';
import { foreignInvoiceSchema, readForeignInvoices } from './foreign-invoices.js';
import { headerValue } from './header-value.js';
import type { Invoices } from './invoices.js';
import type { Keys } from './keys.js';
import type { LoginCertificates } from './login-certificates.js';
import { newReferenceNumber } from './numbers.js';
import type { Context, Settings } from './records.js';
import type { RequestLog } from './request-log.js';
import type { Sessions } from './sessions.js';
import type { Table } from './store.js';

const CONTEXTS_MAX = 10_000;
const TOKENS_MAX = 100;
const SECONDS_MAX = 20 * 366 * 86_400;
const EXPORT_INVOICES_MAX = 10_000;
const PART_BYTES_MAX = 50_000_000;

const nip = z.string().regex(/^\d{10}$/, 'must be ten digits');
const factor = z.number().min(0).max(1_000_000);
const looks = z.int().min(0).max(100_000);
const contextSchema = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        token: z.string().min(1).max(10_000),
        permissions: z.array(z.string()).default(['InvoiceWrite', 'InvoiceRead']),
        state: z.enum(['ACTIVE', 'REVOKED', 'INACTIVE']).default('ACTIVE'),
      }),
    )
    .max(TOKENS_MAX),
  people: z.record(z.string().regex(/^\d{10,11}$/, 'must be a NIP or a PESEL'), z.array(z.string())).default({}),
  grants: z.array(z.union([nip, z.literal('*')])).default([]),
  limitFactor: factor.optional(),
});
const settingsSchema = z.strictObject({
  authPolls: looks.optional(),
  invoicePolls: looks.optional(),
  sessionPolls: looks.optional(),
  exportPolls: looks.optional(),
  exportSeconds: z.number().min(0).max(SECONDS_MAX).optional(),
  exportInvoicesMax: z.int().min(1).max(EXPORT_INVOICES_MAX).optional(),
  partBytesMax: z.int().min(1).max(PART_BYTES_MAX).optional(),
  highWaterLagSeconds: z.number().min(0).max(SECONDS_MAX).optional(),
  limitFactor: factor.optional(),
  systemWarning: headerValue.max(1_000).nullable().optional(),
});
const certificateSchema = z
  .strictObject({
    nip: nip.optional(),
    pesel: z
      .string()
      .regex(/^\d{11}$/, 'must be eleven digits')
      .optional(),
    type: z.enum(['Authentication', 'Offline']).default('Authentication'),
    days: z.int().min(-3_650).max(3_650).default(730),
    key: z.enum(['EC', 'RSA']).default('EC'),
    password: z.string().min(1).max(256).optional(),
  })
  .refine((request) => (request.nip === undefined) !== (request.pesel === undefined), 'must name either nip or pesel');
const clockSchema = z.strictObject({ advanceSeconds: z.number().min(0).max(SECONDS_MAX) });
const keysSchema = z.strictObject({ action: z.enum(['ROTATE', 'WITHDRAW']) });

interface ControlDeps {
  readonly clock: Clock;
  readonly contexts: Table<Context>;
  readonly faults: Faults;
  readonly keys: Keys;
  readonly log: RequestLog;
  readonly invoices: Invoices;
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  readonly certificates: LoginCertificates;
  readonly settings: () => Settings;
  readonly changeSettings: (changes: Partial<Settings>) => void;
  readonly advanceClock: (seconds: number) => void;
  /** Returns the number of seconds by which the clock of the simulated KSeF environment is ahead. */
  readonly advancedSeconds: () => number;
}

/** Creates the `/control` routes of one simulated KSeF environment (KSeF reference, sections 17 to 19). */
export function controlRoutes(deps: ControlDeps): (call: Call) => Promise<Answer> {
  const { clock, contexts, faults, keys, log, invoices, sessions, authenticator, settings } = deps;
  const routes: Readonly<Record<string, (call: Call, id: string) => Answer | Promise<Answer>>> = {
    'PUT /control/contexts/:id': ({ body }, id) => {
      const parsedNip = nip.parse(id);
      const { tokens, people, grants, limitFactor } = contextSchema.parse(readJson(body));
      if (contexts.get(parsedNip) === undefined && contexts.size >= CONTEXTS_MAX) {
        throw new ControlRefusal(400, `The maximum of ${CONTEXTS_MAX} contexts is reached. Use an existing context.`);
      }
      const known = contexts.get(parsedNip)?.tokens ?? [];
      contexts.put(parsedNip, {
        nip: parsedNip,
        people,
        grants,
        limitFactor,
        tokens: tokens.map((token) => ({
          ...token,
          referenceNumber:
            known.find((one) => one.token === token.token)?.referenceNumber ?? readReference(token.token, clock),
        })),
      });
      for (const { token } of tokens) log.watch(token);
      return { status: 200, body: { nip: parsedNip } };
    },
    'POST /control/certificates': async ({ body }) => {
      const issued = await deps.certificates.issue(certificateSchema.parse(readJson(body)));
      return { status: 201, body: issued };
    },
    'DELETE /control/certificates/:id': (_, id) => {
      deps.certificates.revoke(id);
      return { status: 204 };
    },
    'POST /control/faults': ({ body }) => {
      const id = faults.add(faultSchema.parse(readJson(body)));
      if (id === undefined)
        throw new ControlRefusal(400, 'Too many faults are planned. Remove them with DELETE /control/faults first.');
      return { status: 201, body: { id } };
    },
    'GET /control/faults': () => ({ status: 200, body: { items: faults.list() } }),
    'DELETE /control/faults': () => {
      faults.removeAll();
      return { status: 204 };
    },
    'DELETE /control/faults/:id': (_, id) => {
      faults.remove(id);
      return { status: 204 };
    },
    'GET /control/requests': ({ query }) => {
      const after = Number(query['after'] ?? 0);
      if (!Number.isInteger(after)) throw new ControlRefusal(400, '`after` must be the sequence number of a request.');
      return { status: 200, body: { items: log.after(after, query['context']) } };
    },
    'GET /control/counters': ({ query }) => {
      const { context } = query;
      const registered = invoices
        .registered()
        .map(({ registered: { invoice: _, ...document } }) => document)
        .filter((document) => context === undefined || document.context === context);
      return {
        status: 200,
        body: {
          sends: log.sends(context),
          registered,
          sessions: sessions.countSessions(context),
          authentications: authenticator.count(context),
          plaintextTokens: log.plaintextTokens(context),
        },
      };
    },
    'POST /control/invoices': async ({ body }) => {
      const request = foreignInvoiceSchema.parse(readJson(body));
      const foreign = readForeignInvoices(request, clock.now());
      const { sessionReferenceNumber: session, count } = request;
      if (session !== undefined && !sessions.isOpen(session, foreign.context)) {
        throw new ControlRefusal(
          400,
          'The context has no open session with this reference number. Open a session first.',
        );
      }
      if (foreign.invoices.some(({ facts }) => invoices.isRegistered(facts))) {
        throw new ControlRefusal(
          400,
          'An invoice with this seller, kind and number is already registered. Use another number.',
        );
      }
      const registered = sessions.registerForeign({ ...foreign, session });
      // A caller that has received the response about registered invoices must find these invoices in the next KSeF
      // export.
      const last = registered.at(-1);
      while (last !== undefined && !invoices.isStored(last.invoice)) await delay(1);
      const ksefNumbers = registered.map(({ ksefNumber }) => ksefNumber);
      const [first] = registered;
      const { ksefNumber, sessionReferenceNumber } = first ?? {};
      return {
        status: 201,
        body: { ksefNumber, sessionReferenceNumber, ...(count === undefined ? {} : { ksefNumbers }) },
      };
    },
    'PUT /control/settings': ({ body }) => {
      const changes = settingsSchema.parse(readJson(body));
      deps.changeSettings(Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)));
      return { status: 200, body: settings() };
    },
    'POST /control/clock': ({ body }) => {
      const { advanceSeconds } = clockSchema.parse(readJson(body));
      if (deps.advancedSeconds() + advanceSeconds > SECONDS_MAX) {
        throw new ControlRefusal(
          400,
          'The clock cannot be more than 20 years ahead. Start the simulator with another directory.',
        );
      }
      deps.advanceClock(advanceSeconds);
      return { status: 200, body: { now: clock.now().toISOString() } };
    },
    'POST /control/keys': async ({ body }) => {
      const { action } = keysSchema.parse(readJson(body));
      await (action === 'ROTATE' ? keys.rotate() : keys.withdraw());
      const published = keys.published().map(({ id, usage, validFrom }) => ({ publicKeyId: id, usage, validFrom }));
      return { status: 200, body: { keys: published } };
    },
  };

  return async (call) => {
    const [, , resource = '', id = ''] = call.path.split('/');
    const name = `${call.method} /control/${resource}${id === '' ? '' : '/:id'}`;
    try {
      const handle = routes[name];
      if (handle === undefined) throw new ControlRefusal(404, `There is no ${call.method} ${call.path}.`);
      return await handle(call, id);
    } catch (error) {
      if (error instanceof ControlRefusal) return { status: error.status, body: { error: error.message } };
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      throw error;
    }
  };
}

/** Returns the reference number in a KSeF token. A token that a test invented may not begin with a reference number. */
function readReference(token: string, clock: Clock): string {
  const [first = ''] = token.split('|');
  return /^\d{8}-EC-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}$/.test(first) ? first : newReferenceNumber('EC', clock.now());
}
