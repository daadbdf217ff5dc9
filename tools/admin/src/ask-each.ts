import type { Operator, ServiceOperations } from './command.js';

/** The responses of the services, and a sentence for each that did not respond. */
interface Answers<T> {
  readonly answers: readonly { readonly service: string; readonly answer: T }[];
  readonly failures: readonly string[];
}

/**
 * Asks the services at once. One that does not answer keeps the answers of others from nobody.
 * @throws Error with the sentences of all when none answers: an empty list would say that there is nothing
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
