import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { credentials, loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ClientDuplexStream, ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { expect, test } from 'vitest';
import { addReflection } from './reflection.js';

const root = new URL('../../../../', import.meta.url);
const ofReflection = new URL('node_modules/@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto', root);

/** Returns `package.Service` of every service in the contracts, which are read as text. */
function servicesOfContracts(): string[] {
  const proto = new URL('proto/', root);
  return readdirSync(proto, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('_service.proto'))
    .flatMap((path) => {
      const text = readFileSync(new URL(path, proto), 'utf8');
      const name = /^package ([\w.]+);/m.exec(text)?.[1];
      return [...text.matchAll(/^service (\w+)/gm)].map(([, service]) => `${name}.${service}`);
    });
}

interface Asked {
  readonly list_services?: string;
  readonly file_containing_symbol?: string;
}
interface Told {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
}

test('a console is told of every service of the contracts, with its descriptors, by each server of a process', async () => {
  const { grpc } = loadPackageDefinition(loadSync(ofReflection.pathname, { keepCase: true })) as unknown as {
    grpc: { reflection: { v1: { ServerReflection: ServiceClientConstructor } } };
  };
  const services = servicesOfContracts();
  expect(services.length).toBeGreaterThan(20);
  for (let servers = 1; servers <= 2; servers++) {
    const server = new Server();
    addReflection(server);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    const console = new grpc.reflection.v1.ServerReflection(`127.0.0.1:${port}`, credentials.createInsecure());
    const stream = console['ServerReflectionInfo']?.() as unknown as ClientDuplexStream<Asked, Told>;
    const told = async (asked: Asked): Promise<Told> => {
      const answer = once(stream, 'data');
      stream.write(asked);
      return ((await answer) as [Told])[0];
    };
    const listed = (await told({ list_services: '*' })).list_services_response?.service.map(({ name }) => name);
    expect(listed?.toSorted()).toEqual(services.toSorted());
    for (const name of services) {
      const files = (await told({ file_containing_symbol: name })).file_descriptor_response?.file_descriptor_proto;
      expect(files?.some((file) => file.includes(name.split('.').at(-1) ?? ''))).toBe(true);
    }
    const ended = once(stream.resume(), 'end');
    stream.end();
    await ended;
    console.close();
    server.forceShutdown();
  }
});
