import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DomainError, plainSentences } from '@invoicecontrol/errors';
import { rpcServices } from '../clients.js';
import { accessFor, keyNamed, principal } from '../testing/fakes.js';
import type { Answers } from '../testing/fakes.js';
import { publishedOperations } from '../testing/published.js';
import { startGateway } from '../testing/running-gateway.js';
import type { RunningGateway } from '../testing/running-gateway.js';

const key = keyNamed('owner');
let failure: Error;
let isKeyCheckable = true;

/** Returns fake services of which every one fails with the same error. */
function failEverywhere(): Answers {
  const answers = Object.entries(rpcServices).map(([name, { definition }]) => [
    name,
    Object.fromEntries(Object.keys(definition.methods).map((method) => [method, () => Promise.reject(failure)])),
  ]);
  const access = accessFor(new Map([[key, principal()]]));
  const authenticateKey: typeof access.authenticateKey = (request, context) =>
    isKeyCheckable ? access.authenticateKey(request, context) : Promise.reject(failure);
  return { ...(Object.fromEntries(answers) as Answers), access: { ...access, authenticateKey } };
}

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway(failEverywhere());
});
afterAll(() => gateway.stop());

interface Request {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey?: string;
  readonly type: string;
  readonly body: string | undefined;
  readonly isPublic: boolean;
}

const requests = publishedOperations.flatMap((operation): Request[] => {
  const { operationId, method, path, parameters, requestBody, security } = operation;
  const examples = new Map(parameters.map(({ name, example }) => [name, example]));
  const form = requestBody?.content['application/x-www-form-urlencoded']?.example;
  const content = requestBody?.content['application/json'];
  const example = content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
  const isXml = requestBody?.content['application/xml'] !== undefined && content === undefined;
  const one: Request = {
    name: operationId,
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? ''),
    type: isXml ? 'application/xml' : form === undefined ? 'application/json' : 'application/x-www-form-urlencoded',
    body: isXml
      ? '<Document/>'
      : form !== undefined
        ? new URLSearchParams(form).toString()
        : example === undefined
          ? undefined
          : JSON.stringify(example),
    isPublic: security?.length === 0,
  };
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  return isKeyed ? [one, { ...one, name: `${operationId} with a key`, idempotencyKey: 'k' }] : [one];
});

async function messageOf({
  method,
  path,
  idempotencyKey,
  type,
  body,
}: Request): Promise<{ status: number; message: string }> {
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': type,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const { error } = (await response.json()) as { error: { message: string } };
  return { status: response.status, message: error.message };
}

/** Operations whose effect is stored once, even if the request is repeated. */
const takingEffectOnce = /^(analyzeUpload|createKsefSubmissions?|cancelKsefSubmission)/;

const outages = [
  ['is unavailable', 503, () => new DomainError('unavailable', plainSentences.unavailable)],
  ['does not answer in time', 504, () => new DomainError('deadline', plainSentences.deadline)],
  ['fails by a fault of ours', 500, () => new Error('a bug')],
] as const;

describe.each(outages)('when the owner %s', (_, status, failureOf) => {
  beforeAll(() => {
    failure = failureOf();
    isKeyCheckable = true;
  });

  test.concurrent.each(requests)('$name says what is true of a repeat of it', async (request) => {
    const { message, ...answer } = await messageOf(request);
    expect(answer).toEqual({ status });
    const advice = message.slice(message.indexOf('.') + 2);
    if (request.method === 'GET') expect(advice).toBe('Retry the request in a moment.');
    else if (takingEffectOnce.test(request.name)) {
      expect(advice).toBe(
        'The request may have taken effect. Retry the request in a moment; it takes effect only once.',
      );
    } else if (request.idempotencyKey !== undefined) {
      expect(advice).toMatch(
        /^The request may have taken effect\. Retry the request in a moment with the same Idempotency-Key;/,
      );
    } else {
      expect(advice).toMatch(
        /^The request may have taken effect\. Check whether it did before you send the request again\./,
      );
      expect(advice).not.toMatch(/^Retry|safe/);
    }
  });
});

test.each(requests.filter(({ isPublic }) => !isPublic))(
  '$name can be repeated when its key could not be checked: nothing was done',
  async (request) => {
    failure = new DomainError('unavailable', plainSentences.unavailable);
    isKeyCheckable = false;
    gateway.authenticator.invalidateKeys([principal().apiKeyId]);
    const { status, message } = await messageOf(request);
    expect(status).toBe(503);
    expect(message).toBe('The API key of the request cannot be checked right now. Retry the request in a moment.');
  },
);

test('the Idempotency-Key is offered where a repeat needs it, and nowhere else', async () => {
  failure = new DomainError('unavailable', plainSentences.unavailable);
  isKeyCheckable = true;
  const answers = await Promise.all(
    requests.map(async (request) => ({ name: request.name, ...(await messageOf(request)) })),
  );
  const offering = answers.filter(({ message }) => message.includes('Idempotency-Key')).map(({ name }) => name);
  expect(offering).toEqual(
    ['analyzeInvoice', 'createScan', 'createPaymentRun'].flatMap((name) => [name, `${name} with a key`]),
  );
});
