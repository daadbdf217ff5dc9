import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

export interface HealthServer {
  /** Port on which the health server accepts the probes. */
  readonly port: number;
  stop(): void;
}

/** Returns the state of a service that is alive but not ready, as the gRPC health service reports it. */
export function newHealth(): HealthImplementation {
  return new HealthImplementation({ '': 'SERVING', ready: 'NOT_SERVING' });
}

/**
 * Serves the gRPC health service, and nothing else, on a port without TLS, because the probes of Kubernetes do not
 * support TLS. The health service has a separate server, because one server with two ports would serve all rpcs on
 * both.
 */
export async function startHealthServer(
  host: string,
  port: number,
  health: HealthImplementation,
): Promise<HealthServer> {
  const server = new Server();
  health.addToServer(server);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(new Error(`Cannot listen on ${host}:${port}: ${error.message}`));
    });
  });
  return { port: bound, stop: () => server.forceShutdown() };
}
