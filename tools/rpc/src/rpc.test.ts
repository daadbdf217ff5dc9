import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Server, status, type ServerWritableStream, type ServiceDefinition } from '@grpc/grpc-js';
import { listenSecurely } from '@invoicecontrol/runtime/grpc/secure-listener';
import type { SecureListener } from '@invoicecontrol/runtime/grpc/secure-listener';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { testIdentity, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { contractsDirectory, findMethod, fullName, readCatalogue } from './catalogue.js';

const program = fileURLToPath(new URL('../dist/rpc.js', import.meta.url));
const catalogue = readCatalogue(contractsDirectory());

describe('an rpc', () => {
  test.each(['grpc.health.v1.Health.Check', 'grpc.health.v1.Health/Check', 'Health.Check', 'health.check'])(
    'is found as %s',
    (name) => {
      expect(fullName(findMethod(catalogue, name))).toBe('grpc.health.v1.Health.Check');
    },
  );

  test('is found without the word Service', () => {
    expect(fullName(findMethod(catalogue, 'Access.AuthenticateKey'))).toBe(
      'invoicecontrol.organization.v1.AccessService.AuthenticateKey',
    );
  });

  test('that does not exist suggests a similar one', () => {
    expect(() => findMethod(catalogue, 'Heart.Check')).toThrow('did you mean grpc.health.v1.Health.Check?');
  });
});

describe('the console', () => {
  const server = new Server();
  let address: string;
  let listener: SecureListener;

  beforeAll(async () => {
    const { service } = findMethod(catalogue, 'Health.Check');
    const methods = catalogue.filter((method) => method.service === service);
    const health: ServiceDefinition = Object.fromEntries(methods.map(({ name, definition }) => [name, definition]));
    server.addService(health, {
      Check: (
        { request, metadata }: { request: { service: string }; metadata: { get(name: string): unknown[] } },
        callback: (error: object | null, answer?: object) => void,
      ) => {
        if (request.service === 'unknown') callback({ code: status.NOT_FOUND, details: 'No such service.' });
        else callback(null, { status: metadata.get('answer')[0] ?? 'SERVING' });
      },
      Watch: (stream: ServerWritableStream<object, object>) => {
        stream.write({ status: 'NOT_SERVING' });
        stream.write({ status: 'SERVING' });
        stream.end();
      },
      List: () => undefined,
    });
    listener = await listenSecurely(server, {
      host: '127.0.0.1',
      port: 0,
      identity: testIdentity('scan'),
      logger: createLogger({ service: 'test', level: 'silent' }),
      callers: new Map(),
    });
    address = `127.0.0.1:${listener.port}`;
  });

  afterAll(() => {
    listener.close();
    server.forceShutdown();
  });

  test('prints the response as JSON', async () => {
    const { exitCode, stdout } = await run(address, 'Health.Check', '{ "service": "ready" }');
    expect(JSON.parse(stdout)).toEqual({ status: 'SERVING' });
    expect(exitCode).toBe(0);
  });

  test('prints every message of a stream', async () => {
    const { stdout } = await run(address, 'Health.Watch');
    expect(stdout.match(/[A-Z_]+SERVING|SERVING/g)).toEqual(['NOT_SERVING', 'SERVING']);
  });

  test('sends metadata', async () => {
    const { stdout } = await run(address, 'Health.Check', '--metadata', 'answer=SERVICE_UNKNOWN');
    expect(JSON.parse(stdout)).toEqual({ status: 'SERVICE_UNKNOWN' });
  });

  test('prints an error status on standard error and ends with code 1', async () => {
    expect(await run(address, 'Health.Check', '{ "service": "unknown" }')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'NOT_FOUND: No such service.\n',
    });
  });

  test('ends at the deadline', async () => {
    expect(await run(address, 'Health.List', '--timeout-ms', '100')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('DEADLINE_EXCEEDED'),
    });
  });

  test.each([
    [
      'a field that the request does not have',
      ['Health.Check', '{ "servce": "ready" }'],
      'no field servce: grpc.health.v1.Health.Check takes service',
    ],
    ['what is not JSON', ['Health.Check', '{ready}'], 'The request is not JSON'],
    ['a list for one message', ['Health.Check', '[]'], 'must be one JSON object'],
    ['metadata without a value', ['Health.Check', '--metadata', 'answer'], '--metadata must be name=value, not answer'],
    ['a missing name', [], 'the name of an rpc'],
  ])('refuses %s with a sentence', async (_, args, sentence) => {
    expect(await run(address, ...args)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });

  test('lists every rpc with the fields of its request', async () => {
    const { stdout } = await run('--list', 'health');
    expect(stdout.split('\n')).toContain('grpc.health.v1.Health.Watch { service }, responds with a stream');
  });
});

function run(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, TLS_DIR: testIdentityDirectory('operator') };
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
