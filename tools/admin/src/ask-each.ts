import type { Operator, ServiceOperations } from './command.js';

/** The responses of the services to an operator's command, and one sentence for each service that did not respond. */
interface Answers<T> {
  readonly answers: readonly { readonly service: string; readonly answer: T }[];
  readonly failures: readonly string[];
}

/**
 * Calls all services at the same time. If one service does not respond, the results of the other services are still
 * returned.
 * @throws Error with the messages of all services when none responds, because an empty list would look like a result
 */
export async function askEach<T>(
  { services }: Pick<Operator, 'services'>,
  ask: (rpc: ServiceOperations['rpc'], service: string) => Promise<T>,
): Promise<Answers<T>> {
  const settled = await Promise.all(
    services.map(async ({ service, rpc }) => {
      try {
        return { service, answer: await ask(rpc, service) };
      } catch (error) {
        return { service, failure: `${service}: ${error instanceof Error ? error.message : String(error)}` };
      }
    }),
  );
  const failures = settled.flatMap(({ failure }) => failure ?? []);
  if (failures.length === services.length) throw new Error(failures.join('\n'));
  return {
    answers: settled.flatMap((one) =>
      one.failure === undefined ? [{ service: one.service, answer: one.answer }] : [],
    ),
    failures,
  };
}
