import { formatApiKey } from '@invoicecontrol/api-key';
import type { Definition, Rpc } from '@invoicecontrol/contracts/definition';
import type {
  AccessServiceDefinition,
  AuthenticateKeyResponse,
  Principal,
} from '@invoicecontrol/contracts/organization/v1/access_service';
import { DomainError } from '@invoicecontrol/errors';
import { issueGrant } from '@invoicecontrol/runtime/grpc/grants';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Binding, Implementation } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { owners, rpcServices } from '../clients.js';
import type { Channels } from '../clients.js';

type RpcServices = typeof rpcServices;

/** Responses of the services behind the gateway in a test. A method without a response must not be called. */
export type Answers = {
  readonly [N in keyof RpcServices]?: Partial<Implementation<RpcServices[N]['definition']>>;
};

export const silent = createLogger({ service: 'test', level: 'silent' });

export const ORGANIZATION_ID = '0198a000-0000-7000-8000-000000000001';

/** Returns a well-formed API key for a name in a test. Different names give different keys. */
export function keyNamed(name: string): string {
  return formatApiKey('test', name.padEnd(16, '0').slice(0, 16), 'S'.repeat(43));
}

export function principal(part: Partial<Principal> = {}): Principal {
  return {
    organizationId: ORGANIZATION_ID,
    apiKeyId: 'owner00000000000',
    person: '',
    role: 'OWNER',
    scopes: ['*'],
    plan: 'ENTERPRISE',
    hasActiveSubscription: true,
    limits: {},
    keyExpiresTime: undefined,
    isTest: false,
    session: undefined,
    ...part,
  };
}

/**
 * A fake organization service that accepts the given API keys and session tokens, refuses all others, and grants every
 * rate limit token.
 */
export function accessFor(
  keys: ReadonlyMap<string, Principal>,
  sessions: ReadonlyMap<string, Principal> = new Map(),
): Implementation<typeof AccessServiceDefinition> {
  return {
    authenticateSession({ token }) {
      const found = sessions.get(token);
      return found === undefined
        ? Promise.reject(new DomainError('unauthenticated', 'No such session.'))
        : Promise.resolve(authenticated(found));
    },
    authenticateKey({ key }) {
      const found = keys.get(key);
      return found === undefined
        ? Promise.reject(new DomainError('unauthenticated', 'No such key.'))
        : Promise.resolve(authenticated(found));
    },
    reserveRequests: ({ policies }) =>
      Promise.resolve({
        reservations: policies.map(({ tokens, limitPerMinute }) => ({
          granted: tokens,
          remaining: limitPerMinute - tokens,
          windowRemainingMs: 60_000,
          retryAfterMs: 0,
        })),
      }),
  };
}

/** Returns the response to the authentication of a caller, with a grant that fake services accept. */
function authenticated(found: Principal): AuthenticateKeyResponse {
  const { apiKeyId, session, keyExpiresTime, hasActiveSubscription, ...facts } = found;
  const granted = { ...facts, actorType: 'API_KEY', actorId: apiKeyId, sessionId: session?.sessionId ?? '' };
  return { principal: found, grant: issueGrant(testIdentity('organization'), granted) };
}

/**
 * Operations that respond with 200 and one outcome for each finding, even if {@link refuseEverything} refuses every
 * change.
 */
export const answersForEach: ReadonlySet<string> = new Set(['assignFindings', 'reviewFindings']);

/**
 * Refuses every call to the fake services with 409, except calls about API keys.
 * @param onCall receives the method (`<package>.<Service>/<Rpc>`) and the organization of each call
 */
export function refuseEverything(onCall: (rpc: string, organizationId: unknown) => void = () => {}): Answers {
  const answers = Object.entries(rpcServices).map(([name, { definition }]) => {
    const methods = Object.entries(definition.methods).map(([method, rpc]) => {
      const refusal = (organizationId: unknown): DomainError => {
        onCall(`${definition.fullName}/${rpc.name}`, organizationId);
        return new DomainError('wrong_state', 'Not now.');
      };
      return [method, refuserOf(rpc, refusal)];
    });
    return [name, Object.fromEntries(methods)];
  });
  return Object.fromEntries(answers) as Answers;
}

/**
 * Returns a fake of one gRPC method that refuses every call. For a stream it reads the first message, which names the
 * organization.
 */
function refuserOf(rpc: Rpc, refusal: (organizationId: unknown) => DomainError): unknown {
  if (rpc.requestStream) {
    return async (requests: AsyncIterable<{ part?: { value: { organizationId?: string } } }>) => {
      for await (const { part } of requests) throw refusal(part?.value.organizationId);
    };
  }
  const refuse = async ({ organizationId }: { organizationId?: string }): Promise<never> => {
    throw refusal(organizationId);
  };
  if (!rpc.responseStream) return refuse;
  return async function* (request: { organizationId?: string }): AsyncIterable<never> {
    yield await refuse(request);
  };
}

/** Servers that replace every service behind the gateway. */
export interface Fakes {
  readonly addresses: Readonly<Record<keyof Channels, string>>;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Starts a real gRPC server in place of each service behind the gateway. All services share the gRPC definition for
 * usage, so its responses are the same for all of them.
 */
export async function startFakes(answers: Answers): Promise<Fakes> {
  const answersByDefinition = new Map<Definition, Readonly<Record<string, unknown>>>();
  for (const [name, { definition }] of Object.entries(rpcServices)) {
    answersByDefinition.set(definition, { ...answersByDefinition.get(definition), ...answers[name as keyof Answers] });
  }
  const all = Object.values(rpcServices);
  const servers = await Promise.all(
    owners.map(async (owner) => {
      const definitions = new Set(all.flatMap((one) => (one.owner === owner ? [one.definition as Definition] : [])));
      const server = await startGrpcServer({
        host: '127.0.0.1',
        port: 0,
        identity: testIdentity(owner),
        logger: silent,
        messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
        bindings: [...definitions].map((definition) =>
          answering(definition, answersByDefinition.get(definition) ?? {}),
        ),
      });
      return [owner, server] as const;
    }),
  );
  return {
    addresses: Object.fromEntries(servers.map(([owner, { address }]) => [owner, address])) as Fakes['addresses'],
    async stop(timeoutMs) {
      await Promise.all(servers.map(([, server]) => server.stop(timeoutMs)));
    },
  };
}

function answering(definition: Definition, answers: Readonly<Record<string, unknown>>): Binding {
  const unexpected = (name: string) => () =>
    Promise.reject(new Error(`The test did not expect a call of the rpc ${definition.fullName}.${name}.`));
  const all = Object.keys(definition.methods).map((name) => [name, answers[name] ?? unexpected(name)] as const);
  return bind(definition, Object.fromEntries(all) as Implementation<Definition>);
}
