import { parseArgs, styleText } from 'node:util';
import { OperatorServiceDefinition as AnalysisOperator } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import { OperatorServiceDefinition as BillingOperator } from '@invoicecontrol/contracts/billing/v1/operator_service';
import { OperatorServiceDefinition as Operations } from '@invoicecontrol/contracts/operations/v1/operator_service';
import { OperatorServiceDefinition as OrganizationOperator } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { OperatorServiceDefinition as ScanOperator } from '@invoicecontrol/contracts/scan/v1/operator_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { operatedServices, UsageError } from './command.js';
import type { AnyCommand, Command, OperatedService, Outcome } from './command.js';
import { brokerSetup } from './commands/broker-setup.js';
import { createKey } from './commands/create-key.js';
import { createMember } from './commands/create-member.js';
import { createOrganization } from './commands/create-organization.js';
import { listDeadLetters, resendDeadLetters, showDeadLetter } from './commands/dead-letters.js';
import { dryRunPolicy } from './commands/dry-run-policy.js';
import { linkSubscription } from './commands/link-subscription.js';
import { migrate } from './commands/migrate.js';
import { probe } from './commands/probe.js';
import { organizations } from './commands/organizations.js';
import { overridePolicy } from './commands/override-policy.js';
import { purgeOrganizations, verifyPurge } from './commands/purges.js';
import { reconcileSubscriptions } from './commands/reconcile-subscriptions.js';
import { replayAnalyses } from './commands/replay-analyses.js';
import { restoreOrganization } from './commands/restore-organization.js';
import { abandonScan } from './commands/scans.js';
import { setPlan } from './commands/set-plan.js';
import { stuck } from './commands/stuck.js';
import { validateDocuments } from './commands/validate-documents.js';
import { findSystem } from './connection.js';
import { commandHelp, generalHelp, optionText } from './help.js';
import { toText } from './text-output.js';

/** Operator's commands in the order in which the help lists them. */
export const commands: readonly AnyCommand[] = [
  organizations,
  createOrganization,
  restoreOrganization,
  purgeOrganizations,
  verifyPurge,
  createKey,
  createMember,
  setPlan,
  reconcileSubscriptions,
  linkSubscription,
  stuck,
  listDeadLetters,
  showDeadLetter,
  resendDeadLetters,
  abandonScan,
  replayAnalyses,
  dryRunPolicy,
  overridePolicy,
  validateDocuments,
  migrate,
  brokerSetup,
  probe,
];

/** Exit codes of an operator's command: done, refused or failed, wrong usage. */
const DONE = 0;
const FAILED = 1;
const NOT_UNDERSTOOD = 2;

export interface RunDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/**
 * Runs one operator's command and returns the exit code. Results go to standard output, everything else to standard
 * error.
 */
export async function run(args: readonly string[], { env, stdout, stderr }: RunDeps): Promise<number> {
  const hasColours = stdout.isTTY === true && !env['NO_COLOR'];
  const bold = (text: string): string => (hasColours ? styleText('bold', text) : text);
  /** The progress of an operator's command overwrites its line, so it is shown only on a terminal. */
  const report = (progress: string): void => {
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${progress}`);
  };
  try {
    const [name] = args;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      stdout.write(generalHelp(commands, bold));
      return name === undefined ? NOT_UNDERSTOOD : DONE;
    }
    const found = findCommand(args);
    if ('group' in found) {
      stdout.write(generalHelp(found.group, bold));
      return DONE;
    }
    const { command, rest } = found;
    const given = readOptions(command, rest);
    if (given.help) {
      stdout.write(commandHelp(command, bold));
      return DONE;
    }
    let exitCode = DONE;
    for await (const outcome of outcomesOf(command, given, env, report)) {
      report('');
      stdout.write(given.json ? `${JSON.stringify(outcome.json)}\n` : toText(outcome, bold));
      const { failures = [] } = outcome;
      for (const failure of failures) stderr.write(`${failure}\n`);
      if (failures.length > 0) exitCode = FAILED;
    }
    return exitCode;
  } catch (error) {
    report('');
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? NOT_UNDERSTOOD : FAILED;
  }
}

/**
 * Finds the operator's command that the first word or the first two words name, or the group of commands whose help is
 * requested.
 */
function findCommand(
  args: readonly string[],
): { command: AnyCommand; rest: readonly string[] } | { group: readonly AnyCommand[] } {
  const [first = '', second = ''] = args;
  for (const [name, words] of [
    [first, 1],
    [`${first} ${second}`, 2],
  ] as const) {
    const command = commands.find((candidate) => candidate.name === name);
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length === 0) throw new UsageError(`Unknown command ${first}. Run with --help to see all.`);
  if (second === '--help' || second === '-h') return { group };
  const names = group.map(({ name }) => name).join(', ');
  throw new UsageError(
    `${second === '' ? `${first} has several commands` : `Unknown command ${first} ${second}`}: ${names}.`,
  );
}

interface Given {
  readonly help: boolean;
  readonly json: boolean;
  readonly address: string | undefined;
  /** Directory with the identity files of the operator. */
  readonly identity: string | undefined;
  /** The services that an administration command calls. */
  readonly services: readonly OperatedService[];
  /** Returns the command-line values after the command name: at most one, unless the command works on files. */
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
}

const switches = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;

function readOptions(command: AnyCommand, args: readonly string[]): Given {
  const { name, argument: wanted } = command;
  const asked = 'run' in command ? command.service : undefined;
  const own = Object.fromEntries(
    Object.entries(command.options).map(([option, { value }]) => [
      option,
      { type: value === undefined ? 'boolean' : 'string' } as const,
    ]),
  );
  const text = { type: 'string' } as const;
  const everyOptions = asked === 'every' ? { service: text } : {};
  let parsed: { values: Record<string, string | boolean | undefined>; positionals: string[] };
  try {
    const connection = asked === undefined ? {} : { ...everyOptions, address: text, identity: text };
    const options = { ...own, ...connection, ...switches } as const;
    parsed = parseArgs({ args: [...args], options, allowPositionals: wanted !== undefined });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. Run ${name} --help to see the options.`);
  }
  const { help, json, address, identity, service, ...texts } = parsed.values;
  const values = Object.fromEntries(
    Object.entries(texts).map(([option, value]) => [option, typeof value === 'string' ? value : '']),
  );
  const [argument, ...more] = parsed.positionals;
  const missing = [
    ...(wanted?.isRequired && !argument ? [wanted.value] : []),
    ...Object.entries(command.options).flatMap(([option, own_]) =>
      own_.isRequired && !values[option] ? [optionText(option, own_)] : [],
    ),
  ];
  if (help !== true) {
    if (missing.length > 0) {
      throw new UsageError(`${name} needs ${missing.join(', ')}. Run ${name} --help to see all options.`);
    }
    if (more.length > 0 && asked !== undefined)
      throw new UsageError(`Unexpected argument '${more[0]}'. Run ${name} --help to see the options.`);
    if (asked === 'every' && address !== undefined && service === undefined) {
      throw new UsageError('--address is the address of one service. Name that service with --service.');
    }
  }
  return {
    help: help === true,
    json: json === true,
    address: address as string | undefined,
    identity: identity as string | undefined,
    services: asked === undefined ? [] : asked === 'every' ? readServices(service as string | undefined) : [asked],
    positionals: parsed.positionals,
    values,
  };
}

