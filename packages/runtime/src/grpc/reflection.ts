import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Server } from '@grpc/grpc-js';

/** The contracts on disk; the generated code carries no descriptors. */
const protoRoot = fileURLToPath(new URL('../../../../proto/', import.meta.url));

/** Serves grpc.reflection for every contract of the product, so that consoles need no files. Development only. */
export function addReflection(server: Server): void {
  const files = readdirSync(protoRoot, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('_service.proto'),
  );
  const definition = loadSync(files, { includeDirs: [protoRoot], keepCase: true });
  new ReflectionService(definition).addToServer(server);
}
