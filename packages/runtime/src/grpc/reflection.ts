import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Server } from '@grpc/grpc-js';

/** Directory of the gRPC contracts. The generated code does not contain descriptors. */
const protoRoot = fileURLToPath(new URL('../../../../proto/', import.meta.url));

/** Descriptors of the gRPC contracts, which all services of a process share, so that the contracts are read once. */
let reflection: ReflectionService | undefined;

/** Serves gRPC reflection for all contracts, so that tools need no proto files. For development only. */
export function addReflection(server: Server): void {
  reflection ??= readReflection();
  reflection.addToServer(server);
}

function readReflection(): ReflectionService {
  const files = readdirSync(protoRoot, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('_service.proto'),
  );
  const definition = loadSync(files, { includeDirs: [protoRoot], keepCase: true });
  // One message type is enough for the gRPC reflection service, because each message type refers to the descriptors of
  // all files. With all message types, the service would decode the same descriptors again for each of them, which
  // takes seconds.
  const message = Object.entries(definition).find(([, { fileDescriptorProtos }]) =>
    Array.isArray(fileDescriptorProtos),
  );
  return new ReflectionService(Object.fromEntries(message === undefined ? [] : [message]));
}