function readServices(name: string | undefined): readonly OperatedService[] {
  if (name === undefined) return operatedServices;
  const service = operatedServices.find((one) => one === name);
  if (service === undefined) throw new UsageError(`--service must be one of ${operatedServices.join(', ')}.`);
  return [service];
}

async function* outcomesOf(
  command: AnyCommand,
  given: Given,
  env: NodeJS.ProcessEnv,
  report: (progress: string) => void,
): AsyncIterable<Outcome> {
  if ('runOnFiles' in command) yield* command.runOnFiles(given.values, given.positionals, env);
  else if ('runAlone' in command) yield* command.runAlone(given.values, env, report);
  else yield await execute(command, given, env, report);
}

async function execute(
  command: Command,
  { address, identity: identityDirectory, services, values, positionals }: Given,
  env: NodeJS.ProcessEnv,
  report: (progress: string) => void,
): Promise<Outcome> {
  const { addresses, call, identity } = await findSystem(services, { address, identity: identityDirectory }, env);
  const channels = new Map<OperatedService, Channel>();
  for (const [service, at] of addresses) channels.set(service, openChannel(at, { service, identity }));
  const channelOf = (service: OperatedService): Channel => {
    const channel = channels.get(service);
    if (channel === undefined)
      throw new TypeError(`The command ${command.name} does not query the service ${service}.`);
    return channel;
  };
  try {
    return await command.run(
      {
        get organization() {
          return reachable(client(OrganizationOperator, channelOf('organization')), addresses.get('organization'));
        },
        get analysis() {
          return reachable(client(AnalysisOperator, channelOf('analysis')), addresses.get('analysis'));
        },
        get scan() {
          return reachable(client(ScanOperator, channelOf('scan')), addresses.get('scan'));
        },
        get billing() {
          return reachable(client(BillingOperator, channelOf('billing')), addresses.get('billing'));
        },
        services: services.map((service) => ({
          service,
          rpc: reachable(client(Operations, channelOf(service)), addresses.get(service)),
        })),
        call,
        report,
      },
      values,
      positionals[0],
    );
  } finally {
    for (const channel of channels.values()) channel.close();
    identity.close();
  }
}

/**
 * Returns the calls to a service with better error messages: if the service cannot be reached, the message contains its
 * address.
 */
function reachable<Rpc extends object>(rpc: Rpc, address: string | undefined): Rpc {
  return Object.fromEntries(
    Object.entries(rpc).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]) => {
        try {
          return await call(...args);
        } catch (error) {
          if (!isUnreachable(error)) throw error;
          throw new Error(`Nothing responds at ${address}. Is the system running?`, { cause: error });
        }
      },
    ]),
  ) as Rpc;
}

/** Checks whether no service responded. A service whose database is unavailable does respond. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || !('kind' in error) || error.kind !== 'unavailable') return false;
  const { metadata } = (error.cause ?? {}) as { metadata?: { get(name: string): readonly unknown[] } };
  return (metadata?.get('grpc-status-details-bin') ?? []).length === 0;
}
