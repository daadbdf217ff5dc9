import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Server } from '@grpc/grpc-js';

/** The contracts on disk; the generated code carries no descriptors. */
const protoRoot = fileURLToPath(new URL('../../../../proto/', import.meta.url));

/** All services share it, so a process with several services reads the contracts once. */
let reflection: ReflectionService | undefined;

/** Serves grpc.reflection for every contract of the product, so that consoles need no files. Development only. */
export function addReflection(server: Server): void {
  reflection ??= readReflection();
  reflection.addToServer(server);
}

function readReflection(): ReflectionService {
  const files = readdirSync(protoRoot, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('_service.proto'),
  );
  const definition = loadSync(files, { includeDirs: [protoRoot], keepCase: true });
  // Each message has the descriptors of all files, and the library decodes them for each: seconds, for the same result.
  const message = Object.entries(definition).find(([, { fileDescriptorProtos }]) =>
    Array.isArray(fileDescriptorProtos),
  );
  return new ReflectionService(Object.fromEntries(message === undefined ? [] : [message]));
}
