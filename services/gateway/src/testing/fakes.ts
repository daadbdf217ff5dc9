import { formatApiKey } from '@invoicecontrol/api-key';
import type { Definition, Rpc } from '@invoicecontrol/contracts/definition';
import type { AccessServiceDefinition } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import { DomainError } from '@invoicecontrol/errors';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Binding, GrpcServer, Implementation } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { rpcServices } from '../clients.js';

type RpcServices = typeof rpcServices;

/** Answers of the services behind the gateway in a test; an rpc that is not named here is not expected. */
export type Answers = {
  readonly [N in keyof RpcServices]?: Partial<Implementation<RpcServices[N]['definition']>>;
};

export const silent = createLogger({ service: 'test', level: 'silent' });

export const ORGANIZATION_ID = '0198a000-0000-7000-8000-000000000001';

/** A key that reads as one, different for every name. */
export function keyNamed(name: string): string {
  return formatApiKey('test', name.padEnd(16, '0').slice(0, 16), 'S'.repeat(43));
}

export function principal(part: Partial<Principal> = {}): Principal {
  return {
    organizationId: ORGANIZATION_ID,
    apiKeyId: 'owner00000000000',
    role: 'OWNER',
    scopes: ['*'],
    plan: 'ENTERPRISE',
    hasActiveSubscription: true,
    limits: {},
    keyExpiresTime: undefined,
    ...part,
  };
}

/** Knows these keys and refuses all others; grants every token that is asked for. */
export function accessFor(keys: ReadonlyMap<string, Principal>): Implementation<typeof AccessServiceDefinition> {
  return {
    authenticateKey({ key }) {
      const found = keys.get(key);
      return found === undefined
        ? Promise.reject(new DomainError('unauthenticated', 'No such key.'))
        : Promise.resolve({ principal: found });
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

/**
 * Refuses every call but those about keys with 409.
 * @param onCall told the rpc, `<package>.<Service>/<Rpc>`, and the organization that it is about
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

/** Refuses one rpc; of a stream it reads the first message, which says what it is about. */
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

/** One real gRPC server that plays every service behind the gateway; usage is answered alike for all of them. */
export async function startFakes(answers: Answers): Promise<GrpcServer> {
  const answersByDefinition = new Map<Definition, Readonly<Record<string, unknown>>>();
  for (const [name, { definition }] of Object.entries(rpcServices)) {
    answersByDefinition.set(definition, { ...answersByDefinition.get(definition), ...answers[name as keyof Answers] });
  }
  return startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger: silent,
    messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
    bindings: [...answersByDefinition].map(([definition, given]) => answering(definition, given)),
  });
}

function answering(definition: Definition, answers: Readonly<Record<string, unknown>>): Binding {
  const unexpected = (name: string) => () => Promise.reject(new Error(`${definition.fullName}.${name} was called.`));
  const all = Object.keys(definition.methods).map((name) => [name, answers[name] ?? unexpected(name)] as const);
  return bind(definition, Object.fromEntries(all) as Implementation<Definition>);
}
